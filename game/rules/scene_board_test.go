package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alibi/game/board"
	"alibi/game/rules"
)

// startBoardScene starts a scene of the classic game. rooms are where the weapons
// lie, in deck order; with picks, which are by seat, the picking is over.
func startBoardScene(t *testing.T, e *rules.Edition, o rules.Options, seats int, gone []bool, rooms, picks []string) *rules.Position {
	t.Helper()
	var lot []int
	for _, key := range rooms {
		r, ok := board.ByKey(key)
		if !ok {
			t.Fatalf("no room %q", key)
		}
		lot = append(lot, int(r))
	}
	for r := range board.Rooms {
		if !slices.Contains(lot, r) {
			lot = append(lot, r)
		}
	}
	p, err := rules.StartBoard(e, o, seats, gone, lot)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards(t, e, picks) {
		if p, err = p.Play([]rules.Said{{Seat: p.Active, Act: rules.Pick{Suspect: c}}}, rules.Facts{}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// place puts a token somewhere, so that a scene need not walk it there.
func place(t *testing.T, p *rules.Position, token, at string) *rules.Position {
	t.Helper()
	q, b := *p, *p.Board
	q.Board = &b
	b.Tokens[cards(t, p.Edition, []string{token})[0]] = readPlace(t, at)
	return &q
}

// readPlace reads a room's key or a square, 7,12. "hall@1,1" is a room with a
// square, which is no place.
func readPlace(t *testing.T, s string) board.Place {
	t.Helper()
	room, square, both := strings.Cut(s, "@")
	if r, ok := board.ByKey(room); ok && both {
		return board.Place{Room: r, Square: readPlace(t, square).Square}
	} else if ok {
		return board.In(r)
	}
	xy := numbers(t, strings.Split(s, ","))
	return board.On(board.Square{X: xy[0], Y: xy[1]})
}

func readBoardAct(t *testing.T, e *rules.Edition, verb string, args []string) rules.Act {
	t.Helper()
	switch verb {
	case "picks":
		return rules.Pick{Suspect: cards(t, e, args)[0]}
	case "rolls":
		return rules.Roll{}
	case "takes-the-passage":
		return rules.Passage{}
	case "moves":
		return rules.Move{To: readPlace(t, args[0])}
	case "suggests":
		cs := cards(t, e, args)
		return rules.Suggest{Suspect: cs[0], Weapon: cs[1]}
	case "charges":
		return rules.Charge{Cards: cards(t, e, args)}
	case "ends":
		return rules.End{}
	}
	t.Fatalf("unknown verb %q", verb)
	return nil
}

func placeName(at board.Place) string {
	if at.Room == board.Nowhere {
		return fmt.Sprintf("%d,%d", at.Square.X, at.Square.Y)
	}
	return at.Room.Key()
}

// describeTurn says who may stay and what the dice allow.
func describeTurn(p *rules.Position) (out []string) {
	for s, called := range p.Board.Called {
		if called {
			out = append(out, fmt.Sprintf("%d was called", s))
		}
	}
	if p.Board.Dice == nil {
		return out
	}
	to := ""
	if m := p.Moves(); !m.None() {
		to = fmt.Sprintf(" to %d squares", len(m.Squares))
		for _, r := range m.Rooms {
			to += ", " + r.Key()
		}
	}
	return append(out, "dice "+list(p.Board.Dice)+to)
}

// describeBoard says where the tokens are, by seat and then those that nobody
// plays and that are not on their starts, and where the weapons lie in deck order.
func describeBoard(p *rules.Position) string {
	var players, others, rooms []string
	for i, at := range p.Board.Tokens {
		who := slices.Index(p.Board.Suspects, rules.Card(i))
		name := p.Edition.Cards[i].Key + " " + placeName(at)
		if who >= 0 {
			players = append(players, fmt.Sprintf("%d %s", who, name))
		} else if at != board.On(board.Start(i)) {
			others = append(others, name)
		}
	}
	slices.Sort(players)
	for _, r := range p.Board.Weapons {
		rooms = append(rooms, r.Key())
	}
	return strings.Join(append(append(players, others...), "weapons "+strings.Join(rooms, " ")), "; ")
}
