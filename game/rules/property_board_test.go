package rules_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/board"
	"alibi/game/rules"
)

// games are the editions that the rules can play.
func games() []*rules.Edition { return rules.Played() }

// drawBoard puts weapons and tokens on the board: in half of the games the tokens
// are in rooms and before doors already, where most of it happens.
func (g *table) drawBoard(t *rapid.T, e *rules.Edition, o rules.Options, seats int, gone []bool) {
	p, err := rules.StartBoard(e, o, seats, gone, rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "rooms"))
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "scattered") {
		places := []board.Place{}
		for _, d := range board.Doors() {
			places = append(places, board.On(d.Outside))
		}
		for range board.Suspects { // often the same room
			places = append(places, board.In(board.Room(rapid.IntRange(0, board.Rooms-1).Draw(t, "room"))))
		}
		copy(p.Board.Tokens[:], rapid.Permutation(places).Draw(t, "tokens"))
	}
	g.p, g.twin.tokens, g.twin.weapons = p, p.Board.Tokens, p.Board.Weapons
}

// accuses decides on an accusation. A turn on the board has up to three chances.
func (g *table) accuses(t *rapid.T) bool {
	most := 9
	if g.p.Edition.Board && g.accuse < 10 {
		most = 49
	}
	return rapid.IntRange(0, most).Draw(t, "turn") < g.accuse
}

// drawBoardAct draws what the active player might say on the board.
func (g *table) drawBoardAct(t *rapid.T, seat int) rules.Act {
	e := g.p.Edition
	if g.p.Phase != rules.Picking && g.p.Phase != rules.Moving && g.accuses(t) {
		g.drawGuess(t, seat)
		return rules.Charge{Cards: slices.Clone(g.guesses[seat])}
	}
	suggestion := rules.Suggest{
		Suspect: rapid.SampledFrom(e.Of(rules.Suspect)).Draw(t, "suspect"),
		Weapon:  rapid.SampledFrom(e.Of(rules.Weapon)).Draw(t, "weapon"),
	}
	var can []rules.Act
	switch g.p.Phase {
	case rules.Picking:
		for _, c := range e.Of(rules.Suspect) {
			can = append(can, rules.Pick{Suspect: c})
		}
	case rules.Turn:
		can = []rules.Act{rules.Roll{}, rules.Passage{}, suggestion}
	case rules.Moving:
		m := g.p.Moves()
		for _, r := range m.Rooms {
			can = append(can, rules.Move{To: board.In(r)})
		}
		if len(m.Rooms) == 0 || rapid.IntRange(0, 3).Draw(t, "corridor") == 0 {
			for _, s := range m.Squares {
				can = append(can, rules.Move{To: board.On(s)})
			}
		}
	case rules.Suggesting:
		can = []rules.Act{suggestion, suggestion, suggestion, rules.End{}}
	default:
		can = []rules.Act{rules.End{}}
	}
	can = slices.DeleteFunc(can, func(a rules.Act) bool { return g.p.Legal(seat, a) != nil })
	if len(can) == 0 {
		t.Fatalf("%s: seat %d can say nothing", g.p.Phase, seat)
	}
	return rapid.SampledFrom(can).Draw(t, "act")
}

func (g *table) drawGuess(t *rapid.T, seat int) {
	g.guesses[seat] = drawSolution(t, g.p.Edition, "guess")
	if rapid.IntRange(0, 2).Draw(t, "right") == 0 {
		g.guesses[seat] = g.crime
	}
}

func (g *table) drawDice(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 6), g.p.Options.Dice(), g.p.Options.Dice()).Draw(t, "dice")
}

func anyBoardAct() *rapid.Generator[rules.Act] {
	number := rapid.IntRange(-2, 22)
	card := rapid.Map(number, func(n int) rules.Card { return rules.Card(n) })
	at := rapid.Custom(func(t *rapid.T) board.Place {
		room, square := board.Room(rapid.IntRange(-2, 10).Draw(t, "room")), rapid.SampledFrom(board.Squares()).Draw(t, "square")
		if rapid.IntRange(0, 9).Draw(t, "both") == 0 {
			return board.Place{Room: room, Square: square}
		}
		return rapid.SampledFrom([]board.Place{board.On(square), board.In(room)}).Draw(t, "place")
	})
	return rapid.OneOf(
		rapid.Map(card, func(c rules.Card) rules.Act { return rules.Pick{Suspect: c} }),
		rapid.Map(at, func(p board.Place) rules.Act { return rules.Move{To: p} }),
		rapid.Custom(func(t *rapid.T) rules.Act {
			return rules.Suggest{Suspect: card.Draw(t, "suspect"), Weapon: card.Draw(t, "weapon")}
		}),
		rapid.Map(rapid.SliceOfN(card, 0, 4), func(c []rules.Card) rules.Act { return rules.Charge{Cards: c} }),
		rapid.Custom(func(t *rapid.T) rules.Act { return rules.Charge{Cards: drawSolution(t, rules.Classic(), "charge")} }),
		rapid.SampledFrom([]rules.Act{rules.Roll{}, rules.Passage{}, rules.End{}, &rules.Roll{}, (*rules.Suggest)(nil)}),
	)
}

// checkBoard checks what always holds on the board.
func checkBoard(t *rapid.T, q *rules.Position) {
	if (q.Board != nil) != q.Edition.Board {
		t.Fatalf("%s with the board %+v", q.Edition.Name, q.Board)
	}
	if q.Board == nil {
		return
	}
	b, taken := q.Board, map[board.Square]bool{}
	for i, at := range b.Tokens {
		switch {
		case at.Room != board.Nowhere:
			if at != board.In(at.Room) || at.Room < 0 || at.Room >= board.Rooms {
				t.Fatalf("token %d is in the room %+v", i, at)
			}
		case !board.Corridor(at.Square) || taken[at.Square]:
			t.Fatalf("token %d is on %+v, which is no corridor or taken", i, at.Square)
		}
		taken[at.Square] = at.Room == board.Nowhere
	}
	for i, r := range b.Weapons {
		if r < 0 || r >= board.Rooms {
			t.Fatalf("weapon %d is in the room %d", i, r)
		}
	}
	if q.Result != nil {
		return
	}
	for s, c := range b.Suspects {
		retired := q.Out[s] || q.Gone[s]
		if b.Called[s] && (retired || b.Tokens[c].Room == board.Nowhere) {
			t.Fatalf("seat %d may stay at %+v, out %v, gone %v", s, b.Tokens[c], q.Out[s], q.Gone[s])
		}
		if !retired || c == rules.Unpicked {
			continue
		}
		for _, d := range board.Doors() {
			if b.Tokens[c] == board.On(d.Outside) {
				t.Fatalf("seat %d has no more turns and keeps a door of room %d shut", s, d.Room)
			}
		}
	}
}

// TestBoardGamesEnd plays long games on the board to their end. A turn always
// passes: it has one round for each phase at most, and one for each answer.
func TestBoardGamesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTableOf(t, rules.Classic())
		patience := rapid.IntRange(0, 60).Draw(t, "patience")
		steady := rapid.IntRange(20, 400).Draw(t, "steady")
		turn, rounds := 0, 0
		for g.p.Phase != rules.Over {
			if g.p.Turns > patience {
				g.accuse = 10
			}
			if limit := patience + len(g.p.Out); g.p.Turns > limit {
				t.Fatalf("turn %d of a game that must end by turn %d", g.p.Turns, limit)
			}
			if g.p.Turns != turn {
				turn, rounds = g.p.Turns, 0
			}
			if rapid.IntRange(0, steady).Draw(t, "leaves") == steady {
				g.leave(t)
				rounds -= 2 // the round that is done again, and Laying
				continue
			}
			if rounds++; rounds > 10+2*len(g.p.Out) {
				t.Fatalf("turn %d is still in %s after %d rounds", turn, g.p.Phase, rounds)
			}
			g.play(t, g.drawRound(t))
		}
		g.checkEnd(t)
	})
}
