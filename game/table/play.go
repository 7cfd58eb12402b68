package table

import (
	"encoding/binary"
	"fmt"
	"slices"

	"alibi/crypto/beacon"
	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
	"alibi/game/move"
	"alibi/game/rules"
)

// play folds a round of play: what all may hear goes to the rules, and what is
// hidden is checked here by its proofs.
func (f *fold) play(round []said) {
	if f.Barrier { // all have spoken on top of what came before: nobody can go another way
		f.next.Barrier = false
		return
	}
	var acts []rules.Said
	for _, s := range round {
		a := f.act(s)
		if a == nil {
			continue // a fault is noted
		}
		if err := f.Pos.Legal(s.seat, a); err != nil {
			f.fault(s.seat, RuleLegal)
			continue
		}
		f.check(s)
		acts = append(acts, rules.Said{Seat: s.seat, Act: a})
	}
	var facts func() rules.Facts
	switch f.Pos.Phase {
	case rules.Casting, rules.Rolling, rules.Peeking, rules.Laying, rules.Revealing:
		facts = f.unlock(round)
	}
	f.then = func() {
		var known rules.Facts
		if facts != nil {
			known = facts()
		}
		if len(f.next.Faults) > 0 {
			return
		}
		pos, err := f.Pos.Play(acts, known)
		if err != nil {
			// Each act is legal, so it is what was unlocked that does not fit:
			// ruled out by the proofs, like the faults of revealed.
			f.fault(acts[len(acts)-1].Seat, RuleCard)
			return
		}
		f.next.Pos = pos
		f.next.Barrier = pos.Phase == rules.Revealing && f.Pos.Phase != rules.Revealing
		f.narrate(round, pos)
	}
}

// act is what the rules hear of a move, or nil after a fault.
func (f *fold) act(s said) rules.Act {
	switch m := s.move.(type) {
	case *move.Vote:
		return rules.Vote{For: int(m.For)}
	case *move.Ask:
		return rules.Ask{Cards: cards(m.Cards)}
	case *move.Accuse:
		return rules.Accuse{}
	case *move.Deny:
		return rules.Deny{}
	case *move.Show:
		return rules.Show{}
	case *move.Seal:
		return rules.Seal{}
	case *move.Unseal:
		return rules.Unseal{Join: m.Join}
	case *move.Order:
		return rules.Order{Seats: seats(m.Seats)}
	case *move.Guess:
		return rules.Guess{}
	case *move.Shares, *move.Checked:
		return rules.Help{}
	case *move.Verdict:
		if !m.Right && len(m.Cards) > 0 {
			f.fault(s.seat, RuleVerdict)
			return nil
		}
		return rules.Verdict{Right: m.Right, Cards: cards(m.Cards)}
	case *move.Disclose:
		return rules.Disclose{Cards: cards(m.Cards)}
	case *move.Leave:
		return rules.Leave{Opened: len(m.Key) > 0}
	case *move.Go:
		to, ok := move.Place(m.To)
		if !ok {
			f.fault(s.seat, RuleLegal)
			return nil
		}
		return rules.Move{To: to}
	}
	if a := boardAct(s.move); a != nil {
		return a
	}
	f.fault(s.seat, RuleKind)
	return nil
}

// boardAct is what the rules hear of a move that is made on a board alone.
func boardAct(m move.Move) rules.Act {
	switch m := m.(type) {
	case *move.Pick:
		return rules.Pick{Suspect: rules.Card(m.Suspect)}
	case *move.Roll:
		return rules.Roll{}
	case *move.Passage:
		return rules.Passage{}
	case *move.Suggest:
		return rules.Suggest{Suspect: rules.Card(m.Suspect), Weapon: rules.Card(m.Weapon)}
	case *move.Charge:
		return rules.Charge{Cards: cards(m.Cards)}
	case *move.End:
		return rules.End{}
	}
	return nil
}

func cards(b []uint8) []rules.Card {
	out := make([]rules.Card, len(b))
	for i, c := range b {
		out[i] = rules.Card(c)
	}
	return out
}

func seats(b []uint8) []int {
	out := make([]int, len(b))
	for i, s := range b {
		out[i] = int(s)
	}
	return out
}

// check verifies what a legal move claims about hidden things.
func (f *fold) check(s said) {
	switch m := s.move.(type) {
	case *move.Deny:
		f.denied(s, m)
	case *move.Show:
		f.showed(s, m)
	case *move.Seal:
		f.next.Seals[s.seat] = m.Commitment
		f.next.Sealed, f.next.Under = f.Round, f.Game
	case *move.Unseal:
		if SealOf(f.Under, f.Sealed, s.seat, m.Join, m.Salt) != f.Seals[s.seat] {
			f.fault(s.seat, RuleSeal)
		}
	case *move.Guess:
		f.guessed(s, m)
	case *move.Verdict:
		f.judged(s, m)
	case *move.Disclose:
		f.disclosed(s, m)
	case *move.Leave:
		f.left(s, m)
	}
}

// SealOf is the commitment of a seat to join or pass, made in the given round.
func SealOf(game feed.Hash, round uint32, seat int, join bool, salt [32]byte) feed.Hash {
	choice := byte(0)
	if join {
		choice = 1
	}
	return transcript.Hash("seal", game[:],
		binary.BigEndian.AppendUint32(nil, round),
		[]byte{byte(seat), choice}, salt[:])
}

func (f *fold) denied(s said, m *move.Deny) {
	hand, asked := f.Hands[s.seat], f.Elements(f.Pos.Question.Cards)
	d, err := deck.ParseDenial(len(hand), len(asked), m.Proof)
	if err != nil {
		f.fault(s.seat, RuleDenial)
		return
	}
	check, err := deck.CheckDenial(s.context(0), f.SeatKeys[s.seat], hand, asked, d)
	f.prove(s, check, err, RuleDenial)
}

func (f *fold) showed(s said, m *move.Show) {
	hand, asked := f.Hands[s.seat], f.Elements(f.Pos.Question.Cards)
	w, err := deck.ParseShowing(len(hand), len(asked), m.Proof)
	if err != nil {
		f.fault(s.seat, RuleShowing)
		return
	}
	asker := f.Pos.Question.Asker
	check, err := deck.CheckShowing(s.context(0), f.SeatKeys[s.seat], hand, asked, f.SeatKeys[asker], w)
	f.prove(s, check, err, RuleShowing)
	f.shown = w.Card()
}

func (f *fold) guessed(s said, m *move.Guess) {
	choices := f.Choices()
	g, err := deck.ParseGuess(sizes(choices), m.Proof)
	if err != nil {
		f.fault(s.seat, RuleGuess)
		return
	}
	check, err := deck.CheckGuess(s.context(0), f.SeatKeys[s.seat], choices, g)
	f.prove(s, check, err, RuleGuess)
	f.next.Guess[s.seat] = g
}

func sizes(choices [][]*group.Element) []int {
	out := make([]int, len(choices))
	for i, c := range choices {
		out[i] = len(c)
	}
	return out
}

// judged checks a lone accuser's verdict. "Right" opens the guess and the Crime
// cards under the accuser's key together to the same cards, so that it is
// refused before anything is turned over; "wrong" proves that they differ. Of a
// guess that was announced only the Crime cards are left to be opened.
func (f *fold) judged(s said, m *move.Verdict) {
	crime, key := f.Peeked[s.seat], f.SeatKeys[s.seat]
	if named := f.Pos.Accusation.Guesses[s.seat]; m.Right && named != nil {
		f.opened(s, crime, f.Elements(named), m.Proof, RuleVerdict)
		return
	}
	guess := f.Fixed(s.seat)
	if m.Right {
		both := append(slices.Clone(guess), crime...)
		named := f.Elements(cards(m.Cards))
		f.opened(s, both, append(slices.Clone(named), named...), m.Proof, RuleVerdict)
		return
	}
	d, err := deck.ParseDifference(len(crime), m.Proof)
	if err != nil {
		f.fault(s.seat, RuleVerdict)
		return
	}
	check, err := deck.CheckDifference(s.context(0), key, crime, guess, d)
	f.prove(s, check, err, RuleVerdict)
}

func (f *fold) disclosed(s said, m *move.Disclose) {
	f.opened(s, f.Guess[s.seat].Cards(), f.Elements(cards(m.Cards)), m.Proof, RuleDisclosure)
}

func (f *fold) opened(s said, cs []elgamal.Ciphertext, ms []*group.Element, proof []byte, rule Rule) {
	o, err := deck.ParseOpening(len(cs), proof)
	if err != nil {
		f.fault(s.seat, rule)
		return
	}
	check, err := deck.CheckOpening(s.context(0), f.SeatKeys[s.seat], cs, ms, o)
	f.prove(s, check, err, rule)
}

func (f *fold) left(s said, m *move.Leave) {
	if len(m.Key) == 0 {
		return
	}
	y, err := group.ParseScalar(m.Key)
	if err != nil || !group.BaseMul(y).Equal(f.SeatKeys[s.seat]) {
		f.fault(s.seat, RuleSeatKey)
		return
	}
	f.next.Opened[s.seat] = y
}

// unlock checks a round of shares and returns what it brings to light, to be
// called once they verified.
func (f *fold) unlock(round []said) func() rules.Facts {
	tasks, helpers, shares := f.shares(round)
	return func() (facts rules.Facts) {
		switch f.Pos.Phase {
		case rules.Casting:
			facts.Lot = f.drawn(tasks, helpers, shares, 0).Perm("accusing order", f.Seats())
		case rules.Rolling:
			facts.Dice = rolled(f.drawn(tasks, helpers, shares, 0), f.Options.Dice())
		case rules.Laying:
			for i, at := range f.laying() {
				owner := f.Owners[at]
				f.next.Laid[owner] = append(slices.Clone(f.next.Laid[owner]), f.revealed(tasks, helpers, shares, i))
			}
		case rules.Revealing:
			for i := range tasks {
				facts.Crime = append(facts.Crime, f.revealed(tasks, helpers, shares, i))
			}
		case rules.Peeking:
			accuser := f.Pos.Accusation.Accuser
			f.next.Peeked[accuser] = nil
			for i := range tasks {
				c, err := deck.Handed(f.Quorum, helpers, tasks, shares, i)
				if err != nil {
					f.fault(helpers[len(helpers)-1], RuleShare)
					return
				}
				f.next.Peeked[accuser] = append(f.next.Peeked[accuser], c)
			}
		}
		return facts
	}
}

// rolled are so many dice. Each has a label of its own.
func rolled(v beacon.Value, dice int) []int {
	out := make([]int, dice)
	for i := range out {
		out[i] = 1 + v.Int(fmt.Sprintf("die %d", i+1), 6)
	}
	return out
}
