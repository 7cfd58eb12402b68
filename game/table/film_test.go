package table_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// film is a game with every state it went through, so that a test can go on
// from any round without playing up to it.
type film struct {
	*scene
	states []*table.State // by round: the state in which it is open
}

// shot is a table at which so many may leave, played to its end; plan is told
// which scene it decides for, and nil or a nil action leaves it to the bots.
func shot(t rapid.TB, seed, edition string, n, leavers int, o rules.Options, plan func(s *scene, i int) seat.Action) *film {
	t.Helper()
	f := &film{scene: leavingScene(t, seed, edition, n, leavers, o, plan)}
	f.states = append(f.states, f.State)
	for !f.State.Done() {
		f.step(t)
		f.states = append(f.states, f.State)
	}
	if f.State.Stopped() || f.State.Phase() != rules.Over {
		t.Fatalf("the film ends %s %s: %v", f.State.Stage, f.State.Phase(), f.State.Faults)
	}
	if again := refold(t, f.Charter, f.Log.Entries()); digest(again) != digest(f.State) {
		t.Fatal("the log of the film folds to something else")
	}
	return f
}

// leavingScene is a new table at which so many may leave.
func leavingScene(t rapid.TB, seed, edition string, n, leavers int, o rules.Options, plan func(s *scene, i int) seat.Action) *scene {
	t.Helper()
	p, err := parlour.NewLeaving(seed, edition, n, leavers, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{Table: p}
	s.plans(plan)
	return s
}

func (s *scene) plans(plan func(s *scene, i int) seat.Action) {
	if s.plan = nil; plan != nil {
		s.plan = func(i int) seat.Action { return plan(s, i) }
	}
}

// step plays one round.
func (s *scene) step(t rapid.TB) {
	t.Helper()
	if more, err := s.RoundWith(s.action); err != nil || !more || s.State.Stopped() || s.State.Round > 500 {
		t.Fatalf("round %d, %s %s: no further: %v %v", s.State.Round, s.State.Stage, s.State.Phase(), err, s.State.Faults)
	}
}

// allSpeak plays on until all who are there have spoken without whoever has left.
func (s *scene) allSpeak(t rapid.TB) {
	t.Helper()
	for !s.State.Done() && !slices.Equal(s.State.Sure, s.State.Gone) {
		s.step(t)
	}
}

// first is the first round of the film in which the condition holds.
func (f *film) first(t testing.TB, is func(*table.State) bool) int {
	t.Helper()
	r := slices.IndexFunc(f.states, is)
	if r < 0 {
		t.Fatal("the film does not come to this place")
	}
	return r
}

// cut is a scene of its own in which round r is open.
func (f *film) cut(t rapid.TB, r int, plan func(s *scene, i int) seat.Action) *scene {
	t.Helper()
	p := *f.Table
	p.State, p.Log, p.Seats = f.states[r], f.relog(t, r), nil
	for i, secret := range p.Secrets {
		p.Seats = append(p.Seats, seat.New(secret, i, parlour.Rand(fmt.Sprint("cut ", r, i))))
	}
	s := &scene{Table: &p, twin: p.State, from: p.State}
	s.plans(plan)
	return s
}

// relog is the log of the rounds before r.
func (f *film) relog(t rapid.TB, r int) *feed.Log {
	t.Helper()
	log := feed.NewLog(f.Charter, f.states[0].Charter.IDs(), int(f.states[0].Charter.Leavers))
	for i := range r {
		closes(t, log, f.Log.Closed(uint32(i)), f.states[i+1])
	}
	return log
}

// again folds the bytes of what was said since the scene was cut.
func (s *scene) again(t rapid.TB) *table.State {
	t.Helper()
	st := s.from
	for r := st.Round; r < s.Log.Round(); r++ {
		var round []*feed.Signed
		for _, e := range s.Log.Closed(r) {
			wire, err := feed.Decode(e.Raw())
			if err != nil {
				t.Fatal(err)
			}
			round = append(round, wire)
		}
		if st = table.Apply(st, round); st.Round != r+1 {
			t.Fatalf("round %d does not fold: %v", r, st.Faults)
		}
	}
	return st
}

// closes has a log hear the entries of its open round, which lead to a state.
func closes(t rapid.TB, log *feed.Log, entries []*feed.Signed, to *table.State) {
	t.Helper()
	for _, e := range entries {
		if v, err := log.Offer(e); v != feed.Added || err != nil {
			t.Fatalf("round %d, seat %d: %v %v", e.Round, e.Seat, v, err)
		}
	}
	ballot, _ := entries[0].Ballot()
	if _, err := log.CloseBy(ballot.Motion, to.Game, to.Speakers()); err != nil {
		t.Fatal(err)
	}
}

// votes are the yes ballots of seats on a motion in the open round.
func (s *scene) votes(t testing.TB, m feed.Motion, seats ...int) []*feed.Signed {
	t.Helper()
	var out []*feed.Signed
	for _, i := range seats {
		out = append(out, s.ballot(t, i, feed.Ballot{Motion: m, Yes: true}))
	}
	return out
}

func (s *scene) ballot(t testing.TB, i int, b feed.Ballot) *feed.Signed {
	t.Helper()
	e, err := feed.CastBallot(s.Keys[i], s.State.Place(i), b)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// leave has everybody else vote for going on without seats.
func (s *scene) leave(t rapid.TB, seats ...int) {
	t.Helper()
	before := s.State
	if err := s.Carry(feed.Without(seats...)); err != nil {
		t.Fatalf("%v leave in round %d, %s %s: %v", seats, before.Round, before.Stage, before.Phase(), err)
	}
	if s.State == before || s.State.Stopped() {
		t.Fatalf("%v left in %s %s: %v", seats, before.Stage, before.Phase(), s.State.Faults)
	}
	s.left = append(s.left, departure{seats, before, s.State})
}

// pool is what the seats whose shares count could decrypt together: every card
// of the pool, by position.
func (s *scene) pool(t rapid.TB) []rules.Card {
	return seat.Decrypt(s.State, s.State.Pool, s.joint(t))
}

// joint is the secret of the joint key.
func (s *scene) joint(t rapid.TB) *group.Scalar {
	t.Helper()
	sum := group.ScalarFromUint64(0)
	for i := range s.Seats {
		if s.State.Dealers == nil || slices.Contains(s.State.Dealers, i) {
			_, x := s.keys(t, i)
			sum = sum.Add(x)
		}
	}
	return sum
}
