package session

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/table"
	"alibi/p2p/node"
)

// pump plays a party's cores in this goroutine until stop says so.
func (p *party) pump(stop func() bool) {
	p.t.Helper()
	for _, s := range p.sessions {
		if _, fresh := s.core.port.(mute); !fresh {
			continue
		}
		if err := s.core.Start(); err != nil {
			p.t.Fatal(err)
		}
	}
	left := 5000
	for moved := true; moved && !stop(); {
		moved = false
		for i, s := range p.sessions {
			if len(p.hub.ports[i].arrivals) > 0 && !stop() {
				if moved, left = true, left-1; left == 0 {
					p.t.Fatalf("it goes on and on: round %d, %s", s.core.state.Round, s.core.state.Stage)
				}
				if err := s.core.Arrive(<-p.hub.ports[i].arrivals); err != nil {
					p.t.Fatal(err)
				}
			}
		}
	}
	if !stop() {
		p.t.Fatal("the game stands still before it has come that far")
	}
}

// A bad entry that completes a round has everybody vote at once, and not only
// when something else happens.
func TestVoteWithoutFurtherNews(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[0].core
	p.hub.cut = func(from, _ int, e *feed.Signed) bool { return e.Seat == 2 && from == 2 && e.Round == 6 }
	p.pump(func() bool { return c.state.Stage == table.Sorting && c.state.Shuffler == 2 })
	e := c.log.TemplateAt(c.log.Round(), 2)
	e.Kind, e.Body = 2, []byte{0x81, 0x80}
	bad, err := feed.Seal(p.keys[2], e)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 2, Entry: bad}); err != nil {
		t.Fatal(err)
	}
	if v := c.log.Vote(c.log.Round(), feed.Without(2), 0); v == nil || !yes(v) {
		t.Errorf("vote %v, blamed %v", v, c.Blamed())
	}
}

// Two ballots that convict their author both stand beside the log.
func TestBallotsAsEvidence(t *testing.T) {
	p := newParty(t, 2)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Checking })
	for _, yes := range []bool{true, false} {
		v, err := feed.CastBallot(p.keys[1], c.log.Template(1), feed.Ballot{Motion: feed.Motion{Abandon: true}, Yes: yes})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Arrive(node.Arrival{From: 1, Entry: v}); err != nil {
			t.Fatal(err)
		}
	}
	charter, entries := c.Log()
	r, err := audit.Check(charter, append(entries, c.Evidence()...))
	if err != nil || len(r.Findings) == 0 || r.Findings[0].Seat != 1 || !c.state.Stopped() {
		t.Errorf("%v, faults %v, evidence %d, %+v", err, c.state.Faults, len(c.Evidence()), r.Findings)
	}
}

// A round that is opened again and closed as before is gone on with as before: no
// word is said anew.
func TestOwnWordIsSaidOnce(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Vetting && !c.log.Owes(0) })
	word := c.word()
	c.reopen(2)
	if err := c.Wake(); err != nil {
		t.Fatal(err)
	}
	if c.state.Stage != table.Vetting || c.log.Entry(3, 0) != word {
		t.Fatalf("%s, %v", c.state.Stage, c.log.Entry(3, 0))
	}
	c.reopen(2)
	c.spare = nil
	if err := c.Wake(); err != nil {
		t.Fatal(err)
	}
	if c.log.Entry(3, 0) != word {
		t.Error("the same place was filled anew")
	}
}

// Whoever has voted for something that nobody will ever carry or refuse still finds
// the fault in a complete round, and votes against who is to blame.
func TestFaultIsFoundInSpiteOfAVote(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.hub.cut = func(from, _ int, e *feed.Signed) bool { return e.Seat == 3 && from == 3 && e.Round == 1 }
	p.pump(func() bool {
		return c.state.Stage == table.Keying && !c.log.Owes(1) && !c.log.Owes(2) && !c.log.Owes(0)
	})
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	e := c.log.TemplateAt(1, 3)
	e.Kind, e.Body = 1, []byte{0x80}
	bad, err := feed.Seal(p.keys[3], e)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 3, Entry: bad}); err != nil {
		t.Fatal(err)
	}
	voted := slices.ContainsFunc(c.log.Motions(1), func(m feed.Motion) bool { return m.Without == 1<<3 && c.log.Vote(1, m, 0) != nil })
	if len(c.Blamed()) != 1 || !voted {
		t.Errorf("blamed %v, voted %v", c.Blamed(), voted)
	}
}
