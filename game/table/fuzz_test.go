package table_test

import (
	"errors"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

func FuzzNew(f *testing.F) {
	for _, e := range rules.Editions() {
		for n := e.MinSeats; n <= e.MaxSeats; n++ {
			f.Add(newScene(f, "fuzz", e.Name, n, rules.DefaultOptions()).Charter)
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, charter []byte) {
		st, err := table.New(charter)
		if err != nil {
			if st != nil {
				t.Fatal("a state beside an error")
			}
			return
		}
		again, err := table.New(charter)
		if err != nil || digest(st) != digest(again) {
			t.Fatal("one charter, two states")
		}
		if len(st.Owed()) != st.Seats() || st.Done() || st.Seats() < st.Edition.MinSeats || st.Seats() > st.Edition.MaxSeats {
			t.Fatalf("%d seats, owed %v", st.Seats(), st.Owed())
		}
	})
}

// spoilt changes a body in one of several ways.
func spoilt(body []byte, how uint8, at uint16, with []byte) []byte {
	b := slices.Clone(body)
	i := int(at) % (len(b) + 1)
	switch how % 6 {
	case 0: // overwrite
		copy(b[i:], with)
	case 1: // exclusive or
		for k, x := range with {
			if i+k < len(b) {
				b[i+k] ^= x
			}
		}
	case 2:
		b = slices.Insert(b, i, with...)
	case 3:
		b = b[:i]
	case 4: // leave out as many bytes
		b = slices.Delete(b, i, min(i+len(with), len(b)))
	case 5:
		return with
	}
	return b
}

// FuzzApply spoils the body of one entry of a real round and signs it with its
// seat's key. Apply is total and deterministic, and blames that seat or nobody.
func FuzzApply(f *testing.F) {
	all := everyPlace()
	for p := range all {
		for how := range uint8(6) {
			f.Add(uint8(p), uint8(p)+how, how, uint16(3*p+int(how)), []byte{1, 0x80, byte(p)}, uint8(255))
		}
		f.Add(uint8(p), uint8(0), uint8(1), uint16(40), []byte{1}, uint8(255))
		f.Add(uint8(p), uint8(1), uint8(0), uint16(2), make([]byte, 64), uint8(255))
		f.Add(uint8(p), uint8(1), uint8(5), uint16(2), []byte{0x80}, uint8(p))
	}
	f.Fuzz(func(t *testing.T, p, who, how uint8, at uint16, with []byte, kind uint8) {
		s := all[int(p)%len(all)].scene(t)
		honest := s.round(t, nil)
		e := honest[int(who)%len(honest)]
		culprit := int(e.Seat)
		if kind == 255 {
			kind = e.Kind
		}
		place := s.State.Place(culprit)
		place.Kind, place.Body = kind, spoilt(e.Body, how, at, with)
		lie, err := feed.Seal(s.Keys[culprit], place)
		if errors.Is(err, feed.ErrTooLong) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		round := s.round(t, map[int]*feed.Signed{culprit: lie})
		before := digest(s.State)
		after, twin := table.Apply(s.State, round), table.Apply(s.twin, round)
		if digest(s.State) != before {
			t.Fatal("Apply changed the state it was given")
		}
		if digest(after) != digest(twin) {
			t.Fatal("one round, two states")
		}
		for _, fault := range after.Faults {
			if fault.Seat != culprit || fault.Round != s.State.Round || fault.Rule == "" {
				t.Fatalf("%v for what seat %d did", fault, culprit)
			}
		}
		switch {
		case after.Stopped():
			if len(after.Owed()) != 0 || after.Round != s.State.Round || after.Prev != s.State.Prev {
				t.Fatal("a stopped game went on")
			}
		case after.Round != s.State.Round+1:
			t.Fatal("the round was not folded, and nobody is blamed")
		case proven(move.Kind(kind)) && !slices.Equal(lie.Body, e.Body):
			t.Fatalf("a %s with a spoilt body was folded", move.Kind(kind))
		}
	})
}

// proven reports whether a body of the kind has a single honest form, once made,
// that nobody can change without being found out.
func proven(k move.Kind) bool {
	return slices.Contains([]move.Kind{move.KindAccept, move.KindKeys, move.KindShuffle, move.KindChecked, move.KindShares,
		move.KindKeyShares, move.KindDeny, move.KindShow, move.KindUnseal, move.KindGuess, move.KindVerdict, move.KindDisclose}, k)
}
