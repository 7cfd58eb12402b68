package session

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/move"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// whisperer is the store of a seat that tells seat 2 alone something else, at
// the moment it keeps its own entry of a round.
type whisperer struct {
	store.Store
	p     *party
	me    int
	round uint32
	made  func(own *feed.Signed) feed.Entry
}

func (w whisperer) Append(table feed.Hash, entries ...*feed.Signed) error {
	for _, e := range entries {
		if e.Round == w.round && int(e.Seat) == w.me && w.p.sessions[w.me].core.state.Round == w.round {
			s, err := feed.Seal(w.p.keys[w.me], w.made(e))
			if err != nil {
				w.p.t.Error(err)
				continue
			}
			w.p.hub.ports[2].arrivals <- node.Arrival{From: w.me, Entry: s}
		}
	}
	return w.Store.Append(table, entries...)
}

// Whatever a seat tells one other alone, everybody honest stops and names it,
// and so does each of their logs: nobody is left to wait for the one that was
// deceived.
func TestWhisperedEntryConvictsItsAuthorBeforeAll(t *testing.T) {
	for _, c := range []struct {
		name   string
		hidden bool // seat 2 never gets the public entry by itself
		made   func(own *feed.Signed) feed.Entry
		rules  []table.Rule
	}{
		{"out of turn", false, func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Round, e.Prev = 4, feed.Next(own.Prev, 3, []*feed.Signed{own})
			return e
		}, []table.Rule{table.RuleTurn}},
		{"illegal", true, func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Body = e.Body[:len(e.Body)-1]
			return e
		}, []table.Rule{table.RuleFork, table.RuleEncoding}},
		{"wrong kind", true, func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Kind = uint8(move.KindAccuse)
			return e
		}, []table.Rule{table.RuleFork, table.RuleKind}},
		{"another history", false, func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Prev[0] ^= 1
			return e
		}, []table.Rule{table.RuleFork}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const cheat = 1
			p := newParty(t, 4)
			if c.hidden {
				p.hub.cut = func(_, to int, e *feed.Signed) bool {
					return to == 2 && int(e.Seat) == cheat && e.Round == 3
				}
			}
			p.sessions[cheat].core.cfg.Store = whisperer{p.stores[cheat], p, cheat, 3, c.made}
			errs := p.runHonest(cheat)
			for _, i := range []int{0, 2, 3} {
				checkConviction(t, p.sessions[i], errs[i], i, cheat, c.rules)
			}
		})
	}
}

func checkConviction(t *testing.T, s *Session, err error, seat, cheat int, want []table.Rule) {
	t.Helper()
	faults := s.Latest().View.Faults
	if !errors.Is(err, ErrStopped) || len(faults) == 0 {
		t.Errorf("seat %d: %v, faults %v", seat, err, faults)
		return
	}
	for _, f := range faults {
		known := false
		for _, r := range want {
			known = known || f.Rule == r
		}
		if f.Seat != cheat || !known {
			t.Errorf("seat %d blames %v", seat, f)
		}
	}
	var file bytes.Buffer
	if err := s.WriteLog(&file); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(&file)
	if err != nil {
		t.Fatal(err)
	}
	if r.Fair() || r.Findings[0].Seat != cheat {
		t.Errorf("the log of seat %d verifies as %v, missing %v", seat, r.Findings, r.Missing)
	}
}

// A table that may lose one goes on without a seat that signed two shuffles, and
// everybody's log is whole, fair and the same.
func TestTableGoesOnWithoutACheat(t *testing.T) {
	for _, c := range []struct {
		name string
		made func(own *feed.Signed) feed.Entry
	}{
		{"two words", func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Body = e.Body[:len(e.Body)-1]
			return e
		}},
		{"out of turn", func(own *feed.Signed) feed.Entry {
			e := own.Entry
			e.Round, e.Prev = 6, feed.Next(own.Prev, 5, []*feed.Signed{own})
			e.Kind = uint8(move.KindAccuse)
			return e
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const cheat = 1
			p := newLeaving(t, 4, 1)
			p.sessions[cheat].core.cfg.Store = whisperer{p.stores[cheat], p, cheat, 5, c.made}
			errs := p.runHonest(cheat)
			var first []byte
			for _, i := range []int{0, 2, 3} {
				s := p.sessions[i]
				if errs[i] != nil || !s.State().Gone[cheat] {
					t.Fatalf("seat %d: %v, %s, gone %v, blamed %v", i, errs[i], s.State().Stage, s.State().Gone, s.Latest().Blamed)
				}
				var file bytes.Buffer
				if err := feed.WriteLog(&file, p.charter, s.core.log.Entries()); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = file.Bytes()
				}
				if !bytes.Equal(first, file.Bytes()) {
					t.Errorf("seat %d ends with another log", i)
				}
			}
			r, err := Verify(bytes.NewReader(first))
			if err != nil || !r.Fair() || !r.Complete {
				t.Errorf("%v %+v", err, r.Findings)
			}
		})
	}
}

// Two legal shuffles for one place convict by nothing but each other. A table that
// goes on without their author keeps both, whichever it had taken first.
func TestEveryLogConvictsOfTwoLegalEntries(t *testing.T) {
	const cheat = 1
	p := newLeaving(t, 4, 1)
	p.hub.cut = func(from, to int, e *feed.Signed) bool {
		return from == cheat && int(e.Seat) == cheat && e.Round >= 5 && to >= 2
	}
	p.sessions[cheat].core.cfg.Store = forker{
		Store: p.stores[cheat], p: p, me: cheat, two: seat.New(p.secrets[cheat], cheat, seeded("another order")),
		when: func(e *feed.Signed) bool { return e.Round == 5 }, to: []int{2, 3},
	}
	errs := p.runHonest(cheat)
	for _, i := range []int{0, 2, 3} {
		var file bytes.Buffer
		if err := p.sessions[i].WriteLog(&file); err != nil {
			t.Fatal(err)
		}
		r, err := Verify(&file)
		if err != nil {
			t.Fatal(err)
		}
		want := []audit.Finding{{Seat: cheat, Round: 5, Check: string(table.RuleFork), Left: true}}
		if errs[i] != nil || !slices.Equal(r.Findings, want) || !r.Complete {
			t.Errorf("seat %d: %v, findings %v, complete %v", i, errs[i], r.Findings, r.Complete)
		}
	}
}

// Somebody who makes up a prev, and says nothing else in that round, is waited
// for like anybody who is silent: nobody else falls silent for it.
func TestMadeUpHistorySilencesNobody(t *testing.T) {
	p := newParty(t, 3)
	c := p.sessions[0].core
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	e := feed.Entry{Game: c.log.Game(), Round: 0, Seat: 1, Prev: c.log.Prev(), Kind: uint8(move.KindAccept), Body: []byte{0x80}}
	for _, seat := range []uint8{1, 2} {
		e.Seat = seat
		s, err := feed.Seal(p.keys[seat], e)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Arrive(node.Arrival{From: int(seat), Entry: s}); err != nil {
			t.Fatal(err)
		}
	}
	if c.State().Round != 1 {
		t.Fatal("round", c.State().Round)
	}
	odd := feed.Entry{Game: c.log.Game(), Round: 1, Seat: 1, Prev: feed.Hash{7}, Kind: uint8(move.KindKeys), Body: []byte{0x80}}
	s, err := feed.Seal(p.keys[1], odd)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Arrive(node.Arrival{From: 1, Entry: s}); err != nil {
		t.Fatal(err)
	}
	u := c.Latest()
	if u.Trouble == nil || c.silent() || c.Finished() || len(u.Blamed) > 0 {
		t.Errorf("trouble %v, silent %v, blamed %v", u.Trouble, c.silent(), u.Blamed)
	}
}
