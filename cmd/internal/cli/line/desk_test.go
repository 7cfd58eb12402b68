package line

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// at is a game of three as seat 0 sees it: plum, knife and kitchen in hand.
func at(phase rules.Phase, choices view.Choices) *session.Update {
	e, _ := rules.Lookup("card")
	v := &view.View{
		Table: "t", Words: [4]string{"babab", "dadad", "fafaf", "gagag"}, Edition: e, Options: rules.DefaultOptions(),
		Round: 20, Stage: table.Playing, Phase: phase, Active: 1, Turns: 1,
		Players: []view.Player{{Name: "Anh", Size: 3}, {Name: "Bahar Z", Size: 3, Owes: true}, {Name: "Chai", Size: 3}},
		Hand:    cardsOf(e, "plum", "knife", "kitchen"), Choices: choices,
		Question: &rules.Question{Asker: 1, Cards: cardsOf(e, "knife", "rope"), Responder: 0},
	}
	return &session.Update{View: v}
}

func cardsOf(e *rules.Edition, keys ...string) []rules.Card {
	var out []rules.Card
	for _, k := range keys {
		c, _ := e.ByKey(k)
		out = append(out, c)
	}
	return out
}

func card(key string) rules.Card {
	e, _ := rules.Lookup("card")
	return cardsOf(e, key)[0]
}

func newDesk() *Desk {
	e, _ := rules.Lookup("card")
	return NewDesk(say.English(), e)
}

var (
	myTurn    = at(rules.Turn, view.Choices{Turn: true})
	holdOne   = at(rules.Answering, view.Choices{Answer: true, Show: []rules.Card{card("knife")}})
	holdTwo   = at(rules.Answering, view.Choices{Answer: true, Show: []rules.Card{card("knife"), card("plum")}})
	holdNone  = at(rules.Answering, view.Choices{Answer: true})
	mayJoin   = at(rules.Sealing, view.Choices{Join: true})
	mustGuess = at(rules.Guessing, view.Choices{Guess: true})
	mayVote   = at(rules.Voting, view.Choices{Vote: true})
	mayOrder  = at(rules.Ordering, view.Choices{Propose: []int{1, 0}})
	mayLeave  = at(rules.Farewell, view.Choices{Leave: true})
	others    = at(rules.Turn, view.Choices{})
	compare   = &session.Update{View: others.View, Compare: true}
	absent    = without(1)
)

// gone is a game that Bahar has left, which votes on who begins.
var gone = func() *session.Update {
	u := at(rules.Voting, view.Choices{Vote: true})
	u.View.Players[1].Gone = true
	return u
}()

// without is a game in which some seats may be dropped.
func without(seats ...int) *session.Update {
	u := at(rules.Turn, view.Choices{})
	u.Droppable = seats
	return u
}

func guess(keys ...string) seat.Action {
	var cards []rules.Card
	for _, k := range keys {
		cards = append(cards, card(k))
	}
	return seat.Guess{Cards: cards}
}

func TestLinesThatDecide(t *testing.T) {
	for _, tc := range []struct {
		now   *session.Update
		typed string
		want  seat.Action
	}{
		{myTurn, "ask knife plum", seat.Ask{Cards: []rules.Card{card("knife"), card("plum")}}},
		{myTurn, "  ASK  rope,dining room ", seat.Ask{Cards: []rules.Card{card("rope"), card("dining-room")}}},
		{holdNone, "no", seat.Deny{}},
		{holdOne, "show knife", seat.Show{Card: card("knife")}},
		{holdTwo, "show p", seat.Show{Card: card("plum")}},
		{mayJoin, "pass", seat.Pass{}},
		{mayVote, "vote cha", seat.Vote{For: 2}},
		{mayVote, "vote z", seat.Vote{For: 1}},
		{mayVote, "vote bahar z", seat.Vote{For: 1}},
		{mayVote, "vote 2", seat.Vote{For: 1}},
		{mayVote, "vote me", seat.Vote{For: 0}},
		{mayOrder, "order you, bahar", seat.Propose{Seats: []int{0, 1}}},
		{mayLeave, "open", seat.Leave{Open: true}},
		{mayLeave, "keep", seat.Leave{}},
	} {
		r := newDesk().Hear(tc.now, tc.typed)
		if r.Wrong || !reflect.DeepEqual(r.Do, tc.want) {
			t.Errorf("%q: %+v", tc.typed, r)
		}
	}
	if r := newDesk().Hear(compare, "ready"); !r.Ready || r.Wrong {
		t.Errorf("ready: %+v", r)
	}
}

// What cannot be taken back waits for a yes; anything else leaves no trace.
func TestLinesThatAskBack(t *testing.T) {
	for _, tc := range []struct {
		now   *session.Update
		typed string
		want  seat.Action
		guess seat.Action // made by itself once the table asks for it
	}{
		{myTurn, "accuse plum knife kitchen", seat.Accuse{}, guess("plum", "knife", "kitchen")},
		{myTurn, "accuse", seat.Accuse{}, nil},
		{mayJoin, "join kitchen rope white", seat.Join{}, guess("white", "rope", "kitchen")},
		{mayJoin, "accuse kitchen rope white", seat.Join{}, guess("white", "rope", "kitchen")},
		{mayJoin, "join", seat.Join{}, nil},
		{mustGuess, "guess plum rope dining", guess("plum", "rope", "dining-room"), nil},
		{mustGuess, "accuse plum rope dining", guess("plum", "rope", "dining-room"), nil},
	} {
		d := newDesk()
		if r := d.Hear(tc.now, tc.typed); r.Do != nil || r.Wrong || !strings.Contains(r.Ask, "Sure?") {
			t.Errorf("%q did not ask back: %+v", tc.typed, r)
		}
		if r := d.Hear(tc.now, "no"); r.Do != nil || r.Wrong {
			t.Errorf("%q, no: %+v", tc.typed, r)
		}
		if r := d.Hear(tc.now, "yes"); r.Do != nil || !r.Wrong {
			t.Errorf("%q, no, yes: %+v", tc.typed, r)
		}
		d.Hear(tc.now, tc.typed)
		if r := d.Hear(tc.now, "hand"); r.Do != nil || len(r.Text) < 2 || d.wish != nil || d.guess != nil {
			t.Errorf("%q, hand: %+v", tc.typed, r)
		}
		d.Hear(tc.now, tc.typed)
		if r := d.Hear(tc.now, "YES"); !reflect.DeepEqual(r.Do, tc.want) {
			t.Errorf("%q, yes: %+v", tc.typed, r)
		}
		if a := d.Decided(others); a != nil {
			t.Errorf("%q: guesses %v before it is asked to", tc.typed, a)
		}
		if a := d.Decided(mustGuess); !reflect.DeepEqual(a, tc.guess) {
			t.Errorf("%q: guesses %v", tc.typed, a)
		}
		if a := d.Decided(mustGuess); a != nil {
			t.Errorf("%q: guesses %v twice", tc.typed, a)
		}
	}
}

// A word to go on without somebody, or to give up, waits for a yes as well.
func TestLinesThatGiveAWord(t *testing.T) {
	both := without(1, 2)
	for _, tc := range []struct {
		now     *session.Update
		typed   string
		ask     string
		drop    []int
		abandon bool
	}{
		{absent, "drop bahar", "Go on without Bahar Z for good?", []int{1}, false},
		{absent, "DROP bahar z", "Go on without Bahar Z for good?", []int{1}, false},
		{absent, "drop 2", "Go on without Bahar Z for good?", []int{1}, false},
		{both, "drop chai, bahar", "Go on without Bahar Z, Chai for good?", []int{1, 2}, false},
		{both, "drop bahar z chai", "Go on without Bahar Z, Chai for good?", []int{1, 2}, false},
		{absent, "abandon", "Abandon the game, without a winner", nil, true},
		{myTurn, "abandon", "Abandon the game, without a winner", nil, true},
	} {
		d := newDesk()
		if r := d.Hear(tc.now, tc.typed); r.Wrong || r.Drop != nil || r.Abandon || !strings.HasPrefix(r.Ask, tc.ask) {
			t.Errorf("%q did not ask back: %+v", tc.typed, r)
		}
		if r := d.Hear(tc.now, "no"); r.Drop != nil || r.Abandon || r.Wrong {
			t.Errorf("%q, no: %+v", tc.typed, r)
		}
		d.Hear(tc.now, tc.typed)
		if r := d.Hear(tc.now, "yes"); !slices.Equal(r.Drop, tc.drop) || r.Abandon != tc.abandon || r.Do != nil || len(r.Then) != 1 {
			t.Errorf("%q, yes: %+v", tc.typed, r)
		}
	}
}

// Who was left out has nothing left to give a word to, and leaves unasked.
func TestLeftOutHasNoWord(t *testing.T) {
	u := without(1)
	u.View.Players[0].Gone = true
	if r := newDesk().Hear(u, "abandon"); !r.Wrong || r.Abandon {
		t.Errorf("abandon: %+v", r)
	}
	if r := newDesk().Hear(u, "quit"); !r.Quit || r.Ask != "" {
		t.Errorf("quit: %+v", r)
	}
}

func TestWrongLinesGetAHintAndDoNothing(t *testing.T) {
	for _, tc := range []struct {
		now              *session.Update
		typed, err, hint string
	}{
		{others, "ask knife plum", "not now", "Waiting for Bahar Z to ask or accuse"},
		{myTurn, "no", "not now", "Your turn."},
		{myTurn, "show knife", "not now", "Your turn."},
		{myTurn, "ask knife", "this does not name 2 cards", "the cards are: Miss Scarlett, "},
		{myTurn, "ask knife knives", `"knives" begins the name of no card`, "the cards are: "},
		{myTurn, "ask mrs knife", `"mrs" may be: Mrs White, Mrs Peacock`, "type more of the name"},
		{myTurn, "accuse plum peacock knife", "a guess is one suspect", "for example: guess"},
		{holdOne, "no", "you hold a card that was asked about", "You hold: knife. Type: show knife"},
		{holdOne, "show plum", `"plum" is not among the cards`, "choose among: knife"},
		{holdNone, "show knife", "you hold none of the cards", "Type: no"},
		{mayJoin, "accuse plum", "this does not name 3 cards", "the cards are: "},
		{mustGuess, "guess", "a guess is one suspect", "for example: guess"},
		{mayVote, "vote xy", `"xy" is no player here`, "the players are: you, Bahar Z, Chai"},
		{mayVote, "vote", `"" is no player here`, "the players are: "},
		{mayOrder, "order chai bahar", "an order names every accuser once", "for example: order Bahar Z, you"},
		{mayOrder, "order bahar bahar", "an order names every accuser once", "for example: order"},
		{myTurn, "mark knife", "a mark is a card, a player, and one of", "for example: mark knife 2 maybe"},
		{myTurn, "mark knife 2 perhaps", "a mark is", "for example: mark"},
		{myTurn, "mark knife 4 yes", `"4" is no player here`, "the players are: "},
		{myTurn, "acc", `"acc" is nothing that can be done here`, "do you mean: accuse"},
		{myTurn, "frob\x1b[31m", `"frob\x1b[31m" is nothing`, "help lists what can be typed"},
		{myTurn, "yes", `"yes" is nothing`, "help lists"},
		{absent, "drop", "name whom the others are to go on without", "for example: drop chai"},
		{absent, "drop xy", `"xy" is no player here`, "the players are: you, Bahar Z, Chai"},
		{absent, "drop me", "that is you", "quit leaves the table"},
		{absent, "drop chai", "Chai is there and in time", "only who is away, over time or caught cheating"},
		{absent, "drop bahar chai", "Chai is there and in time", "only who is away"},
		{gone, "drop bahar", "Bahar Z has left for good", "the players are: you, Chai"},
		{gone, "vote bahar", "Bahar Z has left for good", "the players are: you, Chai"},
		{others, "ready", "not now", ""},
		{others, "open", "not now", ""},
	} {
		d := newDesk()
		r := d.Hear(tc.now, tc.typed)
		if !r.Wrong || r.Do != nil || r.Ready || r.Quit || len(r.Text) != 2 || d.wish != nil {
			t.Errorf("%q: %+v", tc.typed, r)
			continue
		}
		if !strings.HasPrefix(r.Text[0], "error: "+tc.err) || !strings.HasPrefix(r.Text[1], "hint: ") || !strings.Contains(r.Text[1], tc.hint) {
			t.Errorf("%q: %q", tc.typed, r.Text)
		}
	}
}

func TestNotebookShowsOwnMarksInBrackets(t *testing.T) {
	d := newDesk()
	for _, typed := range []string{"mark rope chai maybe", "mark the dining room 2 ?", "mark white me no", "mark green 3 yes", "mark green 3 -"} {
		if r := d.Hear(others, typed); r.Wrong {
			t.Fatalf("%q: %q", typed, r.Text)
		}
	}
	got := strings.Join(d.Hear(others, "notes").Text, "\n")
	want := `suspects           you  Bahar Z  Chai
  Miss Scarlett    no   -        -
  Colonel Mustard  no   -        -
  Mrs White        no   -        -
  Mr Green         no   -        -
  Mrs Peacock      no   -        -
  Professor Plum   yes  no       no
weapons
  knife            yes  no       no
  candlestick      no   -        -
  rope             no   -        (maybe)
locations
  billiard room    no   -        -
  dining room      no   (?)      -
  kitchen          yes  no       no
Own marks stand in brackets: mark CARD PLAYER yes|no|maybe|?`
	if got != want {
		t.Errorf("notebook:\n%s", got)
	}
	marks := *others.View
	marks.Options.Notebook = "marks"
	got = strings.Join(d.Hear(&session.Update{View: &marks}, "notes").Text, "\n")
	if strings.Contains(got, "yes  ") || !strings.Contains(got, "(maybe)") || !strings.Contains(got, "(no)") {
		t.Errorf("notebook of a table that wants own marks only:\n%s", got)
	}
}

func TestWhoNamesEverybodysState(t *testing.T) {
	u := at(rules.Turn, view.Choices{})
	u.View.Players[2].Out = true
	u.Away = []session.Absence{{Seat: 1, Shaky: true}, {Seat: 2, Since: time.Date(2026, 1, 2, 14, 3, 5, 0, time.UTC)}}
	got := strings.Join(newDesk().Hear(u, "who").Text, "\n")
	want := `1  Anh: cards 3, you
2  Bahar Z: cards 3, has the turn, the table waits, not heard from for a moment
3  Chai: cards 3, out, cannot be reached since 14:03
Waiting for Bahar Z to ask or accuse`
	if got != want {
		t.Errorf("who:\n%s", got)
	}
}

// Whatever is typed: no panic, nothing sent that the table does not wait for,
// and nothing that a terminal would obey.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"ask knife plum", "no", "show knife", "accuse plum knife kitchen", "yes", "join", "pass",
		"vote bahar", "order 1 2", "mark rope 2 maybe", "notes", "who", "log", "help", "quit", "drop bahar", "drop 1 2 3", "abandon", "ask \x1b[2J", "\xff\xfe", "show , ,", "ask p p p p p p"} {
		f.Add(s, "yes")
	}
	updates := []*session.Update{myTurn, holdOne, holdTwo, holdNone, mayJoin, mustGuess, mayVote, mayOrder, mayLeave, others, compare, absent, gone}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, u := range updates {
			d := newDesk()
			for _, typed := range []string{first, second} {
				checkReply(t, u, typed, d.Hear(u, typed))
			}
		}
	})
}

func checkReply(t *testing.T, u *session.Update, typed string, r Reply) {
	t.Helper()
	for _, line := range append(append(r.Text, r.Then...), r.Ask) {
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(c rune) bool { return c != '\n' && c < ' ' || c == 0x7f }) {
			t.Errorf("%q: says %q", typed, line)
		}
	}
	if r.Wrong && (r.Do != nil || r.Drop != nil || r.Abandon || r.Ready || r.Quit) {
		t.Errorf("%q: wrong, and yet %+v", typed, r)
	}
	c := u.View.Choices
	ok := !slices.ContainsFunc(r.Drop, func(s int) bool { return !slices.Contains(u.Droppable, s) })
	switch a := r.Do.(type) {
	case nil:
	case seat.Ask:
		ok = c.Turn && len(a.Cards) == 2 && a.Cards[0] != a.Cards[1]
	case seat.Accuse:
		ok = c.Turn
	case seat.Deny:
		ok = c.Answer && len(c.Show) == 0
	case seat.Show:
		ok = c.Answer && (a.Card == card("knife") || a.Card == card("plum") && len(c.Show) == 2)
	case seat.Join, seat.Pass:
		ok = c.Join
	case seat.Guess:
		ok = c.Guess && u.View.Edition.Solution(a.Cards)
	case seat.Vote:
		ok = c.Vote && a.For >= 0 && a.For < 3 && !u.View.Players[a.For].Gone
	case seat.Propose:
		ok = len(c.Propose) == 2 && len(a.Seats) == 2 && a.Seats[0]+a.Seats[1] == 1
	case seat.Leave:
		ok = c.Leave
	}
	if !ok || r.Ready && !u.Compare {
		t.Errorf("%q: %+v while the choices are %+v", typed, r, c)
	}
}
