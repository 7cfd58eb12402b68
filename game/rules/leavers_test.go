package rules_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/rules"
)

// drawLeavers draws up to so many of the seats, often none.
func drawLeavers(t *rapid.T, seats, most int) []int {
	n := max(0, rapid.IntRange(-2, most).Draw(t, "leavers"))
	if n > most {
		return nil
	}
	all := make([]int, seats)
	for s := range all {
		all[s] = s
	}
	return slices.Clone(rapid.Permutation(all).Draw(t, "who")[:n])
}

// leave lets some of those leave who are still there, though never all.
func (g *table) leave(t *rapid.T) {
	present := g.p.Present()
	if g.p.Phase == rules.Over || len(present) <= g.stay {
		g.idle(t)
		return
	}
	n := rapid.IntRange(1, len(present)-g.stay).Draw(t, "leaving")
	leavers := slices.Clone(rapid.Permutation(present).Draw(t, "leavers")[:n])
	q := g.depart(t, leavers)
	g.twin.heard = append(g.twin.heard, round{left: leavers})
	for _, s := range leavers {
		if !q.Gone[s] {
			t.Fatalf("%s: %v left, gone are %v", g.p.Phase, leavers, q.Gone)
		}
	}
	want := rules.Laying
	if settled(g.p) {
		want = g.p.Phase
	} else if q.Result != nil {
		want = rules.Revealing
	}
	if q.Phase != want {
		t.Fatalf("%s: %v left, and what follows is %s, want %s", g.p.Phase, leavers, q.Phase, want)
	}
	if q.Phase == rules.Laying && snapshot(q.Before.Depart(q.Laid)) != snapshot(q) {
		t.Fatalf("%v left one after the other, which is not as if they had left at once", q.Laid)
	}
	g.follows(t, q)
	g.p = q
	g.compare(t)
}

// TestAllLeave empties the table in every phase: nobody is there to wait for.
func TestAllLeave(t *testing.T) {
	seen := map[rules.Phase]bool{}
	rapid.Check(t, func(t *rapid.T) {
		g := drawTable(t)
		for g.p.Phase != rules.Over {
			seen[g.p.Phase] = true
			q := g.depart(t, g.twin.everyone())
			want := rules.Result{Winner: rules.Nobody, Reason: rules.Abandoned}
			if g.p.Result != nil {
				want = *g.p.Result
			}
			if q.Phase != rules.Over || *q.Result != want || len(q.Present()) > 0 {
				t.Fatalf("%s: all left, and it is %s with %+v", g.p.Phase, q.Phase, *q.Result)
			}
			if rapid.IntRange(0, 9).Draw(t, "leaves") == 9 {
				g.leave(t)
				continue
			}
			g.play(t, g.drawRound(t))
		}
	})
	for p := rules.Voting; p <= rules.Closing; p++ {
		if !seen[p] && p != rules.Over {
			t.Errorf("nobody left in %s", p)
		}
	}
}

// TestNoListOfTheGone takes a position that was made without one.
func TestNoListOfTheGone(t *testing.T) {
	p := &rules.Position{Edition: edition(t, "card"), Options: rules.DefaultOptions(), Phase: rules.Turn, Out: make([]bool, 3)}
	if got := p.Present(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("present are %v", got)
	}
	if err := p.Legal(0, rules.Accuse{}); err != nil {
		t.Error(err)
	}
	if got := p.Depart([]int{0}); !slices.Equal(got.Speakers(), []int{1, 2}) || got.Active != 1 {
		t.Errorf("seat 0 left: %+v", got)
	}
}

// settled reports whether no hand needs to be laid any more.
func settled(p *rules.Position) bool {
	return p.Phase == rules.Revealing || p.Phase == rules.Farewell || p.Phase == rules.Over
}

// depart calls Depart, which must neither change nor share anything.
func (g *table) depart(t *rapid.T, seats []int) *rules.Position {
	before, args := snapshot(g.p), slices.Clone(seats)
	q := g.p.Depart(args)
	if after := snapshot(g.p); after != before {
		t.Fatalf("Depart changed its receiver\nfrom %s\nto   %s", before, after)
	}
	held := snapshot(q)
	for i := range args {
		args[i] = -77
	}
	if snapshot(q) != held {
		t.Fatal("the position shares memory with the caller's seats")
	}
	return q
}

// idle departs with seats that are gone or are none, which is nothing.
func (g *table) idle(t *rapid.T) {
	seats := []int{-1, len(g.p.Out), 1 << 40}
	for s, gone := range g.p.Gone {
		if gone || g.p.Phase == rules.Over {
			seats = append(seats, s)
		}
	}
	if q := g.depart(t, seats); snapshot(q) != snapshot(g.p) {
		t.Fatalf("%s: nobody left, but\nfrom %s\nto   %s", g.p.Phase, snapshot(g.p), snapshot(q))
	}
}

// abandon looks at the end that all present could agree on now.
func (g *table) abandon(t *rapid.T) {
	before := snapshot(g.p)
	q := g.p.Abandon()
	if snapshot(g.p) != before {
		t.Fatal("Abandon changed its receiver")
	}
	if q.Phase != rules.Over || len(q.Speakers()) > 0 {
		t.Fatalf("abandoned, but %s for %v", q.Phase, q.Speakers())
	}
	want := g.p.Result
	if want == nil {
		want = &rules.Result{Winner: rules.Nobody, Reason: rules.Abandoned}
	}
	if !reflect.DeepEqual(q.Result, want) {
		t.Fatalf("abandoned with %+v, want %+v", q.Result, want)
	}
	if q.Laid != nil || q.After != 0 || q.Before != nil || q.Question != nil || g.p.Result == nil && q.Accusation != nil {
		t.Fatalf("abandoned, but %s", snapshot(q))
	}
}

// follows checks what holds for a position after another whoever leaves.
func (g *table) follows(t *rapid.T, q *rules.Position) {
	p := g.p
	checkBoard(t, q)
	present := func(what string, seats ...int) {
		for _, s := range seats {
			if q.Gone[s] {
				t.Fatalf("%s: seat %d is gone and %s", q.Phase, s, what)
			}
		}
	}
	if who := q.Speakers(); (len(who) == 0) != (q.Phase == rules.Over) {
		t.Fatalf("%s is for %v", q.Phase, who)
	}
	present("speaks", q.Speakers()...)
	present("is still in", q.In(0)...)
	if !settled(q) {
		present("has the turn", q.Active)
		if q.Question != nil {
			present("is in a question", q.Question.Asker, q.Question.Responder)
		}
		if a := q.Accusation; a != nil {
			present("accuses", append(slices.Clone(a.Order), a.Accuser)...)
		}
	}
	if a := q.Accusation; a != nil && a.Alone() && (q.Phase == rules.Disclosing || q.Phase == rules.Revealing && q.Result == nil) {
		t.Fatalf("%s: %v accuse alone", q.Phase, a.Order)
	}
	if (q.Phase == rules.Laying) != (len(q.Laid) > 0) || q.Phase != rules.Laying && (q.After != 0 || q.Before != nil) {
		t.Fatalf("%s of %v, then %s", q.Phase, q.Laid, q.After)
	}
	if p.Phase == rules.Laying && slices.Equal(p.Gone, q.Gone) {
		then := *p
		then.Phase, then.Laid, then.After, then.Before = p.After, nil, 0, nil
		if snapshot(q) != snapshot(&then) {
			t.Fatalf("hands were laid\nfrom %s\nto   %s", snapshot(p), snapshot(q))
		}
	}
	switch {
	case q.Result == nil:
	case p.Result == nil:
		if w := q.Result.Winner; w != rules.Nobody && (q.Gone[w] || q.Out[w]) {
			t.Fatalf("seat %d won and is gone or out", w)
		}
	case *p.Result != *q.Result:
		t.Fatalf("the result was %+v and is %+v", p.Result, q.Result)
	}
}

// checkEnd checks the result against what really happened.
func (g *table) checkEnd(t *rapid.T) {
	r := g.p.Result
	if !slices.Equal(g.p.Crime, g.crime) {
		t.Fatalf("Crime cards %v, revealed %v", g.crime, g.p.Crime)
	}
	in := slices.DeleteFunc(g.twin.everyone(), func(s int) bool { return g.p.Out[s] || s != r.Winner && g.p.Gone[s] })
	switch r.Reason {
	case rules.RightAlone, rules.RightFirst:
		if !slices.Equal(g.guesses[r.Winner], g.crime) || g.p.Out[r.Winner] {
			t.Fatalf("seat %d won with %v, Crime cards %v", r.Winner, g.guesses[r.Winner], g.crime)
		}
	case rules.LastLeft:
		if g.p.Options.Last != "wins" || !slices.Equal(in, []int{r.Winner}) {
			t.Fatalf("seat %d won as the last of %v", r.Winner, in)
		}
	case rules.EveryoneOut:
		if len(in) > 0 || r.Winner != rules.Nobody {
			t.Fatalf("everyone is out, but %v", in)
		}
	case rules.AllWrong:
		if r.Winner != rules.Nobody || g.p.Accusation.Alone() || !g.p.Accusation.Open {
			t.Fatalf("no accusation was right, but %+v", r)
		}
		for _, s := range g.p.Accusation.Order {
			if slices.Equal(g.guesses[s], g.crime) {
				t.Fatalf("seat %d was right and did not win", s)
			}
		}
	default:
		t.Fatalf("a game played to the end has the result %+v", r)
	}
}
