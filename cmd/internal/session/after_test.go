package session

import (
	"slices"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/p2p/node"
)

// over is a table of which every seat has finished, and the number of its last round.
func over(t *testing.T, n, leavers int) (p *party, last uint32) {
	t.Helper()
	p = newLeaving(t, n, leavers)
	for _, s := range p.sessions {
		s.core.cfg.Store = nil // it is closed for good at the end
	}
	for i, err := range p.run() {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	return p, p.sessions[0].core.log.Round() - 1
}

// Who moved to go on without somebody, in the last round, waits for a word of
// those who closed it otherwise: they give it although their game is over.
func TestNoAfterTheEnd(t *testing.T) {
	p, last := over(t, 3, 1)
	without := feed.Without(2)
	asks, err := feed.CastBallot(p.keys[0], p.sessions[1].core.log.TemplateAt(last, 0), feed.Ballot{Motion: without, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	c := p.sessions[1].core
	for range 2 {
		if err := c.Arrive(node.Arrival{From: 0, Entry: asks}); err != nil {
			t.Fatal(err)
		}
	}
	if v := c.log.Vote(last, without, 1); v == nil || yes(v) || !c.Finished() || c.state.Gone[2] {
		t.Errorf("vote %v, finished %v, gone %v", v, c.Finished(), c.state.Gone)
	}
}

// Whom the others have left out of the last round takes that over, be it after
// its own end.
func TestLeftOutAfterTheEnd(t *testing.T) {
	p, last := over(t, 3, 1)
	c, without := p.sessions[2].core, feed.Without(2)
	for _, i := range []int{0, 1} {
		v, err := feed.CastBallot(p.keys[i], c.log.TemplateAt(last, i), feed.Ballot{Motion: without, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Arrive(node.Arrival{From: i, Entry: v}); err != nil {
			t.Fatal(err)
		}
	}
	if !c.state.Gone[2] || c.Finished() || c.log.Round() != last+1 {
		t.Errorf("gone %v, finished %v, round %d after %d", c.state.Gone, c.Finished(), c.log.Round(), last)
	}
}

// lacking is a link whose far end lacks something as long as something is on its
// way here, and that remembers what it was told.
type lacking struct {
	*port
	told []bool
}

func (l *lacking) Over(over bool) { l.told = append(l.told, over) }

func (l *lacking) Lacking() []int {
	if len(l.arrivals) == 0 {
		return nil
	}
	return []int{0}
}

// A session that serves those who lack the end goes back to the game if it turns out
// that they have closed the last round without it, and comes to the end that they
// have come to.
func TestGameGoesOnAfterTheEnd(t *testing.T) {
	p := newLeaving(t, 3, 1)
	left := p.sessions[2]
	p.hub.cut = func(from, _ int, e *feed.Signed) bool {
		return from == 2 && move.Kind(e.Kind) == move.KindLeave
	}
	p.pump(left.core.Finished)
	p.sessions = p.sessions[:2]
	for _, s := range p.sessions {
		s.core.port = absent{s.core.port, []int{2}}
		if err := s.core.Drop(2); err != nil {
			t.Fatal(err)
		}
	}
	stay := p.sessions[0].core
	p.pump(func() bool { return stay.Finished() && p.sessions[1].core.Finished() })

	link := &lacking{port: p.hub.ports[2]}
	left.core.cfg.Link = link
	if err := left.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !left.core.state.Gone[2] || left.core.log.Prev() != stay.log.Prev() {
		t.Errorf("gone %v, another history: %v", left.core.state.Gone, left.core.log.Prev() != stay.log.Prev())
	}
	if want := []bool{true, false, true}; !slices.Equal(link.told, want) {
		t.Errorf("told the others %v, want %v", link.told, want)
	}
}

// A second word for an old place is kept and shown, and the game stays as it ended.
func TestForkAfterTheEnd(t *testing.T) {
	p, last := over(t, 3, 0)
	c := p.sessions[1].core
	other := p.sessions[1].core.log.Entry(last, 2).Entry
	other.Body = append([]byte{}, other.Body...)
	other.Body[len(other.Body)-1] ^= 1
	forged, err := feed.Seal(p.keys[2], other)
	if err != nil {
		t.Fatal(err)
	}
	shown := len(p.hub.ports[0].arrivals)
	for range 2 {
		if err := c.Arrive(node.Arrival{From: 2, Entry: forged}); err != nil {
			t.Fatal(err)
		}
	}
	if !c.Finished() || c.state.Stopped() || len(c.Evidence()) != 1 {
		t.Errorf("finished %v, faults %v, evidence %d", c.Finished(), c.state.Faults, len(c.Evidence()))
	}
	if now := len(p.hub.ports[0].arrivals); now != shown+2 {
		t.Errorf("%d entries were shown to seat 0, want 2", now-shown)
	}
	late := other
	late.Round, late.Prev = c.log.Round(), c.log.Prev()
	spoken, err := feed.Seal(p.keys[2], late)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 2, Entry: spoken}); err != nil || c.state.Stopped() || len(c.Blamed()) > 0 {
		t.Errorf("speaking after the end: %v, faults %v", err, c.state.Faults)
	}
}

// What waits for its release is not due before it, nor for ever after: a table
// that stands still would keep the processor busy. What has come due since it was
// last looked at is due now, or it would never be done.
func TestNothingIsDueInThePast(t *testing.T) {
	p, _ := over(t, 2, 0)
	c := p.sessions[0].core
	now := c.cfg.Now()
	c.cfg.Now = func() time.Time { return now }
	c.looked = now
	for _, at := range []time.Time{now.Add(-time.Second), now, now.Add(time.Second)} {
		c.release = at
		if got := c.Deadline(); got.IsZero() == at.After(now) || !got.IsZero() && !got.Equal(at) {
			t.Errorf("released at %v: due at %v", at.Sub(now), got)
		}
	}
	c.release, c.looked = now.Add(-time.Millisecond), now.Add(-time.Second)
	if got := c.Deadline(); !got.Equal(c.release) {
		t.Errorf("released since it was looked at: due at %v", got)
	}
}
