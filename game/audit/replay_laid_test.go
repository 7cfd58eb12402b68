package audit

import (
	"slices"
	"testing"

	"alibi/game/rules"
	"alibi/game/table"
)

// lays has seat i leave in the middle of the game, its hand laid open.
func (g clearGame) lays(i int) {
	hand := g.hand(i)
	g.Laid, g.Gone = slices.Clone(g.Laid), slices.Clone(g.Gone)
	g.Laid[i], g.Gone[i], g.Opened[i] = hand, true, nil
}

// A hand that was laid open is held against what its player said, and against every
// other card that lies open, as one whose key was opened is.
func TestReplayFindsInLaidHands(t *testing.T) {
	found := func(seat int, check string) []Finding { return []Finding{{Seat: seat, Round: 77, Check: check}} }
	state := func(g clearGame, seat int, check string) []Finding {
		return []Finding{{Seat: seat, Round: g.Round, Check: check}}
	}
	for name, spoil := range map[string]func(g clearGame) []Finding{
		"nothing": func(clearGame) []Finding { return nil },
		"a no while holding a laid card": func(g clearGame) []Finding {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: []rules.Card{g.Pos.Crime[0], g.Laid[3][0]}})
			return found(3, checkDenied)
		},
		"an honest no": func(g clearGame) []Finding {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: []rules.Card{g.Pos.Crime[0], g.hand(4)[0]}})
			return nil
		},
		"a shown card that does not lie in the hand": func(g clearGame) []Finding {
			g.tells(table.Event{Kind: table.Showed, Seat: 3, To: 1, Cards: []rules.Card{g.Laid[3][0], g.Pos.Crime[0]}, Shown: g.card(1, g.Pos.Crime[0])})
			return found(3, checkShown)
		},
		"a shown card that lies in the hand": func(g clearGame) []Finding {
			g.tells(table.Event{Kind: table.Showed, Seat: 3, To: 1, Cards: []rules.Card{g.Laid[3][0], g.Pos.Crime[0]}, Shown: g.card(1, g.Laid[3][0])})
			return nil
		},
		"a no of another is not held against it": func(g clearGame) []Finding {
			g.tells(table.Event{Kind: table.Denied, Seat: 2, Cards: g.Laid[3]})
			return nil
		},
		"a laid card in another's hand": func(g clearGame) []Finding {
			g.keeps(0)
			g.holds(2, 0, g.card(2, g.Laid[3][1]))
			return state(g, 2, checkDouble)
		},
		"a laid card that is face up": func(g clearGame) []Finding {
			g.keeps(0)
			g.FaceUp[0] = g.Laid[3][0]
			return state(g, -1, checkDouble)
		},
		"a laid card that is a Crime card": func(g clearGame) []Finding {
			g.keeps(0)
			g.Laid[3] = []rules.Card{g.Pos.Crime[2], g.Laid[3][1]}
			return state(g, -1, checkDouble)
		},
		"a card laid twice": func(g clearGame) []Finding {
			g.keeps(0)
			g.Laid[3] = []rules.Card{g.Laid[3][1], g.Laid[3][1]}
			return state(g, -1, checkDouble)
		},
		"a laid card missing": func(g clearGame) []Finding {
			g.Laid[3] = g.Laid[3][:1]
			return state(g, -1, checkDealt)
		},
		"a laid card missing, while one kept the key": func(g clearGame) []Finding {
			g.keeps(0)
			g.Laid[3] = g.Laid[3][:1]
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := finished(t)
			g.lays(3)
			want := spoil(g)
			r := &Report{State: g.State}
			r.replay()
			if !slices.Equal(r.Findings, want) {
				t.Errorf("found %v, want %v", r.Findings, want)
			}
			if kept := g.Opened[0] == nil; r.Replay == nil || r.Replay.Whole == kept {
				t.Errorf("whole: %+v", r.Replay)
			}
		})
	}
}
