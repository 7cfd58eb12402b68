package session

import (
	"context"
	"fmt"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/p2p/node"
)

// Errors of watching.
var (
	// ErrNotShown means that no game there lets anybody watch.
	ErrNotShown = node.ErrNotShown
	// ErrCrowded means that as many watch that game as may.
	ErrCrowded = node.ErrCrowded
	// ErrSeated means that one has a seat in that game; Resume takes it up.
	ErrSeated = node.ErrSeated
)

// maxWatching is how many spectators each seat lets in, if its table does.
const maxWatching = node.MaxSpectators

// Watch follows a game that was found, without a seat in it: every entry is
// verified as the players verify it. The caller runs the session.
func (p *Peer) Watch(ctx context.Context, f Found) (*Session, error) {
	return p.follow(p.node.Watch(ctx, f.at))
}

// WatchAddr follows the game that is played at a typed address.
func (p *Peer) WatchAddr(ctx context.Context, addr string) (*Session, error) {
	return p.follow(p.node.WatchAddr(ctx, addr))
}

func (p *Peer) follow(w *node.Watching, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	s, err := New(Config{Charter: w.Charter(), Me: Spectator, Link: w})
	if err != nil {
		w.Close()
		return nil, err
	}
	return s, nil
}

// letIn lets spectators watch, if the charter says so.
func letIn(g *node.Game, c Config) error {
	charter, err := feed.ParseCharter(c.Charter)
	if err != nil {
		return err
	}
	edition, options, err := move.DecodeTerms(charter.Terms)
	if err != nil || !options.Watch {
		return err
	}
	if err := g.Describe(map[string]string{summaryEdition: edition.Name}); err != nil {
		return fmt.Errorf("session: announcing the game: %w", err)
	}
	g.Spectators(maxWatching)
	return nil
}
