package browser

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"testing"
)

// cable is a proxy between a browser and a program that can be pulled out: what is
// under way breaks off, and nothing new comes through. The browser's own emulation
// of being offline leaves alone what is under way.
type cable struct {
	address string

	mu    sync.Mutex
	conns map[net.Conn]bool
	out   bool
	quiet chan struct{} // while nothing comes through, though the line stands; closed when it does
}

func newCable(t *testing.T) *cable {
	c := &cable{conns: map[net.Conn]bool{}}
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	// A proxy is asked with the whole address, which is where it passes things on.
	proxy := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, Transport: own, ErrorLog: log.New(io.Discard, "", 0)}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Hostname() != "127.0.0.1" { // the browser's own curiosity
			http.Error(w, "", http.StatusForbidden)
			return
		}
		if quiet := c.silence(); quiet != nil {
			select {
			case <-quiet:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(hearing{w, c}, r)
	}))
	s.Config.ConnState = c.seen
	s.Start()
	t.Cleanup(func() { c.cut(); s.Close() })
	c.address = s.Listener.Addr().String()
	return c
}

func (c *cable) seen(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.conns, conn)
	default:
		c.conns[conn] = true
		if c.out {
			_ = conn.Close()
		}
	}
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = true
	for conn := range c.conns {
		_ = conn.Close()
	}
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = false
	if c.quiet != nil {
		close(c.quiet)
		c.quiet = nil
	}
}

// hush swallows what comes, and breaks nothing.
func (c *cable) hush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quiet = make(chan struct{})
}

func (c *cable) silence() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.quiet
}

// hearing is an answer over a cable that may be silent.
type hearing struct {
	http.ResponseWriter
	cable *cable
}

func (h hearing) Write(b []byte) (int, error) {
	if h.cable.silence() != nil {
		return len(b), nil
	}
	return h.ResponseWriter.Write(b)
}

// Unwrap is what http.ResponseController flushes.
func (h hearing) Unwrap() http.ResponseWriter { return h.ResponseWriter }
