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
		proxy.ServeHTTP(w, r)
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
}
