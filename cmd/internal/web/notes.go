package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"
)

// Bounds of what a person may write.
const (
	maxNote  = 16 << 10 // bytes of free text
	maxMarks = 21 * 12  // a mark for each card and player
)

// signs are the own marks that there are.
var signs = []string{"yes", "no", "maybe", "question"}

// Notes are what a player writes into the notebook of one game. They never leave
// this computer.
type Notes struct {
	Marks map[string]string `json:"marks,omitempty"` // by card and seat
	Text  string            `json:"text,omitempty"`
}

// notes keeps them: a file for each game that only its owner can read.
type notes struct {
	mu     sync.Mutex
	folder string // "" keeps them in memory
	held   map[string]Notes
}

func newNotes(home string) *notes {
	n := &notes{held: map[string]Notes{}}
	if home != "" {
		n.folder = filepath.Join(home, "notes")
	}
	return n
}

func (n *notes) file(id string) string { return filepath.Join(n.folder, id+".json") }

// load reads the notes of a game; what cannot be read is as good as empty.
func (n *notes) load(id string) Notes {
	n.mu.Lock()
	defer n.mu.Unlock()
	if held, ok := n.held[id]; ok {
		return held
	}
	var out Notes
	if n.folder != "" {
		if b, err := os.ReadFile(n.file(id)); err == nil && json.Unmarshal(b, &out) != nil {
			out = Notes{}
		}
	}
	n.held[id] = out
	return out
}

// Errors of notes.
var errNote = errors.New("web: a note that is too long, or no text")

// change changes the notes of a game and keeps them.
func (n *notes) change(id string, change func(*Notes)) (Notes, error) {
	before := n.load(id)
	n.mu.Lock()
	defer n.mu.Unlock()
	next := Notes{Marks: maps.Clone(before.Marks), Text: before.Text}
	if next.Marks == nil {
		next.Marks = map[string]string{}
	}
	change(&next)
	if len(next.Text) > maxNote || len(next.Marks) > maxMarks || !utf8.ValidString(next.Text) {
		return before, errNote
	}
	if err := n.keep(id, next); err != nil {
		return before, err
	}
	n.held[id] = next
	return next, nil
}

// keep writes the file whole or not at all.
func (n *notes) keep(id string, notes Notes) error {
	if n.folder == "" {
		return nil
	}
	b, err := json.Marshal(notes)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(n.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	draft, err := os.CreateTemp(n.folder, ".draft-*")
	if err != nil {
		return err
	}
	_, err = draft.Write(b)
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), n.file(id))
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}
