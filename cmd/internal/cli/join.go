package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/session"
)

// settle is how long a lone table has to stay the only one before it is taken
// unnamed: others may be a moment later to be found.
const settle = 500 * time.Millisecond

func (p *program) joinCommand() *cobra.Command {
	var c chair
	var addr string
	var wait time.Duration
	cmd := p.command("join", " [TABLE]", func(cmd *cobra.Command, args []string) error {
		table := strings.Join(args, " ")
		if err := p.checkChair(c); err != nil {
			return err
		}
		switch {
		case addr != "" && table != "":
			return p.usage("bad.both", "hint.both")
		case addr != "" && !session.Dialable(addr):
			return p.usage("bad.addr", "hint.goodaddr", "address", addr)
		case wait <= 0:
			return p.usage("bad.wait", "hint.wait.flag", "value", wait)
		}
		return p.sit(cmd.Context(), c, func(ctx context.Context, peer *session.Peer) (*session.Seating, error) {
			if addr != "" {
				return p.joinAddr(ctx, peer, addr, wait)
			}
			p.paper.Line(p.paper.Dim(p.book.Say("join.looking")))
			found, err := p.find(ctx, peer, search{table, wait, joinable, "failed.cannot", "failed.notables", "hint.notables"})
			if err != nil {
				return nil, err
			}
			return peer.Join(ctx, found)
		})
	})
	cmd.Args = cobra.ArbitraryArgs
	p.chairFlags(cmd.Flags(), &c)
	cmd.Flags().StringVar(&addr, "addr", "", p.book.Say("flag.addr"))
	cmd.Flags().DurationVar(&wait, "wait", 30*time.Second, p.book.Say("flag.wait.join"))
	return cmd
}

func (p *program) joinAddr(ctx context.Context, peer *session.Peer, addr string, wait time.Duration) (*session.Seating, error) {
	dial, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	seating, err := peer.JoinAddr(dial, addr)
	if err != nil && dial.Err() != nil && ctx.Err() == nil {
		return nil, p.failed("failed.noanswer", "hint.addr", "address", addr, "wait", wait)
	}
	return seating, err
}

// search is for a table: of a name, or "" for the only one that fits.
type search struct {
	name   string
	wait   time.Duration
	fits   func(session.Found) bool
	cannot string // says that a table of the name does not fit
	none   string // that there is none, and what else there is
	hint   string
}

func joinable(t session.Found) bool { return t.Problem == "" && t.Taken < t.Seats }

// find waits for the table that is meant: the one of that name, or the only one.
func (p *program) find(ctx context.Context, peer *session.Peer, s search) (session.Found, error) {
	limit := time.NewTimer(s.wait)
	defer limit.Stop()
	var calm <-chan time.Time // runs while exactly one table fits
	for {
		fit, closed := s.among(peer.Tables())
		switch {
		case len(fit) == 1 && s.name != "":
			return fit[0], nil
		case len(fit) == 1 && calm == nil:
			calm = time.After(settle)
		case len(fit) != 1:
			calm = nil
		}
		if len(fit) > 1 {
			return session.Found{}, p.several(fit, s.name)
		}
		select {
		case <-peer.TablesChanged():
		case <-calm:
			if fit, _ := s.among(peer.Tables()); len(fit) == 1 {
				return fit[0], nil
			}
		case <-limit.C:
			switch {
			case len(closed) > 0:
				return session.Found{}, p.failed(s.cannot, "hint.tables", "table", closed[0].Name, "why", p.whyNot(closed[0]))
			case s.name != "" && len(peer.Tables()) > 0:
				return session.Found{}, p.failed("failed.unnamed", "hint.tables", "table", s.name)
			}
			return session.Found{}, p.nothingFound(peer, s.none, s.hint)
		case <-ctx.Done():
			return session.Found{}, context.Cause(ctx)
		}
	}
}

// among parts the tables that a name can mean into those that fit and those that
// do not. A whole name wins over a beginning.
func (s search) among(tables []session.Found) (fit, closed []session.Found) {
	name := strings.ToLower(s.name)
	whole := false
	for _, t := range tables {
		whole = whole || strings.ToLower(t.Name) == name
	}
	for _, t := range tables {
		its := strings.ToLower(t.Name)
		switch {
		case whole && its != name, !strings.HasPrefix(its, name):
		case s.fits(t):
			fit = append(fit, t)
		default:
			closed = append(closed, t)
		}
	}
	return fit, closed
}

func (p *program) whyNot(t session.Found) string {
	switch {
	case t.Problem != "":
		return t.Problem
	case t.Taken < t.Seats:
		return p.book.Say("tables.waiting")
	}
	return p.book.Say("tables.full")
}

func (p *program) several(fit []session.Found, name string) error {
	var names []string
	for _, t := range fit {
		names = append(names, p.book.Say("join.of", "table", t.Name, "host", t.Host))
	}
	all := strings.Join(names, p.book.Say("list.between"))
	for _, t := range fit[1:] {
		if t.Name == fit[0].Name {
			return p.failed("failed.samename", "hint.samename", "names", all)
		}
	}
	return p.failed("failed.several", "hint.several", "names", all, "table", fit[0].Name)
}
