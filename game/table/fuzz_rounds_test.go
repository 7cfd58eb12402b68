package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/table"
)

// crossroads are places of a game that some have left, may still leave, or that a
// fault has stopped, with the honest entries of the open round.
func crossroads(t testing.TB) (out []*scene) {
	f := reel(t, "alone")
	for _, is := range []func(*table.State) bool{stage(table.Keying), stage(table.Sharing), stage(table.Vetting), stage(table.Sorting),
		stage(table.Dealing), phase(rules.Turn), phase(rules.Answering), phase(rules.Peeking), phase(rules.Judging), phase(rules.Farewell), phase(rules.Over)} {
		s, left, stopped := f.cut(t, f.first(t, is), nil), f.cut(t, f.first(t, is), nil), f.cut(t, f.first(t, is), nil)
		s.round(t, nil)
		left.leave(t, 3)
		left.round(t, nil)
		stopped.State = stopped.State.Stop(table.Fault{Seat: 2, Round: stopped.State.Round, Rule: table.RuleFork})
		out = append(out, s, left, stopped)
	}
	return out
}

// written makes entries out of bytes, as many as they last for: honest ones, any
// ballots, and any kind and body at any place.
func (s *scene) written(t testing.TB, program []byte) (out []*feed.Signed) {
	t.Helper()
	next := func() byte {
		if len(program) == 0 {
			return 0
		}
		b := program[0]
		program = program[1:]
		return b
	}
	for len(program) > 0 && len(out) < 8 {
		op, seat := next(), int(next())%len(s.Keys)
		e := s.State.Place(seat)
		switch op % 4 {
		case 0:
			if k := slices.IndexFunc(s.truth, func(e *feed.Signed) bool { return int(e.Seat) == seat }); k >= 0 {
				out = append(out, s.truth[k])
			}
			continue
		case 1:
			b := feed.Ballot{Motion: feed.Motion{Without: uint16(next()), Abandon: op&4 != 0, Trial: uint16(next() % 8)}, Yes: op&8 == 0}
			if b.Normal() {
				continue
			}
			out = append(out, s.ballot(t, seat, b))
			continue
		case 2:
			e.Kind = next()
			n := min(int(next()), len(program))
			e.Body, program = program[:n], program[n:]
		case 3:
			e.Kind, e.Body = next(), []byte{0x80}
			e.Round += uint32(op>>2) % 3
			e.Prev[0] ^= op >> 4 & 1
			e.Game[0] ^= op >> 5 & 1
		}
		if signed, err := feed.Seal(s.Keys[seat], e); err == nil { // no ballot of a broken body is ever read
			out = append(out, signed)
		}
	}
	return out
}

// FuzzRounds gives the fold any entries at all. It takes them as a closed round or
// leaves the state alone, twice the same, and blames nobody who said nothing.
func FuzzRounds(f *testing.F) {
	all := crossroads(f)
	f.Add(uint8(5), []byte{0, 0, 0, 1, 0, 2, 0, 3})
	f.Add(uint8(4), []byte{1, 0, 2, 0, 1, 2, 2, 0, 1, 3, 2, 0})                 // all for going on without seat 1
	f.Add(uint8(4), []byte{5, 0, 0, 0, 5, 1, 0, 0, 5, 2, 0, 0, 5, 3, 0, 0})     // all for stopping
	f.Add(uint8(9), []byte{1, 0, 2, 0, 9, 2, 2, 0, 1, 3, 2, 0})                 // a no among them
	f.Add(uint8(7), []byte{1, 0, 2, 0, 1, 2, 2, 0})                             // one has left already
	f.Add(uint8(8), []byte{1, 0, 4, 0, 1, 1, 4, 0, 1, 3, 4, 0})                 // the convicted one
	f.Add(uint8(2), []byte{2, 0, 18, 6, 0x81, 0x81, 0x82, 0x01, 0x41, 0x00})    // a complaint
	f.Add(uint8(6), []byte{0, 0, 0, 1, 0, 2, 2, 3, 18, 2, 0x81, 0x80})          // an empty one
	f.Add(uint8(3), []byte{0, 0, 0, 1, 0, 2, 2, 3, 17, 5, 0x81, 0x43, 1, 2, 3}) // a short dealing
	f.Add(uint8(15), []byte{2, 0, 255, 5, 0x84, 0x02, 0xf4, 0x00, 0xf5})        // a ballot by its bytes
	f.Add(uint8(15), []byte{3, 0, 7, 19, 1, 6, 35, 2, 7})                       // other places
	f.Add(uint8(30), []byte{1, 0, 14, 0, 1, 1, 1, 7, 13, 2, 255, 1})            // after the end
	f.Fuzz(func(t *testing.T, where uint8, program []byte) {
		s := all[int(where)%len(all)]
		round := s.written(t, program)
		before := digest(s.State)
		once, twice := table.Apply(s.State, round), table.Apply(s.State, round)
		if digest(s.State) != before {
			t.Fatal("Apply changed the state it was given")
		}
		if (once == s.State) != (twice == s.State) || digest(once) != digest(twice) {
			t.Fatal("one round, two states")
		}
		if once == s.State {
			return
		}
		for _, fault := range once.Faults {
			if fault.Rule == "" || !slices.ContainsFunc(round, func(e *feed.Signed) bool {
				_, ballot := e.Ballot()
				return int(e.Seat) == fault.Seat && !ballot
			}) {
				t.Fatalf("%v for what nobody said", fault)
			}
		}
		switch {
		case once.Stopped():
			if once.Round != s.State.Round || once.Prev != s.State.Prev || len(once.Owed()) != 0 {
				t.Fatal("a stopped game went on")
			}
		case once.Round != s.State.Round+1 || once.Prev != feed.Next(s.State.Prev, s.State.Round, round):
			t.Fatal("the round was folded, and is not closed")
		default:
			for p := range s.Keys {
				if s.State.Gone[p] && !once.Gone[p] {
					t.Fatal("somebody has come back")
				}
			}
		}
	})
}
