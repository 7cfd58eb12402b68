// Package replica plans who is sent which entry. A Book holds what has been
// published here, in log order; a Plan, one per connection, knows what its peer
// has said it holds, and picks what to send next; Repeats are entries that have
// no place in the log, or none yet, and are shown to everybody all the same.
//
// Everything the peer lacks is sent in log order. Own entries go at once;
// another seat's entry goes at once to a peer that is not connected with its
// author, and after RelayDelay to one that is and has not said by then that it
// has got it. So two peers that cannot reach each other play through a third,
// and the rest do not flood each other with what everybody has.
//
// A log is in epochs. One ends with every round that was closed by a motion;
// what had been said in that round or after it is rolled back then, and the
// ballots that closed it stand in its place. A Book finds out about that by
// itself, from the ballots and from the game fields of entries.
//
// It is pure: no clock, no socket, no goroutine. Package node does the moving.
package replica

import (
	"cmp"
	"time"

	"alibi/crypto/feed"
)

// RelayDelay is how long an entry's author has to deliver it before others do.
const RelayDelay = 150 * time.Millisecond

// MaxEpoch is the last epoch of a log: every motion drops a seat that was there
// or ends the game, and two seats stay.
const MaxEpoch = feed.MaxSeats - 1

// Position says what a peer holds: the epochs before Epoch whole, in Epoch
// every entry of the rounds before Round, and in Round those of the seats in
// Heard, by bit. Peers that were told of two motions for one round, and have
// not settled it yet, mean two histories by one number. So a position says
// nothing about ballots: they are shown to everybody once, and who holds the
// wrong ones takes the others over and says anew where it stands.
type Position struct {
	Epoch uint8
	Round uint32
	Heard uint16
}

// Has reports whether the position covers a seat's entry, which is no ballot,
// of a round in an epoch.
func (p Position) Has(epoch uint8, round uint32, seat uint8) bool {
	if epoch != p.Epoch {
		return epoch < p.Epoch
	}
	return round < p.Round || round == p.Round && seat < 16 && p.Heard&(1<<seat) != 0
}

// Merge is what is covered by either of two positions of one peer.
func (p Position) Merge(q Position) Position {
	switch order := cmp.Or(cmp.Compare(p.Epoch, q.Epoch), cmp.Compare(p.Round, q.Round)); {
	case order > 0:
		return p
	case order < 0:
		return q
	}
	p.Heard |= q.Heard
	return p
}
