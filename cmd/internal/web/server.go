// Package web is the table in the browser: each player's own program serves pages
// on that player's own computer, and those pages are the game. A page is a
// rendering of a Scene in a language, made anew whenever the scene changes and
// sent over server-sent events; what a person decides comes back as a form. The
// pages know no rule and no secret that package view does not show.
//
// Whoever may not see a seat's hand must not reach its pages: see guard.
package web

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/web/art"
)

//go:embed static templates
var files embed.FS

// Bounds of a request.
const (
	maxForm   = 64 << 10
	maxHeader = 16 << 10
	patience  = 10 * time.Second

	// maxVisitors are connections at an address on the local network. Strangers who
	// hold them all keep phones out, but leave the game its sockets.
	maxVisitors = 64
)

// Server serves the pages of one App at one port.
type Server struct {
	app   *App
	doors *doors
	pages *pages
	shelf shelf
	token string
	pass  string // what the cookie holds
	port  int
	names func(host string) bool

	prefer *say.Book // rather than what the browser does, unless nil

	phones *phones // nil unless they are let in
	lan    bool    // these are the pages for them
}

// NewServer serves on the loopback interface at a port.
func NewServer(app *App, port int) *Server {
	s := &Server{app: app, doors: newDoors(), pages: newPages(), pass: rand.Text(), port: port}
	s.token = s.doors.add(false)
	s.names = func(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }
	return s
}

// Address is what a person opens in a browser. It holds the token of this launch.
func (s *Server) Address() string { return s.at(s.token) }

// Once is an address that opens once only: others on this computer may see what a
// browser is started with.
func (s *Server) Once() string { return s.at(s.doors.add(true)) }

func (s *Server) at(token string) string {
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) + "/enter?token=" + token
}

// Run serves until ctx ends, and waits for the windows that are open.
func (s *Server) Run(ctx context.Context, listeners ...net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	srv := &http.Server{
		Handler: s.Handler(), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: patience, ReadTimeout: time.Minute, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // what strangers send is no news
	}
	var all sync.WaitGroup
	if s.lan {
		all.Go(func() { s.phones.run(ctx) })
	}
	served := make([]error, len(listeners))
	for i, l := range listeners {
		if s.lan {
			l = netutil.LimitListener(l, maxVisitors)
		}
		all.Go(func() {
			served[i] = srv.Serve(l)
			stop()
		})
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := srv.Shutdown(end)
	all.Wait()
	for _, why := range served {
		if !errors.Is(why, http.ErrServerClosed) {
			err = errors.Join(err, why)
		}
	}
	return err
}

// Handler is everything behind the guard.
func (s *Server) Handler() http.Handler {
	static, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", cached(http.StripPrefix("/static/", http.FileServerFS(static))))
	mux.HandleFunc("GET /static/{$}", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, http.StatusNotFound) }) // no list
	mux.Handle("GET /static/cards.svg", cached(http.HandlerFunc(drawings)))
	mux.HandleFunc("GET /{$}", s.table)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /rules", s.rules)
	mux.HandleFunc("GET /log", s.log)
	mux.HandleFunc("GET /replay", s.replay)
	mux.HandleFunc("POST /replay", s.load)
	mux.HandleFunc("POST /language", s.language)
	mux.HandleFunc("POST /do/{deed}", s.deed)
	if s.phones != nil && !s.lan {
		mux.HandleFunc("GET /phone", s.phone)
		mux.HandleFunc("POST /do/phone/{deed}", s.phoneDeed)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, http.StatusNotFound) })
	within := http.NewCrossOriginProtection().Handler(mux)
	if s.lan {
		return s.lanGuard(within)
	}
	return s.ownGuard(within)
}

// here reports whether a Host header names this server.
func (s *Server) here(header string) bool {
	host, port, err := net.SplitHostPort(header)
	return err == nil && port == strconv.Itoa(s.port) && s.names(host)
}

// cached lets the browser keep what never changes while this program runs.
func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, max-age=3600")
		next.ServeHTTP(w, r)
	})
}

func drawings(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = io.WriteString(w, art.Sprite())
}

// Prefer has windows begin in a language, whatever their browsers prefer. It is
// called before the server runs.
func (s *Server) Prefer(b *say.Book) { s.prefer = b }

// book is the language of a window: the one that was chosen there, or what was asked
// for when the program was started, or what the browser prefers.
func (s *Server) book(r *http.Request) *say.Book {
	if c, err := r.Cookie(crumb(s.port) + "-language"); err == nil {
		if b, ok := say.In(c.Value); ok {
			return b
		}
	}
	if s.prefer != nil {
		return s.prefer
	}
	return say.For(r.Header.Get("Accept-Language"))
}

// language chooses the language of a browser.
func (s *Server) language(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if b, ok := say.In(r.PostFormValue("language")); ok {
		http.SetCookie(w, &http.Cookie{
			Name: crumb(s.port) + "-language", Value: b.Language().Tag, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, MaxAge: 400 * 24 * 3600,
		})
	}
	http.Redirect(w, r, back(r.PostFormValue("back")), http.StatusSeeOther)
}

// back is where a page of ours leads back to, and nowhere else.
func back(path string) string {
	if u, err := url.Parse(path); err == nil && u.Host == "" && u.Scheme == "" && (u.Path == "/rules" || u.Path == "/replay" || u.Path == "/phone") {
		u.Fragment = ""
		return u.String()
	}
	return "/"
}
