package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
)

func (p *program) watchCommand() *cobra.Command {
	var addr, log string
	var wait time.Duration
	var loopback bool
	cmd := p.command("watch", " [TABLE]", func(cmd *cobra.Command, args []string) error {
		table := strings.Join(args, " ")
		switch {
		case addr != "" && table != "":
			return p.usage("bad.both", "hint.both")
		case addr != "" && !session.Dialable(addr):
			return p.usage("bad.addr", "hint.goodaddr", "address", addr)
		case wait <= 0:
			return p.usage("bad.wait", "hint.wait.flag", "value", wait)
		}
		keep, err := p.openLog(log)
		if err != nil {
			return err
		}
		// A spectator holds no key: a throw-away identity will do, and a game under
		// way in another process is not in the way.
		return p.online(cmd.Context(), session.PeerConfig{Loopback: loopback}, func(ctx context.Context, peer *session.Peer) error {
			s, err := p.letIn(ctx, peer, table, addr, wait)
			if err != nil {
				return err
			}
			return p.spectate(ctx, s, keep)
		})
	})
	cmd.Args = cobra.ArbitraryArgs
	cmd.Flags().StringVar(&addr, "addr", "", p.book.Say("flag.addr.watch"))
	cmd.Flags().DurationVar(&wait, "wait", 30*time.Second, p.book.Say("flag.wait.watch"))
	cmd.Flags().StringVar(&log, "log", "", p.book.Say("flag.log"))
	cmd.Flags().BoolVar(&loopback, "loopback", false, p.book.Say("flag.loopback"))
	return cmd
}

// letIn finds a game and has one of its seats show it.
func (p *program) letIn(ctx context.Context, peer *session.Peer, table, addr string, wait time.Duration) (*session.Session, error) {
	ctx, stop := p.patient(ctx)
	defer stop()
	if addr != "" {
		dial, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		s, err := peer.WatchAddr(dial, addr)
		if err != nil && dial.Err() != nil && ctx.Err() == nil {
			return nil, p.failed("failed.noanswer", "hint.addr", "address", addr, "wait", wait)
		}
		return s, whichever(ctx, err)
	}
	p.paper.Line(p.paper.Dim(p.book.Say("watch.looking")))
	under := func(t session.Found) bool { return t.Playing }
	found, err := p.find(ctx, peer, search{table, wait, under, "failed.cannot.watch", "failed.nothing.watch", "hint.notshown"})
	if err != nil {
		return nil, err
	}
	s, err := peer.Watch(ctx, found)
	return s, whichever(ctx, err)
}

// spectate tells a game to its end, then what its log proves.
func (p *program) spectate(ctx context.Context, s *session.Session, log *logFile) error {
	v := s.Latest().View
	names := make([]string, len(v.Players))
	for i, player := range v.Players {
		names[i] = player.Name
	}
	p.paper.Line(p.paper.Bold(p.book.Say("watch.seated", "table", v.Table, "edition", p.book.Edition(v.Edition.Name),
		"names", strings.Join(names, p.book.Say("list.between")))))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	left := line.Watch(ctx, line.Config{Session: s, Paper: p.paper, Book: p.book, Interrupts: p.interrupts})
	if left != nil {
		stop()
	}
	err := whichOf(left, <-ran)
	var b bytes.Buffer
	if err := s.WriteLog(&b); err != nil {
		return err
	}
	if err := p.keepLog(log, b.Bytes()); err != nil {
		return err
	}
	if errors.Is(err, line.ErrQuit) {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	r, err := session.Verify(bytes.NewReader(b.Bytes()))
	if err != nil {
		return err
	}
	if log.path != "" {
		if err := p.keepEvidence(log, b.Bytes(), r); err != nil {
			return err
		}
	}
	p.paper.Line("")
	p.fairness(r)
	return p.verdict("", r)
}
