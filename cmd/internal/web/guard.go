package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"sync"
)

// guard stands before every page. It lets in windows that were admitted, under host
// names that are this computer's: a name that somebody else's server was rebound
// from would otherwise be the same origin as this one.
type guard struct {
	hosts    func(host string) bool
	referrer string // the policy for it
	// admit reports whether a request may pass; it may while the context lasts.
	admit   func(*http.Request) (context.Context, bool)
	outside http.Handler // for /enter, and whoever is not admitted
	next    http.Handler
	refuse  func(w http.ResponseWriter, r *http.Request, status int)
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
	h.Set("Referrer-Policy", g.referrer)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !g.hosts(r.Host) {
		g.refuse(w, r, http.StatusMisdirectedRequest)
		return
	}
	while, in := g.admit(r)
	switch {
	case r.URL.Path == "/enter" && in && r.Method == http.MethodGet:
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case r.URL.Path == "/enter" || !in:
		g.outside.ServeHTTP(w, r)
	default:
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(while, cancel)()
		g.next.ServeHTTP(w, r.WithContext(ctx))
	}
}

// ownGuard stands before the pages on the player's own computer.
func (s *Server) ownGuard(mux http.Handler) *guard {
	return &guard{
		hosts: s.here, referrer: "no-referrer", admit: s.admitOwn, refuse: s.refuse,
		outside: http.HandlerFunc(s.enter), next: mux,
	}
}

// enter takes a token for the cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/enter" || r.Method != http.MethodGet || !s.doors.enter(r.URL.Query().Get("token")) {
		s.refuse(w, r, http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: crumb(s.port), Value: s.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) admitOwn(r *http.Request) (context.Context, bool) {
	for _, c := range r.CookiesNamed(crumb(s.port)) {
		if subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.pass)) == 1 {
			return context.Background(), true
		}
	}
	return nil, false
}

// crumb names the cookie of a port.
func crumb(port int) string { return fmt.Sprintf("alibi-%d", port) }
