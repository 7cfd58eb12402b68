package table_test

import (
	"fmt"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/table"
)

// BenchmarkApply folds one round of each kind: what every peer does once for
// every round. Three players, the normal card deck.
func BenchmarkApply(b *testing.B) {
	for _, p := range everyPlace() {
		b.Run(p.name, func(b *testing.B) {
			s := p.scene(b)
			round := s.round(b, nil)
			size := 0
			for _, e := range round {
				size += len(e.Raw())
			}
			b.ReportAllocs()
			for b.Loop() {
				if st := table.Apply(s.State, round); st.Stopped() {
					b.Fatal(st.Faults)
				}
			}
			b.ReportMetric(float64(size), "wire-B/round")
		})
	}
}

// BenchmarkAnswer makes one seat's entry for a round of each kind.
func BenchmarkAnswer(b *testing.B) {
	for _, p := range everyPlace() {
		b.Run(p.name, func(b *testing.B) {
			s := p.scene(b)
			i := s.State.Speakers()[0]
			for b.Loop() {
				s.honest(b, i)
			}
		})
	}
}

// BenchmarkDeal is everything from the charter to the hands, by computation
// alone. "table" is all seats in one thread; "seat" is what one of them computes:
// its own entries and the fold of all.
func BenchmarkDeal(b *testing.B) {
	for _, c := range []struct {
		edition string
		seats   int
	}{{"card", 3}, {"card-advanced", 4}, {"card-advanced", 6}} {
		name := fmt.Sprintf("%s-%d", c.edition, c.seats)
		b.Run("table/"+name, func(b *testing.B) {
			for b.Loop() {
				deal(b, c.edition, c.seats)
			}
		})
		b.Run("seat/"+name, func(b *testing.B) {
			p := deal(b, c.edition, c.seats)
			rounds := map[uint32][]*feed.Signed{}
			for r := range p.State.Round {
				rounds[r] = p.Log.Closed(r)
			}
			for b.Loop() {
				st, err := table.New(p.Charter)
				if err != nil {
					b.Fatal(err)
				}
				for st.Stage != table.Playing {
					if due, _ := p.Seats[1].Due(st); due {
						if _, err := p.Seats[1].Answer(st, nil); err != nil {
							b.Fatal(err)
						}
					}
					st = table.Apply(st, rounds[st.Round])
				}
			}
		})
	}
}

func deal(b *testing.B, edition string, n int) *parlour.Table {
	b.Helper()
	p, err := parlour.New("bench", edition, n, rules.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Until(stage(table.Playing)); err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkLeave is all that a table of four computes, in one thread, when one of
// them leaves: the votes and the rounds until the game goes on with the next turn.
// In play the hand is laid open; while the cards are dealt they are dealt anew.
func BenchmarkLeave(b *testing.B) {
	for _, c := range []struct {
		name    string
		is      func(*table.State) bool
		seat    int
		leavers int
	}{
		{"playing", playsTurn, 3, 1},
		{"dealing", stage(table.Dealing), 3, 1},
		{"dealing/leavers=2", stage(table.Dealing), 3, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			rounds := uint32(0)
			for b.Loop() {
				b.StopTimer()
				p, err := parlour.NewLeaving("bench", "card-advanced", 4, c.leavers, rules.DefaultOptions())
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Until(c.is); err != nil {
					b.Fatal(err)
				}
				rounds = p.State.Round
				b.StartTimer()
				if err := p.Carry(feed.Without(c.seat)); err != nil {
					b.Fatal(err)
				}
				if err := p.Until(playsTurn); err != nil {
					b.Fatal(err)
				}
				rounds = p.State.Round - rounds
			}
			b.ReportMetric(float64(rounds), "rounds")
		})
	}
}

// playsTurn is where a player is to ask or accuse.
func playsTurn(s *table.State) bool { return s.Stage == table.Playing && s.Phase() == rules.Turn }
