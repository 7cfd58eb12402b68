package table_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// scene is a real game brought to one place. twin is the state of a peer that
// has nothing but the bytes of the log.
type scene struct {
	*parlour.Table
	plan func(seat int) seat.Action // nil, or a nil action, leaves it to the bots
	twin *table.State
	// The honest round that follows truthOf, made once for all lies about it.
	truth   []*feed.Signed
	truthOf *table.State
	left    []departure
	from    *table.State // where the scene was cut from a film, or nil
}

func newScene(t testing.TB, seed, edition string, n int, o rules.Options) *scene {
	t.Helper()
	p, err := parlour.New(seed, edition, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return &scene{Table: p}
}

// at is a new three-player scene played to where the condition holds.
func at(t testing.TB, seed string, done func(*table.State) bool) *scene {
	t.Helper()
	s := newScene(t, seed, "card", 3, rules.DefaultOptions())
	s.until(t, done)
	return s
}

func (s *scene) action(i int) seat.Action {
	if s.plan != nil {
		if a := s.plan(i); a != nil {
			return a
		}
	}
	if _, decide := s.Seats[i].Due(s.State); !decide {
		return nil
	}
	return s.Bots[i].Decide(view.For(s.State, s.Seats[i]))
}

func (s *scene) until(t testing.TB, done func(*table.State) bool) {
	t.Helper()
	for !done(s.State) {
		more, err := s.RoundWith(s.action)
		if err != nil || !more || s.State.Round > 500 {
			t.Fatalf("round %d, %s %s: the place was not reached: %v %v", s.State.Round, s.State.Stage, s.State.Phase(), err, s.State.Faults)
		}
	}
	s.twin = refold(t, s.Charter, s.Log.Entries())
}

func stage(want table.Stage) func(*table.State) bool {
	return func(st *table.State) bool { return st.Stage == want }
}

func phase(want rules.Phase) func(*table.State) bool {
	return func(st *table.State) bool { return st.Stage == table.Playing && st.Phase() == want && !st.Barrier }
}

// barrier is where all have yet to speak before cards are turned over in a phase.
func barrier(of rules.Phase) func(*table.State) bool {
	return func(st *table.State) bool { return st.Stage == table.Playing && st.Phase() == of && st.Barrier }
}

// refold computes the state of a log from its bytes alone, entries arriving in
// the least convenient order within each round.
func refold(t rapid.TB, charter []byte, entries []*feed.Signed) *table.State {
	t.Helper()
	st, err := table.New(charter)
	if err != nil {
		t.Fatal(err)
	}
	log := feed.NewLog(charter, st.Charter.IDs(), int(st.Charter.Leavers))
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].Round == entries[0].Round {
			n++
		}
		for _, e := range slices.Backward(entries[:n]) {
			wire, err := feed.Decode(e.Raw())
			if err != nil {
				t.Fatal(err)
			}
			if v, err := log.Offer(wire); v != feed.Added || err != nil {
				t.Fatalf("round %d: %v %v", e.Round, v, err)
			}
		}
		entries = entries[n:]
		m, closes := log.Closes(-1, true)
		if !closes {
			return st // the open round
		}
		round := log.Open()
		if !m.Normal() {
			round = log.Votes(m)
		}
		if st = table.Apply(st, round); st.Stopped() {
			return st
		}
		if _, err := log.CloseBy(m, st.Game, st.Speakers()); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// honest is what seat i says in the open round.
func (s *scene) honest(t testing.TB, i int) move.Move {
	t.Helper()
	var want seat.Action
	if _, decide := s.Seats[i].Due(s.State); decide {
		want = s.action(i)
	}
	m, err := s.Seats[i].Answer(s.State, want)
	if err != nil {
		t.Fatalf("seat %d, %s %s: %v", i, s.State.Stage, s.State.Phase(), err)
	}
	return m
}

// sealed is a signed entry of seat i for the open round.
func (s *scene) sealed(t testing.TB, i int, kind move.Kind, body []byte) *feed.Signed {
	t.Helper()
	e := s.State.Place(i)
	e.Kind, e.Body = uint8(kind), body
	out, err := feed.Seal(s.Keys[i], e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func encoded(t testing.TB, m move.Move) (move.Kind, []byte) {
	t.Helper()
	kind, body, err := move.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return kind, body
}

// round is the open round, all honest but for the seats in lies.
func (s *scene) round(t testing.TB, lies map[int]*feed.Signed) []*feed.Signed {
	t.Helper()
	if s.truthOf != s.State {
		s.truth, s.truthOf = nil, s.State
		for _, i := range s.State.Speakers() {
			kind, body := encoded(t, s.honest(t, i))
			s.truth = append(s.truth, s.sealed(t, i, kind, body))
		}
	}
	out := slices.Clone(s.truth)
	for k, e := range out {
		if lie := lies[int(e.Seat)]; lie != nil {
			out[k] = lie
		}
	}
	return out
}

// refuses lets the culprit say m and everybody else the truth.
func (s *scene) refuses(t *testing.T, culprit int, m move.Move, want table.Rule) {
	t.Helper()
	kind, body := encoded(t, m)
	s.refusesBody(t, culprit, kind, body, want)
}

func (s *scene) refusesBody(t *testing.T, culprit int, kind move.Kind, body []byte, want table.Rule) {
	t.Helper()
	lie := s.sealed(t, culprit, kind, body)
	s.stops(t, s.round(t, map[int]*feed.Signed{culprit: lie}), table.Fault{Seat: culprit, Round: s.State.Round, Rule: want})
}

// stops demands that a round stops the game with exactly these faults, in
// every copy of the state, and that nobody says anything after.
func (s *scene) stops(t *testing.T, round []*feed.Signed, want ...table.Fault) {
	t.Helper()
	var wire []*feed.Signed
	for _, e := range round {
		d, err := feed.Decode(e.Raw())
		if err != nil {
			t.Fatal(err)
		}
		wire = append(wire, d)
	}
	for who, before := range map[string]*table.State{"own": s.State, "twin": s.twin} {
		stood := digest(before)
		after := table.Apply(before, wire)
		if !slices.Equal(after.Faults, want) {
			t.Fatalf("%s copy: faults %q, want %q", who, after.Faults, want)
		}
		if digest(before) != stood {
			t.Fatalf("%s copy: Apply changed the state it was given", who)
		}
		still := *after
		still.Faults = nil
		if digest(&still) != stood {
			t.Errorf("%s copy: the state did not stand still", who)
		}
		s.silent(t, after)
	}
}

// silent demands that a stopped game owes nothing and that no seat releases
// anything, whatever its player wants.
func (s *scene) silent(t *testing.T, st *table.State) {
	t.Helper()
	if !st.Done() || len(st.Owed()) != 0 || len(st.Speakers()) != 0 {
		t.Errorf("a stopped game still owes %v", st.Owed())
	}
	for _, p := range s.Seats {
		for _, a := range []seat.Action{nil, seat.Accuse{}, seat.Deny{}, seat.Join{}, seat.Leave{Open: true}} {
			if m, err := p.Answer(st, a); m != nil || !errors.Is(err, seat.ErrNothing) {
				t.Errorf("seat %d answers %v to %T after the game stopped: %v", p.Index(), m, a, err)
			}
		}
	}
}

// accepts demands that the open round, all honest, is folded: the guard of
// every attack that a slip in the test itself would also refuse.
func (s *scene) accepts(t testing.TB) {
	t.Helper()
	round := s.round(t, nil)
	own, twin := table.Apply(s.State, round), table.Apply(s.twin, round)
	if own.Stopped() || own.Round != s.State.Round+1 || digest(own) != digest(twin) {
		t.Fatalf("an honest round is not folded alike: %v %v", own.Faults, twin.Faults)
	}
}

// keys are a seat's secret scalars: y decrypts what it is dealt, x is its share
// of the joint key.
func (s *scene) keys(t rapid.TB, i int) (y, x *group.Scalar) {
	t.Helper()
	b := s.Secrets[i].Bytes()
	y, errY := group.ParseScalar(b[64:96])
	x, errX := group.ParseScalar(b[96:128])
	if errY != nil || errX != nil {
		t.Fatal(errY, errX)
	}
	return y, x
}

// hand is what seat i holds.
func (s *scene) hand(i int) []rules.Card { return s.Seats[i].Hand(s.State) }

// crime is what only all seats together could decrypt.
func (s *scene) crime(t rapid.TB) []rules.Card {
	t.Helper()
	return seat.Decrypt(s.State, s.State.Crime, s.joint(t))
}

// digest is everything in a state as text, group elements by their encoding.
func digest(st *table.State) string {
	var b strings.Builder
	write(&b, reflect.ValueOf(st).Elem())
	return b.String()
}

func write(b *strings.Builder, v reflect.Value) {
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case *group.Element:
			if x != nil {
				fmt.Fprintf(b, "%x ", x.Bytes())
				return
			}
		case *group.Scalar:
			if x != nil {
				fmt.Fprintf(b, "%x ", x.Bytes())
				return
			}
		case *deck.Guess:
			if x != nil {
				fmt.Fprintf(b, "%x ", x.Bytes())
				return
			}
		case *dkg.Dealing:
			if x != nil {
				fmt.Fprintf(b, "%x ", x.Bytes())
				return
			}
		case *elgamal.Quorum:
			if x != nil {
				for j := range x.Size() {
					fmt.Fprintf(b, "%x ", x.Key(j).Bytes())
				}
				return
			}
		case *deck.Deck:
			fmt.Fprintf(b, "%d cards ", x.Len())
			return
		case *rules.Edition:
			b.WriteString(x.Name)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil ")
			return
		}
		write(b, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fmt.Fprintf(b, "%s{", f.Name)
				write(b, v.Field(i))
				b.WriteString("} ")
			}
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(b, "[%d: ", v.Len())
		for i := range v.Len() {
			write(b, v.Index(i))
		}
		b.WriteString("] ")
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return int(a.Int() - b.Int()) })
		for _, k := range keys {
			fmt.Fprintf(b, "%d:", k.Int())
			write(b, v.MapIndex(k))
		}
	default:
		fmt.Fprintf(b, "%v ", v)
	}
}
