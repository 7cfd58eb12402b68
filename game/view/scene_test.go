package view_test

import (
	"fmt"
	"testing"

	"alibi/crypto/beacon"
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

// step plays one round. Players accuse and join now and then without knowing.
func step(t testing.TB, p *parlour.Table, d *draw) bool {
	t.Helper()
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
	options       rules.Options
}

func games() (out []game) {
	for i, o := range []rules.Options{
		{First: "random", Order: "left", Last: "wins", Notebook: "auto"},
		{First: "vote", Order: "random", Last: "plays-on", Notebook: "marks"},
		{First: "opener", Order: "agreed", Last: "wins", Notebook: "solver"},
	} {
		for k, edition := range []string{"card", "card-advanced"} {
			out = append(out, game{fmt.Sprint("look ", i, k), edition, 2 + (2*i+k+1)%5, o})
		}
	}
	return out
}

// everyView plays a game and calls f at every round, for every seat and a
// spectator (me is nil).
func everyView(t *testing.T, g game, f func(p *parlour.Table, me *seat.Seat)) {
	t.Helper()
	p := newTable(t, g.seed, g.edition, g.seats, g.options)
	d := drawing(g.seed)
	for {
		f(p, nil)
		for _, s := range p.Seats {
			f(p, s)
		}
		if !step(t, p, d) {
			break
		}
	}
	if p.State.Phase() != rules.Over {
		t.Fatalf("the game ended %s", p.State.Phase())
	}
}

func eachGame(t *testing.T, f func(t *testing.T, g game)) {
	for i, g := range games() {
		if testing.Short() && i%2 == 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d, %s", g.edition, g.seats, g.options.First), func(t *testing.T) {
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
