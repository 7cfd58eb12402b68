package audit

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// clearGame is a finished game whose state a test may spoil as no proof would let
// it be: what is left of a check is then the comparison in the clear.
type clearGame struct {
	*table.State
	t *testing.T
}

var clearTable = sync.OnceValues(func() (*parlour.Table, error) {
	p, err := parlour.New("clear", "card-advanced", 5, rules.DefaultOptions()) // two cards lie face up
	if err != nil {
		return nil, err
	}
	return p, p.Play()
})

func finished(t *testing.T) clearGame {
	t.Helper()
	p, err := clearTable()
	if err != nil {
		t.Fatal(err)
	}
	st := *p.State
	st.Hands, st.Peeked, st.Story = slices.Clone(st.Hands), slices.Clone(st.Peeked), nil
	st.Opened, st.Guess, st.FaceUp = slices.Clone(st.Opened), slices.Clone(st.Guess), slices.Clone(st.FaceUp)
	return clearGame{&st, t}
}

// of is the card in another ciphertext under the key of seat i.
func (g clearGame) of(i int, m *group.Element) elgamal.Ciphertext {
	r, err := group.RandomScalar(parlour.Rand("of"))
	if err != nil {
		g.t.Fatal(err)
	}
	return elgamal.Encrypt(m, g.SeatKeys[i], r)
}

func (g clearGame) card(i int, c rules.Card) elgamal.Ciphertext { return g.of(i, g.Deck.Card(int(c))) }

func (g clearGame) hand(i int) []rules.Card { return seat.Decrypt(g.State, g.Hands[i], g.Opened[i]) }

// holds puts another card into a hand.
func (g clearGame) holds(i, at int, c elgamal.Ciphertext) {
	g.Hands[i] = slices.Clone(g.Hands[i])
	g.Hands[i][at] = c
}

// keeps lets seats keep their keys after all.
func (g clearGame) keeps(seats ...int) {
	for _, i := range seats {
		g.Opened[i] = nil
	}
}

// fixes gives seat i a guess.
func (g clearGame) fixes(i int, cards []rules.Card) {
	picks := make([]int, len(cards))
	for c, card := range cards {
		picks[c] = slices.Index(g.Edition.Of(rules.Category(c)), card)
	}
	guess, err := deck.MakeGuess(nil, g.SeatKeys[i], g.Choices(), picks, parlour.Rand("fixes"))
	if err != nil {
		g.t.Fatal(err)
	}
	g.Guess[i] = guess
}

func (g clearGame) tells(e table.Event) {
	e.Round = 77
	g.Story = append(g.Story, e)
}

func (g clearGame) wrong() []rules.Card {
	c := slices.Clone(g.Pos.Crime)
	of := g.Edition.Of(rules.Weapon)
	c[rules.Weapon] = of[(slices.Index(of, c[rules.Weapon])+1)%len(of)]
	return c
}

// Each comparison finds what contradicts it and, as the rest of the state is as
// it was, nothing else.
func TestReplayFinds(t *testing.T) {
	found := func(seat int, check string) []Finding { return []Finding{{Seat: seat, Round: 77, Check: check}} }
	// Round 0 stands for the last one, when the keys were opened.
	state := func(seat int, check string) []Finding { return []Finding{{Seat: seat, Check: check}} }
	for name, tt := range map[string]struct {
		spoil func(g clearGame)
		want  []Finding
	}{
		"nothing": {func(clearGame) {}, nil},
		"nothing, when all keep their keys": {func(g clearGame) {
			g.keeps(0, 1, 2, 3, 4)
			g.holds(1, 0, g.of(1, group.Base()))
		}, nil},
		"a hand with something that is no card": {func(g clearGame) {
			g.keeps(0)
			g.holds(1, 0, g.of(1, group.Base()))
		}, state(1, checkHand)},
		"nothing in the hand of who kept the key": {func(g clearGame) {
			g.keeps(1)
			g.holds(1, 0, g.of(1, group.Base()))
		}, nil},
		"a hand with a Crime card": {func(g clearGame) {
			g.keeps(0)
			g.holds(1, 0, g.card(1, g.Pos.Crime[1]))
		}, state(1, checkCrime)},
		"a card in two hands": {func(g clearGame) {
			g.keeps(0)
			g.holds(2, 0, g.card(2, g.hand(1)[0]))
		}, state(2, checkDouble)},
		"a card twice in one hand": {func(g clearGame) {
			g.keeps(0)
			g.holds(2, 0, g.card(2, g.hand(2)[1]))
		}, state(2, checkDouble)},
		"a card in a hand and face up": {func(g clearGame) {
			g.keeps(0)
			g.holds(2, 0, g.card(2, g.FaceUp[0]))
		}, state(2, checkDouble)},
		"a card twice face up": {func(g clearGame) {
			g.keeps(0)
			g.FaceUp[0] = g.FaceUp[1]
		}, state(-1, checkDouble)},
		"a Crime card face up": {func(g clearGame) {
			g.keeps(0)
			g.FaceUp[0] = g.Pos.Crime[0]
		}, state(-1, checkDouble)},
		"a card of the deck missing": {func(g clearGame) { g.FaceUp = g.FaceUp[:1] }, state(-1, checkDealt)},
		"nothing missing, while one kept the key": {func(g clearGame) {
			g.keeps(0)
			g.FaceUp = g.FaceUp[:1]
		}, nil},
		"a no while holding the first card": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: []rules.Card{g.hand(3)[1], g.Pos.Crime[0]}})
		}, found(3, checkDenied)},
		"a no while holding the second card": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: []rules.Card{g.Pos.Crime[0], g.hand(3)[0]}})
		}, found(3, checkDenied)},
		"an honest no": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: []rules.Card{g.Pos.Crime[0], g.hand(4)[0]}})
		}, nil},
		"the no of who kept the key": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Denied, Seat: 3, Cards: g.hand(3)})
			g.keeps(3)
		}, nil},
		"a shown card that was not asked about": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{g.hand(2)[1], g.Pos.Crime[0]}, Shown: g.card(1, g.hand(2)[0])})
		}, found(2, checkShown)},
		"a shown card that was not held": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{g.hand(2)[1], g.Pos.Crime[0]}, Shown: g.card(1, g.Pos.Crime[0])})
		}, found(2, checkShown)},
		"a shown card that is none": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: g.hand(2), Shown: g.of(1, group.Base())})
		}, found(2, checkShown)},
		"a shown card that was not asked about, by who kept the key": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{g.hand(2)[1], g.Pos.Crime[0]}, Shown: g.card(1, g.hand(2)[0])})
			g.keeps(2)
		}, found(2, checkShown)},
		"an honest show": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{g.hand(2)[1], g.Pos.Crime[0]}, Shown: g.card(1, g.hand(2)[1])})
		}, nil},
		"an honest show of who kept the key": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{g.hand(2)[1], g.Pos.Crime[0]}, Shown: g.card(1, g.hand(2)[1])})
			g.keeps(2)
		}, nil},
		"a show to who kept the key": {func(g clearGame) {
			g.tells(table.Event{Kind: table.Showed, Seat: 2, To: 1, Cards: g.hand(2), Shown: g.of(1, group.Base())})
			g.keeps(1)
		}, nil},
		"wrong with the right guess": {func(g clearGame) {
			g.fixes(1, g.Pos.Crime)
			g.tells(table.Event{Kind: table.Wrong, Seat: 1})
		}, found(1, checkRight)},
		"wrong with a wrong guess": {func(g clearGame) {
			g.fixes(1, g.wrong())
			g.tells(table.Event{Kind: table.Wrong, Seat: 1})
		}, nil},
		"wrong with the right guess, of who kept the key": {func(g clearGame) {
			g.fixes(1, g.Pos.Crime)
			g.tells(table.Event{Kind: table.Wrong, Seat: 1})
			g.keeps(1)
		}, nil},
		"right with a wrong guess": {func(g clearGame) {
			g.fixes(1, g.wrong())
			g.tells(table.Event{Kind: table.Right, Seat: 1, Cards: g.Pos.Crime})
		}, found(1, checkGuess)},
		"another guess disclosed": {func(g clearGame) {
			g.fixes(1, g.wrong())
			g.tells(table.Event{Kind: table.Disclosed, Seat: 1, Cards: g.Pos.Crime})
		}, found(1, checkGuess)},
		"another guess disclosed, of who kept the key": {func(g clearGame) {
			g.fixes(1, g.wrong())
			g.tells(table.Event{Kind: table.Disclosed, Seat: 1, Cards: g.Pos.Crime})
			g.keeps(1)
		}, nil},
		"the guess disclosed": {func(g clearGame) {
			g.fixes(1, g.wrong())
			g.tells(table.Event{Kind: table.Disclosed, Seat: 1, Cards: g.wrong()})
		}, nil},
		"other Crime cards peeked at": {func(g clearGame) {
			g.Peeked[1] = []elgamal.Ciphertext{g.card(1, g.wrong()[0]), g.card(1, g.wrong()[1]), g.card(1, g.wrong()[2])}
		}, state(1, checkPeeked)},
		"other Crime cards peeked at, of who kept the key": {func(g clearGame) {
			g.Peeked[1] = []elgamal.Ciphertext{g.card(1, 0)}
			g.keeps(1)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := finished(t)
			tt.spoil(g)
			r := &Report{State: g.State}
			r.replay()
			want := slices.Clone(tt.want)
			for i := range want {
				if want[i].Round == 0 {
					want[i].Round = g.Round
				}
			}
			if !slices.Equal(r.Findings, want) {
				t.Errorf("found %v, want %v", r.Findings, want)
			}
		})
	}
}

// What a replay reports of an honest game: every open hand, every shown card
// and every guess, as the seats themselves saw them.
func TestReplayOfAnHonestGame(t *testing.T) {
	for _, keeps := range [][]int{nil, {0}, {0, 1}, {0, 1, 2}} {
		t.Run(fmt.Sprint("without ", keeps), func(t *testing.T) {
			p, err := parlour.New("honest", "card", 3, rules.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Until(func(st *table.State) bool {
				return st.Stage == table.Playing && st.Phase() == rules.Farewell
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := p.RoundWith(func(i int) seat.Action { return seat.Leave{Open: !slices.Contains(keeps, i)} }); err != nil {
				t.Fatal(err)
			}
			r, err := Check(p.Charter, p.Log.Entries())
			if err != nil || !r.Fair() || !r.Complete || (r.Replay == nil) != (len(keeps) == 3) {
				t.Fatalf("%v %+v", err, r)
			}
			if r.Replay == nil {
				return
			}
			if r.Replay.Whole != (len(keeps) == 0) || len(r.Replay.Hands) != 3-len(keeps) {
				t.Errorf("whole %v, %d hands", r.Replay.Whole, len(r.Replay.Hands))
			}
			for i, hand := range r.Replay.Hands {
				if !slices.Equal(hand, p.Seats[i].Hand(p.State)) {
					t.Errorf("seat %d holds %v", i, hand)
				}
			}
			shows := 0
			for k, e := range p.State.Story {
				if e.Kind != table.Showed {
					continue
				}
				want, _ := p.Seats[e.To].Shown(p.State, e)
				got, open := r.Replay.Shown[k]
				if kept := slices.Contains(keeps, e.To); kept == open || open && got != want {
					t.Errorf("event %d: shown %v %v, want %v", k, got, open, want)
				}
				shows++
			}
			if shows == 0 {
				t.Error("nothing was shown in this game")
			}
			for i := range p.Seats {
				if guess, ok := r.Replay.Guesses[i]; ok != (p.State.Guess[i] != nil && !slices.Contains(keeps, i)) || ok && !slices.Equal(guess, p.Seats[i].Guessed(p.State)) {
					t.Errorf("seat %d guessed %v", i, guess)
				}
			}
		})
	}
}

// Who leaves when all is decided takes the hand along unseen: the log is good,
// and not every hand is open.
func TestReplayWithoutAHandThatWasTakenAlong(t *testing.T) {
	p, err := parlour.NewLeaving("taken along", "card", 3, 1, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Until(func(st *table.State) bool {
		return st.Stage == table.Playing && st.Phase() == rules.Farewell
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Carry(feed.Without(1)); err != nil {
		t.Fatal(err)
	}
	if err := p.Play(); err != nil {
		t.Fatal(err)
	}
	r, err := Check(p.Charter, p.Log.Entries())
	if err != nil || !r.Fair() || !r.Complete || r.Replay == nil || r.Replay.Whole || len(r.Replay.Hands) != 2 {
		t.Errorf("%v %+v", err, r)
	}
}
