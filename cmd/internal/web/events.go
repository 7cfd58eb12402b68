package web

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// beat is how often, unless Beat says otherwise, a window hears from this program
// although nothing changes, so that either learns that the other is gone.
const beat = 15 * time.Second

// Beat changes how often windows hear from this program although nothing changes.
// It is called before Phones and Run.
func (s *Server) Beat(every time.Duration) { s.pages.beat = every }

// events sends the inner part of the page whenever it changes. A window that was
// away, asleep or reloaded begins with what is shown now: nothing is counted, and
// nothing can be missed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return // nobody would read it
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	book := s.book(r)
	tick := time.NewTicker(s.pages.beat)
	defer tick.Stop()
	show := of
	if s.phones != nil && !s.lan && r.URL.Query().Get("page") == "phone" {
		show = phoneBody
	}
	var last []byte
	for {
		scene, changed := s.scene()
		var b bytes.Buffer
		if err := s.pages.inner(&b, book, show(scene, book)); err != nil {
			return
		}
		if !bytes.Equal(b.Bytes(), last) {
			last = b.Bytes()
			if !send(w, c, "main", last) {
				return
			}
		}
		select {
		case <-changed:
		case <-tick.C:
			if !send(w, c, "beat", nil) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// send writes one event (HTML standard, 9.2.6).
func send(w http.ResponseWriter, c *http.ResponseController, name string, data []byte) bool {
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(w, "event: %s\n", name); err != nil {
		return false
	}
	// A lone carriage return would end a line as well.
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	for line := range bytes.Lines(append(data, '\n')) {
		if _, err := fmt.Fprintf(w, "data: %s\n", bytes.TrimRight(line, "\n")); err != nil {
			return false
		}
	}
	if _, err := w.Write([]byte("\n")); err != nil {
		return false
	}
	return c.Flush() == nil
}
