package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// logFile is where a game's log goes: written whole or not at all, and tried out
// before the game begins. The zero value keeps nothing.
type logFile struct {
	path string
	mode os.FileMode
}

// openLog makes sure that a log can be kept at path.
func (p *program) openLog(path string) (*logFile, error) {
	if path == "" {
		return new(logFile), nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, p.usage("bad.log.file", "hint.log", "file", path)
	}
	l := &logFile{path, 0o644}
	draft, err := l.draft()
	if err == nil {
		_ = draft.Close()
		err = os.Remove(draft.Name())
	}
	if err != nil {
		return nil, p.failed("failed.log", "hint.log", "file", path, "why", reason(err))
	}
	return l, nil
}

// draftLife is longer than any draft is needed.
const draftLife = time.Minute

// draft makes the file that is given the log's name once it is whole. It is there
// for moments only. What a program that was killed in one of them has left goes
// now; a young one may belong to a program that is writing the same log.
func (l *logFile) draft() (*os.File, error) {
	folder, prefix := filepath.Dir(l.path), "."+filepath.Base(l.path)+".alibi-"
	files, _ := os.ReadDir(folder) // if this fails the next step does
	for _, f := range files {
		number, ours := strings.CutPrefix(f.Name(), prefix)
		if !ours || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > draftLife {
			_ = os.Remove(filepath.Join(folder, f.Name())) // it is in nobody's way
		}
	}
	return os.CreateTemp(folder, prefix+"*")
}

// reason is the bare cause of a file error; the name is said elsewhere.
func reason(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// keep writes the log and gives it its name.
func (l *logFile) keep(b []byte) error {
	if l.path == "" {
		return nil
	}
	draft, err := l.draft()
	if err != nil {
		return err
	}
	_, err = draft.Write(b)
	if err == nil {
		err = draft.Chmod(l.mode)
	}
	if err == nil {
		err = draft.Sync()
	}
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(draft.Name(), l.path)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}

// keepLog keeps a finished log, where one was asked for, and says so.
func (p *program) keepLog(l *logFile, b []byte) error {
	if l.path == "" {
		return nil
	}
	if err := l.keep(b); err != nil {
		return p.failed("failed.log", "hint.log", "file", l.path, "why", reason(err))
	}
	p.paper.Line(p.book.Say("log.kept", "file", l.path))
	return nil
}
