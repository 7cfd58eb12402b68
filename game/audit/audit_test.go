package audit_test

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

var games = flag.Int("games", 40, "how many whole games to play and audit")

func options(first, order, last string) rules.Options {
	o := rules.DefaultOptions()
	o.First, o.Order, o.Last = first, order, last
	return o
}

// setting is one of the ways to sit down: every edition, number of seats and
// option comes round.
func setting(i int) (e *rules.Edition, seats int, o rules.Options, rash bool) {
	e = rules.Editions()[i%2]
	seats = e.MinSeats + (i/2)%(e.MaxSeats-e.MinSeats+1)
	return e, seats, options(rules.FirstChoices[i%3], rules.OrderChoices[(i/3)%3], rules.LastChoices[(i/5)%2]), i%4 >= 2
}

// rashly plays like a bot, but now and then accuses or joins without knowing,
// so that wrong accusations, alone and joined, happen too.
func rashly(p *parlour.Table, d *draw) func(i int) seat.Action {
	return func(i int) seat.Action {
		v := view.For(p.State, p.Seats[i])
		switch {
		case v.Choices.Turn && d.below(8) == 0:
			return seat.Accuse{}
		case v.Choices.Join && d.below(4) == 0:
			return seat.Join{}
		}
		return p.Bots[i].Decide(v)
	}
}

// outcome is what the statistics are of.
type outcome struct {
	edition string
	seats   int
	crime   []rules.Card
	first   int
	drawn   bool // the first player was
	reason  rules.Reason
	rounds  uint32
	entries int
	proofs  int
}

// TestGamesAreFairAndComplete plays whole games: each ends, audits fair and
// complete, replays in the clear, and was won by nobody but with the right
// accusation. Over many games (-games 300) the Crime cards are as evenly spread
// as chance demands. Seeds are fixed, so a run either always passes or never.
func TestGamesAreFairAndComplete(t *testing.T) {
	var mu sync.Mutex
	var all []outcome
	t.Run("games", func(t *testing.T) {
		for i := range *games {
			e, n, o, rash := setting(i)
			t.Run(fmt.Sprintf("%d-%s-%d", i, e.Name, n), func(t *testing.T) {
				t.Parallel()
				got := wholeGame(t, fmt.Sprint("game ", i), e, n, o, rash)
				mu.Lock()
				all = append(all, got)
				mu.Unlock()
			})
		}
	})
	if !t.Failed() {
		report(t, all)
	}
}

func wholeGame(t *testing.T, seed string, e *rules.Edition, n int, o rules.Options, rash bool) outcome {
	t.Helper()
	p, err := parlour.New(seed, e.Name, n, o)
	if err != nil {
		t.Fatal(err)
	}
	first := -1
	d := drawing(seed)
	for {
		decide := func(i int) seat.Action { return p.Bots[i].Decide(view.For(p.State, p.Seats[i])) }
		if rash {
			decide = rashly(p, d)
		}
		more, err := p.RoundWith(decide)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		if first < 0 && p.State.Pos != nil && p.State.Phase() == rules.Turn {
			first = p.State.Pos.Active
		}
	}
	r, err := audit.Check(p.Charter, p.Log.Entries())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fair() || !r.Complete || r.Replay == nil || !r.Replay.Whole {
		t.Fatalf("findings %v, complete %v, faults %v, %s %s", r.Findings, r.Complete, p.State.Faults, r.State.Stage, r.State.Phase())
	}
	checkResult(t, r)
	return outcome{e.Name, n, r.State.Pos.Crime, first, o.First == "random", r.State.Pos.Result.Reason, r.State.Round, r.Entries, r.State.Proofs.Total()}
}

// checkResult holds the result against the Crime cards and everybody's guesses
// in the clear.
func checkResult(t *testing.T, r *audit.Report) {
	t.Helper()
	res, crime := r.State.Pos.Result, r.State.Pos.Crime
	right := func(i int) bool { return slices.Equal(r.Replay.Guesses[i], crime) }
	nobody := true
	for i := range r.State.Seats() {
		nobody = nobody && !right(i)
	}
	switch res.Reason {
	case rules.RightAlone, rules.RightFirst:
		if !right(res.Winner) {
			t.Errorf("seat %d won with %v, the crime is %v", res.Winner, r.Replay.Guesses[res.Winner], crime)
		}
		if res.Reason == rules.RightFirst {
			order := r.State.Pos.Accusation.Order
			if i := slices.IndexFunc(order, right); order[i] != res.Winner {
				t.Errorf("seat %d was right before seat %d", order[i], res.Winner)
			}
		}
	case rules.LastLeft:
		if _, guessed := r.Replay.Guesses[res.Winner]; guessed || !nobody {
			t.Errorf("seat %d is the last one left, guesses are %v", res.Winner, r.Replay.Guesses)
		}
	default:
		if res.Winner != rules.Nobody || !nobody {
			t.Errorf("seat %d won, guesses are %v, crime is %v", res.Winner, r.Replay.Guesses, crime)
		}
	}
	wrong := 0
	for _, e := range r.State.Story {
		if e.Kind == table.Wrong {
			wrong++
		}
	}
	if out := count(r.State.Pos.Out); out != wrong {
		t.Errorf("%d are out after %d wrong accusations", out, wrong)
	}
}

func count(of []bool) (n int) {
	for _, b := range of {
		if b {
			n++
		}
	}
	return n
}

func viewOf(p *parlour.Table, i int) *view.View { return view.For(p.State, p.Seats[i]) }
