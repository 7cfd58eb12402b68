package rules_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/rules"
)

// table is a game in play beside its dumb twin, with what only the envelope
// and the accusers know.
type table struct {
	p       *rules.Position
	twin    *referee
	crime   []rules.Card
	guesses map[int][]rules.Card
	accuse  int // of ten turns, so many are accusations
	join    int // of ten players who may join, so many do
	stay    int // so many seats never leave
}

func drawTable(t *rapid.T) *table {
	return drawTableOf(t, rapid.SampledFrom(games()).Draw(t, "edition"))
}

func drawTableOf(t *rapid.T, e *rules.Edition) *table {
	o := rules.Options{
		First:    rapid.SampledFrom(rules.FirstChoices).Draw(t, "first"),
		Order:    rapid.SampledFrom(rules.OrderChoices).Draw(t, "order"),
		Last:     rapid.SampledFrom(rules.LastChoices).Draw(t, "last"),
		Notebook: rules.NotebookChoices[0],
	}
	if e.Board {
		o.TwoDice, o.FreeDoors = rapid.Bool().Draw(t, "two dice"), rapid.Bool().Draw(t, "free doors")
	}
	seats := rapid.IntRange(e.MinSeats, e.MaxSeats).Draw(t, "seats")
	lot := rapid.IntRange(0, seats-1).Draw(t, "lot")
	stay := rapid.IntRange(1, seats).Draw(t, "stay")
	early := drawLeavers(t, seats, seats-stay)
	gone := make([]bool, seats)
	for _, s := range early {
		gone[s] = true
	}
	if len(early) == 0 && rapid.Bool().Draw(t, "no list") {
		gone = nil
	}
	g := &table{
		twin:    &referee{edition: e, options: o, seats: seats, early: early, lot: lot},
		stay:    stay,
		crime:   drawSolution(t, e, "crime"),
		guesses: map[int][]rules.Card{},
		accuse:  rapid.IntRange(1, 9).Draw(t, "accuse"),
		join:    rapid.IntRange(0, 4).Draw(t, "join"),
	}
	if e.Board {
		g.drawBoard(t, e, o, seats, gone)
	} else {
		g.p = rules.Start(e, o, seats, gone, lot)
	}
	return g
}

func drawSolution(t *rapid.T, e *rules.Edition, label string) (out []rules.Card) {
	for c := range e.CategoryCount {
		out = append(out, rapid.SampledFrom(e.Of(rules.Category(c))).Draw(t, label))
	}
	return out
}

// drawRound draws what honest players might say now.
func (g *table) drawRound(t *rapid.T) round {
	var r round
	proposal := rapid.Permutation(g.accusers()).Draw(t, "proposal")
	for _, s := range g.p.Speakers() {
		r.said = append(r.said, rules.Said{Seat: s, Act: g.drawAct(t, s, proposal)})
	}
	switch g.p.Phase {
	case rules.Casting:
		r.facts.Lot = rapid.Permutation(g.twin.everyone()).Draw(t, "lot")
	case rules.Revealing:
		r.facts.Crime = slices.Clone(g.crime)
	case rules.Rolling:
		r.facts.Dice = g.drawDice(t)
	}
	return r
}

func (g *table) accusers() []int {
	if g.p.Accusation == nil {
		return nil
	}
	return g.p.Accusation.Order
}

func (g *table) drawAct(t *rapid.T, seat int, proposal []int) rules.Act {
	switch g.p.Phase {
	case rules.Picking, rules.Moving, rules.Suggesting, rules.Closing:
		return g.drawBoardAct(t, seat)
	case rules.Voting:
		return rules.Vote{For: rapid.SampledFrom(g.p.Present()).Draw(t, "vote")}
	case rules.Turn:
		if g.p.Edition.Board {
			return g.drawBoardAct(t, seat)
		}
		if g.accuses(t) {
			return rules.Accuse{}
		}
		n := len(g.p.Edition.Cards)
		a := rapid.IntRange(0, n-1).Draw(t, "asked")
		b := (a + rapid.IntRange(1, n-1).Draw(t, "other")) % n
		return rules.Ask{Cards: []rules.Card{rules.Card(a), rules.Card(b)}}
	case rules.Answering:
		if rapid.Bool().Draw(t, "shows") {
			return rules.Show{}
		}
		return rules.Deny{}
	case rules.Sealing:
		return rules.Seal{}
	case rules.Unsealing:
		return rules.Unseal{Join: rapid.IntRange(0, 9).Draw(t, "joins") < g.join}
	case rules.Ordering:
		if rapid.IntRange(0, 5).Draw(t, "agrees") > 0 {
			return rules.Order{Seats: slices.Clone(proposal)}
		}
		return rules.Order{Seats: rapid.Permutation(g.accusers()).Draw(t, "order")}
	case rules.Guessing:
		g.drawGuess(t, seat)
		return rules.Guess{}
	case rules.Judging:
		if right := slices.Equal(g.guesses[seat], g.crime); g.p.Edition.Board {
			return rules.Verdict{Right: right}
		} else if right {
			return rules.Verdict{Right: true, Cards: slices.Clone(g.guesses[seat])}
		}
		return rules.Verdict{}
	case rules.Disclosing:
		return rules.Disclose{Cards: slices.Clone(g.guesses[seat])}
	case rules.Farewell:
		return rules.Leave{Opened: rapid.Bool().Draw(t, "opened")}
	default:
		return rules.Help{}
	}
}

// play plays a round that must be legal.
func (g *table) play(t *rapid.T, r round) {
	before := snapshot(g.p)
	if m, moves := r.said[0].Act.(rules.Move); moves && !g.twin.allows(r.said[0].Seat, m) {
		t.Fatalf("the referee allows no move to %+v", m.To)
	}
	q, err := g.p.Play(r.said, r.facts)
	if err != nil {
		t.Fatalf("%s: legal round %+v refused: %v", g.p.Phase, r, err)
	}
	if after := snapshot(g.p); after != before {
		t.Fatalf("Play changed its receiver\nfrom %s\nto   %s", before, after)
	}
	g.twin.heard = append(g.twin.heard, copyRound(r))
	g.follows(t, q)
	g.p = q
	held := snapshot(q)
	scribble(r)
	if snapshot(q) != held {
		t.Fatalf("the position shares memory with its caller's %T", r.said[0].Act)
	}
	g.compare(t)
}

func (g *table) compare(t *rapid.T) {
	if got, want := fmt.Sprintf("%+v", sheetOf(g.p)), fmt.Sprintf("%+v", g.twin.look()); got != want {
		t.Fatalf("after %d rounds\nposition: %s\nreferee:  %s", len(g.twin.heard), got, want)
	}
}

// copyRound is a deep copy; scribble then ruins the original.
func copyRound(r round) round {
	c := round{left: slices.Clone(r.left), facts: rules.Facts{Crime: slices.Clone(r.facts.Crime), Lot: slices.Clone(r.facts.Lot), Dice: slices.Clone(r.facts.Dice)}}
	for _, s := range r.said {
		switch a := s.Act.(type) {
		case rules.Ask:
			s.Act = rules.Ask{Cards: slices.Clone(a.Cards)}
		case rules.Order:
			s.Act = rules.Order{Seats: slices.Clone(a.Seats)}
		case rules.Charge:
			s.Act = rules.Charge{Cards: slices.Clone(a.Cards)}
		case rules.Verdict:
			s.Act = rules.Verdict{Right: a.Right, Cards: slices.Clone(a.Cards)}
		case rules.Disclose:
			s.Act = rules.Disclose{Cards: slices.Clone(a.Cards)}
		}
		c.said = append(c.said, s)
	}
	return c
}

func scribble(r round) {
	for _, s := range r.said {
		v := reflect.ValueOf(s.Act)
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice {
				for k := range f.Len() {
					f.Index(k).SetInt(-77)
				}
			}
		}
	}
	for i := range r.facts.Crime {
		r.facts.Crime[i] = -77
	}
	for i := range r.facts.Lot {
		r.facts.Lot[i] = -77
	}
	for i := range r.facts.Dice {
		r.facts.Dice[i] = -77
	}
	clear(r.said)
}

// refuse offers a round that must be refused and leave everything as it was.
func (g *table) refuse(t *rapid.T, what string, r round) {
	before := snapshot(g.p)
	if q, err := g.p.Play(r.said, r.facts); err == nil || q != nil {
		t.Fatalf("%s: %s accepted: %+v", g.p.Phase, what, r)
	}
	if after := snapshot(g.p); after != before {
		t.Fatalf("%s: refusing %s changed the position\nfrom %s\nto   %s", g.p.Phase, what, before, after)
	}
}

// anyAct is one of all acts, sensible or not.
func anyAct(t *rapid.T) rules.Act {
	number := rapid.IntRange(-2, 17)
	card := rapid.Map(number, func(n int) rules.Card { return rules.Card(n) })
	some := rapid.SliceOfN(card, 0, 4)
	return rapid.OneOf(
		anyBoardAct(),
		rapid.Map(number, func(n int) rules.Act { return rules.Vote{For: n} }),
		rapid.Map(some, func(c []rules.Card) rules.Act { return rules.Ask{Cards: c} }),
		rapid.Map(rapid.SliceOfN(number, 0, 6), func(s []int) rules.Act { return rules.Order{Seats: s} }),
		rapid.Map(some, func(c []rules.Card) rules.Act { return rules.Verdict{Right: true, Cards: c} }),
		rapid.Map(some, func(c []rules.Card) rules.Act { return rules.Verdict{Cards: c} }),
		rapid.Map(some, func(c []rules.Card) rules.Act { return rules.Disclose{Cards: c} }),
		rapid.SampledFrom([]rules.Act{
			nil, rules.Accuse{}, rules.Deny{}, rules.Show{}, rules.Seal{}, rules.Unseal{}, rules.Unseal{Join: true},
			rules.Guess{}, rules.Help{}, rules.Leave{}, rules.Leave{Opened: true},
			&rules.Accuse{}, (*rules.Ask)(nil), // pointers satisfy Act, but are none of the acts
		}),
	).Draw(t, "act")
}

// TestTwin walks games of random legal play beside the referee, and offers
// everything else besides.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTable(t)
		g.compare(t)
		t.Repeat(map[string]func(*rapid.T){
			"play": func(t *rapid.T) {
				if g.p.Phase == rules.Over {
					t.Skip("over")
				}
				g.play(t, g.drawRound(t))
			},
			"leave":   g.leave,
			"abandon": g.abandon,
			"any act": func(t *rapid.T) {
				seat, a := rapid.IntRange(-1, 7).Draw(t, "seat"), anyAct(t)
				before := snapshot(g.p)
				err := g.p.Legal(seat, a)
				if allowed := g.twin.allows(seat, a); allowed != (err == nil) {
					t.Fatalf("%s: seat %d says %T%+v: Legal says %v, the referee %v", g.p.Phase, seat, a, a, err, allowed)
				}
				if snapshot(g.p) != before {
					t.Fatal("Legal changed the position")
				}
			},
			"broken round": func(t *rapid.T) {
				if g.p.Phase == rules.Over {
					g.refuse(t, "silence after the end", round{})
					g.refuse(t, "speech after the end", round{said: []rules.Said{{Seat: 0, Act: rules.Help{}}}})
					return
				}
				g.breakRound(t)
			},
		})
	})
}

// breakRound takes a legal round and breaks it in one place.
func (g *table) breakRound(t *rapid.T) {
	guesses := make(map[int][]rules.Card)
	for s, cs := range g.guesses {
		guesses[s] = cs
	}
	r := g.drawRound(t)
	g.guesses = guesses // nothing was said
	i := rapid.IntRange(0, len(r.said)-1).Draw(t, "place")
	g.refuse(t, "a missing act", round{said: slices.Delete(slices.Clone(r.said), i, i+1), facts: r.facts})
	g.refuse(t, "a repeated act", round{said: slices.Insert(slices.Clone(r.said), i, r.said[i]), facts: r.facts})
	if j := (i + 1) % len(r.said); i != j {
		swapped := slices.Clone(r.said)
		swapped[i], swapped[j] = swapped[j], swapped[i]
		g.refuse(t, "another order of seats", round{said: swapped, facts: r.facts})
	}
	if a := anyAct(t); !g.twin.allows(r.said[i].Seat, a) {
		wrong := slices.Clone(r.said)
		wrong[i].Act = a
		g.refuse(t, "an illegal act", round{said: wrong, facts: r.facts})
	}
	stranger := slices.Clone(r.said)
	stranger[i].Seat = len(g.p.Out)
	g.refuse(t, "an act of no seat", round{said: stranger, facts: r.facts})
	switch g.p.Phase {
	case rules.Casting, rules.Revealing, rules.Rolling:
		g.refuse(t, "no facts", round{said: r.said})
		r.facts.Lot, r.facts.Crime, r.facts.Dice = append(r.facts.Lot, 0), append(r.facts.Crime, 0), append(r.facts.Dice, 1)
		g.refuse(t, "more facts than fit", r)
	}
}

// TestGamesEnd plays whole games in which everybody asks for a while and then
// only accuses. From then on every turn ends the game or puts a player out, be
// it that they were wrong or left.
func TestGamesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTable(t)
		patience := rapid.IntRange(0, 12).Draw(t, "patience")
		steady := rapid.IntRange(1, 40).Draw(t, "steady")
		for g.p.Phase != rules.Over {
			if g.p.Turns > patience {
				g.accuse = 10
			}
			if limit := patience + len(g.p.Out); g.p.Turns > limit {
				t.Fatalf("turn %d of a game that must end by turn %d", g.p.Turns, limit)
			}
			if rapid.IntRange(0, steady).Draw(t, "leaves") == steady {
				g.leave(t)
				continue
			}
			g.play(t, g.drawRound(t))
		}
		g.checkEnd(t)
	})
}
