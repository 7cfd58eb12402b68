package sim_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"alibi/cmd/internal/sim"
)

var (
	games = flag.Int("sim.games", 500, "how many games to play")
	seed  = flag.Uint64("sim.seed", 0, "play the game of this seed only")
	kind  = flag.String("sim.kind", "", "play games of this kind only: honest, leaver, returner, cheat, or cheat:STRATEGY")
	trace = flag.Bool("sim.trace", false, "print everything that happens")
	first = flag.Bool("sim.first", false, "play no more games after one that fails")
)

// kinds are what games are about, by seed.
var kinds = []string{"honest", "leaver", "returner", "cheat"}

func kindOf(seed uint64) string {
	if *kind != "" {
		return *kind
	}
	return kinds[seed%uint64(len(kinds))]
}

// lastLines is how much of its trace a failing run shows.
const lastLines = 60

func TestGames(t *testing.T) {
	if *seed > 0 {
		show(t, *seed)
		return
	}
	n := *games
	switch {
	case underRace:
		n = min(n, 12)
	case testing.Short():
		n = min(n, 30)
	}
	var mu sync.Mutex
	var failed atomic.Bool
	totals := map[string]int{}
	t.Run("games", func(t *testing.T) {
		const workers = 8
		for i := range workers {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for s := i + 1; s <= n && !(*first && failed.Load()); s += workers {
					r := play(t, uint64(s))
					if r.Failure != nil {
						failed.Store(true)
					}
					mu.Lock()
					for k, v := range r.Counts {
						totals[k] += v
					}
					mu.Unlock()
				}
			})
		}
	})
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(totals)) {
		fmt.Fprintf(&b, "%8d %s\n", totals[k], k)
	}
	t.Logf("%d games\n%s", n, b.String())
}

// play plays one game; one that fails is played again for its trace.
func play(t *testing.T, seed uint64) *sim.Report {
	t.Helper()
	r, err := sim.Play(seed, kindOf(seed), false)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if r.Failure != nil {
		again, _ := sim.Play(seed, kindOf(seed), true)
		t.Errorf("seed %d (%s; %s): %v\n%s", seed, r.Kind, r.About, r.Failure,
			strings.Join(again.Trace[max(0, len(again.Trace)-lastLines):], "\n"))
	}
	return r
}

func show(t *testing.T, seed uint64) {
	r, err := sim.Play(seed, kindOf(seed), true)
	if err != nil {
		t.Fatal(err)
	}
	if *trace {
		fmt.Println(strings.Join(r.Trace, "\n"))
	}
	if r.Failure != nil {
		t.Errorf("seed %d (%s; %s): %v\n%s", seed, r.Kind, r.About, r.Failure, strings.Join(r.Trace[max(0, len(r.Trace)-lastLines):], "\n"))
	}
	t.Log(r.About, r.Counts)
}

// The same seed gives the same events in the same order.
func TestSameSeedSameRun(t *testing.T) {
	for _, s := range []uint64{3, 4, 5} {
		a, err := sim.Play(s, kindOf(s), true)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := sim.Play(s, kindOf(s), true)
		if !slices.Equal(a.Trace, b.Trace) || !maps.Equal(a.Counts, b.Counts) || len(a.Trace) < 100 {
			t.Errorf("seed %d: %d and %d events", s, len(a.Trace), len(b.Trace))
		}
	}
}

// strikes is within how many games every way to cheat is tried at least once and,
// if it convicts, convicts.
const strikes = 12

// No strategy is dead: each does what it is for, and is found out if it can be.
func TestEveryStrategyStrikes(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("plays some games for each")
	}
	names, convicts := sim.Strategies()
	for _, name := range names {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for s := uint64(1); s <= strikes; s++ {
				r, err := sim.Play(s, "cheat:"+name, false)
				if err != nil {
					t.Fatal(err)
				}
				if r.Failure != nil {
					t.Errorf("seed %d (%s): %v", s, r.About, r.Failure)
				}
				if r.Counts["cheated: "+name] > 0 && (!convicts[name] || r.Counts["convicted: "+name] > 0) {
					t.Logf("seed %d", s)
					return
				}
			}
			t.Errorf("%d games, and it was not done, or nobody was convicted of it", strikes)
		})
	}
}
