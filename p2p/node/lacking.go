package node

import "time"

// Over tells every other seat that the game is over here, and that all of it is
// kept by now; or that it goes on after all, since the others had closed a round
// otherwise.
func (g *Game) Over(over bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over == over || g.me < 0 {
		return
	}
	g.over = over
	for x := range g.exchanges() {
		if x.seat >= 0 {
			x.part()
		}
	}
}

// part has the far end told whether the game is over here, and asked to say that it
// has heard: a connection that is closed loses what is on its way.
func (x *exchange) part() {
	x.far.told = false
	x.where, x.pinged, x.parting = true, time.Time{}, x.pings+1
	ring(x.wake)
}

// settled reports whether this seat and that one have told each other that their
// game is over: then they owe each other nothing.
func (s *seat) settled() bool { return s.over && s.told }

// goneAfter is how long a seat whose game is over has to come back, in case that
// it has not heard yet that it is over here.
const goneAfter = time.Second

// Lacking lists the seats that may lack something that was published here. What
// a seat was sent, and even took in, is lost if its program is killed before it
// has kept it: only one that says that its game is over lacks nothing. Seats that
// this one was never connected to, and another is, are left to that one.
func (g *Game) Lacking() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	var out []int
	for i, s := range g.seats {
		gone := len(s.conns) == 0 && now.Sub(s.left) > goneAfter
		elsewhere := s.heard.IsZero() && g.presence[i].Via >= 0
		if i != g.me && !s.settled() && !(s.over && gone) && !elsewhere {
			out = append(out, i)
		}
	}
	return out
}
