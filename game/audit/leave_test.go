package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
)

// departing plays a whole game of which players leave at drawn moments, as many as
// may, and some of the time abandon it at last.
func departing(t testing.TB, seed, edition string, n, leavers int, o rules.Options, abandon bool) *parlour.Table {
	t.Helper()
	p, err := parlour.NewLeaving(seed, edition, n, leavers, o)
	if err != nil {
		t.Fatal(err)
	}
	d := drawing(seed)
	for more := true; more; {
		present := p.State.Present()
		who := present[d.below(len(present))]
		switch {
		case p.State.Tolerates(who) && d.below(14) == 0:
			err = p.Carry(feed.Without(who))
		case abandon && !p.State.Done() && d.below(25) == 0:
			err = p.Carry(feed.Motion{Without: uint16(d.below(2)) << present[len(present)-1], Abandon: true})
		default:
			more, err = p.RoundWith(rashly(p, d))
		}
		if err != nil || p.State.Stopped() {
			t.Fatal(err, p.State.Faults)
		}
	}
	return p
}

// Whoever leaves, and when, and also if the table stops: the log is fair and
// complete, and replays to what was really dealt.
func TestGamesThatPlayersLeaveAreFairAndComplete(t *testing.T) {
	for i := range 24 {
		e, n, o, _ := setting(i)
		n = max(n, 3)
		t.Run(fmt.Sprintf("%d-%s-%d", i, e.Name, n), func(t *testing.T) {
			t.Parallel()
			p := departing(t, fmt.Sprint("departing ", i), e.Name, n, 1+i%(n-2), o, i%3 == 0)
			r, err := audit.Check(p.Charter, p.Log.Entries())
			if err != nil {
				t.Fatal(err)
			}
			if !r.Fair() || !r.Sound() || !r.Complete || r.Missing != nil || r.Entries != len(p.Log.Entries()) {
				t.Fatalf("findings %v, complete %v, missing %v", r.Findings, r.Complete, r.Missing)
			}
			if r.State.Prev != p.State.Prev || r.State.Game != p.State.Game || r.State.Abandoned != p.State.Abandoned {
				t.Error("an auditor ends elsewhere")
			}
			if r.State.Abandoned {
				if r.Replay != nil && r.State.Pos.Crime == nil {
					t.Error("keys were opened in a game that was abandoned before")
				}
				return
			}
			if r.Replay == nil {
				t.Fatal("nobody opened a key")
			}
			taken := false // a hand was taken along unseen
			for i := range r.State.Seats() {
				if r.State.Gone[i] {
					taken = taken || len(r.State.Hands[i]) > 0 && r.State.Laid[i] == nil
				} else if got := r.Replay.Hands[i]; !slices.Equal(got, p.Seats[i].Hand(p.State)) {
					t.Errorf("seat %d held %v", i, got)
				}
			}
			if r.Replay.Whole == taken {
				t.Errorf("whole: %v, a hand was taken along: %v", r.Replay.Whole, taken)
			}
			wonInTheClear(t, r)
		})
	}
}

// wonInTheClear holds the result against the guesses of those who opened them.
func wonInTheClear(t *testing.T, r *audit.Report) {
	t.Helper()
	result, crime := r.State.Pos.Result, r.State.Pos.Crime
	right := result.Winner >= 0 && slices.Equal(r.Replay.Guesses[result.Winner], crime)
	switch result.Reason {
	case rules.RightAlone, rules.RightFirst:
		if !right && !r.State.Gone[result.Winner] {
			t.Errorf("seat %d has won with %v, the crime is %v", result.Winner, r.Replay.Guesses[result.Winner], crime)
		}
	case rules.LastLeft:
		for i := range r.State.Seats() {
			if i != result.Winner && !r.State.Gone[i] && !r.State.Pos.Out[i] {
				t.Errorf("seat %d is the last one in, and seat %d is there", result.Winner, i)
			}
		}
	default:
		if result.Winner != rules.Nobody {
			t.Errorf("seat %d has won, %+v", result.Winner, *result)
		}
	}
}

// A game abandoned in any round is fair and complete to there, and nothing is
// replayed of it that its players kept hidden.
func TestAbandonedAnywhereIsComplete(t *testing.T) {
	whole, err := parlour.NewLeaving("abandoned anywhere", "card", 3, 1, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	all, prefix := whole.Log.Entries(), []*feed.Signed(nil)
	for more := true; more; {
		m := feed.Motion{Without: uint16(whole.State.Round%2) << 2, Abandon: true}
		var end []*feed.Signed
		for _, i := range whole.State.Present() {
			if m.Drops(i) {
				continue
			}
			b, err := feed.CastBallot(whole.Keys[i], whole.State.Place(i), feed.Ballot{Motion: m, Yes: true})
			if err != nil {
				t.Fatal(err)
			}
			end = append(end, b)
		}
		prefix = append(slices.Clone(all), end...)
		r, err := audit.Check(whole.Charter, prefix)
		if err != nil || !r.Fair() || !r.Complete || !r.State.Abandoned || r.Missing != nil || r.Entries != len(prefix) {
			t.Fatalf("%s %s: %v %+v", whole.State.Stage, whole.State.Phase(), err, r)
		}
		if open := r.Replay != nil; open != (whole.State.Phase() == rules.Over && whole.State.Pos != nil) {
			t.Errorf("%s: replayed: %v", whole.State.Phase(), open)
		}
		if more, err = whole.Round(); err != nil {
			t.Fatal(err)
		}
		all = whole.Log.Entries()
	}
}
