package node

import (
	"bytes"
	"slices"
	"time"

	"alibi/crypto/feed"
)

// Bounds of early arrivals.
const (
	maxEarly  = 64
	earlyWait = 300 * time.Millisecond
	firstNag  = time.Second
	lastNag   = 30 * time.Second
)

// Early gives back an arrival that feed.Log called Early. It comes again
// after the next Publish or Repeat that may let it in, and its sender is asked
// again when that takes long.
func (g *Game) Early(a Arrival) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, held := range g.early {
		if bytes.Equal(held.Entry.Raw(), a.Entry.Raw()) {
			return
		}
	}
	g.early = append(g.early, a)
	if len(g.early) > maxEarly {
		g.evict()
	}
	ring(g.recheck)
}

// evict drops the oldest arrival of the sender with the most, so that nobody
// crowds out what others have sent. Its sender has it still, and is asked for it.
func (g *Game) evict() {
	var held [feed.MaxSeats]int
	most := g.early[0].From
	for _, a := range g.early {
		if held[a.From]++; held[a.From] > held[most] {
			most = a.From
		}
	}
	i := slices.IndexFunc(g.early, func(a Arrival) bool { return a.From == most })
	g.early = slices.Delete(g.early, i, i+1)
	g.evicted |= 1 << most
}

// ripe takes out the early arrivals that may fit by now, if anything was
// published or repeated since it last did: those of the round after the newest one
// published, or before. What is repeated may have opened that round: somebody's no
// to a motion closes the one before, and is no entry of the book.
func (g *Game) ripe() (out []Arrival) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := [2]int{g.book.Added(), g.repeated}
	if g.ripened == now {
		return nil
	}
	g.ripened = now
	open := g.book.Position().Round + 1
	g.early = slices.DeleteFunc(g.early, func(a Arrival) bool {
		if a.Entry.Round > open || g.book.Holds(a.Entry) {
			return g.book.Holds(a.Entry)
		}
		out = append(out, a)
		return true
	})
	return out
}

// nagging is when seats are asked again next because of early arrivals.
type nagging struct {
	due   time.Time // zero while there are none
	pause time.Duration
	added int // to the book, when this was last looked at
}

// overdue asks the senders of early arrivals again when what has to come
// before does not come, and those for whose arrivals there was no room: every time
// after twice as long, as long as nothing comes, or a table that waits for somebody
// would send itself everything over and over. It reports when to look again, if
// there is anything to ask for.
func (g *Game) overdue(n *nagging, now time.Time) (time.Time, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.early) == 0 && g.evicted == 0 {
		*n = nagging{}
		return time.Time{}, false
	}
	if soon := now.Add(earlyWait); n.due.IsZero() || g.book.Added() != n.added && soon.Before(n.due) {
		n.due, n.pause = soon, firstNag
	}
	n.added = g.book.Added()
	if !now.Before(n.due) {
		n.due, n.pause = now.Add(n.pause), min(2*n.pause, lastNag)
		for _, a := range g.early {
			g.evicted |= 1 << a.From
		}
		for i := range g.seats {
			if g.evicted&(1<<i) != 0 {
				g.resync(i)
			}
		}
		g.evicted = 0
	}
	return n.due, true
}
