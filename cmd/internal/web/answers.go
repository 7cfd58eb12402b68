package web

import (
	"bytes"
	"errors"
	"net/http"

	"alibi/cmd/internal/say"
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

// misfilled is what a form got wrong that a page cannot prevent, in the words that the
// command line has for the same: what is wrong, and what would be right.
type misfilled struct {
	what, hint string // keys
	pairs      []any
}

func (m misfilled) Error() string { return "web: " + m.what }

func (m misfilled) say(b *say.Book) string {
	return b.Say("web.wrong.with", "what", b.Say(m.what, m.pairs...), "hint", b.Say(m.hint, m.pairs...))
}

// wrong says why something was not done. A script gets the sentence alone.
func (s *Server) wrong(w http.ResponseWriter, r *http.Request, err error) {
	if m, ok := errors.AsType[misfilled](err); ok {
		s.say(w, r, http.StatusConflict, m.say(s.book(r)))
		return
	}
	status := http.StatusConflict
	if errors.Is(err, errForm) {
		status = http.StatusBadRequest
	}
	s.say(w, r, status, s.book(r).Say(why(err)))
}

// refuse answers a request that is let nowhere.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int) {
	key := "web.refused"
	if status == http.StatusNotFound {
		key = "web.nopage"
	}
	s.say(w, r, status, s.book(r).Say(key))
}

// scripted reports whether a script of ours asks, which says so itself: browsers
// send no Sec-Fetch-Mode to a phone's page.
func scripted(r *http.Request) bool { return r.Header.Get("Accept") == "text/plain" }

func (s *Server) say(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	if scripted(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(sentence))
		return
	}
	var b bytes.Buffer
	if err := s.pages.note(&b, s.book(r), sentence); err != nil {
		http.Error(w, sentence, status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
