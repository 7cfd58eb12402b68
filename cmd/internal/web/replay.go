package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/audit"
)

// Bounds of logs that are looked at.
const (
	maxLogs    = 4 // kept; the oldest makes room
	maxLogFile = session.MaxLog
	maxParts   = 64 << 10 // of a form around the file
)

// errNotLog means that an uploaded file is no log.
var errNotLog = errors.New("web: this is no log of a game")

// shelf keeps the logs that were opened, for as long as the program runs.
type shelf struct {
	mu   sync.Mutex
	logs []opened
	next int
}

type opened struct {
	id     string
	report *audit.Report
}

func (s *shelf) add(r *audit.Report) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	id = strconv.Itoa(s.next)
	s.logs = append(s.logs, opened{id, r})
	if len(s.logs) > maxLogs {
		s.logs = slices.Delete(s.logs, 0, 1)
	}
	return id
}

func (s *shelf) all() []opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logs)
}

// here names the log of the game that has just ended.
const here = "here"

// logs are those that can be replayed, the newest game's first.
func (s *Server) logs() []opened {
	var out []opened
	scene, _ := s.app.Scene()
	if g := scene.Game; g != nil && g.Ending != nil && g.Ending.Report != nil {
		out = append(out, opened{here, g.Ending.Report})
	}
	return append(out, s.shelf.all()...)
}

// table is the page that is the game.
func (s *Server) table(w http.ResponseWriter, r *http.Request) {
	scene, _ := s.scene()
	s.write(w, func(out io.Writer) error { return s.pages.page(out, scene, s.book(r)) })
}

// rules explains what is played.
func (s *Server) rules(w http.ResponseWriter, r *http.Request) {
	b := s.book(r)
	s.write(w, func(out io.Writer) error {
		return s.pages.whole(out, b, body{Name: "rules", Title: b.Say("web.rules"), Data: newRules(b)}, frame{Path: "/rules"})
	})
}

// log hands out the log of the game that has ended.
func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	scene, _ := s.app.Scene()
	if scene.Game == nil || scene.Game.Ending == nil || len(scene.Game.Ending.Log) == 0 {
		s.refuse(w, r, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="game-%.8s.alibi"`, scene.Game.ID))
	_, _ = w.Write(scene.Game.Ending.Log)
}

// replay shows a turn of a log, or how to open one.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	b, id := s.book(r), r.URL.Query().Get("log")
	n, _ := strconv.Atoi(r.URL.Query().Get("turn")) // what is no number is the beginning
	logs := s.logs()
	m, path := replayPage{}, "/replay"
	if i := slices.IndexFunc(logs, func(o opened) bool { return o.id == id }); i >= 0 {
		m = replayed(b, id, logs[i].report, n)
		path = fmt.Sprintf("/replay?log=%s&turn=%d", id, m.Turn)
	}
	for _, o := range logs {
		m.Logs = append(m.Logs, logLink{ID: o.id, Table: o.report.State.Charter.Name, Here: o.id == id})
	}
	s.write(w, func(out io.Writer) error {
		return s.pages.whole(out, b, body{Name: "replay", Title: b.Say("web.replay"), Data: m}, frame{Path: path})
	})
}

// load takes in a log and shows it.
func (s *Server) load(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogFile+maxParts)
	file, _, err := r.FormFile("log")
	if r.MultipartForm != nil {
		defer func() { _ = r.MultipartForm.RemoveAll() }() // also what came under another name
	}
	if err != nil {
		s.wrong(w, r, errNotLog)
		return
	}
	report, err := session.Verify(file)
	if err = errors.Join(err, file.Close()); err != nil {
		s.wrong(w, r, errNotLog)
		return
	}
	http.Redirect(w, r, "/replay?log="+s.shelf.add(report), http.StatusSeeOther)
}

// write sends a page, or nothing of it when it cannot be made.
func (s *Server) write(w http.ResponseWriter, page func(io.Writer) error) {
	s.writeStatus(w, http.StatusOK, page)
}

func (s *Server) writeStatus(w http.ResponseWriter, status int, page func(io.Writer) error) {
	var b bytes.Buffer
	if err := page(&b); err != nil {
		http.Error(w, say.English().Say("web.wrong"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
