package table_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

func TestNewRefuses(t *testing.T) {
	s := newScene(t, "new", "card", 6, rules.DefaultOptions())
	charter, err := feed.ParseCharter(s.Charter)
	if err != nil {
		t.Fatal(err)
	}
	key, err := identity.NewKey(parlour.Rand("seventh"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(c *feed.Charter)
		want   error
	}{
		"seven seats":     {func(c *feed.Charter) { c.Seats = append(c.Seats, feed.Seat{Name: "seventh", ID: key.ID()}) }, table.ErrSeats},
		"no terms":        {func(c *feed.Charter) { c.Terms = nil }, feed.ErrEncoding},
		"unknown edition": {func(c *feed.Charter) { c.Terms = terms(t, move.Terms{Edition: "chess"}) }, move.ErrEdition},
		"another deck":    {func(c *feed.Charter) { c.Terms = terms(t, move.Terms{Edition: "card"}) }, move.ErrDeck},
	} {
		c := charter
		c.Seats = slices.Clone(c.Seats)
		tt.change(&c)
		b, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if st, err := table.New(b); !errors.Is(err, tt.want) || st != nil {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if _, err := table.New(s.Charter[1:]); !errors.Is(err, feed.ErrCharter) {
		t.Error(err)
	}
}

func terms(t *testing.T, x move.Terms) []byte {
	t.Helper()
	b, err := feed.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The way from the charter to the first turn: 2n + 4 rounds, who speaks in each,
// and what can be asked of them.
func TestRoundsFromCharterToHands(t *testing.T) {
	for _, e := range rules.Editions() {
		for n := e.MinSeats; n <= e.MaxSeats; n++ {
			t.Run(fmt.Sprint(e.Name, n), func(t *testing.T) {
				s := newScene(t, "rounds", e.Name, n, rules.DefaultOptions())
				all := make([]int, n)
				for i := range all {
					all[i] = i
				}
				want := []string{"accepting [accept]", "keying [keys]"}
				speakers := [][]int{all, all}
				for _, pass := range []string{"sorting", "pooling"} {
					for i := range n {
						want, speakers = append(want, pass+" [shuffle]"), append(speakers, []int{i})
					}
				}
				want, speakers = append(want, "checking [checked]", "dealing [shares]"), append(speakers, all, all)
				for r := range want {
					st := s.State
					if got := fmt.Sprint(st.Stage, " ", st.Owed()[0].Kinds); got != want[r] || !slices.Equal(st.Speakers(), speakers[r]) || st.Round != uint32(r) {
						t.Fatalf("round %d: %s of %v, want %s of %v", st.Round, got, st.Speakers(), want[r], speakers[r])
					}
					if due := len(st.Tasks()) > 0; due != (st.Stage == table.Dealing) {
						t.Fatalf("%s: tasks %v", st.Stage, due)
					}
					if (st.Game == st.Table) != (r < 2) {
						t.Fatalf("round %d: game %x, table %x", r, st.Game, st.Table)
					}
					if _, err := s.RoundWith(s.action); err != nil {
						t.Fatal(err)
					}
				}
				if s.State.Stage != table.Playing || s.State.Round != uint32(2*n+4) {
					t.Fatalf("%s in round %d", s.State.Stage, s.State.Round)
				}
				dealt := len(s.State.FaceUp) + len(s.State.Crime)
				for _, h := range s.State.Hands {
					dealt += len(h)
				}
				if dealt != len(e.Cards) {
					t.Errorf("%d of %d cards dealt", dealt, len(e.Cards))
				}
			})
		}
	}
}
