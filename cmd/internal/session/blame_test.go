package session

import (
	"bytes"
	"errors"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/table"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// whisperer is the store of a seat that tells seat 2 alone something else, at
// the moment it keeps its own entry of round 3.
type whisperer struct {
	store.Store
	p    *party
	me   int
	made func(own *feed.Signed) feed.Entry
}

func (w whisperer) Append(table feed.Hash, entries ...*feed.Signed) error {
	for _, e := range entries {
		if e.Round == 3 && int(e.Seat) == w.me {
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
			p.sessions[cheat].cfg.Store = whisperer{p.stores[cheat], p, cheat, c.made}
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
