package cli

import (
	"os"
	"path/filepath"
)

// logFile is where a game's log goes: written whole or not at all, and tried out
// before the game begins. The zero value keeps nothing.
type logFile struct {
	path string
	tmp  *os.File
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
	tmp, err := os.CreateTemp(filepath.Dir(path), ".alibi-*")
	if err != nil {
		return nil, p.failed("failed.log", "hint.log", "file", path, "why", reason(err))
	}
	return &logFile{path, tmp, 0o644}, nil
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
	if l.tmp == nil {
		return nil
	}
	tmp := l.tmp
	l.tmp = nil
	_, err := tmp.Write(b)
	if err == nil {
		err = tmp.Chmod(l.mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), l.path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
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

// discard removes what keep was never called for.
func (l *logFile) discard() {
	if l.tmp != nil {
		_ = l.tmp.Close()
		_ = os.Remove(l.tmp.Name())
		l.tmp = nil
	}
}
