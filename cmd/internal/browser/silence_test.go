package browser

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"alibi/cmd/internal/session"
	"alibi/cmd/internal/web"
)

// serve serves the page of a player within the test, where what only the program
// itself knows can be chosen: how often it is heard, and what happens next.
func serve(t *testing.T, name string, beat time.Duration) (*program, *web.App) {
	t.Helper()
	peer, err := session.NewPeer(session.PeerConfig{Name: name, Loopback: true, NoDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := web.NewApp(peer, name, "")
	server := web.NewServer(app, l.Addr().(*net.TCPAddr).Port)
	server.Beat(beat)
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		if err := peer.Run(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		if err := server.Run(ctx, l); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() { app.Run(ctx) })
	t.Cleanup(func() {
		stop()
		all.Wait()
		if err := peer.Close(); err != nil {
			t.Error(err)
		}
	})
	return &program{name: name, address: server.Address()}, app
}

// A line that falls silent and does not break, as under a closed lid, is noticed by
// the missing beat; once there is somebody again, the page shows what it has missed.
func TestSilentLine(t *testing.T) {
	browser := chromium(t)
	c := newCable(t)
	p, app := serve(t, "Anh", 200*time.Millisecond)
	err := caught(func() {
		w := enter(t, browser, p, look{cable: c.address, lang: "en", width: 1440, height: 900})
		const lost = "document.querySelector('#lost').hidden"
		w.until("a line", lost+" && document.querySelector('#name-is').value === 'Anh'")
		c.hush()
		w.until("word that nobody is heard", "!"+lost)
		if err := app.Rename("Bahar"); err != nil {
			t.Fatal(err)
		}
		w.until("another try", "!"+lost+" && document.querySelector('#name-is').value === 'Anh'")
		c.mend()
		w.until("what was missed", lost+" && document.querySelector('#name-is').value === 'Bahar'")
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is pressed is not replaced before it is let go: the news waits, so that a click
// comes of it, and is shown right after.
func TestNewsWaitsForAHand(t *testing.T) {
	browser := chromium(t)
	p, app := serve(t, "Anh", time.Second)
	err := caught(func() {
		w := enter(t, browser, p, desktop)
		const name = "document.querySelector('#name-is').value"
		w.until("the lobby", name+" === 'Anh'")
		at := w.reachFor("#open details > summary")
		press := func(what input.DispatchMouseEventType) {
			w.run(string(what), command(input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: what, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}))
		}
		w.run("listen", chromedp.Evaluate[chromedp.Void](`window.order = [];
			addEventListener("click", () => order.push("click"));
			new MutationObserver(() => `+name+` === "Bahar" && order.push("news")).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true })`))
		press("mousePressed")
		if err := app.Rename("Bahar"); err != nil {
			t.Fatal(err)
		}
		// The events of one window come in order: what a later one brings has passed, too.
		w.until("the news, held", "held !== null && held.includes('Bahar')")
		press("mouseReleased")
		w.until("the news", name+" === 'Bahar'")
		if got := value[string](w, "order[0]"); got != "click" || !value[bool](w, exists("#open details[open]")) {
			t.Errorf("%s came first", got)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
