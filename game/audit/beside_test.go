package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/dkg"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// leaving is a table of four that one may leave, played until before holds.
func leaving(t *testing.T, before func(*table.State) bool) *parlour.Table {
	t.Helper()
	p, err := parlour.NewLeaving(t.Name(), "card", 4, 1, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Until(before); err != nil {
		t.Fatal(err)
	}
	return p
}

// said is what every seat that owes an entry says in the open round, bots deciding.
func said(t *testing.T, p *parlour.Table) []*feed.Signed {
	t.Helper()
	var out []*feed.Signed
	for _, d := range p.State.Owed() {
		m, err := p.Seats[d.Seat].Answer(p.State, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Seal(d.Seat, m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// goOn has the table close the open round without seat and play to the end.
func goOn(t *testing.T, p *parlour.Table, seat int) []*feed.Signed {
	t.Helper()
	if err := p.Carry(feed.Without(seat)); err != nil {
		t.Fatal(err)
	}
	if err := p.Play(); err != nil {
		t.Fatal(err)
	}
	return p.Log.Entries()
}

func audited(t *testing.T, p *parlour.Table, entries []*feed.Signed) *audit.Report {
	t.Helper()
	r, err := audit.Check(p.Charter, entries)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const cheat = 1

// evidence is what convicts a seat of something, in a game of one stage.
type evidence struct {
	stage table.Stage
	rule  table.Rule
	make  func(t *testing.T, p *parlour.Table) []*feed.Signed
}

var convictions = map[string]evidence{
	"two entries": {table.Sorting, table.RuleFork, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		e := said(t, p)[0]
		return []*feed.Signed{e, sign(t, p.Keys[cheat], e, func(e *feed.Entry) { e.Body = e.Body[1:] })}
	}},
	"two entries on other histories": {table.Sorting, table.RuleFork, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		e := said(t, p)[0]
		one := sign(t, p.Keys[cheat], e, func(e *feed.Entry) { e.Prev[0] ^= 1 })
		return []*feed.Signed{one, sign(t, p.Keys[cheat], e, func(e *feed.Entry) { e.Prev[0] ^= 2 })}
	}},
	"yes and no": {table.Sorting, table.RuleFork, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		var out []*feed.Signed
		for _, yes := range []bool{true, false} {
			s, err := feed.CastBallot(p.Keys[cheat], p.Log.Template(cheat), feed.Ballot{Motion: feed.Without(3), Yes: yes})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}},
	"another charter": {table.Accepting, table.RuleHistory, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		return []*feed.Signed{sign(t, p.Keys[cheat], said(t, p)[cheat], func(e *feed.Entry) { e.Prev[0] ^= 1 })}
	}},
	"a bad shuffle": {table.Sorting, table.RuleShuffle, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		e := said(t, p)[0]
		return []*feed.Signed{sign(t, p.Keys[cheat], e, func(e *feed.Entry) {
			e.Body = slices.Clone(e.Body)
			e.Body[len(e.Body)-1] ^= 1
		})}
	}},
	"out of turn": {table.Pooling, table.RuleTurn, func(t *testing.T, p *parlour.Table) []*feed.Signed {
		return []*feed.Signed{sign(t, p.Keys[cheat], said(t, p)[0], func(e *feed.Entry) { e.Seat = cheat })}
	}},
	"a bad key share": {table.Sharing, table.RuleKeyShare, complaint},
}

// complaint folds a round in which the cheat deals a bad key share, and is what
// everybody says of it. The cheat itself says that all is well.
func complaint(t *testing.T, p *parlour.Table) []*feed.Signed {
	p.Tamper = func(st *table.State, seat int, m move.Move) move.Move {
		if seat == cheat && st.Stage == table.Sharing {
			return otherShares(t, p)
		}
		return m
	}
	if _, err := p.Round(); err != nil {
		t.Fatal(err)
	}
	p.Tamper = nil
	return said(t, p)
}

// otherShares are key shares of another polynomial than the cheat committed to.
func otherShares(t *testing.T, p *parlour.Table) move.Move {
	t.Helper()
	st, rand := p.State, parlour.Rand("other shares")
	scalar := func(int) *group.Scalar {
		s, err := group.RandomScalar(rand)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	to := st.Others(cheat)
	d, err := dkg.Deal(table.Context(st.Place(cheat), move.KindKeyShares, 0), dkg.New(scalar(0), st.Threshold(), scalar), to, st.Receivers(to), rand)
	if err != nil {
		t.Fatal(err)
	}
	return &move.KeyShares{Dealing: d.Bytes()}
}

// open reports whether the cheat owes the next word in a stage, or another does
// where it is to speak out of turn.
func (e evidence) open(st *table.State) bool {
	if st.Stage != e.stage {
		return false
	}
	return len(st.Speakers()) > 1 || (st.Shuffler == cheat) == (e.rule != table.RuleTurn)
}

// Who cheated and was left out stands convicted by what stands beside the log,
// and the game of those who stayed is sound and complete.
func TestConvictedBesideTheLog(t *testing.T) {
	for name, tt := range convictions {
		t.Run(name, func(t *testing.T) {
			p := leaving(t, tt.open)
			proof := tt.make(t, p)
			want := audit.Finding{Seat: cheat, Round: p.State.Round, Check: string(tt.rule), Left: true}
			log := goOn(t, p, cheat)
			all := append(slices.Clone(log), proof...)
			r := audited(t, p, all)
			if !slices.Equal(r.Findings, []audit.Finding{want}) || r.Fair() || !r.Sound() || !r.Complete || r.Replay == nil {
				t.Fatalf("findings %v, sound %v, complete %v", r.Findings, r.Sound(), r.Complete)
			}
			if r := audited(t, p, log); !r.Fair() || !r.Complete {
				t.Errorf("without the evidence: %v", r.Findings)
			}
			excerpt := audit.Excerpt(all, r.Findings[0])
			if len(excerpt) >= len(all) {
				t.Error("the excerpt is the whole log")
			}
			if r := audited(t, p, excerpt); !slices.Equal(r.Findings, []audit.Finding{want}) || r.Complete {
				t.Errorf("of the excerpt: %v", r.Findings)
			}
			// It is evidence just the same before anybody has voted.
			want.Left = false
			before := append(slices.DeleteFunc(slices.Clone(log), func(e *feed.Signed) bool { return e.Round >= want.Round }), proof...)
			if r := audited(t, p, before); !slices.Equal(r.Findings, []audit.Finding{want}) {
				t.Errorf("in the open round: %v", r.Findings)
			}
		})
	}
}

// What convicts nobody has no place beside a log, unless its author has left:
// a seat says much before it knows that the others went on.
func TestBesideTheLogWithoutConviction(t *testing.T) {
	shuffles := evidence{stage: table.Sorting}
	p := leaving(t, shuffles.open)
	own := said(t, p)[0]
	round := p.State.Round
	log := goOn(t, p, cheat)
	late := sign(t, p.Keys[cheat], own, func(e *feed.Entry) { e.Round++ })
	turn := slices.IndexFunc(log, func(e *feed.Signed) bool { return move.Kind(e.Kind) == move.KindAsk })
	stays := log[turn]
	for name, tt := range map[string]struct {
		beside *feed.Signed
		want   []audit.Finding
	}{
		"what it said before it was left out": {own, nil},
		"and after, where it stood":           {late, nil},
		"by somebody who stayed": {sign(t, p.Keys[stays.Seat], own, func(e *feed.Entry) { e.Seat = stays.Seat; e.Round++ }),
			[]audit.Finding{{Seat: -1, Round: round + 1, Check: "an entry that the round was closed without"}}},
		"signed by nobody": {sign(t, p.Keys[0], own, func(e *feed.Entry) { e.Body = nil }),
			[]audit.Finding{{Seat: -1, Round: round, Check: fmt.Sprintf("an entry that claims seat %d: feed: signature does not verify", cheat)}}},
		"signed by nobody, of a history left behind": {sign(t, p.Keys[0], own, func(e *feed.Entry) { e.Round++ }),
			[]audit.Finding{{Seat: -1, Round: round + 1, Check: fmt.Sprintf("an entry that claims seat %d: feed: signature does not verify", cheat)}}},
		"twice": {stays, []audit.Finding{{Seat: -1, Round: stays.Round, Check: "an entry stands in the log twice"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := audited(t, p, append(slices.Clone(log), tt.beside))
			if !slices.Equal(r.Findings, tt.want) || r.Complete != (tt.want == nil) {
				t.Errorf("findings %v, complete %v", r.Findings, r.Complete)
			}
		})
	}
	// A conviction of who left excuses nothing else.
	fork := sign(t, p.Keys[cheat], own, func(e *feed.Entry) { e.Body = e.Body[1:] })
	r := audited(t, p, append(slices.Clone(log), own, fork, stays))
	if len(r.Findings) != 2 || r.Sound() || r.Findings[0].Seat != cheat || r.Findings[1].Seat != -1 {
		t.Errorf("findings %v", r.Findings)
	}
}

// Who stayed and signed two entries makes the whole log unfair.
func TestConvictedAndStillThere(t *testing.T) {
	shuffles := evidence{stage: table.Sorting}
	p := leaving(t, shuffles.open)
	log := goOn(t, p, cheat)
	turn := slices.IndexFunc(log, func(e *feed.Signed) bool { return move.Kind(e.Kind) == move.KindAsk })
	lie := sign(t, p.Keys[log[turn].Seat], log[turn], func(e *feed.Entry) { e.Kind++ })
	r := audited(t, p, append(slices.Clone(log), lie))
	want := audit.Finding{Seat: int(lie.Seat), Round: lie.Round, Check: string(table.RuleFork)}
	if !slices.Equal(r.Findings, []audit.Finding{want}) || r.Sound() || r.Complete {
		t.Errorf("findings %v, complete %v", r.Findings, r.Complete)
	}
}

// An abandoned game is complete: nobody is waited for.
func TestAbandonedGameIsComplete(t *testing.T) {
	p := leaving(t, func(st *table.State) bool { return st.Stage == table.Playing })
	if err := p.Carry(feed.Motion{Abandon: true, Without: 1 << cheat}); err != nil {
		t.Fatal(err)
	}
	r := audited(t, p, p.Log.Entries())
	if !r.Fair() || !r.Complete || !r.State.Abandoned || r.Missing != nil {
		t.Errorf("findings %v, complete %v, missing %v", r.Findings, r.Complete, r.Missing)
	}
}
