package node

import "alibi/crypto/feed"

// Repeat sends entries to one seat whether or not it is known to hold entries
// for these places already. It is how two peers that hold different histories
// show each other what they hold, so that whoever signed both stands convicted
// on both sides (cmd/internal/session). Receivers pass such entries on to
// Arrivals even where they hold another one for the same round and seat.
func (g *Game) Repeat(seat int, entries ...*feed.Signed) {}
