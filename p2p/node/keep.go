package node

import (
	"bytes"
	"context"
	"net/netip"
	"slices"
	"time"

	"alibi/p2p/link"
	"alibi/p2p/wire"
)

// Dialling a seat: the side with the higher identity lets the other go first,
// for a moment; then both try. Waits double from the first to the last, with
// jitter, and new addresses cut them short.
const (
	headStart   = 15 * time.Millisecond // for each seat of the table
	firstRetry  = 100 * time.Millisecond
	lastRetry   = 3 * time.Second
	dialWithin  = 6 * time.Second
	noAddrsWait = 2 * time.Second
	shortLife   = time.Second
	newsWait    = 300 * time.Millisecond // least time between two dials of a seat, whatever is announced of it
)

// staleAfter is the silence after which a second connection is tried beside
// the first: a peer, or this one, may have moved to another address.
const staleAfter = 2*pingEvery + time.Second/2

// keep is the goroutine that keeps one seat connected.
func (g *Game) keep(i int) {
	id := g.ids[i]
	bell := g.seats[i].bell
	if bytes.Compare(g.ids[g.me][:], id[:]) > 0 {
		g.pause(i, headStart*time.Duration(len(g.ids)), nil)
	}
	retry := firstRetry
	for g.ctx.Err() == nil {
		if left := g.lively(i); left > 0 {
			timer := time.NewTimer(left)
			select {
			case <-bell:
			case <-timer.C:
			case <-g.ctx.Done():
			}
			timer.Stop()
			retry = firstRetry
			continue
		}
		addrs := g.node.addresses(id)
		if len(addrs) == 0 {
			g.pause(i, noAddrsWait, []netip.AddrPort{})
			continue
		}
		if g.dial(i, addrs) {
			retry = firstRetry
			continue
		}
		if g.lively(i) <= 0 {
			g.pause(i, jitter(retry), addrs)
			retry = min(2*retry, lastRetry)
		}
	}
}

// lively is how much longer a seat's connection may be silent before it is
// doubted; not positive without one.
func (g *Game) lively(i int) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seats[i].conns) == 0 {
		return 0
	}
	return time.Until(g.seats[i].heard.Add(staleAfter))
}

// pause waits, or until the seat is connected or has other addresses than
// those that were tried; nil means that addresses do not matter. Anybody can
// announce addresses in a seat's name, as fast as they like, so they are looked
// at after newsWait only.
func (g *Game) pause(i int, d time.Duration, tried []netip.AddrPort) {
	timer, first := time.NewTimer(d), time.NewTimer(min(d, newsWait))
	defer timer.Stop()
	defer first.Stop()
	for calm := false; ; {
		select {
		case <-timer.C:
			return
		case <-g.ctx.Done():
			return
		case <-first.C:
			calm = true
		case <-g.seats[i].bell:
			if g.lively(i) > 0 {
				return
			}
		}
		if calm && tried != nil && !slices.Equal(tried, g.node.addresses(g.ids[i])) {
			return
		}
	}
}

// dial connects to a seat and runs the connection. It reports whether that
// was a connection worth the name.
func (g *Game) dial(i int, addrs []netip.AddrPort) bool {
	ctx, cancel := context.WithTimeout(g.ctx, dialWithin)
	defer cancel()
	if !g.dialling(i, cancel) {
		return false
	}
	conn, err := g.node.host.Dial(ctx, g.ids[i], addrs, link.Game)
	g.dialling(i, nil)
	if err != nil {
		return false
	}
	g.node.known.prefer(g.ids[i], conn.RemoteAddr())
	defer g.node.count(conn)()
	began := time.Now()
	g.exchange(conn, wire.NewGameStream(conn), i, nil)
	return time.Since(began) > shortLife
}

// dialling notes how to end the dial under way, and refuses one to a seat that
// is connected by now.
func (g *Game) dialling(i int, cancel context.CancelFunc) bool {
	if cancel != nil && g.lively(i) > 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats[i].dialled = cancel
	return true
}

// tend is the goroutine that brings early arrivals back and keeps presence.
func (g *Game) tend() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var asked nagging
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-g.recheck:
		case <-timer.C:
		}
		now := time.Now()
		again := g.look(now)
		for _, a := range g.ripe() {
			if !g.hand(a, nil) {
				return
			}
		}
		if wait, held := g.overdue(&asked, now); held && (again.IsZero() || wait.Before(again)) {
			again = wait
		}
		if !again.IsZero() {
			timer.Reset(max(time.Until(again), time.Millisecond))
		}
	}
}

// look brings presence up to date and says when to look again.
func (g *Game) look(now time.Time) time.Time {
	g.mu.Lock()
	g.slept(now)
	fresh, again := judge(g.sightings(), g.me, g.began, now)
	g.due = again
	changed := false
	for i := range fresh {
		was := g.presence[i]
		fresh[i].Since = was.Since
		if fresh[i].State != was.State {
			fresh[i].Since = now
		}
		changed = changed || fresh[i] != was
	}
	g.presence = fresh
	if changed {
		g.tellAll() // links may have changed with it
		ring(g.changed)
	}
	g.mu.Unlock()
	if changed {
		g.node.announce()
	}
	return again
}

// slept takes a look that comes much later than it was due as a sign that this
// computer was asleep, or this program frozen: then nobody can be blamed for not
// having been heard meanwhile, and each gets the time that was left.
func (g *Game) slept(now time.Time) {
	gap := now.Sub(g.due)
	if g.due.IsZero() || gap < shakyAfter {
		return
	}
	later := func(t time.Time) time.Time {
		if t = t.Add(gap); t.After(now) {
			return now
		}
		return t
	}
	g.began = later(g.began)
	for _, s := range g.seats {
		if !s.heard.IsZero() {
			s.heard = later(s.heard)
		}
	}
}

// missing reports whether it is worth looking hard for somebody.
func (g *Game) missing() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.presence, func(p Presence) bool { return p.State == Shaky })
}
