package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
)

func (p *program) tablesCommand() *cobra.Command {
	var wait time.Duration
	var loopback bool
	cmd := p.command("tables", "", func(cmd *cobra.Command, _ []string) error {
		if wait < 0 {
			return p.usage("bad.wait", "hint.wait.flag", "value", wait)
		}
		ctx, stop := p.patient(cmd.Context())
		defer stop()
		// Nobody is met here, so a throw-away identity will do, and a game under
		// way in another process is not in the way.
		return p.online(ctx, session.PeerConfig{Loopback: loopback}, func(ctx context.Context, peer *session.Peer) error {
			return p.list(ctx, peer, wait)
		})
	})
	cmd.Flags().DurationVar(&wait, "wait", 2*time.Second, p.book.Say("flag.wait.tables"))
	cmd.Flags().BoolVar(&loopback, "loopback", false, p.book.Say("flag.loopback"))
	return cmd
}

func (p *program) list(ctx context.Context, peer *session.Peer, wait time.Duration) error {
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	tables := peer.Tables()
	if len(tables) == 0 {
		return p.nothingFound(peer, "failed.notables", "hint.notables")
	}
	say := p.book.Say
	rows := [][]string{{say("tables.name"), say("tables.host"), say("tables.edition"), say("tables.seats"), say("tables.note")}}
	for _, t := range tables {
		note := t.Problem
		if note == "" && t.Taken >= t.Seats {
			note = say("tables.full")
		}
		rows = append(rows, []string{t.Name, t.Host, p.book.Edition(t.Edition),
			say("tables.taken", "taken", strconv.Itoa(t.Taken), "seats", strconv.Itoa(t.Seats)), note})
	}
	lines := line.Columns(rows)
	lines[0] = p.paper.Bold(lines[0])
	p.paper.Lines(lines)
	return nil
}

// nothingFound says that there is none, what the search did, and what else there is.
func (p *program) nothingFound(peer *session.Peer, none, hint string) error {
	if doing := peer.Finding(); doing != "" {
		return p.failed("failed.because", hint, "what", p.book.Say(none), "why", doing)
	}
	return p.failed(none, hint)
}

// online runs a peer while do lasts, and waits until all of it is gone.
func (p *program) online(ctx context.Context, c session.PeerConfig, do func(context.Context, *session.Peer) error) (err error) {
	peer, err := session.NewPeer(c)
	if err != nil {
		return err
	}
	defer func() {
		if closed := peer.Close(); err == nil {
			err = closed
		}
	}()
	ctx, stop := context.WithCancelCause(ctx)
	ran := make(chan error, 1)
	go func() {
		err := peer.Run(ctx)
		stop(err) // what do is waiting for will not come
		ran <- err
	}()
	defer func() {
		stop(nil)
		if network := <-ran; network != nil && (err == nil || context.Cause(ctx) == network) {
			err = network
		}
	}()
	select {
	case <-peer.Up():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return do(ctx, peer)
}
