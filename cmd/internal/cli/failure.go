package cli

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
)

// failure is an end other than success, in the words the user reads.
type failure struct {
	code int
	text string
	hint string
}

func (f *failure) Error() string { return f.text }

// usage refuses what was asked for.
func (p *program) usage(key, hint string, pairs ...any) error {
	return &failure{2, p.book.Say(key, pairs...), p.book.Say(hint, pairs...)}
}

// failed reports a job that did not succeed.
func (p *program) failed(key, hint string, pairs ...any) error {
	f := &failure{code: 1, text: p.book.Say(key, pairs...)}
	if hint != "" {
		f.hint = p.book.Say(hint, pairs...)
	}
	return f
}

// reasons are errors that have words of their own.
var reasons = []struct {
	err  error
	key  string
	hint string
}{
	{errInterrupted, "failed.interrupted", ""},
	{context.Canceled, "failed.interrupted", ""},
	{line.ErrQuit, "failed.quit", "hint.quit"},
	{line.ErrInput, "failed.input", "hint.input"},
	{session.ErrInUse, "failed.inuse", "hint.inuse"},
	{session.ErrReadOnly, "failed.readonly", "hint.readonly"},
	{session.ErrDiskFull, "failed.disk", "hint.disk"},
	{session.ErrFolder, "failed.folder", "hint.folder"},
	{session.ErrFinished, "failed.finished", "hint.finished"},
	{session.ErrDamaged, "failed.damaged", "hint.damaged"},
	{session.ErrNameTaken, "failed.nametaken", "hint.name"},
	{session.ErrFull, "failed.full", "hint.tables"},
	{session.ErrBegun, "failed.begun", "hint.tables"},
	{session.ErrRemoved, "failed.removed", "hint.tables"},
	{session.ErrClosed, "failed.closed", "hint.tables"},
	{session.ErrNoTable, "failed.notable", "hint.tables"},
	{session.ErrLost, "failed.lost", "hint.again"},
	{session.ErrChanged, "failed.changed", "hint.changed"},
	{session.ErrLeft, "failed.interrupted", ""},
	{session.ErrVersion, "failed.version", "hint.version"},
	{session.ErrUnreachable, "failed.unreachable", "hint.addr"},
	{session.ErrNotShown, "failed.notshown", "hint.notshown"},
	{session.ErrCrowded, "failed.crowded", "hint.crowded"},
	{syscall.EADDRINUSE, "failed.port", "hint.port"},
	{syscall.EACCES, "failed.access", "hint.access"},
	{fs.ErrPermission, "failed.access", "hint.access"},
}

// explain finds words for an error.
func (p *program) explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var option *rules.OptionError
	if errors.As(err, &option) {
		return &failure{2, p.book.Say("bad.option", "option", option.Option, "value", option.Value),
			p.book.Say("hint.choices", "choices", strings.Join(option.Choices, ", "))}
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			f := &failure{code: 1, text: p.book.Say(r.key)}
			if r.hint != "" {
				f.hint = p.book.Say(r.hint)
			}
			return f
		}
	}
	return &failure{code: 1, text: bare(err)}
}

// bare is a fact as the packages below state it, without their names, in one line.
func bare(err error) string {
	return packages.ReplaceAllString(strings.ReplaceAll(err.Error(), "\n", "; "), "$1")
}

var packages = regexp.MustCompile(`(^|: )((feed|move|table|rules|seat|session|store|node|link|lan|lobby|line|cli|not a log): )+`)
