package node

import "alibi/crypto/feed"

// Repeat sends entries to one seat whether or not it is known to hold entries
// for these places already. It is how two peers that hold different histories
// show each other what they hold, so that whoever signed both stands convicted
// on both sides (cmd/internal/session), and how ballots go round before they
// close a round. Receivers pass such entries on to Arrivals even where they
// hold another one for the same place, but not twice from one connection. They
// go over every connection once, the next ones too, until Forget; of very many
// the oldest are dropped (replica.Repeats). Whoever watches sees what any seat
// is shown.
func (g *Game) Repeat(seat int, entries ...*feed.Signed) {
	if g.me < 0 || seat < 0 || seat >= len(g.seats) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.repeat(seat, entries)
	g.display(entries)
	g.stir()
}

// RepeatAll repeats entries to every other seat. Their author gets them too: it
// may have lost them with everything it had not kept.
func (g *Game) RepeatAll(entries ...*feed.Signed) {
	if g.me < 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.seats {
		g.repeat(i, entries)
	}
	g.display(entries)
	g.stir()
}

// stir has early arrivals come again.
func (g *Game) stir() {
	g.repeated++
	if len(g.early) > 0 {
		ring(g.recheck)
	}
}

func (g *Game) repeat(seat int, entries []*feed.Signed) {
	if seat == g.me {
		return
	}
	s := g.seats[seat]
	for _, e := range entries {
		s.repeats.Add(e)
	}
	for _, x := range s.conns {
		ring(x.wake)
	}
}

// display shows entries to whoever watches.
func (g *Game) display(entries []*feed.Signed) {
	for _, e := range entries {
		g.public.Add(e)
	}
	for _, s := range g.spectators {
		for _, x := range s.conns {
			ring(x.wake)
		}
	}
}

// Forget drops what is kept to be repeated, as far as drop says so: the ballots
// of a round that is closed everywhere.
func (g *Game) Forget(drop func(*feed.Signed) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.seats {
		s.repeats.Forget(drop)
	}
	g.public.Forget(drop)
	g.wakeAll()
}
