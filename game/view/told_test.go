package view_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

var rewrite = flag.Bool("rewrite", false, "record the stories in testdata anew; read the diff")

// TestStories tells whole games from fixed seeds, line by line as a spectator
// hears it, with what the seat that sees more sees after a bar. That the story
// stays the same shows that nothing in the fold has changed by accident.
func TestStories(t *testing.T) {
	for _, s := range []struct {
		name    string
		edition string
		seats   int
		options rules.Options
		plan    func(v *view.View) seat.Action // nil action: as the bots like
	}{
		{"bots", "card", 3, rules.DefaultOptions(), func(*view.View) seat.Action { return nil }},
		{"alone", "card", 3, rules.DefaultOptions(), passing},
		{"joined", "card-advanced", 4, rules.Options{First: "vote", Order: "random", Last: "wins", Notebook: "auto"}, joining},
		{"everyone-out", "card", 2, rules.Options{First: "opener", Order: "left", Last: "plays-on", Notebook: "auto"}, rash},
		{"last-left", "card", 2, rules.Options{First: "opener", Order: "left", Last: "wins", Notebook: "auto"}, rash},
	} {
		t.Run(s.name, func(t *testing.T) {
			p := newTable(t, "story "+s.name, s.edition, s.seats, s.options)
			for more := true; more; {
				var err error
				more, err = p.RoundWith(func(i int) seat.Action {
					v := view.For(p.State, p.Seats[i])
					if a := s.plan(v); a != nil {
						return a
					}
					return p.Bots[i].Decide(v)
				})
				if err != nil || p.State.Stopped() {
					t.Fatal(err, p.State.Faults)
				}
			}
			file := "testdata/" + s.name + ".txt"
			got := tell(p.State, p.Seats)
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, string(want), got)
		})
	}
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			t.Fatalf("line %d\nrecorded: %s\ntold:     %s", i+1, strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""), strings.Join(g[min(i, len(g)):min(i+1, len(g))], ""))
		}
	}
}

// rash accuses at once, of the first card of each category.
func rash(v *view.View) seat.Action {
	switch {
	case v.Choices.Turn:
		return seat.Accuse{}
	case v.Choices.Join:
		return seat.Pass{}
	case v.Choices.Guess:
		return seat.Guess{Cards: []rules.Card{0, 6, v.Edition.Of(rules.Location)[0]}}
	case v.Choices.Leave:
		return seat.Leave{Open: v.Me == 0}
	}
	return nil
}

// passing joins nobody.
func passing(v *view.View) seat.Action {
	if v.Choices.Join {
		return seat.Pass{}
	}
	return nil
}

// joining lets the third turn accuse and everybody join.
func joining(v *view.View) seat.Action {
	switch {
	case v.Choices.Turn && v.Turns == 3:
		return seat.Accuse{}
	case v.Choices.Join:
		return seat.Join{}
	case v.Choices.Leave:
		return seat.Leave{}
	}
	return nil
}

var told = [...]string{"shuffled", "dealt, face up:", "begins", "votes for", "asks about", "has none of", "shows one to", "nobody could show", "accuses",
	"joins", "passes", "accuse in this order:", "has fixed a guess", "has seen the Crime cards", "was wrong", "was right:", "had guessed", "the Crime cards are",
	"the end:", "opened its key", "kept its key"}

func tell(st *table.State, seats []*seat.Seat) string {
	var b strings.Builder
	open := view.For(st, nil)
	name := func(cards []rules.Card) (out []string) {
		for _, c := range cards {
			out = append(out, st.Edition.Cards[c].Key)
		}
		return out
	}
	fmt.Fprintf(&b, "words: %s\n", strings.Join(open.Words[:], " "))
	for i, s := range seats {
		fmt.Fprintf(&b, "seat %d holds %s\n", i, strings.Join(name(s.Hand(st)), " "))
	}
	for k, l := range open.Lines {
		fmt.Fprintf(&b, "%3d: seat %d %s", l.Round, l.Seat, told[l.Kind])
		switch l.Kind {
		case table.Voted:
			fmt.Fprintf(&b, " seat %d", l.To)
		case table.Ordered:
			fmt.Fprintf(&b, " %v", l.Seats)
		case table.Ended:
			fmt.Fprintf(&b, " seat %d wins, reason %d", l.Result.Winner, l.Result.Reason)
		case table.Showed:
			fmt.Fprintf(&b, " seat %d", l.To)
		}
		if len(l.Cards) > 0 {
			fmt.Fprintf(&b, " %s", strings.Join(name(l.Cards), " "))
		}
		if l.Kind == table.Showed {
			for i, s := range seats {
				if c := view.For(st, s).Lines[k].Card; c != view.Hidden && st.Opened[l.To] == nil {
					fmt.Fprintf(&b, " | seat %d alone sees %s", i, st.Edition.Cards[c].Key)
				}
			}
			if l.Card != view.Hidden {
				fmt.Fprintf(&b, " | it was %s", st.Edition.Cards[l.Card].Key)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
