package browser

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

var within = flag.Duration("within", time.Minute, "how long anything may take that a test waits for")

// chromium starts a browser for the test, or skips it.
func chromium(t *testing.T) context.Context {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("whole games take a while")
	case racing && !slices.Contains([]string{"TestNormalGameByClicks", "TestNervousHands", "TestSilentLine", "TestNewsWaitsForAHand"}, t.Name()):
		t.Skip("two games are enough to look for races, and what is short")
	}
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no chromium here")
	}
	t.Parallel() // players mostly wait for one another
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("headless", "new"), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en"))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has let go of its folder
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// window is one page of one player. All of a player's windows share a jar of
// cookies; different players share nothing.
type window struct {
	t    testing.TB
	who  string
	ctx  context.Context
	over context.Context // ends when there is nothing to wait for any more
}

// stays watches that a window asks nobody but its program for anything.
func (w *window) stays(at string) error {
	home, err := url.Parse(at)
	if err != nil {
		return err
	}
	return chromedp.Listen(w.ctx, func(ev any) {
		if r, ok := ev.(*network.EventRequestWillBeSent); ok {
			if to, err := url.Parse(r.Request.URL); err != nil || to.Host != home.Host {
				w.t.Errorf("%s: the page asks for %s", w.who, r.Request.URL)
			}
		}
	})
}

// look is how a window is looked at.
type look struct {
	cable         string // a proxy between the browser and the program, "" for none
	lang          string // what the browser prefers
	width, height int64
	dark          bool
}

var desktop = look{lang: "en", width: 1440, height: 900}

// enter opens a first window for a program.
func enter(t *testing.T, browser context.Context, p *program, l look) *window {
	t.Helper()
	return newWindow(t, browser, p.name, p.address, l, chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		if p.ProxyServer = l.cable; l.cable != "" {
			p.ProxyBypassList = "<-loopback>" // which is not bypassed, then
		}
	}))
}

// second opens another window of the same player.
func (w *window) second(t *testing.T, l look) *window {
	t.Helper()
	return newWindow(t, w.ctx, w.who+" 2", value[string](w, "location.href"), l)
}

func newWindow(t *testing.T, parent context.Context, who, at string, l look, o ...chromedp.ContextOption) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, o...)
	t.Cleanup(cancel)
	w := &window{t: t, who: who, ctx: ctx, over: t.Context()}
	if err := chromedp.Do(ctx); err != nil { // without a deadline: it would be the window's
		t.Fatal(err)
	}
	if err := w.stays(at); err != nil {
		t.Fatal(err)
	}
	w.run("set up",
		command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: recorder}),
		// There are several windows, and each is to believe that it is in front.
		command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		command(emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: l.lang}),
		command(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "alibi's test", AcceptLanguage: l.lang}))
	w.wear(l)
	w.run("open "+at, chromedp.Navigate(at))
	w.until("the page", "document.querySelector('#view') && document.documentElement.classList.contains('js')")
	return w
}

// wear changes how a window is looked at.
func (w *window) wear(l look) {
	w.t.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	w.run("change the window",
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}))
}

// run does something in the window, or ends the test.
func (w *window) run(what string, steps ...step) {
	w.t.Helper()
	ctx, cancel := w.limit()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.fail(what, err)
	}
}

// limit is how long something may take here.
func (w *window) limit() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(w.ctx, *within)
	context.AfterFunc(w.over, cancel)
	return ctx, cancel
}

// step is something that a window can be told to do.
type step = chromedp.Action[chromedp.Void]

// command is a step of the protocol whose answer nobody needs.
func command[P, R any](c cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// halt ends one player's part: goroutines other than the test's own must not call
// Fatal, so it travels as a panic up to together.
type halt struct{ error }

func (w *window) fail(what string, err error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	shown, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + JSON.stringify(window.recorded) + "\n" + document.querySelector("main").innerText.replace(/\s*\n\s*/g, "\n").slice(0, 500)`))
	panic(halt{fmt.Errorf("%s: %s: %w\nthe page: %s", w.who, what, err, shown)})
}

// value is what an expression of JavaScript is now.
func value[T any](w *window, expression string) T {
	w.t.Helper()
	ctx, cancel := w.limit()
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.fail(expression, err)
	}
	return out
}

// until waits until an expression is true, over reloads of the page, too.
func (w *window) until(what, expression string) {
	w.t.Helper()
	awaited[bool](w, what, "!!("+expression+")")
}

// awaited waits until an expression is something, and gives what. The page asks
// itself: the policy that it is served with allows no code made of text, as
// chromedp's own polling is.
func awaited[T any](w *window, what, expression string) T {
	w.t.Helper()
	js := `new Promise(done => {
		const look = () => {
			let v;
			try { v = ` + expression + ` } catch { return } // it is not all there yet
			if (v) { changes.disconnect(); clearInterval(now); done(JSON.stringify(v)); }
		};
		const changes = new MutationObserver(look), now = setInterval(look, 50); // not all is of the document
		changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		look();
	})`
	ctx, cancel := w.limit()
	defer cancel()
	for {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](js, chromedp.EvalAwaitPromise))
		if err != nil && ctx.Err() == nil && gone(err) {
			continue
		}
		var out T
		if err == nil {
			err = json.Unmarshal([]byte(text), &out)
		}
		if err != nil {
			w.fail("waiting for "+what, err)
		}
		return out
	}
}

// gone reports whether the page was left while it was asked.
func gone(err error) bool {
	for _, text := range []string{"navigated or closed", "context was destroyed", "Promise was collected", "Cannot find context"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return errors.Is(err, chromedp.ErrInvalidTarget)
}

// point is where to click.
type point struct{ X, Y float64 }

// spot waits until a person could click on what a selector finds: it is there, in
// view once scrolled to, and nothing lies over it.
func (w *window) spot(selector string) point {
	w.t.Helper()
	return awaited[point](w, "something to click at "+selector, `(() => {
		const el = document.querySelector(`+quoted(selector)+`);
		if (!el || el.disabled) return null;
		el.scrollIntoView({ block: "center", behavior: "instant" });
		const r = el.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
		if (!r.width || !r.height) return null;
		const hit = document.elementFromPoint(x, y);
		return el.contains(hit) ? { X: x, Y: y } : null;
	})()`)
}

// click presses and lets go of the mouse, as many times as said in one place.
func (w *window) click(selector string) { w.t.Helper(); w.clicks(selector, 1) }

func (w *window) clicks(selector string, times int) {
	w.t.Helper()
	at := w.reachFor(selector)
	var steps []step
	for i := range times {
		steps = append(steps, chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(i+1)))
	}
	w.run("click "+selector, steps...)
}

// reachFor moves the mouse to something, and after it as a person does if it has moved
// meanwhile.
func (w *window) reachFor(selector string) point {
	w.t.Helper()
	for {
		at := w.spot(selector)
		w.run("move to "+selector, chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
		if w.spot(selector) == at {
			return at
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // of a string never fails
	return string(b)
}
