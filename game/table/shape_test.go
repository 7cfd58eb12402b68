package table_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// everyPlace lists a scene for every kind of round a game can have.
func everyPlace() []place {
	vote := rules.DefaultOptions()
	vote.First = "vote"
	agreed := func(to rules.Phase) func(t testing.TB) *scene {
		return func(t testing.TB) *scene { return accusing(t, "places", options("agreed"), true, false, to) }
	}
	return append(places(),
		place{"vetting", func(t testing.TB) *scene { return leavable(t, stage(table.Vetting)) }, ""},
		place{"accepting", func(t testing.TB) *scene { return at(t, "places", stage(table.Accepting)) }, ""},
		place{"checking", func(t testing.TB) *scene { return at(t, "places", stage(table.Checking)) }, ""},
		place{"voting", func(t testing.TB) *scene {
			s := newScene(t, "places", "card", 3, vote)
			s.until(t, phase(rules.Voting))
			return s
		}, ""},
		place{"turn", func(t testing.TB) *scene { return at(t, "places", phase(rules.Turn)) }, ""},
		place{"sealing", agreed(rules.Sealing), ""},
		place{"unsealing", agreed(rules.Unsealing), ""},
		place{"ordering", agreed(rules.Ordering), ""},
		place{"confirming", func(t testing.TB) *scene { return accusing(t, "places", options("left"), true, true, rules.Confirming) }, ""},
		place{"farewell", agreed(rules.Farewell), ""})
}

// everyRound calls f at every kind of round a game can have.
func everyRound(t *testing.T, f func(t *testing.T, s *scene)) {
	for _, p := range everyPlace() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := p.scene(t)
			s.accepts(t)
			f(t, s)
		})
	}
}

// In every kind of round, a body of every kind that is not due, its own included.
func TestKindsOutOfTurn(t *testing.T) {
	bodies := sampleBodies(t)
	everyRound(t, func(t *testing.T, s *scene) {
		i := s.State.Speakers()[len(s.State.Speakers())-1]
		due := s.State.Owed()[0].Kinds
		for k := range move.Kind(255) { // the last one is the ballots'
			if slices.Contains(due, k) || k > move.KindCount+2 && k < 253 {
				continue
			}
			body := bodies[min(k, move.KindCount-1)]
			lie := s.sealed(t, i, k, body)
			round := s.round(t, map[int]*feed.Signed{i: lie})
			want := []table.Fault{{Seat: i, Round: s.State.Round, Rule: table.RuleKind}}
			if got := table.Apply(s.State, round).Faults; !slices.Equal(got, want) {
				t.Fatalf("%v: %v", k, got)
			}
		}
	})
}

// sampleBodies are bodies of every kind that decode.
func sampleBodies(t testing.TB) [][]byte {
	var out [][]byte
	for _, m := range []move.Move{&move.Accept{}, &move.Keys{Lock: [][32]byte{{}}}, &move.Shuffle{}, &move.Checked{}, &move.Shares{},
		&move.Vote{}, &move.Ask{}, &move.Accuse{}, &move.Deny{}, &move.Show{}, &move.Seal{}, &move.Unseal{}, &move.Order{}, &move.Guess{},
		&move.Verdict{}, &move.Disclose{}, &move.Leave{}, &move.KeyShares{}, &move.Complain{},
		&move.Pick{}, &move.Roll{}, &move.Passage{}, &move.Go{}, &move.Suggest{}, &move.Charge{}, &move.End{}} {
		_, body := encoded(t, m)
		out = append(out, body)
	}
	return out
}

// In every kind of round, the honest body spoilt in ways that the codec refuses.
func TestMalformedBodies(t *testing.T) {
	everyRound(t, func(t *testing.T, s *scene) {
		i := s.State.Speakers()[0]
		kind, body := encoded(t, s.honest(t, i))
		for name, b := range map[string][]byte{
			"nothing":         {},
			"one byte more":   append(slices.Clone(body), 0),
			"twice":           append(slices.Clone(body), body...),
			"one byte less":   body[:len(body)-1],
			"null":            {0xf6},
			"a number":        {0x00},
			"a map":           {0xa0},
			"a byte string":   append([]byte{0x58, byte(len(body))}, body[:min(len(body), 255)]...),
			"tagged":          append([]byte{0xc1}, body...),
			"one field more":  append([]byte{body[0] + 1}, append(slices.Clone(body[1:]), 0)...),
			"endless array":   append([]byte{0x9f}, append(slices.Clone(body[1:]), 0xff)...),
			"long array head": append([]byte{0x98, body[0] - 0x80}, body[1:]...),
			"huge array":      {0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
			"huge string":     {0x81, 0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
			"deep":            bytes.Repeat([]byte{0x81}, 1000),
			"noise":           bytes.Repeat([]byte{0xff}, 300),
		} {
			t.Run(name, func(t *testing.T) { s.refusesBody(t, i, kind, b, table.RuleEncoding) })
		}
	})
}

// A length that claims gigabytes costs nothing: it is refused by the bytes that
// are there, before anything is allocated for those that are not.
func TestHugeLengthsCostNothing(t *testing.T) {
	s := at(t, "huge", stage(table.Dealing))
	for _, claimed := range []uint64{1 << 20, 1 << 31, 1<<63 - 1, 1<<64 - 1} {
		for _, head := range []byte{0x5b, 0x9b} {
			body := binary.BigEndian.AppendUint64([]byte{0x81, head}, claimed)
			round := s.round(t, map[int]*feed.Signed{0: s.sealed(t, 0, move.KindShares, body)})
			cheapest := time.Hour
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 10 {
				start := time.Now()
				table.Apply(s.State, round)
				cheapest = min(cheapest, time.Since(start))
			}
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) / 10; got > 64<<10 {
				t.Errorf("a head of %x for %d bytes allocates %d bytes", head, claimed, got)
			}
			if cheapest > time.Millisecond && !raceEnabled {
				t.Errorf("a head of %x for %d bytes takes %v", head, claimed, cheapest)
			}
		}
	}
}

// What the codec lets through and the rules do not.
func TestMovesTheRulesForbid(t *testing.T) {
	turn := at(t, "forbidden", phase(rules.Turn))
	i := turn.State.Pos.Active
	for name, cards := range map[string][]uint8{
		"one card": {3}, "no card": {}, "three cards": {1, 2, 3}, "one card twice": {4, 4},
		"a card the deck has not": {1, 12}, "card 255": {255, 1}, "many cards": make([]uint8, 5000),
	} {
		t.Run(name, func(t *testing.T) { turn.refuses(t, i, &move.Ask{Cards: cards}, table.RuleLegal) })
	}
	vote := rules.DefaultOptions()
	vote.First = "vote"
	voting := newScene(t, "forbidden", "card", 3, vote)
	voting.until(t, phase(rules.Voting))
	for _, who := range []uint8{3, 100, 255} {
		t.Run(fmt.Sprint("vote for ", who), func(t *testing.T) { voting.refuses(t, 1, &move.Vote{For: who}, table.RuleLegal) })
	}
	ordering := accusing(t, "forbidden", options("agreed"), true, false, rules.Ordering)
	for name, seats := range map[string][]uint8{
		"nobody": {}, "one left out": {0, 1}, "one twice": {0, 1, 1}, "one too many": {0, 1, 2, 0}, "a stranger": {0, 1, 3},
	} {
		t.Run(name, func(t *testing.T) { ordering.refuses(t, 2, &move.Order{Seats: seats}, table.RuleLegal) })
	}
}

// Entries that are no closed round of the state leave it as it was: the fold
// blames nobody for what the log should have kept out.
func TestRoundsThatDoNotFit(t *testing.T) {
	s := at(t, "no fit", stage(table.Dealing))
	reseal := func(change func(*feed.Entry)) []*feed.Signed {
		round := s.round(t, nil)
		e := round[1].Entry
		change(&e)
		var err error
		if round[1], err = feed.Seal(s.Keys[1], e); err != nil {
			t.Fatal(err)
		}
		return round
	}
	for name, round := range map[string][]*feed.Signed{
		"another game":     reseal(func(e *feed.Entry) { e.Game[0] ^= 1 }),
		"another history":  reseal(func(e *feed.Entry) { e.Prev[0] ^= 1 }),
		"the round after":  reseal(func(e *feed.Entry) { e.Round++ }),
		"the round before": reseal(func(e *feed.Entry) { e.Round-- }),
		"another seat":     reseal(func(e *feed.Entry) { e.Seat = 2 }),
		"no such seat":     reseal(func(e *feed.Entry) { e.Seat = 200 }),
		"seats exchanged":  func() []*feed.Signed { r := s.round(t, nil); r[0], r[1] = r[1], r[0]; return r }(),
	} {
		if st := table.Apply(s.State, round); st != s.State {
			t.Errorf("%s: folded", name)
		}
	}
	stopped := s.State.Stop(table.Fault{Seat: 1, Rule: table.RuleFork})
	if st := table.Apply(stopped, s.round(t, nil)); st != stopped {
		t.Error("a stopped game was folded on")
	}
	if st := table.Apply(stopped, nil); st != stopped {
		t.Error("nothing was folded onto a stopped game")
	}
	s.silent(t, stopped)
	if s.State.Stopped() {
		t.Error("Stop changed the state it was given")
	}
}
