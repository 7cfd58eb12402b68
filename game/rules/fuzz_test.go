package rules_test

import (
	"slices"
	"testing"

	"alibi/game/board"
	"alibi/game/rules"
)

// tape turns fuzzed bytes into numbers; past its end it gives zeros.
type tape []byte

func (b *tape) next() int {
	if len(*b) == 0 {
		return 0
	}
	n := int(int8((*b)[0]))
	*b = (*b)[1:]
	return n
}

func (b *tape) pick(n int) int { return int(uint8(b.next())) % n }

func (b *tape) cards() (out []rules.Card) {
	for range b.pick(5) {
		out = append(out, rules.Card(b.next()))
	}
	return out
}

// act reads any act at all.
func (b *tape) act() rules.Act {
	switch b.pick(24) {
	case 0:
		return rules.Vote{For: b.next()}
	case 1:
		return rules.Ask{Cards: b.cards()}
	case 2:
		return rules.Accuse{}
	case 3:
		return rules.Deny{}
	case 4:
		return rules.Show{}
	case 5:
		return rules.Seal{}
	case 6:
		return rules.Unseal{Join: b.pick(2) == 0}
	case 7:
		var seats []int
		for range b.pick(8) {
			seats = append(seats, b.next())
		}
		return rules.Order{Seats: seats}
	case 8:
		return rules.Guess{}
	case 9:
		return rules.Help{}
	case 10:
		return rules.Verdict{Right: b.pick(2) == 0, Cards: b.cards()}
	case 11:
		return rules.Disclose{Cards: b.cards()}
	case 12:
		return rules.Leave{Opened: b.pick(2) == 0}
	case 13:
		return &rules.Ask{Cards: b.cards()}
	case 14:
		return (*rules.Verdict)(nil)
	case 15:
		return rules.Pick{Suspect: rules.Card(b.next())}
	case 16:
		return rules.Roll{}
	case 17:
		return rules.Passage{}
	case 18:
		return rules.Move{To: board.Place{Room: board.Room(b.next()), Square: board.Square{X: b.next(), Y: b.next()}}}
	case 19:
		return rules.Suggest{Suspect: rules.Card(b.next()), Weapon: rules.Card(b.next())}
	case 20:
		return rules.Charge{Cards: b.cards()}
	case 21:
		return rules.End{}
	}
	return nil
}

// onBoard is what the active player might say there.
func (b *tape) onBoard(p *rules.Position) rules.Act {
	if p.Phase == rules.Picking {
		return rules.Pick{Suspect: rules.Card(b.pick(6))}
	}
	if p.Phase == rules.Moving {
		m := p.Moves()
		if len(m.Rooms) > 0 && (len(m.Squares) == 0 || b.pick(3) > 0) {
			return rules.Move{To: board.In(m.Rooms[b.pick(len(m.Rooms))])}
		}
		return rules.Move{To: board.On(m.Squares[b.pick(len(m.Squares))])}
	}
	if b.pick(8) == 0 {
		return rules.Charge{Cards: []rules.Card{rules.Card(b.pick(6)), 6, rules.Card(12 + b.pick(9))}}
	}
	suggestion := rules.Suggest{Suspect: rules.Card(b.pick(6)), Weapon: rules.Card(6 + b.pick(6))}
	switch p.Phase {
	case rules.Turn:
		return []rules.Act{rules.Roll{}, rules.Roll{}, rules.Passage{}, suggestion}[b.pick(4)]
	case rules.Suggesting:
		return []rules.Act{suggestion, rules.End{}}[b.pick(2)]
	}
	return rules.End{}
}

// fitting is an act of the right kind for the phase, so that games move on;
// whether its content is legal is up to the bytes.
func (b *tape) fitting(p *rules.Position) rules.Act {
	triple := []rules.Card{rules.Card(b.pick(6)), 6, rules.Card(len(p.Edition.Cards) - 1)}
	if p.Edition.Board && slices.Contains([]rules.Phase{rules.Picking, rules.Turn, rules.Moving, rules.Suggesting, rules.Closing}, p.Phase) {
		return b.onBoard(p)
	}
	switch p.Phase {
	case rules.Voting:
		return rules.Vote{For: p.Present()[b.pick(len(p.Present()))]}
	case rules.Turn:
		if b.pick(3) == 0 {
			return rules.Accuse{}
		}
		return rules.Ask{Cards: []rules.Card{rules.Card(b.pick(6)), rules.Card(6 + b.pick(6))}}
	case rules.Answering:
		if b.pick(3) == 0 {
			return rules.Show{}
		}
		return rules.Deny{}
	case rules.Sealing:
		return rules.Seal{}
	case rules.Unsealing:
		return rules.Unseal{Join: b.pick(4) == 0}
	case rules.Ordering:
		return rules.Order{Seats: slices.Sorted(slices.Values(p.Accusation.Order))}
	case rules.Guessing:
		return rules.Guess{}
	case rules.Judging:
		switch right := b.pick(3) == 0; {
		case right && p.Edition.Board:
			return rules.Verdict{Right: true}
		case right:
			return rules.Verdict{Right: true, Cards: triple}
		}
		return rules.Verdict{}
	case rules.Disclosing:
		return rules.Disclose{Cards: triple}
	case rules.Farewell:
		return rules.Leave{}
	}
	return rules.Help{}
}

func (b *tape) facts(p *rules.Position) (f rules.Facts) {
	if b.pick(4) == 0 {
		f.Crime = b.cards()
	} else {
		f.Crime = []rules.Card{rules.Card(b.pick(6)), 6, rules.Card(len(p.Edition.Cards) - 1)}
	}
	for s := range p.Out {
		f.Lot = append(f.Lot, s)
	}
	if b.pick(4) == 0 {
		f.Lot = append(f.Lot, b.next())
	}
	for range p.Options.Dice() {
		f.Dice = append(f.Dice, 1+b.pick(6))
	}
	if b.pick(8) == 0 {
		f.Dice = append(f.Dice, b.next())
	}
	return f
}

// start begins a game, on the board with the weapons in the order of its bytes.
func (b *tape) start(e *rules.Edition, o rules.Options, seats int) *rules.Position {
	if !e.Board {
		return rules.Start(e, o, seats, b.gone(seats), b.pick(seats))
	}
	o.TwoDice, o.FreeDoors = b.pick(2) == 1, b.pick(2) == 1
	rooms := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for i := range rooms {
		j := b.pick(len(rooms))
		rooms[i], rooms[j] = rooms[j], rooms[i]
	}
	p, err := rules.StartBoard(e, o, seats, b.gone(seats), rooms)
	if err != nil {
		panic(err)
	}
	return p
}

// gone reads who left before the deal, now and then.
func (b *tape) gone(seats int) []bool {
	if b.pick(4) != 0 {
		return nil
	}
	out := make([]bool, b.pick(8)) // any length
	for s := range out {
		out[s] = b.pick(3) == 0
	}
	return out
}

// fuzzLeaving lets any seats leave, those that are none and all of them too.
func fuzzLeaving(t *testing.T, p *rules.Position, b *tape) *rules.Position {
	before := snapshot(p)
	var seats []int
	for range b.pick(4) {
		seats = append(seats, b.next()%8)
	}
	q := p.Depart(seats)
	if b.pick(32) == 0 {
		q = q.Abandon()
	}
	if snapshot(p) != before {
		t.Fatalf("%s: Depart or Abandon changed the position", p.Phase)
	}
	return q
}

// FuzzPlay says whatever the bytes say and lets leave whoever they name. Nothing
// may panic, Legal and Play must agree, no call may change the position it was
// made on, and until the end there is somebody to speak who has not left.
func FuzzPlay(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x00\x01\x02\x01\x00\x00\x02\x01\x01\x01\x01\x01\x01"))
	f.Add([]byte("\x01\x02\x02\x02\x04\x03everything else that one might say at a table of four"))
	f.Add(slices.Repeat([]byte{1, 3, 0}, 120))
	f.Add(slices.Repeat([]byte{1, 0, 2, 5, 7}, 120))
	f.Add(slices.Repeat([]byte{1, 1, 1, 1, 4, 1, 1, 0, 1, 3, 1}, 120))
	f.Add([]byte("\x02\x00\x00\x00\x02 who is in the library, with which rope, and where does the passage of the lounge lead to? the dice will say"))
	f.Add(slices.Repeat([]byte{2, 1, 3, 0, 5}, 200))
	f.Add([]byte("\x01\x01\x01\x01\x04\x01\x01\x0c\x01\x01\x00\x01\x03\x01\x00\x0c\x01\x02 who goes and who stays at a table of six, and when"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := tape(data)
		e := games()[b.pick(3)]
		o := rules.Options{
			First: rules.FirstChoices[b.pick(3)], Order: rules.OrderChoices[b.pick(3)],
			Last: rules.LastChoices[b.pick(2)], Notebook: "auto",
		}
		seats := 2 + b.pick(5)
		p := b.start(e, o, seats)
		for len(b) > 0 {
			if b.pick(12) == 0 {
				p = fuzzLeaving(t, p, &b)
			}
			p = fuzzRound(t, p, &b)
		}
	})
}

func fuzzRound(t *testing.T, p *rules.Position, b *tape) *rules.Position {
	before := snapshot(p)
	if who := p.Speakers(); (len(who) == 0) != (p.Phase == rules.Over) || slices.ContainsFunc(who, func(s int) bool { return p.Gone[s] }) {
		t.Fatalf("%s is for %v", p.Phase, who)
	}
	var said []rules.Said
	legal := p.Phase != rules.Over
	for _, s := range p.Speakers() {
		a := b.fitting(p)
		if b.pick(8) == 0 {
			s, a = b.next(), b.act()
		}
		legal = p.Legal(s, a) == nil && legal
		said = append(said, rules.Said{Seat: s, Act: a})
	}
	if b.pick(8) == 0 {
		said = append(said, rules.Said{Seat: b.next(), Act: b.act()})
	}
	q, err := p.Play(said, b.facts(p))
	if snapshot(p) != before {
		t.Fatalf("%s: Legal or Play changed the position", p.Phase)
	}
	if (q == nil) == (err == nil) {
		t.Fatalf("%s: position %v and error %v", p.Phase, q, err)
	}
	if err == nil && !legal {
		t.Fatalf("%s: Play took a round with an illegal act: %+v", p.Phase, said)
	}
	if err != nil {
		return p
	}
	return q
}
