package session

import (
	"bytes"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/table"
	"alibi/p2p/node"
)

// absent is a port from which some seats look away.
type absent struct {
	Port
	seats []int
}

func (a absent) Presence() []node.Presence {
	out := a.Port.Presence()
	for _, i := range a.seats {
		out[i].State = node.Away
	}
	return out
}

// vote gives a core a ballot of another seat for a round.
func (p *party) vote(c *Core, round uint32, seat int, m feed.Motion) {
	p.t.Helper()
	v, err := feed.CastBallot(p.keys[seat], c.log.TemplateAt(round, seat), feed.Ballot{Motion: m, Yes: true})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: seat, Entry: v}); err != nil {
		p.t.Fatal(err)
	}
}

// Who was left out still says no to what it cannot vote for any more: whoever
// moved it waits for that word.
func TestWhoWasLeftOutAnswers(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[2].core
	p.pump(func() bool { return c.state.Stage == table.Sharing })
	p.vote(c, 1, 0, feed.Without(2))
	p.vote(c, 1, 1, feed.Without(2))
	if !c.state.Gone[2] {
		t.Fatal("seat 2 was not left out")
	}
	m := feed.Motion{Without: 1, Trial: 1}
	p.vote(c, 1, 1, m)
	if v := c.log.Vote(1, m, 2); v == nil || yes(v) {
		t.Errorf("voted %v", v != nil)
	}
}

// Whoever moves to go on without two, of whom this seat has left one behind
// already and wants to leave the other, gets its vote.
func TestVoteAgainstWhoIsGoneHere(t *testing.T) {
	p := newLeaving(t, 4, 2)
	c := p.sessions[1].core
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(1) })
	c.port = absent{c.port, []int{2, 3}}
	round := c.log.Round()
	if err := c.Drop(3); err != nil {
		t.Fatal(err)
	}
	p.vote(c, round, 0, feed.Without(3))
	p.vote(c, round, 2, feed.Without(3))
	if !c.state.Gone[3] {
		t.Fatal("seat 3 is there")
	}
	m := feed.Motion{Without: 1<<2 | 1<<3, Trial: 1}
	p.vote(c, round, 0, m)
	if v := c.log.Vote(round, m, 1); v != nil {
		t.Fatal("it voted before it wanted to")
	}
	if err := c.Drop(2); err != nil {
		t.Fatal(err)
	}
	if v := c.log.Vote(round, m, 1); v == nil || !yes(v) || !c.state.Gone[2] || !c.state.Gone[3] {
		t.Errorf("voted %v, gone %v", v != nil, c.state.Gone)
	}
}

// Whoever moves again what has been carried may be bound by something higher: this
// seat opens the round again and votes for the same once more, be whom it drops
// there or not.
func TestTheSameIsCarriedAgain(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[1].core
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(1) })
	c.port = absent{c.port, []int{3}}
	round := c.log.Round()
	if err := c.Drop(3); err != nil {
		t.Fatal(err)
	}
	p.vote(c, round, 0, feed.Without(3))
	p.vote(c, round, 2, feed.Without(3))
	c.port = c.port.(absent).Port
	m := feed.Motion{Without: 1 << 3, Trial: 1}
	p.vote(c, round, 0, m)
	if v := c.log.Vote(round, m, 1); v == nil || !yes(v) {
		t.Fatalf("voted %v", v != nil)
	}
	p.vote(c, round, 2, m)
	if !c.state.Gone[3] || c.log.ClosedBy(round) != m {
		t.Errorf("gone %v, closed by %+v", c.state.Gone, c.log.ClosedBy(round))
	}
}

// What everybody who is to stay has built on is not opened again: they may have
// given shares since.
func TestNothingIsOpenedThatAllBuiltOn(t *testing.T) {
	for _, built := range []bool{false, true} {
		p := newLeaving(t, 3, 1)
		c := p.sessions[0].core
		p.pump(func() bool { return c.state.Stage == table.Sharing && !c.log.Owes(0) && (!built || !c.log.Owes(1)) })
		c.port = absent{c.port, []int{2}}
		if err := c.Drop(2); err != nil {
			t.Fatal(err)
		}
		m := feed.Motion{Without: 1 << 2, Trial: 1}
		p.vote(c, 1, 1, m)
		if v := c.log.Vote(1, m, 0); v == nil || yes(v) == built {
			t.Errorf("built on: %v, voted %v", built, v != nil)
		}
	}
}

// repeats is a port that keeps what is repeated.
type repeats struct {
	mute
	said []*feed.Signed
}

func (r *repeats) Repeat(_ int, entries ...*feed.Signed) { r.said = append(r.said, entries...) }

// Whoever comes back shows the no of another too, for a round that is closed here:
// somebody may wait for it, and its author may have left.
func TestNoOfAnotherIsShownAgain(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Keying })
	p.vote(c, 0, 1, feed.Without(3))
	no, err := feed.CastBallot(p.keys[2], c.log.TemplateAt(0, 2), feed.Ballot{Motion: feed.Without(3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 2, Entry: no}); err != nil {
		t.Fatal(err)
	}
	kept, err := p.stores[0].Load(feed.TableHash(p.charter))
	if err != nil {
		t.Fatal(err)
	}
	back, port := p.session(0, kept.Log).core, new(repeats)
	back.live = port
	if err := back.Start(); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(port.said, func(e *feed.Signed) bool { return bytes.Equal(e.Raw(), no.Raw()) }) {
		t.Errorf("%d entries shown, and not this one", len(port.said))
	}
}

// Whoever still votes on a round that is closed here is told every no that there
// was, also of another, and on another motion.
func TestEveryNoIsSaidToWhoStillVotes(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Keying })
	port := &repeats{}
	c.port = port
	no, err := feed.CastBallot(p.keys[2], c.log.TemplateAt(0, 2), feed.Ballot{Motion: feed.Without(3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 2, Entry: no}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is known
		port.said = nil
		p.vote(c, 0, 1, feed.Without(2))
		if !slices.ContainsFunc(port.said, func(e *feed.Signed) bool { return bytes.Equal(e.Raw(), no.Raw()) }) {
			t.Errorf("%d entries said, and not this one", len(port.said))
		}
	}
}

// A seat whose vote nobody can carry any more, since all others whose word it needs
// have gone on, goes on too, be it in another way than they did, and comes back to the
// same place after a crash.
func TestVoteThatIsVoid(t *testing.T) {
	for _, otherwise := range []bool{false, true} {
		p := newLeaving(t, 3, 1)
		c := p.sessions[0].core
		p.hub.cut = func(from, to int, _ *feed.Signed) bool { return to == 0 && from == 2 } // seat 0 hears 1 only
		p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(0) && !c.log.Owes(1) })
		away := c.port
		if otherwise { // it wants to go on without seat 1 as well, lower in the order
			c.port = absent{away, []int{1}}
			p.drop(c, 1)
		}
		c.port = absent{away, []int{2}}
		p.drop(c, 2) // needs the word of seat 1, which has gone on
		p.hub.cut = func(_, to int, e *feed.Signed) bool { _, is := e.Ballot(); return is || to == 0 }
		round, other := c.log.Round(), p.sessions[1].core
		p.pump(func() bool { return other.log.Round() > round && !other.log.Owes(1) })
		give := func(e *feed.Signed) {
			t.Helper()
			if err := c.Arrive(node.Arrival{From: 2, Entry: e}); err != nil {
				t.Fatal(err)
			}
		}
		give(other.log.Entry(round, 2))
		if otherwise {
			p.vote(c, round, 2, feed.Without(1))
		}
		if c.log.Round() != round {
			t.Fatal("it has closed the round in spite of its vote")
		}
		give(other.log.Entry(round+1, 1))
		if err := c.Wake(); err != nil || c.log.Round() != round+1 || c.state.Gone[1] != otherwise {
			t.Fatalf("round %d of %d, %v, gone %v", c.log.Round(), round+1, err, c.state.Gone)
		}
		kept, err := p.stores[0].Load(feed.TableHash(p.charter))
		if err != nil {
			t.Fatal(err)
		}
		if back := p.session(0, kept.Log).core; back.log.Round() != round+1 || back.log.Prev() != c.log.Prev() {
			t.Errorf("back in round %d of %d", back.log.Round(), round+1)
		}
	}
}

// drop has a core vote to go on without a seat, and then want it no more.
func (p *party) drop(c *Core, seat int) {
	p.t.Helper()
	if err := c.Drop(seat); err != nil {
		p.t.Fatal(err)
	}
	c.drop = 0
}

// Who opens a round again, after it has spoken in the next one, votes there at a later
// trial: that it spoke was its word that nobody carries anything at the first one.
func TestNoSecondWordAtTheFirstTrial(t *testing.T) {
	for _, back := range []bool{false, true} {
		p := newLeaving(t, 4, 1)
		c := p.sessions[0].core
		p.pump(func() bool { return c.state.Stage == table.Sharing && !c.log.Owes(0) })
		if back {
			kept, err := p.stores[0].Load(feed.TableHash(p.charter))
			if err != nil {
				t.Fatal(err)
			}
			c = p.session(0, kept.Log).core
		}
		e := c.log.Closed(1)[3].Entry
		e.Body = []byte{0x80}
		other, err := feed.Seal(p.keys[3], e)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Arrive(node.Arrival{From: 3, Entry: other}); err != nil {
			t.Fatal(err)
		}
		if c.log.Round() != 1 || word(c, feed.Without(3)) != 0 || word(c, feed.Motion{Without: 1 << 3, Trial: 1}) != 1 {
			t.Errorf("back %v: round %d, motions %+v", back, c.log.Round(), c.log.Motions(1))
		}
	}
}

// published is a port that keeps what is published.
type published struct {
	Port
	said []*feed.Signed
}

func (r *published) Publish(entries ...*feed.Signed) { r.said = append(r.said, entries...) }

// What was said on top of a round that was opened again is said once more when the round
// is closed as it was: the others may never have had it.
func TestWhatWasSaidAfterAnOpenedRoundIsPublished(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Sharing && !c.log.Owes(0) })
	port, mine := &published{Port: c.port}, c.word()
	c.port = port
	c.reopen(1)
	if err := c.Wake(); err != nil || c.log.Round() != 2 || c.log.Owes(0) {
		t.Fatalf("round %d, owes %v, %v", c.log.Round(), c.log.Owes(0), err)
	}
	if !slices.Contains(port.said, mine) {
		t.Errorf("%d entries are published, and not the own word", len(port.said))
	}
}

// So is what was voted there, which holds this seat up until all have answered it.
func TestVoteAfterAnOpenedRoundIsSaidAgain(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Sharing && !c.log.Owes(0) })
	if err := c.cast(2, feed.Without(3), true); err != nil {
		t.Fatal(err)
	}
	port, mine := new(repeats), c.log.Vote(2, feed.Without(3), 0)
	c.port = port
	c.reopen(1)
	if err := c.Wake(); err != nil || c.log.Round() != 2 {
		t.Fatalf("round %d, %v", c.log.Round(), err)
	}
	if !slices.Contains(port.said, mine) {
		t.Errorf("%d entries are said again, and not the vote", len(port.said))
	}
}

// Whom a vote has left out has no word any more, though it is there, and though others are
// bound by what they voted for later: nobody waits for it on anything else.
func TestNobodyWaitsForWhoWasLeftOut(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(0) })
	round, drop := c.log.Round(), feed.Without(1)
	for _, trial := range []uint16{2, 0} {
		drop.Trial = trial
		if err := c.cast(round, drop, true); err != nil {
			t.Fatal(err)
		}
	}
	p.vote(c, round, 2, drop)
	p.vote(c, round, 3, drop)
	if c.log.Round() != round || !slices.Equal(c.log.Out(), []int{1}) {
		t.Fatalf("round %d, out %v", c.log.Round(), c.log.Out())
	}
	c.port = absent{c.port, []int{3}}
	if err := c.Drop(3); err != nil {
		t.Fatal(err)
	}
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	moves := c.motions()
	if len(moves) == 0 {
		t.Error("it wants nothing")
	}
	for _, m := range moves {
		if !m.Abandon || !m.Drops(1) || !m.Drops(3) {
			t.Errorf("it wants %+v, for which seat 1 has no word", m)
		}
	}
}

// A game in which somebody stands convicted ends when somebody else has left, if nobody
// more may: else all would be silent for ever.
func TestConvictedWhenNobodyMoreMayLeave(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(0) })
	c.port = absent{c.port, []int{2}}
	p.drop(c, 2)
	v, err := feed.CastBallot(p.keys[1], c.log.Template(1), feed.Ballot{Motion: feed.Without(2), Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.log.Offer(v); err != nil {
		t.Fatal(err)
	}
	c.blamed[1] = table.Fault{Seat: 1, Round: 1, Rule: table.RuleTurn}
	if err := c.fold(); err != nil || !c.state.Gone[2] || !c.state.Stopped() {
		t.Errorf("gone %v, stopped %v, %v", c.state.Gone, c.state.Stopped(), err)
	}
}

// What is kept once is taken in again where it was said again: on a round that was
// closed otherwise in between, so that it fell out of the log.
func TestKeptOnceAndSaidTwice(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Vetting && !c.log.Owes(0) })
	kept, err := p.stores[0].Load(feed.TableHash(p.charter))
	if err != nil {
		t.Fatal(err)
	}
	back := p.session(0, kept.Log).core
	round, prev := back.log.Round(), back.log.Prev()
	back.reopen(1)
	back.spare = nil // lost, since it was closed otherwise and opened once more
	if err := back.fold(); err != nil || back.log.Round() != 2 {
		t.Fatalf("round %d, %v", back.log.Round(), err)
	}
	if err := back.recall(kept.Log); err != nil || back.log.Round() != round || back.log.Prev() != prev || back.log.Owes(0) {
		t.Errorf("round %d of %d, %v", back.log.Round(), round, err)
	}
}
