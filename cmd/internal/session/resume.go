package session

import (
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/p2p/store"
)

// Kept is a game in the store.
type Kept struct {
	Table    string
	Edition  *rules.Edition // nil of an edition that this build does not know
	Players  []string       // by seat
	Me       int
	Entries  int
	Finished bool
	Over     bool      // not finished, and all that is left to do is to hand its end on
	Damaged  bool      // it cannot be taken up; Salvage may read its log
	ID       feed.Hash // names it in the store
}

// Refusals of Resume.
var (
	// ErrFinished refuses to go on with a game that is over.
	ErrFinished = store.ErrFinished
	// ErrUnknown means that no such game is kept.
	ErrUnknown = store.ErrUnknown
)

// Games lists the games kept here, newest first. One that cannot be read is left
// out, and the error says so: the list is good all the same.
func (p *Peer) Games() ([]Kept, error) {
	infos, damaged := p.store.Games()
	var out []Kept
	for _, i := range infos {
		k, err := kept(i)
		if err != nil {
			damaged = errors.Join(damaged, err)
			continue
		}
		k.Over = !k.Finished && !k.Damaged && p.over(i.Table)
		out = append(out, k)
	}
	return out, damaged
}

// Unfinished lists the games that can be gone on with, or whose end is still to be
// handed on, newest first. Its error is that of Games.
func (p *Peer) Unfinished() ([]Kept, error) {
	games, damaged := p.Games()
	return slices.DeleteFunc(games, func(k Kept) bool { return k.Finished }), damaged
}

// over reports whether a kept game has come to its end. Nothing but its log says
// so; what does not fit together is told by Resume.
func (p *Peer) over(id feed.Hash) bool {
	g, err := p.store.Load(id)
	if err != nil {
		return false
	}
	secret, err := seat.ParseSecret(g.Secret)
	if err != nil {
		return false
	}
	c, err := NewCore(Config{Charter: g.Charter, Me: g.Seat, Key: p.key, Secret: secret, Kept: g.Log}, nil)
	return err == nil && c.Finished()
}

func kept(i store.Info) (Kept, error) {
	c, err := feed.ParseCharter(i.Charter)
	if err != nil {
		return Kept{}, fmt.Errorf("session: the charter of a game: %w: %w", store.ErrDamaged, err)
	}
	k := Kept{Table: c.Name, Me: i.Seat, Entries: i.Entries, Finished: i.Finished, Damaged: i.Damaged, ID: i.Table}
	for _, s := range c.Seats {
		k.Players = append(k.Players, s.Name)
	}
	k.Edition, _, _ = move.DecodeTerms(c.Terms) // nil says it
	return k, nil
}

// Resume takes up a kept game where it stood. The words of its table are those
// that were compared before.
func (p *Peer) Resume(id feed.Hash, m Manner) (*Session, error) {
	g, err := p.store.Load(id)
	if err != nil {
		return nil, err
	}
	if g.Finished {
		return nil, ErrFinished
	}
	secret, err := seat.ParseSecret(g.Secret)
	if err != nil {
		return nil, fmt.Errorf("session: the keys of this game: %w", err)
	}
	if own := slices.IndexFunc(g.Log, func(e *feed.Signed) bool { return int(e.Seat) == g.Seat && e.Kind == uint8(move.KindShuffle) }); own >= 0 {
		m.Wait = false // they were compared before the first shuffle
	}
	return p.play(Config{Charter: g.Charter, Me: g.Seat, Secret: secret, Kept: g.Log}, m)
}
