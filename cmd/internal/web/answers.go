package web

import (
	"bytes"
	"errors"
	"net/http"

	"alibi/cmd/internal/session"
)

// reasons are refusals that have words of their own.
var reasons = []struct {
	err error
	key string
}{
	{ErrBusy, "web.wrong.busy"},
	{ErrNoGame, "web.wrong.nogame"},
	{ErrNoTable, "web.wrong.notable"},
	{ErrStale, "web.wrong.stale"},
	{errNote, "web.wrong.note"},
	{errForm, "web.wrong.form"},
	{errLeavers, "web.wrong.leavers"},
	{errName, "web.wrong.name"},
	{errNotLog, "web.wrong.notlog"},
	{session.ErrOver, "web.wrong.over"},
	{session.ErrWaiting, "web.wrong.waiting"},
	{session.ErrUnreachable, "failed.unreachable"},
	{session.ErrNameTaken, "failed.nametaken"},
	{session.ErrFull, "failed.full"},
	{session.ErrBegun, "failed.begun"},
	{session.ErrRemoved, "failed.removed"},
	{session.ErrClosed, "failed.closed"},
	{session.ErrNoTable, "failed.notable"},
	{session.ErrLost, "failed.lost"},
	{session.ErrChanged, "failed.changed"},
	{session.ErrVersion, "failed.version"},
	{session.ErrNotShown, "failed.notshown"},
	{session.ErrCrowded, "failed.crowded"},
	{session.ErrDiskFull, "failed.disk"},
	{session.ErrReadOnly, "failed.readonly"},
	{session.ErrDamaged, "failed.damaged"},
}

// why is the key of the words for an error.
func why(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.key
		}
	}
	return "web.wrong"
}

// wrong says why something was not done. A script gets the sentence alone.
func (s *Server) wrong(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusConflict
	if errors.Is(err, errForm) {
		status = http.StatusBadRequest
	}
	s.say(w, r, status, why(err))
}

// refuse answers a request that is let nowhere.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int) {
	key := "web.refused"
	if status == http.StatusNotFound {
		key = "web.nopage"
	}
	s.say(w, r, status, key)
}

// scripted reports whether a script of ours asks, which says so itself: browsers
// send no Sec-Fetch-Mode to a phone's page.
func scripted(r *http.Request) bool { return r.Header.Get("Accept") == "text/plain" }

func (s *Server) say(w http.ResponseWriter, r *http.Request, status int, key string) {
	book := s.book(r)
	if scripted(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(book.Say(key)))
		return
	}
	var b bytes.Buffer
	if err := s.pages.note(&b, book, key); err != nil {
		http.Error(w, book.Say(key), status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
