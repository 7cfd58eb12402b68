package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/view"
)

// sits has an app play seat 0 of a table of bots, as if a person had sat down there.
func sits(t *testing.T, app *App, p rehearsal.Plan) (quit func()) {
	t.Helper()
	p.People = []int{0}
	table, err := rehearsal.New(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{}, len(table.Sessions))
	for _, s := range table.Sessions[1:] {
		go func() { _ = s.Run(ctx); done <- struct{}{} }()
	}
	go func() { app.play(ctx, table.Sessions[0]); done <- struct{}{} }()
	return func() {
		stop()
		for range table.Sessions {
			<-done
		}
		app.mu.Lock()
		app.game = nil
		app.mu.Unlock()
		app.show(func(s *Scene) { s.Game = nil })
	}
}

// await waits for a scene of the game.
func await(t *testing.T, app *App, holds func(*Game) bool) *Game {
	t.Helper()
	over := time.After(20 * time.Second)
	for {
		s, changed := app.Scene()
		if s.Game != nil && holds(s.Game) {
			return s.Game
		}
		select {
		case <-changed:
		case <-over:
			t.Fatal("it does not come to that")
		}
	}
}

func (w *window) post(path string, form url.Values) *httptest.ResponseRecorder {
	return w.ask("POST", path, func(r *http.Request) {
		r.Header.Set("Accept", "text/plain")
		r.Body = io.NopCloser(strings.NewReader(form.Encode()))
	})
}

func key(v *view.View, c rules.Card) string { return v.Edition.Cards[c].Key }

// firstTurn starts games until seat 0 has the first turn.
func firstTurn(t *testing.T, app *App, seed string) (*Game, func()) {
	t.Helper()
	for n := range 20 {
		quit := sits(t, app, rehearsal.Plan{Seed: fmt.Sprint(seed, n), Names: []string{"Anh", "Bahar", "Chai"}})
		g := await(t, app, func(g *Game) bool { return g.Update.View.Stage.String() == "playing" && g.Update.View.Active >= 0 })
		if g.Update.View.Active == 0 {
			return await(t, app, func(g *Game) bool { return g.Update.View.Choices.Turn }), quit
		}
		quit()
	}
	t.Fatal("never first")
	return nil, nil
}

// A form of a game that is over by now, of a window that slept, must not act in the next.
func TestFormOfAnotherGame(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	app := w.server.app
	g1, quit := firstTurn(t, app, "one")
	v := g1.Update.View
	form := url.Values{"round": {moment{v.Round, g1.ID}.String()}, "card": {key(v, 0), key(v, 7)}}
	quit()
	g2, quit := firstTurn(t, app, "two")
	defer quit()
	t.Logf("game 1 round %d, game 2 round %d, ids %.8s %.8s", v.Round, g2.Update.View.Round, g1.ID, g2.ID)
	if out := w.post("/do/ask", form); out.Code == http.StatusNoContent {
		t.Errorf("the form of game %.8s has asked in game %.8s", g1.ID, g2.ID)
	}
}

// An accusation whose guess could never be fixed must be refused before it is announced.
func TestAccusationWithoutASolution(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	app := w.server.app
	g, quit := firstTurn(t, app, "acc")
	defer quit()
	v := g.Update.View
	of := func(c rules.Category) string { return key(v, v.Edition.Of(c)[0]) }
	out := w.post("/do/accuse", url.Values{"round": {moment{v.Round, g.ID}.String()}, "suspect": {of(1)}, "weapon": {of(0)}, "location": {of(2)}})
	if out.Code == http.StatusNoContent {
		t.Errorf("announced with a weapon for a suspect: %d", out.Code)
	}
}

// A lone carriage return is an end of line in an event stream (HTML, 9.2.6).
func TestCarriageReturnInEvents(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	app := w.server.app
	_, quit := firstTurn(t, app, "cr")
	defer quit()
	if out := w.post("/do/note", url.Values{"text": {"before\rafter\u2028x\x00y"}}); out.Code != http.StatusNoContent {
		t.Fatal(out.Code)
	}
	for line := range strings.SplitSeq(strings.TrimRight(w.ask("GET", "/events", nil).Body.String(), "\n"), "\n") {
		if strings.Contains(line, "\r") {
			t.Errorf("a line of the stream holds a carriage return: %q", line)
		}
	}
}

// What a form leaves on the disk goes with the request.
func TestUploadLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	w := newWindow(t)
	w.enter(w.server.Address())
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:4711"
		w.server.Handler().ServeHTTP(rw, r)
	}))
	defer srv.Close()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, _ := m.CreateFormFile("other", "x")
	_, _ = part.Write(bytes.Repeat([]byte("x"), 40<<20))
	_ = m.Close()
	r, _ := http.NewRequest("POST", srv.URL+"/replay", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(w.cookie)
	out, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = out.Body.Close()
	srv.Close()
	left, _ := os.ReadDir(dir)
	for _, f := range left {
		if strings.HasPrefix(f.Name(), "multipart-") {
			i, _ := f.Info()
			t.Errorf("%s of %d bytes is left", f.Name(), i.Size())
		}
	}
}

// To quit shows the lobby as its last step, when another window may sit at a game
// again: it has shown that the seat is free before. It must not take that game off
// the page, and less so end the program (a nil Scene.Game in follow).
func TestQuitOfOneWindowMeetsTheNextGame(t *testing.T) {
	peer, err := session.NewPeer(session.PeerConfig{Name: "Anh", Loopback: true, NoDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = peer.Close() }()
	app := NewApp(peer, "Anh", "")
	quit := sits(t, app, rehearsal.Plan{Seed: "q", Names: []string{"Anh", "Bahar", "Chai"}, Wait: true})
	defer quit()
	await(t, app, func(g *Game) bool { return g.Update.Compare })
	// What a Quit does once the seat is free, and another window has begun since: stop is
	// nil here as it was when that Quit looked.
	app.mu.Lock()
	app.done = make(chan struct{})
	app.mu.Unlock()
	app.Quit()
	if s, _ := app.Scene(); s.Game == nil {
		t.Error("a quit that was late took the game of another window off the page; the next update ends the program")
	}
}

// The drawings and scripts are listed to nobody: a folder is no page.
func TestNoListing(t *testing.T) {
	_, phone := lan(t)
	if out := phone.get("/static/"); out.Code == http.StatusOK {
		t.Errorf("a stranger gets a list of files: %s", out.Body)
	}
}

// A stream is for who reads it.
func TestHeadOfEvents(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	if out := w.ask("HEAD", "/events", nil); out.Body.Len() > 0 {
		t.Errorf("a HEAD is served the stream, and held open: %d bytes", out.Body.Len())
	}
}
