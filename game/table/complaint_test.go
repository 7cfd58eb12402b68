package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/dkg"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/table"
)

// bends are the ways in which a share may not be what its dealer committed to.
func (s *scene) bends(t testing.TB, dealer int) map[string]func(to int, share *group.Scalar) *group.Scalar {
	one, f := group.ScalarFromUint64(1), s.polynomial(t, dealer)
	other := s.polynomial(t, (dealer+1)%4)
	return map[string]func(to int, share *group.Scalar) *group.Scalar{
		"off by one":                  func(_ int, share *group.Scalar) *group.Scalar { return share.Add(one) },
		"of another polynomial":       func(to int, _ *group.Scalar) *group.Scalar { return other.Share(to) },
		"of another constant":         func(_ int, share *group.Scalar) *group.Scalar { return share.Add(f.Share(0)) },
		"for another seat":            func(to int, _ *group.Scalar) *group.Scalar { return f.Share(to + 1) },
		"zero":                        func(int, *group.Scalar) *group.Scalar { return group.ScalarFromUint64(0) },
		"negated":                     func(_ int, share *group.Scalar) *group.Scalar { return group.ScalarFromUint64(0).Sub(share) },
		"the constant, that is a key": func(int, *group.Scalar) *group.Scalar { _, x := s.keys(t, dealer); return x },
	}
}

// cheated is a table at the round of vetting, in which each dealer has dealt to
// its victims what bend makes of their shares.
func cheated(t testing.TB, leavers int, bend func(to int, share *group.Scalar) *group.Scalar, victims map[int][]int) *scene {
	t.Helper()
	s := sharing(t, leavers)
	lies := map[int]move.Move{}
	for dealer, whom := range victims {
		d := s.dealing(t, dealer, func(to int, share *group.Scalar) *group.Scalar {
			if slices.Contains(whom, to) {
				return bend(to, share)
			}
			return share
		})
		lies[dealer] = &move.KeyShares{Dealing: d.bytes(t)}
	}
	s.goesOn(t, s.said(t, lies))
	return s
}

func offByOne(_ int, share *group.Scalar) *group.Scalar { return share.Add(group.ScalarFromUint64(1)) }

func (s *scene) blames(dealers ...int) (out []table.Fault) {
	for _, d := range dealers {
		out = append(out, table.Fault{Seat: d, Round: s.State.Round, Rule: table.RuleKeyShare})
	}
	return out
}

// Whoever is dealt a bad share says so of its own accord, all others see who is to
// blame, and the table goes on without the dealer.
func TestBadShareIsTheDealersFault(t *testing.T) {
	at := sharing(t, 1)
	for name := range at.bends(t, 2) {
		for _, victims := range [][]int{{0}, {3}, {0, 1, 3}} {
			t.Run(fmt.Sprint(name, " to ", victims), func(t *testing.T) {
				s := cheated(t, 1, at.bends(t, 2)[name], map[int][]int{2: victims})
				for _, i := range s.State.Present() {
					m, complains := s.honest(t, i).(*move.Complain)
					if complains != slices.Contains(victims, i) {
						t.Fatalf("seat %d complains: %v", i, complains)
					}
					if complains && (len(m.About) != 1 || m.About[0].Dealer != 2) {
						t.Fatalf("seat %d complains about %v", i, m.About)
					}
				}
				s.stops(t, s.round(t, nil), s.blames(2)...)
			})
		}
	}
}

// The dealer who stands convicted is voted out, and the others play to the end
// with the key that is made of their own polynomials.
func TestGameGoesOnWithoutABadDealer(t *testing.T) {
	for leavers, victims := range map[int]map[int][]int{
		1: {2: {0}},
		2: {1: {0, 3}, 3: {0}},
	} {
		t.Run(fmt.Sprint(victims), func(t *testing.T) {
			t.Parallel()
			s := cheated(t, leavers, offByOne, victims)
			s.plans(shortly(t))
			round := s.round(t, nil)
			s.State = table.Apply(s.State, round)
			var bad []int
			for _, f := range s.State.Faults {
				bad = append(bad, f.Seat)
			}
			if len(bad) != leavers || !s.State.Stopped() {
				t.Fatal(s.State.Faults)
			}
			s.leave(t, bad...)
			if s.State.Stopped() || s.State.Stage != table.Vetting {
				t.Fatalf("goes on in %s: %v", s.State.Stage, s.State.Faults)
			}
			for _, i := range s.State.Present() {
				if _, ok := s.honest(t, i).(*move.Checked); !ok {
					t.Errorf("seat %d complains about who has left", i)
				}
			}
			s.step(t)
			if !slices.Equal(s.State.Dealers, s.State.Present()) || len(s.State.Dealers) != 4-leavers {
				t.Fatalf("shares of %v count", s.State.Dealers)
			}
			s.lockedRightly(t)
			s.from = s.State
			s.endsRight(t)
		})
	}
}

// Two dealers, and only one of them dropped: who was cheated complains again.
func TestTheOtherBadDealerIsStillToBlame(t *testing.T) {
	s := cheated(t, 2, offByOne, map[int][]int{1: {0, 3}, 3: {0}})
	round := s.round(t, nil)
	if got := s.honest(t, 0).(*move.Complain).About; len(got) != 2 || got[0].Dealer != 1 || got[1].Dealer != 3 {
		t.Fatalf("seat 0 complains about %v", got)
	}
	s.stops(t, round, s.blames(1, 3)...)
	s.leave(t, 1)
	s.twin = s.State
	s.stops(t, s.round(t, nil), s.blames(3)...)
	s.leave(t, 3)
	s.twin = s.State
	s.accepts(t)
}

// complaint is what seat by says of its share from a dealer, good or bad.
func (s *scene) complaint(t testing.TB, by, dealer, part int) []byte {
	t.Helper()
	d := s.State.KeyShares[dealer]
	_, x := s.keys(t, by)
	c, err := dkg.Complain(table.Context(s.State.Place(by), move.KindComplain, part), d.Dealing,
		slices.Index(d.Receivers, by), x, parlour.Rand("complaint"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Bytes()
}

func about(of ...any) *move.Complain {
	m := new(move.Complain)
	for i := 0; i < len(of); i += 2 {
		m.About = append(m.About, move.Complaint{Dealer: uint8(of[i].(int)), Proof: of[i+1].([]byte)})
	}
	return m
}

// Nobody can complain about a share that fits, about anybody who owes it none, or
// in a form that leaves a doubt. The dealers in it are not to blame.
func TestFalseComplaints(t *testing.T) {
	s := cheated(t, 1, offByOne, map[int][]int{2: {3}})
	say := func(dealer, part int) []byte { return s.complaint(t, 0, dealer, part) }
	spoil := func(at int, by byte) []byte { b := say(1, 0); b[at] ^= by; return b }
	point, err := group.ParseElement(say(1, 0)[:32])
	if err != nil {
		t.Fatal(err)
	}
	long := about()
	for range 200 {
		long.About = append(long.About, move.Complaint{Dealer: 1, Proof: say(1, 0)})
	}
	for name, m := range map[string]*move.Complain{
		"nothing":                     about(),
		"a share that fits":           about(1, say(1, 0)),
		"a bad dealer's good share":   about(2, say(2, 0)),
		"all that fit":                about(1, say(1, 0), 2, say(2, 1), 3, say(3, 2)),
		"itself":                      about(0, say(1, 0)),
		"no seat":                     about(4, say(1, 0)),
		"seat 255":                    about(255, say(1, 0)),
		"one dealer twice":            about(1, say(1, 0), 1, say(1, 1)),
		"in another order":            about(3, say(3, 0), 1, say(1, 1)),
		"many":                        long,
		"another dealer's share":      about(1, say(3, 0)),
		"another seat's words":        about(2, s.honest(t, 3).(*move.Complain).About[0].Proof),
		"the second as the first":     about(1, say(1, 1)),
		"the first as the second":     about(1, say(1, 0), 3, say(3, 0)),
		"no proof":                    about(1, []byte{}),
		"one byte short":              about(1, say(1, 0)[:dkg.ComplaintSize()-1]),
		"one byte long":               about(1, append(say(1, 0), 0)),
		"huge":                        about(1, make([]byte, 60<<10)),
		"another point":               about(1, append(point.Add(group.Base()).Bytes(), say(1, 0)[32:]...)),
		"the identity":                about(1, append(make([]byte, 32), say(1, 0)[32:]...)),
		"a point that is no element":  about(1, append(slices.Repeat([]byte{0xff}, 32), say(1, 0)[32:]...)),
		"a response out of range":     about(1, spoil(dkg.ComplaintSize()-1, 0xff)),
		"a response changed":          about(1, spoil(dkg.ComplaintSize()-32, 1)),
		"a commitment changed":        about(1, append(say(1, 0)[:64], append(point.Bytes(), say(1, 0)[96:]...)...)),
		"a good one and a broken one": about(1, say(1, 0), 3, []byte{1}),
	} {
		t.Run(name, func(t *testing.T) {
			quiet := s.said(t, map[int]move.Move{0: m, 3: new(move.Checked)})
			s.stops(t, quiet, table.Fault{Seat: 0, Round: s.State.Round, Rule: table.RuleComplaint})
		})
	}
}

// Complaints about shares that are really bad, in a form that is not the only one:
// who cannot complain properly is to blame, and not yet the dealers.
func TestRightComplaintsInAWrongForm(t *testing.T) {
	s := cheated(t, 2, offByOne, map[int][]int{1: {0}, 3: {0}})
	say := func(dealer, part int) []byte { return s.complaint(t, 0, dealer, part) }
	s.stops(t, s.said(t, map[int]move.Move{0: about(1, say(1, 0), 3, say(3, 1))}), s.blames(1, 3)...)
	s.stops(t, s.said(t, map[int]move.Move{0: about(3, say(3, 0))}), s.blames(3)...)
	for name, m := range map[string]*move.Complain{
		"in another order":          about(3, say(3, 0), 1, say(1, 1)),
		"one dealer twice":          about(1, say(1, 0), 1, say(1, 1)),
		"one dealer twice, between": about(1, say(1, 0), 3, say(3, 1), 1, say(1, 2)),
		"parts exchanged":           about(1, say(1, 1), 3, say(3, 0)),
		"both the first part":       about(1, say(1, 0), 3, say(3, 0)),
		"the second part alone":     about(3, say(3, 1)),
		"dealers exchanged":         about(1, say(3, 0), 3, say(1, 1)),
		"with a broken one":         about(1, say(1, 0), 3, say(3, 1)[1:]),
		"with itself":               about(0, say(1, 0), 1, say(1, 1)),
		"with no seat":              about(1, say(1, 0), 4, say(3, 1)),
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, 0, m, table.RuleComplaint) })
	}
}

// A false complaint beside a right one: each is judged, and both are to blame.
func TestRightAndFalseComplaintInOneRound(t *testing.T) {
	s := cheated(t, 1, offByOne, map[int][]int{2: {3}})
	false0 := table.Fault{Seat: 0, Round: s.State.Round, Rule: table.RuleComplaint}
	s.stops(t, s.said(t, map[int]move.Move{0: about(1, s.complaint(t, 0, 1, 0))}), append([]table.Fault{false0}, s.blames(2)...)...)
	// By one seat, about the good dealer and the bad one: it has opened a share in
	// vain, and that it was cheated does not excuse it.
	false3 := table.Fault{Seat: 3, Round: s.State.Round, Rule: table.RuleComplaint}
	both := about(1, s.complaint(t, 3, 1, 0), 2, s.complaint(t, 3, 2, 1))
	s.stops(t, s.said(t, map[int]move.Move{3: both}), append([]table.Fault{false3}, s.blames(2)...)...)
	// The dealer itself complains too, about whom it cheated.
	false2 := table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleComplaint}
	s.stops(t, s.said(t, map[int]move.Move{2: about(3, s.complaint(t, 2, 3, 0))}), append([]table.Fault{false2}, s.blames(2)...)...)
}

// Who has left is nobody to complain about: neither a dealer whose share was bad,
// nor one who never dealt.
func TestComplaintsAboutWhoHasLeft(t *testing.T) {
	s := cheated(t, 2, offByOne, map[int][]int{2: {3}})
	old := s.honest(t, 3).(*move.Complain)
	s.leave(t, 2)
	s.twin = s.State
	s.accepts(t)
	for name, m := range map[string]*move.Complain{
		"a bad share":          about(2, s.complaint(t, 3, 2, 0)),
		"as it was before":     old,
		"a bad and a good one": about(1, s.complaint(t, 3, 1, 0), 2, s.complaint(t, 3, 2, 1)),
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, 3, m, table.RuleComplaint) })
	}
	absent := sharing(t, 2)
	absent.leave(t, 2)
	absent.goesOn(t, absent.round(t, nil))
	t.Run("no dealing", func(t *testing.T) {
		absent.refuses(t, 3, about(2, absent.complaint(t, 3, 1, 0)), table.RuleComplaint)
	})
}

// A complaint of the round that a leave has dropped is refused in the next, even
// if it is right: it is said again there.
func TestComplaintIsBoundToItsEpoch(t *testing.T) {
	s := cheated(t, 2, offByOne, map[int][]int{2: {3}})
	old := s.honest(t, 3).(*move.Complain)
	s.leave(t, 1)
	s.twin = s.State
	s.refuses(t, 3, old, table.RuleComplaint)
	s.stops(t, s.round(t, nil), s.blames(2)...)
	for name, change := range map[string]func(*table.State){
		"game":    func(st *table.State) { st.Game[7] ^= 1 },
		"history": func(st *table.State) { st.Prev[31] ^= 1 },
		"round":   func(st *table.State) { st.Round++ },
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere := *s.State
			change(&elsewhere)
			m, err := s.Seats[3].Answer(&elsewhere, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.refuses(t, 3, m, table.RuleComplaint)
		})
	}
}

// Judge, by which a seat looks over its own words, knows a complaint that would
// convict its author by its form.
func TestJudgeOfComplaints(t *testing.T) {
	s := cheated(t, 1, offByOne, map[int][]int{2: {3}})
	judge := func(m move.Move, i int) []table.Fault {
		kind, body := encoded(t, m)
		return table.Judge(s.State, s.sealed(t, i, kind, body))
	}
	if got := judge(s.honest(t, 3), 3); got != nil {
		t.Errorf("a right complaint: %v", got)
	}
	want := []table.Fault{{Seat: 3, Round: s.State.Round, Rule: table.RuleComplaint}}
	if got := judge(about(2, s.complaint(t, 3, 2, 1)), 3); !slices.Equal(got, want) {
		t.Errorf("a broken complaint: %v", got)
	}
	for _, yes := range []bool{true, false} {
		b := s.ballot(t, 3, feed.Ballot{Motion: feed.Without(2), Yes: yes})
		if got := table.Judge(s.State, b); got != nil {
			t.Errorf("a ballot: %v", got)
		}
	}
}
