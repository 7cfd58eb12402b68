package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"time"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
)

// floor is how long an answer takes at least, far above what proving it does.
const floor = 150 * time.Millisecond

// sit takes a seat, waits until the table is full, plays, and says how it went.
func (p *program) sit(ctx context.Context, c chair, take func(context.Context, *session.Peer) (*session.Seating, error)) error {
	log, err := p.openLog(c.log)
	if err != nil {
		return err
	}
	return p.online(ctx, c.peer(), func(ctx context.Context, peer *session.Peer) error {
		p.remind(peer)
		s, err := p.waitForTable(ctx, c, func(ctx context.Context) (*session.Seating, error) { return take(ctx, peer) })
		if err != nil {
			return err
		}
		return p.play(ctx, c, s, log)
	})
}

// waitForTable sits down and tells who else does, until the game begins.
func (p *program) waitForTable(ctx context.Context, c chair, take func(context.Context) (*session.Seating, error)) (*session.Session, error) {
	ctx, stop := p.patient(ctx)
	defer stop()
	seating, err := take(ctx)
	if err != nil {
		return nil, whichever(ctx, err)
	}
	room := seating.Room()
	seating.Ready(true)
	seen := p.tellRoom(room)
	for room := range seating.Updates(ctx) {
		seen = p.tellGuests(seen, room)
	}
	s, err := seating.Begin(ctx, c.manner())
	if err != nil {
		if ctx.Err() != nil {
			seating.Leave()
		}
		return nil, whichever(ctx, err)
	}
	return s, nil
}

// tellRoom tells where one sits, what is agreed on there, and who was there before.
func (p *program) tellRoom(r session.Room) map[string]bool {
	p.paper.Line(p.paper.Bold(p.book.Say("room.seated", "table", r.Table, "edition", p.book.Edition(r.Edition.Name), "seats", r.Seats)))
	p.tellTerms(r.Edition, r.Options, r.Seats, r.Leavers)
	seen := map[string]bool{}
	for _, g := range r.Players {
		seen[g.Name] = true
		if !g.Me {
			p.paper.Line(p.book.Say("room.there", "who", g.Name))
		}
	}
	return seen
}

// whichever is why ctx ended, if it has, else err.
func whichever(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// tellGuests tells who came and went since seen.
func (p *program) tellGuests(seen map[string]bool, r session.Room) map[string]bool {
	now := map[string]bool{}
	for _, g := range r.Players {
		now[g.Name] = true
		if !seen[g.Name] && !g.Me {
			p.paper.Line(p.book.Say("room.came", "who", g.Name, "taken", len(r.Players), "seats", r.Seats))
		}
	}
	for name := range seen {
		if !now[name] && len(r.Players) > 0 {
			p.paper.Line(p.book.Say("room.went", "who", name, "taken", len(r.Players), "seats", r.Seats))
		}
	}
	return now
}

// botPatience is how long a bot waits for somebody, unless it is told otherwise.
// People are never spoken for.
const botPatience = time.Minute

func (c chair) manner() session.Manner {
	m := session.Manner{Wait: true, Floor: floor}
	if c.bot {
		m = session.Manner{Bot: true, Pause: thinking(c.pause/4, c.pause), Patience: botPatience}
	}
	if c.patience != asUsual {
		m.Patience = c.patience
	}
	return m
}

// thinking draws how long a bot thinks, evenly between two bounds.
func thinking(least, most time.Duration) func() time.Duration {
	return func() time.Duration {
		if most <= least {
			return least
		}
		d, err := rand.Int(rand.Reader, big.NewInt(int64(most-least)))
		if err != nil {
			return most
		}
		return least + time.Duration(d.Int64())
	}
}

// play runs a game to its end, in line mode or looking on while a bot plays.
func (p *program) play(ctx context.Context, c chair, s *session.Session, log *logFile) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	config := line.Config{Session: s, In: p.in, Paper: p.paper, Book: p.book, Interrupts: p.interrupts}
	face := line.Play
	if c.bot {
		face = line.Watch
	}
	left := face(ctx, config)
	if left != nil {
		stop()
	}
	err := <-ran
	if errors.Is(err, session.ErrUndelivered) {
		line.Paper{W: p.err}.Line(p.book.Say("log.undelivered"))
	}
	err = whichOf(left, err)
	concluded := p.conclude(s, log)
	if errors.Is(err, session.ErrDiskFull) || errors.Is(err, session.ErrReadOnly) {
		return err // the reason why nothing could be concluded, either
	}
	return errors.Join(concluded, err)
}

func whichOf(left, ran error) error {
	if left != nil {
		return left
	}
	for _, told := range []error{session.ErrStopped, session.ErrAbandoned, session.ErrUndelivered} {
		if errors.Is(ran, told) {
			return nil // conclude says what there is to say
		}
	}
	return ran
}

// conclude keeps the log and what convicts a cheat, and says what it proves.
func (p *program) conclude(s *session.Session, log *logFile) error {
	var b bytes.Buffer
	if err := s.WriteLog(&b); err != nil {
		return err
	}
	if err := p.keepLog(log, b.Bytes()); err != nil {
		return err
	}
	r, err := session.Verify(bytes.NewReader(b.Bytes()))
	if err != nil {
		return err
	}
	if err := p.keepEvidence(log, b.Bytes(), r); err != nil {
		return err
	}
	st := s.State()
	if st.Stopped() {
		v := s.Latest().View
		for _, f := range v.Faults {
			p.paper.Line(p.book.Fault(v, f))
		}
		return p.failed("failed.stopped", "hint.stopped", "fault", p.book.Fault(v, v.Faults[0]))
	}
	if !st.Done() {
		return nil
	}
	entries, proofs := r.Entries, r.State.Proofs.Total()
	switch {
	case !r.Sound() || !r.Complete:
		return p.failed("failed.ownlog", "hint.ownlog")
	case !r.Fair():
		p.paper.Line(p.book.Say("log.sound", "entries", entries, "proofs", proofs))
	case st.Abandoned:
		p.paper.Line(p.book.Say("log.abandoned", "entries", entries, "proofs", proofs))
	default:
		p.paper.Line(p.book.Say("log.fair", "entries", entries, "proofs", proofs))
	}
	return nil
}
