package seat

import (
	"fmt"
	"slices"

	"alibi/crypto/deck"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// decided makes an entry that carries the player's decision.
func (p *Seat) decided(st *table.State, want Action) (move.Move, error) {
	phase := st.Phase()
	switch a := want.(type) {
	case Vote:
		return p.legal(st, rules.Vote{For: a.For}, &move.Vote{For: uint8(a.For)})
	case Ask:
		return p.legal(st, rules.Ask{Cards: a.Cards}, &move.Ask{Cards: small(a.Cards)})
	case Accuse:
		return p.legal(st, rules.Accuse{}, new(move.Accuse))
	case Propose:
		return p.legal(st, rules.Order{Seats: a.Seats}, &move.Order{Seats: small(a.Seats)})
	case Pick, Roll, Passage, Go, Suggest, Charge, End:
		act, m := onBoard(a)
		return p.legal(st, act, m)
	case Deny:
		if phase == rules.Answering {
			return p.deny(st)
		}
	case Show:
		if phase == rules.Answering {
			return p.show(st, a.Card)
		}
	case Join, Pass:
		if phase == rules.Sealing {
			_, join := want.(Join)
			return &move.Seal{Commitment: table.SealOf(st.Game, st.Round, p.index, join, p.secret.salt(st.Game, st.Round))}, nil
		}
	case Guess:
		if phase == rules.Guessing {
			return p.guess(st, a.Cards)
		}
	case Leave:
		if phase == rules.Farewell {
			m := &move.Leave{Key: []byte{}}
			if a.Open {
				m.Key = p.secret.keep().seat.Bytes()
			}
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w: the table is %s", ErrNotNow, phase)
}

// onBoard is an action on the board as the rules hear it, and as it is said.
func onBoard(want Action) (rules.Act, move.Move) {
	switch a := want.(type) {
	case Pick:
		return rules.Pick{Suspect: a.Suspect}, &move.Pick{Suspect: uint8(a.Suspect)}
	case Roll:
		return rules.Roll{}, new(move.Roll)
	case Passage:
		return rules.Passage{}, new(move.Passage)
	case Go:
		return rules.Move{To: a.To}, &move.Go{To: move.PlaceNumber(a.To)}
	case Suggest:
		return rules.Suggest{Suspect: a.Suspect, Weapon: a.Weapon}, &move.Suggest{Suspect: uint8(a.Suspect), Weapon: uint8(a.Weapon)}
	case Charge:
		return rules.Charge{Cards: a.Cards}, &move.Charge{Cards: small(a.Cards)}
	default:
		return rules.End{}, new(move.End)
	}
}

func (p *Seat) legal(st *table.State, a rules.Act, m move.Move) (move.Move, error) {
	if err := st.Pos.Legal(p.index, a); err != nil {
		return nil, err
	}
	return m, nil
}

func small[T ~int](in []T) []uint8 {
	out := make([]uint8, len(in))
	for i, v := range in {
		out[i] = uint8(v)
	}
	return out
}

// dutiful makes an entry in which the player has nothing to decide.
func (p *Seat) dutiful(st *table.State) (move.Move, error) {
	if st.Barrier {
		return new(move.Checked), nil
	}
	switch st.Phase() {
	case rules.Unsealing:
		return p.unseal(st)
	case rules.Confirming:
		return new(move.Checked), nil
	case rules.Judging:
		return p.verdict(st)
	case rules.Disclosing:
		guess := p.Guessed(st)
		o, err := deck.Open(p.context(st, move.KindDisclose, 0), p.secret.keep().seat, st.Guess[p.index].Cards(), st.Elements(guess), p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: opening a guess: %w", err)
		}
		return &move.Disclose{Cards: small(guess), Proof: o.Bytes()}, nil
	}
	return p.shares(st)
}

func (p *Seat) deny(st *table.State) (move.Move, error) {
	q := st.Pos.Question
	if slices.ContainsFunc(p.Hand(st), func(c rules.Card) bool { return slices.Contains(q.Cards, c) }) {
		return nil, ErrHolding
	}
	d, err := deck.Deny(p.context(st, move.KindDeny, 0), p.secret.keep().seat, st.Hands[p.index], st.Elements(q.Cards), p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: proving a no: %w", err)
	}
	return &move.Deny{Proof: d.Bytes()}, nil
}

func (p *Seat) show(st *table.State, card rules.Card) (move.Move, error) {
	q := st.Pos.Question
	asked := slices.Index(q.Cards, card)
	if asked < 0 {
		return nil, ErrNotAsked
	}
	held := slices.Index(p.Hand(st), card)
	if held < 0 {
		return nil, ErrNotHeld
	}
	w, err := deck.Show(p.context(st, move.KindShow, 0), p.secret.keep().seat, st.Hands[p.index], held,
		st.Elements(q.Cards), asked, st.SeatKeys[q.Asker], p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: showing a card: %w", err)
	}
	return &move.Show{Proof: w.Bytes()}, nil
}

func (p *Seat) unseal(st *table.State) (move.Move, error) {
	salt := p.secret.salt(st.Under, st.Sealed)
	for _, join := range []bool{true, false} {
		if table.SealOf(st.Under, st.Sealed, p.index, join, salt) == st.Seals[p.index] {
			return &move.Unseal{Join: join, Salt: salt}, nil
		}
	}
	return nil, fmt.Errorf("seat: no choice fits the seal of round %d", st.Sealed)
}

func (p *Seat) guess(st *table.State, cards []rules.Card) (move.Move, error) {
	if !st.Edition.Solution(cards) {
		return nil, rules.ErrSolution
	}
	picks := make([]int, len(cards))
	for i, c := range cards {
		picks[i] = slices.Index(st.Edition.Of(rules.Category(i)), c)
	}
	g, err := deck.MakeGuess(p.context(st, move.KindGuess, 0), st.SeatKeys[p.index], st.Choices(), picks, p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: fixing a guess: %w", err)
	}
	return &move.Guess{Proof: g.Bytes()}, nil
}

func (p *Seat) verdict(st *table.State) (move.Move, error) {
	crime, guess := st.Peeked[p.index], st.Fixed(p.index)
	named := Decrypt(st, guess, p.secret.keep().seat)
	ctx := p.context(st, move.KindVerdict, 0)
	if st.Edition.Board && slices.Equal(named, p.Peeked(st)) { // all have heard the guess
		o, err := deck.Open(ctx, p.secret.keep().seat, crime, st.Elements(named), p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: proving right: %w", err)
		}
		return &move.Verdict{Right: true, Cards: []uint8{}, Proof: o.Bytes()}, nil
	}
	if slices.Equal(named, p.Peeked(st)) {
		m := st.Elements(named)
		o, err := deck.Open(ctx, p.secret.keep().seat, append(slices.Clone(guess), crime...), append(slices.Clone(m), m...), p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: proving right: %w", err)
		}
		return &move.Verdict{Right: true, Cards: small(named), Proof: o.Bytes()}, nil
	}
	d, err := deck.Differ(ctx, p.secret.keep().seat, crime, guess, p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: proving wrong: %w", err)
	}
	return &move.Verdict{Cards: []uint8{}, Proof: d.Bytes()}, nil
}
