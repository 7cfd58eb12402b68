package replica

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

func sized(t testing.TB, round uint32, seat, size int) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{byte(seat + 1)}), feed.Entry{Round: round, Seat: uint8(seat), Body: make([]byte, size)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *Repeats) has(e *feed.Signed) bool {
	return slices.ContainsFunc(r.list, func(x *repeat) bool { return x.entry == e })
}

// What is repeated goes whatever the peer holds, once over a connection.
func TestRepeatsGoWhateverThePeerHolds(t *testing.T) {
	b, repeats := NewBook(), new(Repeats)
	p := NewPlan(b, repeats, 0, Position{Round: 9}, 0, start)
	one, other := signed(t, 3, 1, "one history"), signed(t, 3, 1, "another history")
	b.Add(one)
	if !repeats.Add(one) || !repeats.Add(other) || p.Idle() {
		t.Error("nothing to repeat")
	}
	for _, want := range []*feed.Signed{one, other, nil} {
		if e, _ := p.Next(start); e != want {
			t.Errorf("%v is sent", e)
		}
	}
	again := NewPlan(b, repeats, 0, Position{Round: 9}, 0, start)
	got, _ := drain(again, start)
	want(t, "over another connection", got, "3/1", "3/1")
	repeats.Forget(func(e *feed.Signed) bool { return e == one })
	again.Restart(Position{Round: 9}, 0, start)
	got, _ = drain(again, start)
	want(t, "when one is forgotten", got, "3/1")
}

// Two entries for a place convict their author, a third adds nothing, and the
// same words signed twice are the same.
func TestRepeatsByPlace(t *testing.T) {
	var r Repeats
	if !r.Add(signed(t, 3, 1, "a")) || r.Add(signed(t, 3, 1, "a")) || !r.Add(signed(t, 3, 1, "b")) || r.Add(signed(t, 3, 1, "c")) {
		t.Error("more than two for one place")
	}
	if !r.Add(signed(t, 4, 1, "c")) || !r.Add(signed(t, 3, 2, "c")) || r.Len() != 4 {
		t.Error("another place is no other place")
	}
}

// A seat that signs without end crowds out itself.
func TestRepeatsAreBounded(t *testing.T) {
	for name, size := range map[string]int{"small ones": 10, "large ones": 60_000} {
		var r Repeats
		honest := []*feed.Signed{sized(t, 0, 0, 200), sized(t, 0, 2, 60_000)}
		for _, e := range honest {
			r.Add(e)
		}
		var last *feed.Signed
		for round := range uint32(MaxRepeats + 50) {
			last = sized(t, round, 1, size)
			if !r.Add(last) {
				t.Fatalf("%s: round %d is not taken", name, round)
			}
		}
		total := 0
		for _, x := range r.list {
			total += len(x.entry.Raw())
		}
		if r.Len() > MaxRepeats || total > MaxRepeatBytes || total != r.bytes {
			t.Errorf("%s: %d entries, %d bytes, counted as %d", name, r.Len(), total, r.bytes)
		}
		if r.Len() < MaxRepeatBytes/70_000 || !r.has(last) {
			t.Errorf("%s: of %d entries the last is not kept", name, r.Len())
		}
		for _, e := range honest {
			if size > 200 && !r.has(e) {
				t.Errorf("%s: an entry of seat %d is crowded out", name, e.Seat)
			}
		}
		r.Forget(func(e *feed.Signed) bool { return e.Seat == 1 })
		if r.Len() > len(honest) || slices.ContainsFunc(r.list, func(x *repeat) bool { return x.entry.Seat == 1 }) {
			t.Errorf("%s: %d are left", name, r.Len())
		}
		r.Forget(func(*feed.Signed) bool { return true })
		if r.bytes != 0 {
			t.Errorf("%s: nothing counts as %d bytes", name, r.bytes)
		}
	}
}

func TestRecent(t *testing.T) {
	var r recent
	key := func(i int) [32]byte { return [32]byte{byte(i), byte(i >> 8)} }
	for i := range 3 * maxRecent {
		if !r.add(key(i)) || r.add(key(i)) || len(r.in) > maxRecent || len(r.order) > maxRecent {
			t.Fatalf("at %d, with %d", i, len(r.in))
		}
	}
	for i := 2 * maxRecent; i < 3*maxRecent; i++ {
		if !r.in[key(i)] {
			t.Fatalf("%d is forgotten", i)
		}
	}
	if r.in[key(2*maxRecent-1)] {
		t.Error("what is older is not forgotten")
	}
}
