package seat_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/dkg"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/identity"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// leavable is a table of four that some may leave, played to a place.
func leavable(t testing.TB, seed string, leavers int, to func(*table.State) bool) *parlour.Table {
	t.Helper()
	p, err := parlour.NewLeaving(seed, "card", 4, leavers, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Until(to); err != nil {
		t.Fatal(err)
	}
	return p
}

func stage(want table.Stage) func(*table.State) bool {
	return func(st *table.State) bool { return st.Stage == want }
}

// returned is seat i after a crash: the stored secret, and other randomness.
func returned(t testing.TB, p *parlour.Table, i int) *seat.Seat {
	t.Helper()
	secret, err := seat.ParseSecret(p.Secrets[i].Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return seat.New(secret, i, parlour.Rand("after the crash"))
}

// lockOf is the lock key in a stored secret.
func lockOf(t testing.TB, p *parlour.Table, i int) *group.Scalar {
	t.Helper()
	x, err := group.ParseScalar(p.Secrets[i].Bytes()[96:])
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A peer that comes back after a crash deals the same shares in another dealing,
// and reads what it was dealt before.
func TestKeySharesSurviveACrash(t *testing.T) {
	p := leavable(t, "crash", 1, stage(table.Sharing))
	st := p.State
	const dealer = 2
	to := st.Others(dealer)
	ctx := table.Context(st.Place(dealer), move.KindKeyShares, 0)
	var dealt [2]*dkg.Dealing
	for k, s := range []*seat.Seat{p.Seats[dealer], returned(t, p, dealer)} {
		m, err := s.Answer(st, nil)
		if err != nil {
			t.Fatal(err)
		}
		if dealt[k], err = dkg.ParseDealing(len(to), m.(*move.KeyShares).Dealing); err != nil {
			t.Fatal(err)
		}
	}
	if string(dealt[0].Bytes()) == string(dealt[1].Bytes()) {
		t.Error("other randomness, and the same dealing")
	}
	for k, i := range to {
		a, errA := dealt[0].Open(ctx, k, lockOf(t, p, i))
		b, errB := dealt[1].Open(ctx, k, lockOf(t, p, i))
		if errA != nil || errB != nil || !a.Equal(b) || !dkg.Verify(st.Locks[dealer], i, a) {
			t.Errorf("seat %d was dealt two shares: %v %v", i, errA, errB)
		}
	}
	if err := p.Until(stage(table.Dealing)); err != nil {
		t.Fatal(err)
	}
	m, err := returned(t, p, dealer).Answer(p.State, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := p.Seal(dealer, m)
	if err != nil {
		t.Fatal(err)
	}
	if faults := table.Judge(p.State, signed); faults != nil {
		t.Error("unlocks with another key:", faults)
	}
}

// Who cannot read a share that counts gives none, and says why without a secret.
func TestKeyShareThatIsNotReadAnyMore(t *testing.T) {
	p := leavable(t, "unread", 1, stage(table.Dealing))
	for dealer := range 4 {
		if dealer == 1 {
			continue
		}
		st := *p.State
		st.KeyShares = slices.Clone(st.KeyShares)
		spoilt := *st.KeyShares[dealer]
		spoilt.Context = slices.Clone(spoilt.Context)
		spoilt.Context[0] ^= 1
		st.KeyShares[dealer] = &spoilt
		m, err := p.Seats[1].Answer(&st, nil)
		if !errors.Is(err, seat.ErrKeyShare) || m != nil {
			t.Fatalf("shares of dealer %d: %v", dealer, err)
		}
		if found := prints(fmt.Sprintf("%v %+v %#v", err, err, err), p.Secrets[1].Bytes()); found != "" {
			t.Errorf("the error prints %q", found)
		}
		// Of a dealer that does not count nothing is read.
		st.Dealers = slices.DeleteFunc(slices.Clone(st.Dealers), func(i int) bool { return i == dealer })
		if _, err := p.Seats[1].Answer(&st, nil); err != nil {
			t.Errorf("without dealer %d: %v", dealer, err)
		}
	}
}

// A seat complains about every share that does not fit and about no other; not
// about who has left; and what it says stands before the fold.
func TestVetting(t *testing.T) {
	p := leavable(t, "vetting", 2, stage(table.Vetting))
	bad := func(st *table.State, dealers ...int) *table.State {
		out := *st
		out.KeyShares = slices.Clone(st.KeyShares)
		for _, d := range dealers {
			spoilt := *st.KeyShares[d]
			spoilt.Context = append([]byte{1}, spoilt.Context...)
			out.KeyShares[d] = &spoilt
		}
		return &out
	}
	for _, tt := range []struct{ spoilt, about []int }{
		{nil, nil}, {[]int{0}, []int{0}}, {[]int{3}, []int{3}}, {[]int{2, 3}, []int{2, 3}}, {[]int{0, 2, 3}, []int{0, 2, 3}}, {[]int{1}, nil},
	} {
		m, err := p.Seats[1].Answer(bad(p.State, tt.spoilt...), nil)
		if err != nil {
			t.Fatal(err)
		}
		var about []int
		if c, is := m.(*move.Complain); is {
			for _, x := range c.About {
				about = append(about, int(x.Dealer))
			}
		} else if _, is := m.(*move.Checked); !is {
			t.Fatalf("says %T", m)
		}
		if !slices.Equal(about, tt.about) {
			t.Errorf("spoilt are %v, complains about %v", tt.spoilt, about)
		}
		signed, err := p.Seal(1, m)
		if err != nil {
			t.Fatal(err)
		}
		if faults := table.Judge(bad(p.State, tt.spoilt...), signed); faults != nil {
			t.Errorf("spoilt are %v: %v", tt.spoilt, faults)
		}
	}
	if err := p.Carry(feed.Without(0)); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Seats[1].Answer(bad(p.State, 0), nil); err != nil || m.Kind() != move.KindChecked {
		t.Errorf("a bad share of who has left: %v, %v", m, err)
	}
	if m, err := p.Seats[0].Answer(p.State, nil); !errors.Is(err, seat.ErrNothing) {
		t.Errorf("who has left says %v: %v", m, err)
	}
}

// Polynomials of one secret for two thresholds have nothing in common but the
// lock key: from shares of the one nothing follows for the other.
func TestPolynomialsOfOneSecretDiffer(t *testing.T) {
	seen := map[[32]byte]string{}
	id := identity.ID{1}
	commitments := map[feed.Hash]int{}
	for leavers := range 3 {
		p := leavable(t, "thresholds", leavers, stage(table.Keying))
		m, err := p.Seats[0].Answer(p.State, nil)
		if err != nil {
			t.Fatal(err)
		}
		lock := m.(*move.Keys).Lock
		if want := max(1, (4-leavers)*min(leavers, 1)); len(lock) != want {
			t.Fatalf("%d leavers: %d commitments, want %d", leavers, len(lock), want)
		}
		if lock[0] != group.BaseMul(lockOf(t, p, 0)).Encoding() {
			t.Errorf("%d leavers: the constant is not the lock key", leavers)
		}
		for k, a := range lock[1:] {
			at := fmt.Sprintf("coefficient %d of %d", k+1, len(lock))
			if other, twice := seen[a]; twice {
				t.Errorf("%s is %s", at, other)
			}
			seen[a] = at
		}
		commitments[p.Secrets[0].Commitment(id, 4, leavers)]++
	}
	if len(commitments) != 3 || len(seen) != 3 {
		t.Errorf("%d commitments, %d coefficients", len(commitments), len(seen))
	}
}

// In a game that somebody leaves, too, the player is asked for decisions alone.
func TestDueWhereSomebodyLeaves(t *testing.T) {
	p := leavable(t, "due", 1, stage(table.Accepting))
	seen := map[string]bool{}
	for more := true; more; {
		for i, s := range p.Seats {
			due, decide := s.Due(p.State)
			if due != slices.Contains(p.State.Speakers(), i) || p.State.Gone[i] && due {
				t.Errorf("%s: seat %d due %v", p.State.Stage, i, due)
			}
			if want := due && decides(p.State); decide != want {
				t.Errorf("%s %s: seat %d decides %v", p.State.Stage, p.State.Phase(), i, decide)
			}
		}
		playing := p.State.Stage == table.Playing
		if seen[p.State.Stage.String()] = true; playing {
			seen[p.State.Phase().String()] = true
		}
		left := slices.Contains(p.State.Gone, true)
		if playing && p.State.Phase() == rules.Answering && !left {
			if err := p.Carry(feed.Without(p.State.Pos.Question.Responder)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var err error
		if more, err = p.RoundWith(func(i int) seat.Action {
			if playing && p.State.Phase() == rules.Turn && left {
				return seat.Accuse{}
			}
			return p.Bots[i].Decide(view.For(p.State, p.Seats[i]))
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"sharing", "vetting", "laying", "over"} {
		if !seen[at] {
			t.Errorf("the game does not come to %s: %v", at, seen)
		}
	}
}

// No salt serves two rounds, nor the same round before and after a leave: what one
// seal is opened with says nothing of another.
func TestSaltsServeOnce(t *testing.T) {
	p := dealt(t, "salts", "card", 3)
	seen := map[[32]byte]string{}
	for game := range 3 {
		for round := range uint32(3) {
			for i := range 3 {
				st := *accused(p.State, (i+1)%3, rules.Sealing)
				st.Game[0] ^= byte(game)
				st.Round += round << (8 * round)
				m, err := p.Seats[i].Answer(&st, seat.Join{})
				if err != nil {
					t.Fatal(err)
				}
				open := *accused(p.State, (i+1)%3, rules.Unsealing)
				open.Seals, open.Sealed, open.Under = slices.Clone(st.Seals), st.Round, st.Game
				open.Seals[i] = m.(*move.Seal).Commitment
				u, err := p.Seats[i].Answer(&open, nil)
				if err != nil {
					t.Fatal(err)
				}
				at := fmt.Sprintf("seat %d, game %d, round %d", i, game, st.Round)
				if other, twice := seen[u.(*move.Unseal).Salt]; twice {
					t.Errorf("%s and %s have one salt", at, other)
				}
				seen[u.(*move.Unseal).Salt] = at
			}
		}
	}
}
