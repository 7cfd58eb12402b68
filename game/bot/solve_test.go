package bot_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// world is a dealt game of which views are made without any cryptography.
type world struct {
	e     *rules.Edition
	hands [][]rules.Card
	up    []rules.Card
	crime []rules.Card
}

func drawWorld(t *rapid.T) *world {
	w := &world{e: rapid.SampledFrom(rules.Editions()).Draw(t, "edition")}
	seats := rapid.IntRange(w.e.MinSeats, w.e.MaxSeats).Draw(t, "seats")
	var pool []rules.Card
	for c := range w.e.CategoryCount {
		of := rapid.Permutation(w.e.Of(rules.Category(c))).Draw(t, "category")
		w.crime, pool = append(w.crime, of[0]), append(pool, of[1:]...)
	}
	pool = rapid.Permutation(pool).Draw(t, "pool")
	w.hands = make([][]rules.Card, seats)
	for i, owner := range w.e.Deal(seats) {
		if owner == rules.FaceUp {
			w.up = append(w.up, pool[i])
		} else {
			w.hands[owner] = append(w.hands[owner], pool[i])
		}
	}
	return w
}

// seenBy is the view of a seat in which lines have been heard.
func (w *world) seenBy(me int, lines []view.Line) *view.View {
	v := &view.View{Edition: w.e, Options: rules.DefaultOptions(), Stage: table.Playing, Phase: rules.Turn, Me: me, Active: me, FaceUp: w.up}
	if me != view.Spectator {
		v.Hand = w.hands[me]
	}
	for _, h := range w.hands {
		v.Players = append(v.Players, view.Player{Size: len(h)})
	}
	for _, l := range lines {
		if l.Kind == table.Showed && l.To != me {
			l.Card = view.Hidden
		}
		v.Lines = append(v.Lines, l)
	}
	return v
}

// question adds the lines of one question truly answered.
func (w *world) question(t *rapid.T, lines []view.Line) []view.Line {
	all := make([]rules.Card, len(w.e.Cards))
	for i := range all {
		all[i] = rules.Card(i)
	}
	asker := rapid.IntRange(0, len(w.hands)-1).Draw(t, "asker")
	cards := rapid.Permutation(all).Draw(t, "cards")[:w.e.QuestionSize]
	return w.answers(t, lines, asker, cards)
}

func (w *world) answers(t *rapid.T, lines []view.Line, asker int, cards []rules.Card) []view.Line {
	lines = append(lines, view.Line{Kind: table.Asked, Seat: asker, Cards: cards, Card: view.Hidden})
	for i := 1; i < len(w.hands); i++ {
		p := (asker + i) % len(w.hands)
		var may []rules.Card
		for _, c := range cards {
			if slices.Contains(w.hands[p], c) {
				may = append(may, c)
			}
		}
		if len(may) > 0 {
			return append(lines, view.Line{Kind: table.Showed, Seat: p, To: asker, Cards: cards, Card: rapid.SampledFrom(may).Draw(t, "shown")})
		}
		lines = append(lines, view.Line{Kind: table.Denied, Seat: p, Cards: cards, Card: view.Hidden})
	}
	return append(lines, view.Line{Kind: table.Unanswered, Seat: asker, Cards: cards, Card: view.Hidden})
}

// Whatever the bot marks is so in every deal that fits what was heard: for
// every seat, after any number of any questions.
func TestSolveMarksOnlyWhatFollows(t *testing.T) {
	var sum tally
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		var lines []view.Line
		for range rapid.IntRange(0, 12).Draw(t, "questions") {
			lines = w.question(t, lines)
		}
		me := rapid.IntRange(0, len(w.hands)-1).Draw(t, "me")
		v := w.seenBy(me, lines)
		if len(v.Hand) < 3 { // too many deals to go through; let some be open
			v.FaceUp = append(slices.Clone(v.FaceUp), w.hands[(me+1)%len(w.hands)]...)
			v.Players[(me+1)%len(w.hands)].Size = 0
			v.Lines = slices.DeleteFunc(v.Lines, func(l view.Line) bool { return l.Seat == (me+1)%len(w.hands) })
		}
		k := bot.Solve(v)
		d := count(v)
		if d.count == 0 {
			t.Fatal("the twin finds no deal, and there is one")
		}
		unsound, n := d.against(k)
		if len(unsound) > 0 {
			t.Fatalf("marks that do not follow: %+v", unsound)
		}
		if s := k.Solution(); s != nil && !slices.Equal(s, w.crime) {
			t.Fatalf("solution %v, the crime is %v", s, w.crime)
		}
		for c := range w.e.CategoryCount {
			if !slices.Contains(k.Candidates(rules.Category(c)), w.crime[c]) {
				t.Fatalf("the Crime card %d is no candidate", w.crime[c])
			}
		}
		sum.follow, sum.found = sum.follow+n.follow, sum.found+n.found
	})
	t.Logf("the bot finds %d of %d that follow", sum.found, sum.follow)
	if sum.found*20 < sum.follow*19 {
		t.Error("the bot misses more than one mark of twenty")
	}
}

// A spectator's page, and one of a game whose Crime cards are known.
func TestSolveKnowsTheCrime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		var lines []view.Line
		for range rapid.IntRange(0, 5).Draw(t, "questions") {
			lines = w.question(t, lines)
		}
		v := w.seenBy(rapid.IntRange(view.Spectator, len(w.hands)-1).Draw(t, "me"), lines)
		v.Crime = w.crime
		k := bot.Solve(v)
		if !slices.Equal(k.Solution(), w.crime) {
			t.Fatalf("solution %v, seen %v", k.Solution(), w.crime)
		}
		for i, h := range w.hands {
			for c := range w.e.Cards {
				if m := k.Mark(rules.Card(c), i); m == view.Yes != slices.Contains(h, rules.Card(c)) && m != view.Unknown {
					t.Fatalf("card %d at seat %d is marked %d", c, i, m)
				}
			}
		}
		for _, c := range k.Unplaced() {
			if slices.Contains(w.crime, c) || slices.Contains(w.up, c) {
				t.Fatalf("card %d is unplaced", c)
			}
		}
	})
}

// drawNonsense is a view that no game could give: contradictory lines, hands of
// any size, any choices.
func drawNonsense(t *rapid.T) *view.View {
	w := drawWorld(t)
	card := rapid.IntRange(0, len(w.e.Cards)-1)
	cards := rapid.SliceOfNDistinct(rapid.Map(card, func(c int) rules.Card { return rules.Card(c) }), 1, 4, rapid.ID[rules.Card])
	who := rapid.IntRange(0, len(w.hands)-1)
	v := w.seenBy(who.Draw(t, "me"), nil)
	v.Hand, v.FaceUp = cards.Draw(t, "hand"), cards.Draw(t, "face up")
	if rapid.Bool().Draw(t, "known") {
		v.Crime = cards.Draw(t, "crime")
	}
	for i := range v.Players {
		v.Players[i].Size = rapid.IntRange(0, 9).Draw(t, "size")
	}
	kinds := rapid.SampledFrom([]table.EventKind{table.Denied, table.Showed, table.Unanswered, table.Asked, table.Wrong})
	for range rapid.IntRange(0, 20).Draw(t, "lines") {
		l := view.Line{Kind: kinds.Draw(t, "kind"), Seat: who.Draw(t, "seat"), To: who.Draw(t, "to"), Cards: cards.Draw(t, "cards"), Card: view.Hidden}
		if l.Kind == table.Showed && rapid.Bool().Draw(t, "seen") {
			l.Card = rules.Card(card.Draw(t, "card"))
		}
		v.Lines = append(v.Lines, l)
	}
	v.Round = rapid.Uint32().Draw(t, "round")
	return v
}

// Solve comes to an end and the bot decides something legal, whatever it is
// told.
func TestBotSurvivesNonsense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawNonsense(t)
		b := bot.Bot{Seed: [32]byte{rapid.Byte().Draw(t, "seed")}}
		n := len(v.Players)
		pos := &rules.Position{Edition: v.Edition, Options: v.Options, Phase: rules.Turn, Active: v.Me, Out: make([]bool, n)}
		v.Choices = view.Choices{Turn: true}
		switch a := b.Decide(v).(type) {
		case seat.Ask:
			if err := pos.Legal(v.Me, rules.Ask{Cards: a.Cards}); err != nil {
				t.Fatalf("%v: %v", a.Cards, err)
			}
		case seat.Accuse:
			if bot.Solve(v).Solution() == nil {
				t.Fatal("accuses without a solution")
			}
		default:
			t.Fatalf("%T on its turn", a)
		}
		v.Choices = view.Choices{Guess: true}
		if a, ok := b.Decide(v).(seat.Guess); !ok || !v.Edition.Solution(a.Cards) {
			t.Fatalf("guesses %v", a)
		}
		v.Choices = view.Choices{Join: true}
		_, joins := b.Decide(v).(seat.Join)
		if _, passes := b.Decide(v).(seat.Pass); joins == passes || joins != (bot.Solve(v).Solution() != nil) {
			t.Fatal("neither joins nor passes, or joins without a solution")
		}
		v.Choices = view.Choices{Vote: true}
		if a, ok := b.Decide(v).(seat.Vote); !ok || a.For < 0 || a.For >= n {
			t.Fatalf("votes %v", a)
		}
		v.Choices = view.Choices{Answer: true, Show: v.Hand}
		v.Question = &rules.Question{Asker: (v.Me + 1) % n, Cards: v.Hand, Responder: v.Me}
		if a, ok := b.Decide(v).(seat.Show); !ok || !slices.Contains(v.Hand, a.Card) {
			t.Fatalf("shows %v", a)
		}
		v.Choices = view.Choices{Answer: true}
		if a, ok := b.Decide(v).(seat.Deny); !ok {
			t.Fatalf("%T while holding nothing", a)
		}
		v.Choices = view.Choices{Propose: []int{1, 0}}
		if a, ok := b.Decide(v).(seat.Propose); !ok || !slices.Equal(a.Seats, []int{1, 0}) {
			t.Fatalf("proposes %v", a)
		}
		v.Choices = view.Choices{Leave: true}
		if a, ok := b.Decide(v).(seat.Leave); !ok || !a.Open {
			t.Fatalf("leaves %v", a)
		}
		v.Choices = view.Choices{}
		if a := b.Decide(v); a != nil {
			t.Fatalf("%T with nothing to decide", a)
		}
	})
}
