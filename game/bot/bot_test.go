package bot_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// Equal seeds and views give equal decisions; among many seeds some differ.
func TestDecisionsFollowFromSeedAndView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		v := w.seenBy(0, w.question(t, nil))
		v.Choices = view.Choices{Turn: true}
		v.Round = rapid.Uint32Max(1<<16-1).Draw(t, "round")
		seen := map[string]bool{}
		for s := range byte(20) {
			b := bot.Bot{Seed: [32]byte{s}}
			first := b.Decide(v)
			if !reflect.DeepEqual(first, b.Decide(v)) {
				t.Fatal("one seed, one view, two decisions")
			}
			if a, ok := first.(seat.Ask); ok {
				seen[string([]byte{byte(a.Cards[0]), byte(a.Cards[1])})] = true
			}
		}
		if len(seen) == 1 && len(bot.Solve(v).Unplaced()) > 3 {
			t.Fatal("twenty seeds, one question")
		}
	})
}

// A question is about unknown cards of different categories while there are
// some, and never about a card whose place is known while two are not.
func TestQuestionsAskWhatIsNotKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		var lines []view.Line
		for range rapid.IntRange(0, 8).Draw(t, "questions") {
			lines = w.question(t, lines)
		}
		v := w.seenBy(0, lines)
		v.Choices = view.Choices{Turn: true}
		a, ok := bot.Bot{}.Decide(v).(seat.Ask)
		if !ok {
			return
		}
		unknown := bot.Solve(v).Unplaced()
		asked := 0
		for _, c := range a.Cards {
			if slices.Contains(unknown, c) {
				asked++
			}
		}
		if asked != min(len(unknown), w.e.QuestionSize) {
			t.Fatalf("asks about %v, unknown are %v", a.Cards, unknown)
		}
		if asked == 1 && !slices.ContainsFunc(a.Cards, func(c rules.Card) bool {
			return slices.Contains(v.Hand, c) || slices.Contains(v.FaceUp, c)
		}) {
			t.Fatalf("fills up %v with a card that others can show", a.Cards)
		}
		apart := slices.ContainsFunc(unknown, func(c rules.Card) bool {
			return w.e.Cards[c].Category != w.e.Cards[unknown[0]].Category
		})
		if apart && w.e.Cards[a.Cards[0]].Category == w.e.Cards[a.Cards[1]].Category {
			t.Fatalf("asks about %v of one category, unknown are %v", a.Cards, unknown)
		}
	})
}

// Bots that ask one another come to the solution: here by their views alone.
func TestBotsSolveTheCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		var lines []view.Line
		for round := range uint32(400) {
			me := int(round) % len(w.hands)
			v := w.seenBy(me, lines)
			v.Round, v.Choices = round, view.Choices{Turn: true}
			a := bot.Bot{Seed: [32]byte{byte(me)}}.Decide(v)
			if _, accuses := a.(seat.Accuse); accuses {
				if s := bot.Solve(v).Solution(); !slices.Equal(s, w.crime) {
					t.Fatalf("accuses %v, the crime is %v", s, w.crime)
				}
				return
			}
			lines = w.answers(t, lines, me, a.(seat.Ask).Cards)
		}
		t.Fatal("400 questions and no accusation")
	})
}

// Of two matching cards the bot shows the one that this asker has seen already.
func TestShowsWhatTheAskerKnows(t *testing.T) {
	e, _ := rules.Lookup("card")
	const me, asker, other = 0, 1, 2
	showed := func(to int, cards ...rules.Card) view.Line {
		return view.Line{Kind: table.Showed, Seat: me, To: to, Cards: cards, Card: view.Hidden}
	}
	for name, tt := range map[string]struct {
		lines []view.Line
		want  rules.Card // or -1: either
	}{
		"nothing shown yet":                 {nil, -1},
		"shown to this asker":               {[]view.Line{showed(asker, 7, 3)}, 7},
		"the other one shown":               {[]view.Line{showed(asker, 3, 1)}, 1},
		"shown to somebody else":            {[]view.Line{showed(other, 7, 3)}, -1},
		"one of both, who knows which":      {[]view.Line{showed(asker, 1, 7)}, -1},
		"shown by somebody else":            {[]view.Line{{Kind: table.Showed, Seat: other, To: asker, Cards: []rules.Card{7, 3}, Card: view.Hidden}}, -1},
		"asked about, and denied by others": {[]view.Line{{Kind: table.Denied, Seat: other, To: asker, Cards: []rules.Card{7, 3}, Card: view.Hidden}}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[rules.Card]bool{}
			for round := range uint32(40) {
				v := &view.View{Edition: e, Me: me, Stage: table.Playing, Round: round, Players: make([]view.Player, 3), Hand: []rules.Card{1, 7, 9}, Lines: tt.lines,
					Question: &rules.Question{Asker: asker, Cards: []rules.Card{1, 7}, Responder: me},
					Choices:  view.Choices{Answer: true, Show: []rules.Card{1, 7}}}
				seen[bot.Bot{}.Decide(v).(seat.Show).Card] = true
			}
			if tt.want >= 0 && (len(seen) != 1 || !seen[tt.want]) || tt.want < 0 && len(seen) != 2 {
				t.Errorf("shows %v", seen)
			}
		})
	}
}

// A bot votes for nobody who has left, and for everybody else now and then.
func TestVotesForWhoIsThere(t *testing.T) {
	e, _ := rules.Lookup("card")
	v := &view.View{Edition: e, Me: 2, Stage: table.Playing, Phase: rules.Voting, Players: make([]view.Player, 5), Choices: view.Choices{Vote: true}}
	v.Players[0].Gone, v.Players[3].Gone = true, true
	seen := map[int]bool{}
	for round := range uint32(60) {
		v.Round = round
		seen[bot.Bot{}.Decide(v).(seat.Vote).For] = true
	}
	if len(seen) != 3 || seen[0] || seen[3] {
		t.Errorf("votes for %v", seen)
	}
}
