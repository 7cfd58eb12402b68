package seat_test

import (
	"errors"
	"slices"
	"testing"

	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

func TestAnswerRefuses(t *testing.T) {
	p := dealt(t, "refuses", "card", 3)
	active := p.State.Pos.Active
	responder, idle := (active+1)%3, (active+2)%3
	hand, crime := p.Seats[responder].Hand(p.State), solved(t, p)
	both := asked(p.State, active, responder, hand[0], hand[1])
	one := asked(p.State, active, responder, hand[0], crime[0])
	none := asked(p.State, active, responder, crime[0], crime[1])
	guessing := accused(p.State, active, rules.Guessing)
	for name, tt := range map[string]struct {
		st   *table.State
		seat int
		want seat.Action
		err  error
	}{
		"not its turn":                         {p.State, responder, seat.Ask{Cards: crime[:2]}, seat.ErrNothing},
		"nothing to decide, and no turn":       {p.State, idle, nil, seat.ErrNothing},
		"no decision":                          {p.State, active, nil, seat.ErrDecide},
		"an answer on one's turn":              {p.State, active, seat.Deny{}, seat.ErrNotNow},
		"a show on one's turn":                 {p.State, active, seat.Show{}, seat.ErrNotNow},
		"joining on one's turn":                {p.State, active, seat.Join{}, seat.ErrNotNow},
		"passing on one's turn":                {p.State, active, seat.Pass{}, seat.ErrNotNow},
		"a guess before accusing":              {p.State, active, seat.Guess{Cards: crime}, seat.ErrNotNow},
		"leaving in the middle":                {p.State, active, seat.Leave{Open: true}, seat.ErrNotNow},
		"a vote on one's turn":                 {p.State, active, seat.Vote{}, rules.ErrKind},
		"an order on one's turn":               {p.State, active, seat.Propose{Seats: []int{0}}, rules.ErrKind},
		"a question about one card":            {p.State, active, seat.Ask{Cards: crime[:1]}, rules.ErrQuestion},
		"a question about one card twice":      {p.State, active, seat.Ask{Cards: []rules.Card{1, 1}}, rules.ErrQuestion},
		"a question about card -1":             {p.State, active, seat.Ask{Cards: []rules.Card{-1, 1}}, rules.ErrQuestion},
		"a question about card 256":            {p.State, active, seat.Ask{Cards: []rules.Card{256, 1}}, rules.ErrQuestion},
		"a no while holding both":              {both, responder, seat.Deny{}, seat.ErrHolding},
		"a no while holding one":               {one, responder, seat.Deny{}, seat.ErrHolding},
		"a show of a card not asked about":     {one, responder, seat.Show{Card: hand[1]}, seat.ErrNotAsked},
		"a show of a card not held":            {one, responder, seat.Show{Card: crime[0]}, seat.ErrNotHeld},
		"a show while holding nothing":         {none, responder, seat.Show{Card: crime[1]}, seat.ErrNotHeld},
		"a show of no card":                    {one, responder, seat.Show{Card: -1}, seat.ErrNotAsked},
		"a question while asked":               {one, responder, seat.Ask{Cards: crime[:2]}, rules.ErrKind},
		"accusing while asked":                 {one, responder, seat.Accuse{}, rules.ErrKind},
		"an answer while another is asked":     {one, idle, seat.Deny{}, seat.ErrNothing},
		"no decision while asked":              {one, responder, nil, seat.ErrDecide},
		"a guess that is no solution":          {guessing, active, seat.Guess{Cards: []rules.Card{0, 1, 2}}, rules.ErrSolution},
		"a guess of two cards":                 {guessing, active, seat.Guess{Cards: crime[:2]}, rules.ErrSolution},
		"a guess of nothing":                   {guessing, active, seat.Guess{}, rules.ErrSolution},
		"a stopped game":                       {p.State.Stop(table.Fault{Rule: table.RuleFork}), active, seat.Accuse{}, seat.ErrNothing},
		"an answer in a stopped game":          {one.Stop(table.Fault{Rule: table.RuleFork}), responder, seat.Show{Card: hand[0]}, seat.ErrNothing},
		"a no with an answer of another phase": {guessing, active, seat.Deny{}, seat.ErrNotNow},
	} {
		t.Run(name, func(t *testing.T) {
			if m, err := p.Seats[tt.seat].Answer(tt.st, tt.want); !errors.Is(err, tt.err) || m != nil {
				t.Errorf("%v, %v; want %v", m, err, tt.err)
			}
		})
	}
}

// A wish where the player has nothing to decide makes no entry: pressing a key
// early must not say anything in the player's name.
func TestAnswerTakesNoWishWhereNothingIsDecided(t *testing.T) {
	p, err := parlour.New("wish", "card", 3, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for p.State.Stage != table.Playing {
		for i, s := range p.Seats {
			if due, _ := s.Due(p.State); !due {
				continue
			}
			for _, a := range []seat.Action{seat.Accuse{}, seat.Ask{}, seat.Leave{Open: true}} {
				if m, err := s.Answer(p.State, a); m != nil || !errors.Is(err, seat.ErrNotNow) {
					t.Errorf("%s, seat %d: %T gives %v, %v", p.State.Stage, i, a, m, err)
				}
			}
		}
		if _, err := p.Round(); err != nil {
			t.Fatal(err)
		}
	}
}

// Which rounds need the player, and which the program answers alone.
func TestDue(t *testing.T) {
	o := rules.DefaultOptions()
	o.First, o.Order = "vote", "random"
	for _, order := range []string{"random", "agreed"} {
		o.Order = order
		for _, alone := range []bool{true, false} {
			p, err := parlour.New("due", "card", 3, o)
			if err != nil {
				t.Fatal(err)
			}
			more := true
			for more {
				for i, s := range p.Seats {
					due, decide := s.Due(p.State)
					if due != slices.Contains(p.State.Speakers(), i) {
						t.Errorf("%s: seat %d due %v", p.State.Phase(), i, due)
					}
					if want := due && decides(p.State); decide != want {
						t.Errorf("%s %s: seat %d decides %v", p.State.Stage, p.State.Phase(), i, decide)
					}
				}
				if more, err = p.RoundWith(accuseAtOnce(p, alone)); err != nil {
					t.Fatal(err)
				}
			}
			if p.State.Phase() != rules.Over {
				t.Errorf("ended %s", p.State.Phase())
			}
		}
	}
}

func decides(st *table.State) bool {
	return st.Stage == table.Playing && slices.Contains([]rules.Phase{rules.Voting, rules.Turn, rules.Answering, rules.Sealing,
		rules.Ordering, rules.Guessing, rules.Farewell}, st.Phase())
}

// accuseAtOnce plays the shortest game: everybody guesses the first solution.
func accuseAtOnce(p *parlour.Table, alone bool) func(int) seat.Action {
	return func(i int) seat.Action {
		if p.State.Stage != table.Playing {
			return nil
		}
		switch p.State.Phase() {
		case rules.Voting:
			return seat.Vote{For: 1}
		case rules.Turn:
			return seat.Accuse{}
		case rules.Sealing:
			if alone {
				return seat.Pass{}
			}
			return seat.Join{}
		case rules.Ordering:
			return seat.Propose{Seats: p.State.Pos.Accusation.Order}
		case rules.Guessing:
			return seat.Guess{Cards: solutions(p.State.Edition)[7]}
		case rules.Farewell:
			return seat.Leave{Open: i == 0}
		}
		return nil
	}
}

// A peer that comes back after a crash, with the stored secret and other
// randomness, seals the same choice and opens what it had sealed.
func TestSealSurvivesACrash(t *testing.T) {
	p := dealt(t, "crash", "card", 3)
	for _, a := range []seat.Action{seat.Join{}, seat.Pass{}} {
		st := accused(p.State, 0, rules.Sealing)
		first, err := p.Seats[1].Answer(st, a)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := seat.ParseSecret(p.Secrets[1].Bytes())
		if err != nil {
			t.Fatal(err)
		}
		back := seat.New(secret, 1, parlour.Rand("after the crash"))
		second, err := back.Answer(st, a)
		if err != nil || *second.(*move.Seal) != *first.(*move.Seal) {
			t.Errorf("sealed %v, then %v: %v", first, second, err)
		}
		open := *accused(p.State, 0, rules.Unsealing)
		open.Sealed, open.Under, open.Seals, open.Round = st.Round, st.Game, slices.Clone(st.Seals), st.Round+1
		open.Seals[1] = first.(*move.Seal).Commitment
		m, err := back.Answer(&open, nil)
		if _, join := a.(seat.Join); err != nil || m.(*move.Unseal).Join != join {
			t.Errorf("%T opened as %v: %v", a, m, err)
		}
		open.Seals[1][0] ^= 1
		if m, err := back.Answer(&open, nil); err == nil {
			t.Errorf("opened a seal that is not its own: %v", m)
		}
	}
}

// What a seat sees with its key, and what it does not see with another's.
func TestSeatSees(t *testing.T) {
	p := dealt(t, "sees", "card", 4)
	if n := len(p.State.FaceUp); n != 1 {
		t.Fatalf("%d cards face up", n)
	}
	where := map[rules.Card]int{p.State.FaceUp[0]: -1}
	for _, c := range solved(t, p) {
		where[c] = -2
	}
	for i, s := range p.Seats {
		if s.Index() != i {
			t.Errorf("seat %d says it is %d", i, s.Index())
		}
		for _, c := range s.Hand(p.State) {
			if at, twice := where[c]; twice {
				t.Errorf("card %d is with %d and %d", c, at, i)
			}
			where[c] = i
		}
		if s.Guessed(p.State) != nil || len(s.Peeked(p.State)) != 0 {
			t.Errorf("seat %d guessed or peeked already", i)
		}
		stranger := seat.New(p.Secrets[(i+1)%4], i, nil)
		if got := stranger.Hand(p.State); !slices.Equal(got, []rules.Card{-1, -1}) {
			t.Errorf("another key sees %v", got)
		}
	}
	if len(where) != 12 {
		t.Errorf("%d cards of 12", len(where))
	}
	start, err := table.New(p.Charter)
	if err != nil {
		t.Fatal(err)
	}
	if p.Seats[0].Hand(start) != nil {
		t.Error("a hand before the deal")
	}
}

// A shown card is for its asker alone.
func TestShown(t *testing.T) {
	p, err := parlour.New("shown", "card", 3, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Play(); err != nil {
		t.Fatal(err)
	}
	shows := 0
	for _, e := range p.State.Story {
		for i, s := range p.Seats {
			c, ok := s.Shown(p.State, e)
			if want := e.Kind == table.Showed && e.To == i; ok != want {
				t.Errorf("event %d: seat %d sees it: %v", e.Kind, i, ok)
			}
			if ok && (!slices.Contains(e.Cards, c) || !slices.Contains(p.Seats[e.Seat].Hand(p.State), c)) {
				t.Errorf("seat %d was shown %d of %v", i, c, e.Cards)
			}
			if ok {
				shows++
			}
		}
	}
	if shows == 0 {
		t.Error("nothing was shown")
	}
}
