package view_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"alibi/crypto/beacon"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// draw is an endless row of random numbers, the same in every run.
type draw struct {
	value beacon.Value
	n     int
}

func drawing(seed string) *draw { return &draw{value: transcript.Hash("view", []byte(seed))} }

func (d *draw) below(n int) int {
	d.n++
	return d.value.Int(fmt.Sprint(d.n), n)
}

func newTable(t testing.TB, seed, edition string, n int, o rules.Options) *parlour.Table {
	t.Helper()
	p, err := parlour.New(seed, edition, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// leavable is a table that some may leave.
func leavable(t testing.TB, seed, edition string, n, leavers int, o rules.Options) *parlour.Table {
	t.Helper()
	p, err := parlour.NewLeaving(seed, edition, n, leavers, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// step plays one round. Players accuse and join now and then without knowing, and
// leave now and then where they may, often while hands are laid.
func step(t testing.TB, p *parlour.Table, d *draw) bool {
	t.Helper()
	present := p.State.Present()
	if who := present[d.below(len(present))]; p.State.Tolerates(who) {
		often := 14
		if p.State.Stage == table.Playing && p.State.Phase() == rules.Laying {
			often = 3
		}
		if d.below(often) == 0 {
			if err := p.Carry(feed.Without(who)); err != nil || p.State.Stopped() {
				t.Fatal(err, p.State.Faults)
			}
			return true
		}
	}
	more, err := p.RoundWith(func(i int) seat.Action {
		v := view.For(p.State, p.Seats[i])
		switch {
		case v.Choices.Turn && d.below(6) == 0:
			return seat.Accuse{}
		case v.Choices.Join && d.below(4) == 0:
			return seat.Join{}
		case v.Choices.Leave && d.below(3) == 0:
			return seat.Leave{}
		}
		return p.Bots[i].Decide(v)
	})
	if err != nil || p.State.Stopped() {
		t.Fatal(err, p.State.Faults)
	}
	return more
}

// game is one of the settings in which whole games are looked at.
type game struct {
	seed, edition string
	seats         int
	leavers       int
	options       rules.Options
}

func games() (out []game) {
	for i, o := range []rules.Options{
		{First: "random", Order: "left", Last: "wins", Notebook: "auto"},
		{First: "vote", Order: "random", Last: "plays-on", Notebook: "marks"},
		{First: "opener", Order: "agreed", Last: "wins", Notebook: "solver"},
	} {
		for k, edition := range []string{"card", "card-advanced"} {
			out = append(out, game{fmt.Sprint("look ", i, k), edition, 2 + (2*i+k+1)%5, 0, o},
				game{fmt.Sprint("leave ", i, k), edition, 3 + (2*i+k)%3, 1 + (2*i+k)%3, o})
		}
	}
	return out
}

// everyView calls f at every round of a game, for every seat and a spectator (me
// is nil). f must change nothing: games are played once for all tests.
func everyView(t *testing.T, g game, f func(p *parlour.Table, me *seat.Seat)) {
	t.Helper()
	p, states := played(t, g)
	for _, st := range states {
		now := *p
		now.State = st
		f(&now, nil)
		for _, s := range p.Seats {
			f(&now, s)
		}
	}
}

type recording struct {
	*parlour.Table
	states []*table.State
}

var recordings sync.Map

// played is a game with the states of all its rounds.
func played(t *testing.T, g game) (*parlour.Table, []*table.State) {
	t.Helper()
	if r, ok := recordings.Load(g); ok {
		return r.(recording).Table, r.(recording).states
	}
	p := leavable(t, g.seed, g.edition, g.seats, g.leavers, g.options)
	d := drawing(g.seed)
	states := []*table.State{p.State}
	for step(t, p, d) {
		states = append(states, p.State)
	}
	if p.State.Phase() != rules.Over {
		t.Fatalf("the game ended %s", p.State.Phase())
	}
	if slices.Contains(p.State.Gone, true) != (g.leavers > 0) {
		t.Fatalf("gone are %v", p.State.Gone)
	}
	recordings.Store(g, recording{p, states})
	return p, states
}

// held is what seat i was dealt, in its hand or laid open.
func held(p *parlour.Table, i int) []rules.Card {
	if laid := p.State.Laid[i]; laid != nil {
		return laid
	}
	return p.Seats[i].Hand(p.State)
}

func eachGame(t *testing.T, f func(t *testing.T, g game)) {
	for i, g := range games() {
		if testing.Short() && i%4 > 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d, %s, leavers %d", g.edition, g.seats, g.options.First, g.leavers), func(t *testing.T) {
			t.Parallel()
			f(t, g)
		})
	}
}

func scalar(t testing.TB, seed string) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(parlour.Rand(seed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// solution is what only all lock keys together decrypt.
func solution(t testing.TB, p *parlour.Table) []rules.Card {
	t.Helper()
	sum := group.ScalarFromUint64(0)
	for _, s := range p.Secrets {
		x, err := group.ParseScalar(s.Bytes()[96:])
		if err != nil {
			t.Fatal(err)
		}
		sum = sum.Add(x)
	}
	return seat.Decrypt(p.State, p.State.Crime, sum)
}

func inPlay(st *table.State) bool { return st.Stage == table.Playing }
