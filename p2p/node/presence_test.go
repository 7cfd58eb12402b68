package node

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestJudge(t *testing.T) {
	began := time.Unix(1_000_000, 0)
	at := func(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }
	for name, c := range map[string]struct {
		seat  sighting
		other sighting // a third seat
		now   float64
		want  State
		via   int
		again float64 // 0: never
	}{
		"never heard, at the start": {now: 0, want: Shaky, via: -1, again: 25},
		"never heard, later":        {now: 25, want: Away, via: -1},
		"just heard":                {seat: sighting{heard: at(10), live: true}, now: 10, want: Connected, via: -1, again: 16},
		"cut a moment ago":          {seat: sighting{heard: at(10)}, now: 12, want: Connected, via: -1, again: 16},
		"silent for 6 s":            {seat: sighting{heard: at(10), live: true}, now: 16, want: Shaky, via: -1, again: 35},
		"silent for 25 s":           {seat: sighting{heard: at(10), live: true}, now: 35, want: Away, via: -1},
		"a third knows better": {seat: sighting{heard: at(1)}, other: sighting{heard: at(30), live: true, links: 1 << 1},
			now: 31, want: Connected, via: 2, again: 36},
		"a third knew, but is silent": {seat: sighting{heard: at(1)}, other: sighting{heard: at(10), live: true, links: 1 << 1},
			now: 20, want: Shaky, via: -1, again: 26},
		"a third that is gone": {seat: sighting{heard: at(1)}, other: sighting{heard: at(19), links: 1 << 1},
			now: 20, want: Shaky, via: -1, again: 26},
	} {
		got, _ := judge([]sighting{{}, c.seat, c.other}, 0, began, at(c.now))
		if got[1].State != c.want || got[1].Via != c.via {
			t.Errorf("%s: %v via %d, want %v via %d", name, got[1].State, got[1].Via, c.want, c.via)
		}
		if c.other.heard.IsZero() { // then only the seat's own next change counts, next to the third's at 25 s
			_, again := judge([]sighting{{}, c.seat}, 0, began, at(c.now))
			if want := at(c.again); c.again == 0 && !again.IsZero() || c.again != 0 && !again.Equal(want) {
				t.Errorf("%s: to be looked at again at %v, want %v", name, again.Sub(began), c.again)
			}
		}
		if got[0].State != Connected {
			t.Errorf("%s: oneself is %v", name, got[0].State)
		}
	}
}

// Nothing changes before the time that judge names.
func TestJudgeNamesTheNextChange(t *testing.T) {
	began := time.Unix(1_000_000, 0)
	rapid.Check(t, func(t *rapid.T) {
		second := func(label string) time.Time {
			return began.Add(time.Duration(rapid.IntRange(0, 60_000).Draw(t, label)) * time.Millisecond)
		}
		seats := make([]sighting, 4)
		now := second("now")
		for i := range seats {
			if heard := second("heard"); rapid.Bool().Draw(t, "ever") && !heard.After(now) {
				seats[i].heard = heard
				seats[i].live = rapid.Bool().Draw(t, "live")
				if seats[i].live {
					seats[i].links = uint16(rapid.IntRange(0, 15).Draw(t, "links"))
				}
			}
		}
		first, again := judge(seats, 0, began, now)
		until := now.Add(time.Hour)
		if !again.IsZero() {
			if !again.After(now) {
				t.Fatalf("to be looked at again at once")
			}
			until = again.Add(-1)
		}
		later := now.Add(time.Duration(rapid.Int64Range(0, int64(until.Sub(now))).Draw(t, "later")))
		second2, _ := judge(seats, 0, began, later)
		for i := range first {
			if first[i].State != second2[i].State || first[i].Via != second2[i].Via {
				t.Fatalf("seat %d changed before %v", i, again.Sub(began))
			}
		}
	})
}
