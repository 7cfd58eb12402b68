package node

import (
	"testing"
	"time"
)

// Whoever was not heard while this computer slept is not away when it wakes up.
func TestSleepOfOnesOwnIsNobodysSilence(t *testing.T) {
	start := time.Now()
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	for name, c := range map[string]struct {
		due, now int
		want     State
	}{
		"ten minutes asleep":    {6, 610, Shaky},
		"looked late by a bit":  {6, 9, Shaky},
		"looked when it is due": {25, 25, Away},
	} {
		g := &Game{began: start, due: at(c.due), seats: []*seat{{}, {heard: start}, {}}}
		g.slept(at(c.now))
		out, _ := judge(g.sightings(), 0, g.began, at(c.now))
		if out[1].State != c.want || out[2].State != c.want {
			t.Errorf("%s: %v and %v, not %v", name, out[1].State, out[2].State, c.want)
		}
		if g.seats[1].heard.After(at(c.now)) {
			t.Errorf("%s: heard in the future", name)
		}
	}
}
