package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/table"
)

// cast are the players of a demo, as many as any edition seats.
var cast = []string{"Anh", "Bahar", "Chai", "Dorota", "Emma", "Farid"}

func (p *program) demoCommand() *cobra.Command {
	var t terms
	var log string
	var plain bool
	cmd := p.command("demo", "", func(cmd *cobra.Command, _ []string) error {
		edition, err := p.checkTerms(&t)
		if err != nil {
			return err
		}
		keep, err := p.openLog(log)
		if err != nil {
			return err
		}
		if plain {
			p.paper.Marked = false
		}
		ctx, stop := p.patient(cmd.Context())
		defer stop()
		d := &demo{program: p, edition: edition, options: t.options, leavers: t.leavers, names: cast[:t.seats]}
		return whichever(ctx, d.run(ctx, keep))
	})
	t.options = rules.DefaultOptions()
	p.choiceFlag(cmd, &t.edition, "edition", "card", editionNames())
	p.choiceFlag(cmd, &t.options.Order, "order", t.options.Order, rules.OrderChoices)
	cmd.Flags().IntVar(&t.seats, "players", 3, p.book.Say("flag.players"))
	p.leaversFlag(cmd, &t)
	cmd.Flags().StringVar(&log, "log", "", p.book.Say("flag.log"))
	cmd.Flags().BoolVar(&plain, "plain", false, p.book.Say("flag.plain"))
	return cmd
}

// demo is one game between bots, each a peer of its own in this process.
type demo struct {
	*program
	edition  *rules.Edition
	options  rules.Options
	leavers  int
	names    []string
	peers    []*session.Peer
	sessions []*session.Session
}

func (d *demo) run(ctx context.Context, keep *logFile) error {
	began := time.Now()
	d.paper.Line(d.paper.Bold(d.book.Say("demo.title", "edition", d.book.Edition(d.edition.Name), "players", len(d.names))))
	d.paper.Line(d.paper.Dim(d.book.Say("demo.peers")))
	d.tellLeavers(len(d.names), d.leavers)
	d.tellHouse(d.edition, len(d.names))
	d.paper.Line("")
	stop, err := d.start(ctx)
	if err != nil {
		return err
	}
	err = d.game(ctx, keep)
	if gone := stop(); err == nil {
		err = gone
	}
	if err == nil {
		d.paper.Line(d.paper.Dim(d.book.Say("demo.took", "seconds", fmt.Sprintf("%.1f", time.Since(began).Seconds()))))
	}
	return err
}

func (d *demo) game(ctx context.Context, keep *logFile) error {
	if err := d.gather(ctx); err != nil {
		return err
	}
	if err := d.play(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return d.compare(keep)
}

// play runs all sessions and tells what a spectator of the first seat's log sees.
func (d *demo) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, len(d.sessions))
	for i, s := range d.sessions {
		go func() {
			err := s.Run(ctx)
			if err != nil {
				cancel() // nobody can finish without this seat
				err = d.failedSeat(i, err)
			}
			ran <- err
		}()
	}
	d.watch(ctx, d.sessions[0])
	var errs []error
	for range d.sessions {
		errs = append(errs, <-ran)
	}
	return errors.Join(errs...)
}

func (d *demo) failedSeat(i int, err error) error {
	if errors.Is(err, session.ErrStopped) {
		v := d.sessions[i].Latest().View
		return d.failed("failed.stopped", "hint.stopped", "fault", d.book.Fault(v, v.Faults[0]))
	}
	return fmt.Errorf("%s: %w", d.names[i], err)
}

// watch tells the deal step by step and then the story, until the session is over.
func (d *demo) watch(ctx context.Context, s *session.Session) {
	teller := line.Teller{Paper: d.paper, Book: d.book}
	steps, playing := 0, false
	tell := func() {
		u := s.Latest()
		v := u.Public()
		for ; steps < len(u.Steps) && u.Steps[steps].Stage != table.Playing; steps++ {
			if steps == 0 {
				d.paper.Line(d.paper.Bold(d.row(d.book.Say("demo.dealing"), d.book.Say("demo.proofs"), d.book.Say("demo.ms"))))
			}
			d.step(u.Steps[steps])
			if u.Steps[steps].Stage == table.Keying && v.Words[0] != "" {
				d.paper.Line("  " + d.book.Say("demo.words", "words", strings.Join(v.Words[:], " ")))
			}
		}
		if v.Stage < table.Playing {
			return
		}
		if !playing {
			playing = true
			teller.Skip(v, table.Shuffled)
			d.paper.Line("")
			d.paper.Line(d.paper.Bold(d.book.Say("demo.game")))
		}
		teller.Tell(v)
	}
	for {
		tell()
		select {
		case <-s.Over():
			tell()
			return
		case <-s.Changed():
		case <-ctx.Done():
			return
		}
	}
}

// step tells one round of the deal, as the first seat checked it.
func (d *demo) step(s session.Step) {
	who := ""
	if len(s.Seats) == 1 {
		who = d.names[s.Seats[0]]
	}
	text := d.book.Say("step."+s.Stage.String(), "who", who)
	proofs, ms := "", ""
	if s.Proofs > 0 {
		proofs, ms = fmt.Sprint(s.Proofs), fmt.Sprintf("%.1f", float64(s.Took.Microseconds())/1000)
	}
	d.paper.Line(strings.TrimRight(d.row("  "+text, proofs, ms), " "))
}

func (d *demo) row(text, proofs, ms string) string {
	return fmt.Sprintf("%s %6s %7s", line.Pad(text, 62), proofs, ms)
}

// compare holds the logs of all seats against each other and audits them.
func (d *demo) compare(keep *logFile) error {
	var first []byte
	for i, s := range d.sessions {
		var b bytes.Buffer
		if err := s.WriteLog(&b); err != nil {
			return err
		}
		if i == 0 {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			return d.failed("failed.logsdiffer", "hint.ownlog", "who", d.names[i], "other", d.names[0])
		}
	}
	began := time.Now()
	r, err := session.Verify(bytes.NewReader(first))
	if err != nil {
		return err
	}
	took := time.Since(began)
	d.paper.Line("")
	d.paper.Line(d.book.Say("demo.same", "logs", len(d.sessions), "bytes", len(first), "ms", took.Milliseconds()))
	d.fairness(r)
	if err := d.verdict("", r); err != nil {
		return err
	}
	return d.keepLog(keep, first)
}
