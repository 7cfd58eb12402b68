// Package sim plays whole tables in virtual time: the session cores of all seats
// over a network and disks that fail, from one seed. The same seed gives the same
// run, event by event. After every step of every program it looks whether what
// the protocol promises still holds.
//
// Play is the way in. It is for tests: the program itself never uses it.
package sim

import "fmt"

// Report is what became of one run.
type Report struct {
	Seed    uint64
	Kind    string
	About   string
	Counts  map[string]int
	Failure *Failure
	Trace   []string
}

// Play plays the game of a seed. trace keeps a line for everything that happens.
func Play(seed uint64, kind string, trace bool) (*Report, error) {
	w, err := newWorld(seed, kind, trace)
	if err != nil {
		return nil, err
	}
	r := &Report{Seed: seed, Kind: kind, About: w.about(), Counts: w.counts}
	w.play()
	w.count("events", int(w.seq))
	r.Failure, r.Trace = w.failure, w.lines
	return r, nil
}

// Strategies names all ways to cheat, and says whether who did it has to be convicted.
func Strategies() (names []string, convicts map[string]bool) {
	convicts = map[string]bool{}
	for _, x := range strategies {
		names, convicts[x.name] = append(names, x.name), len(x.rules) > 0
	}
	return names, convicts
}

// about says what a run is about.
func (w *World) about() string {
	s := &w.set
	out := fmt.Sprintf("%s, %d seats, %d may leave", s.edition, s.seats, s.leavers)
	if s.spectators > 0 {
		out += ", watched"
	}
	if len(s.goes) > 0 {
		out += fmt.Sprintf(", %v leave", s.goes)
	}
	if s.strategy != nil {
		out += fmt.Sprintf(", seat %v cheats: %s", s.cheats, s.strategy.name)
	}
	return out
}
