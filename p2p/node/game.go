package node

import (
	"context"

	"alibi/crypto/feed"
)

// Game is the exchange of entries between the seats of one table.
type Game struct{}

// Table is the table's name, feed.TableHash of its charter.
func (g *Game) Table() feed.Hash { return feed.Hash{} }

// Arrivals receives entries that came from other seats and have not been
// published here. It is closed when the game is. A peer is slowed down, and
// in the end cut off, when nobody reads.
func (g *Game) Arrivals() <-chan Arrival { return nil }

// Publish hands over entries that the caller has accepted into its log and
// made durable, own and other seats' alike, in log order. They go to every
// seat that lacks them. It never blocks on the network.
func (g *Game) Publish(entries ...*feed.Signed) {}

// Early gives back an arrival that feed.Log called Early. It comes again
// after the next Publish, and Resync is called when that takes too long.
func (g *Game) Early(a Arrival) {}

// Resync asks a seat to send again what is not published here yet.
func (g *Game) Resync(seat int) {}

// Presence lists what is known of every seat, by seat. The own is Connected.
func (g *Game) Presence() []Presence { return nil }

// PresenceChanged receives a value after Presence changed; values are merged
// while nobody reads.
func (g *Game) PresenceChanged() <-chan struct{} { return nil }

// Flush waits until every connected seat has everything that was published,
// or ctx ends.
func (g *Game) Flush(ctx context.Context) error { return errUnfinished }

// Close ends the exchange and waits for its goroutines. Flush first if the
// last words matter.
func (g *Game) Close() {}
