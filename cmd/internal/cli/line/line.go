// Package line is line mode: one player at a table by plain lines of text in and
// out, for a terminal, an ssh session, a screen reader or a script. No cursor is
// ever moved. What the table waits for is asked in a line that begins with "? ";
// a line that is not understood gets a hint and costs nothing.
//
// Play drives a session that runs elsewhere. Desk is the part that understands
// lines, without any input or output.
package line

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/seat"
)

// Config of a player in line mode.
type Config struct {
	Session *session.Session
	In      io.Reader
	Paper   Paper
	Book    *say.Book
	// Interrupts carries Ctrl-C: the first asks, the second leaves.
	Interrupts <-chan os.Signal
}

// Reasons why Play returns before the session is over.
var (
	// ErrQuit means that the player left.
	ErrQuit = errors.New("line: the player left")
	// ErrInput means that input ended while the table waits for a decision.
	ErrInput = errors.New("line: input ended while the table waits for this seat")
)

type player struct {
	Config
	desk      *Desk // nil of somebody who only looks on
	teller    Teller
	observer  *observer
	pace      *pace
	asked     string // the last prompt
	round     uint32 // and when it was said
	ended     bool   // no more input comes
	left      bool
	troubled  bool
	worded    bool // the table's words were said to somebody who only looks on
	interrupt int
}

func newPlayer(c Config, d *Desk) *player {
	return &player{
		Config: c, desk: d, teller: Teller{Paper: c.Paper, Book: c.Book},
		observer: newObserver(c.Book, d != nil), pace: &pace{book: c.Book},
	}
}

// Play plays until the session is over, the player leaves, input ends where a
// decision is needed, or ctx ends. Reading goes on in a goroutine that ends at
// the next line after Play has returned.
func Play(ctx context.Context, c Config) error {
	p := newPlayer(c, NewDesk(c.Book, c.Session.Latest().View.Edition))
	done := make(chan struct{})
	defer close(done)
	lines := make(chan string)
	go read(c.In, lines, done)
	for {
		if err := p.look(ctx); err != nil {
			return err
		}
		select {
		case <-c.Session.Over():
			p.news(p.Session.Latest())
			return nil
		case <-c.Session.Changed():
		case <-p.alarm():
		case text, more := <-lines:
			if !more {
				p.ended, lines = true, nil
				p.Paper.Line(p.Book.Say("line.eof"))
				continue
			}
			p.interrupt = 0
			if err := p.hear(ctx, text); err != nil {
				return err
			}
		case <-c.Interrupts:
			if err := p.interrupted(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// interrupted warns at the first Ctrl-C and leaves at the second.
func (p *player) interrupted() error {
	if p.interrupt++; p.interrupt > 1 {
		return ErrQuit
	}
	key := "line.interrupt"
	if watching(p.Session.Latest().View) {
		key = "line.interrupt.left"
	}
	p.Paper.Line(p.Book.Say(key))
	return nil
}

// maxLine bounds what is kept of a line in bytes; the rest of it is dropped.
const maxLine = 1000

// read sends lines until input ends or done is closed.
func read(in io.Reader, lines chan<- string, done <-chan struct{}) {
	defer close(lines)
	r := bufio.NewReaderSize(in, maxLine+1)
	for {
		part, more, err := r.ReadLine()
		text := string(part)
		for more && err == nil {
			_, more, err = r.ReadLine()
		}
		if err != nil && text == "" {
			return
		}
		select {
		case lines <- text:
		case <-done:
			return
		}
	}
}

// news tells what happened since the last time.
func (p *player) news(u *session.Update) {
	if p.desk == nil && !p.worded && u.View.Words[0] != "" {
		p.worded = true
		p.Paper.Line(p.Book.Say("line.words", "words", strings.Join(u.View.Words[:], " ")))
	}
	p.Paper.Lines(p.observer.blame(u)) // before it is told that they have left
	p.teller.Tell(u.View)
	p.Paper.Lines(p.observer.see(u))
	if u.Trouble != nil && !p.troubled {
		p.troubled = true
		p.Paper.Line(p.Book.Say("trouble", "round", u.Trouble.Round))
	}
	p.Paper.Lines(p.pace.see(u, time.Now()))
}

// alarm rings when there is something to say although nothing has happened.
func (p *player) alarm() <-chan time.Time {
	at := p.pace.next(p.Session.Latest())
	if at.IsZero() {
		return nil
	}
	return time.After(time.Until(at))
}

// look tells the news, does what was decided ahead, and asks what is to be
// decided now.
func (p *player) look(ctx context.Context) error {
	u := p.Session.Latest()
	p.news(u)
	if a := p.desk.Decided(u); a != nil {
		return p.carryOut(ctx, Reply{Do: a, Then: []string{
			p.Book.Say("done.guess", "cards", p.Book.Cards(u.View.Edition, a.(seat.Guess).Cards))}})
	}
	prompt := p.desk.Prompt(u)
	if prompt != "" && (prompt != p.asked || u.View.Round != p.round) {
		if left := time.Until(u.Deadline); left > 0 {
			p.Paper.Line(p.Book.Say("time.you", "span", p.Book.Span(left)))
		}
		p.Paper.Ask(prompt)
		p.asked, p.round = prompt, u.View.Round
	}
	switch {
	case !p.ended || prompt == "" || p.left:
	case u.View.Choices.Leave:
		p.left = true
		return p.carryOut(ctx, Reply{Do: seat.Leave{}, Then: []string{p.Book.Say("done.leave")}})
	default:
		return ErrInput
	}
	return nil
}

// hear takes a line that was typed.
func (p *player) hear(ctx context.Context, text string) error {
	if len(text) >= maxLine {
		p.Paper.Lines(p.desk.wrong("wrong.long", "hint.help").Text)
		return nil
	}
	p.desk.Since = p.pace.since
	r := p.desk.Hear(p.Session.Latest(), text)
	p.Paper.Lines(r.Text)
	if r.Ask != "" {
		p.Paper.Ask(r.Ask)
	}
	if r.Quit {
		return ErrQuit
	}
	return p.carryOut(ctx, r)
}

func (p *player) carryOut(ctx context.Context, r Reply) error {
	var err error
	switch {
	case r.Ready:
		err = p.Session.Ready(ctx)
	case r.Do != nil:
		err = p.Session.Do(ctx, r.Do)
	case r.Abandon:
		err = p.Session.Abandon(ctx)
	case len(r.Drop) > 0:
		for _, seat := range r.Drop {
			err = errors.Join(err, p.Session.Drop(ctx, seat))
		}
	default:
		return nil
	}
	if err == nil {
		p.Paper.Lines(r.Then)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.Paper.Lines(p.desk.refused(err).Text)
	return nil
}

// Watch tells the game while a bot plays the seat, until the session is over,
// the second interrupt, or ctx ends.
func Watch(ctx context.Context, c Config) error {
	p := newPlayer(c, nil)
	for {
		p.news(c.Session.Latest())
		select {
		case <-c.Session.Over():
			p.news(c.Session.Latest())
			return nil
		case <-c.Session.Changed():
		case <-p.alarm():
		case <-c.Interrupts:
			if err := p.interrupted(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
