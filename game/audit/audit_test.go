package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
)

func played(t testing.TB, seed, edition string, n int) *parlour.Table {
	t.Helper()
	p, err := parlour.New(seed, edition, n, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Play(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWholeGamesAreFairAndComplete(t *testing.T) {
	for _, edition := range rules.Editions() {
		for n := edition.MinSeats; n <= edition.MaxSeats; n++ {
			t.Run(fmt.Sprintf("%s-%d", edition.Name, n), func(t *testing.T) {
				t.Parallel()
				p := played(t, "whole", edition.Name, n)
				r, err := audit.Check(p.Charter, p.Log.Entries())
				if err != nil {
					t.Fatal(err)
				}
				if !r.Fair() || !r.Complete {
					t.Fatalf("findings %v, complete %v, faults %v, stage %v phase %v", r.Findings, r.Complete, p.State.Faults, r.State.Stage, r.State.Phase())
				}
				if r.Replay == nil || !r.Replay.Whole {
					t.Fatal("bots open their keys, yet there is no whole replay")
				}
				checkWinner(t, p, r)
			})
		}
	}
}

func checkWinner(t *testing.T, p *parlour.Table, r *audit.Report) {
	t.Helper()
	res := r.State.Pos.Result
	if res.Winner == rules.Nobody || res.Reason == rules.LastLeft {
		t.Errorf("bots accuse only when sure, yet the result is %+v", res)
		return
	}
	guess := seat.Decrypt(r.State, r.State.Guess[res.Winner].Cards(), r.State.Opened[res.Winner])
	if !slices.Equal(guess, r.State.Pos.Crime) {
		t.Errorf("winner guessed %v, crime is %v", guess, r.State.Pos.Crime)
	}
}

func options(first, order, last string) rules.Options {
	o := rules.DefaultOptions()
	o.First, o.Order, o.Last = first, order, last
	return o
}
