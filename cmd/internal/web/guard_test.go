package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const testPort = 4711

// window is a browser at a server, as far as headers go.
type window struct {
	t      *testing.T
	server *Server
	cookie *http.Cookie
}

func (w *window) ask(method, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:4711"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if w.cookie != nil {
		r.AddCookie(w.cookie)
	}
	if change != nil {
		change(r)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), 100*time.Millisecond) // events never end by themselves
	defer cancel()
	out := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(out, r.WithContext(ctx))
	return out
}

// enter shows a token.
func (w *window) enter(address string) int {
	w.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	out := w.ask(http.MethodGet, u.RequestURI(), nil)
	for _, c := range out.Result().Cookies() {
		w.cookie = c
	}
	return out.Code
}

func newWindow(t *testing.T) *window {
	t.Helper()
	return &window{t: t, server: NewServer(NewApp(nil, "Anh", ""), testPort)}
}

// everywhere are requests that must lead nowhere without the cookie.
var everywhere = []struct{ method, path string }{
	{"GET", "/"}, {"GET", "/events"}, {"GET", "/log"}, {"GET", "/replay"}, {"GET", "/rules"}, {"GET", "/static/app.js"},
	{"GET", "/static/cards.svg"}, {"POST", "/replay"}, {"POST", "/language"}, {"POST", "/do/quit"}, {"POST", "/do/name"}, {"GET", "/nowhere"},
}

func TestNothingWithoutTheToken(t *testing.T) {
	w := newWindow(t)
	for _, c := range []*http.Cookie{nil, {Name: crumb(testPort), Value: "guess"}, {Name: crumb(testPort), Value: w.server.token}, {Name: crumb(9), Value: w.server.pass}} {
		w.cookie = c
		for _, at := range everywhere {
			out := w.ask(at.method, at.path, nil)
			if out.Code != http.StatusForbidden || strings.Contains(out.Body.String(), "Anh") {
				t.Errorf("%s %s with %v: %d", at.method, at.path, c, out.Code)
			}
		}
	}
	w.cookie = nil
	for _, address := range []string{"/enter", "/enter?token=", "/enter?token=guess", "/enter?token=" + w.server.pass} {
		if code := w.enter(address); code != http.StatusForbidden || w.cookie != nil {
			t.Errorf("%s: %d", address, code)
		}
	}
}

func TestTokenOpens(t *testing.T) {
	w := newWindow(t)
	for range 2 { // a second window too
		if code := w.enter(w.server.Address()); code != http.StatusSeeOther || w.cookie == nil {
			t.Fatalf("status %d", code)
		}
		if c := w.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" || c.Path != "/" {
			t.Errorf("cookie %v", c)
		}
		if out := w.ask("GET", "/", nil); out.Code != http.StatusOK || !strings.Contains(out.Body.String(), "Anh") {
			t.Errorf("status %d", out.Code)
		}
		w.cookie = nil
	}
	once := w.server.Once()
	if first, second := w.enter(once), (&window{t: t, server: w.server}).enter(once); first != http.StatusSeeOther || second != http.StatusForbidden {
		t.Errorf("a token for once: %d, then %d", first, second)
	}
}

// A name that somebody else's server was rebound from is not this computer's.
func TestReboundHost(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	for host, fine := range map[string]bool{
		"127.0.0.1:4711": true, "localhost:4711": true, "[::1]:4711": true,
		"evil.example:4711": false, "127.0.0.1:4712": false, "127.0.0.1": false, "localhost": false, "": false, "127.0.0.1.evil.example:4711": false, "10.0.0.1:4711": false,
	} {
		out := w.ask("GET", "/", func(r *http.Request) { r.Host = host })
		if (out.Code == http.StatusOK) != fine || !fine && strings.Contains(out.Body.String(), "Anh") {
			t.Errorf("host %q: %d", host, out.Code)
		}
	}
}

// A page from elsewhere, be it on another port of this computer, can have nothing
// done, even if the browser sent the cookie along.
func TestOtherOrigins(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	for name, change := range map[string]func(*http.Request){
		"another site":          func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another port":          func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an old browser's word": func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "http://127.0.0.1:4712") },
		"a sandbox":             func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "null") },
	} {
		if out := w.ask("POST", "/do/same", change); out.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, out.Code)
		}
	}
	if out := w.ask("POST", "/do/same", nil); out.Code == http.StatusForbidden {
		t.Error("the own page is refused")
	}
}

// Every answer forbids what the pages do not need.
func TestHeaders(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	for _, path := range []string{"/", "/rules", "/static/app.js", "/nowhere", "/events"} {
		h := w.ask("GET", path, nil).Header()
		if p := h.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none';") || strings.Contains(p, "unsafe") || !strings.Contains(p, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, p)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
	page := w.ask("GET", "/", nil)
	b, err := io.ReadAll(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	if page.Header().Get("Cache-Control") != "no-store" || strings.Contains(string(b), "style=") || strings.Contains(string(b), "onclick") {
		t.Error("a page that is kept, or does what the policy forbids")
	}
}

// A form that is too long, or no form, is an answer and no more.
func TestHostileForms(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	for name, body := range map[string]string{
		"a long one": "name=" + strings.Repeat("x", maxForm), "no encoding": "name=%zz", "no name": "", "a bad name": "name=%00", "an old round": "round=4294967296",
	} {
		for deed := range deeds {
			if deed == "quit" || deed == "open" || deed == "join" || deed == "watch" || deed == "address" || deed == "resume" {
				continue // these need a peer
			}
			out := w.ask("POST", "/do/"+deed, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(body)) })
			if out.Code < 400 || out.Code > 499 {
				t.Errorf("%s: %s: %d", deed, name, out.Code)
			}
		}
	}
}

func TestBareAddress(t *testing.T) {
	if got := bare(" \u2068192.168.1.20:40001\u2069\u200e\n"); got != "192.168.1.20:40001" {
		t.Errorf("%q", got)
	}
}
