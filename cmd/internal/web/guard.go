package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"sync"
)

// guard stands before every page. It lets in windows that have shown the token of
// this launch, under host names that are this computer's: a name that somebody
// else's server was rebound from would otherwise be the same origin as this one.
type guard struct {
	hosts  func(host string) bool
	cookie string // its name; cookies of one host are shared by all its ports
	pass   string // its value
	doors  *doors
	next   http.Handler
	refuse func(w http.ResponseWriter, r *http.Request, status int)
}

// doors are the ways in: tokens, some of which open once only.
type doors struct {
	mu   sync.Mutex
	open map[string]bool // by token: whether it opens once only
}

func newDoors() *doors { return &doors{open: map[string]bool{}} }

// add makes a token.
func (d *doors) add(once bool) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	token := rand.Text()
	d.open[token] = once
	return token
}

// enter reports whether a token opens.
func (d *doors) enter(token string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for known, once := range d.open {
		if subtle.ConstantTimeCompare([]byte(known), []byte(token)) == 1 {
			if once {
				delete(d.open, known)
			}
			return true
		}
	}
	return false
}

// policy allows what a page of this server needs, all of it from this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.hosts(r.Host):
		g.refuse(w, r, http.StatusMisdirectedRequest)
	case r.URL.Path == "/enter":
		g.enter(w, r)
	case !g.admitted(r):
		g.refuse(w, r, http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// enter takes a token for the cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !g.admitted(r) && !g.doors.enter(r.URL.Query().Get("token")) {
		g.refuse(w, r, http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie, Value: g.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *guard) admitted(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.pass)) == 1 {
			return true
		}
	}
	return false
}

// crumb names the cookie of a port.
func crumb(port int) string { return fmt.Sprintf("alibi-%d", port) }
