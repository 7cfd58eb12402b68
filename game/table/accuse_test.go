package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

func bytesOf(cards []rules.Card) []uint8 {
	out := make([]uint8, len(cards))
	for i, c := range cards {
		out[i] = uint8(c)
	}
	return out
}

// under encrypts cards to a key: what a cheat would like to have guessed, or
// the Crime cards to be.
func (s *scene) under(t testing.TB, key *group.Element, cards []rules.Card) (out []elgamal.Ciphertext) {
	for i, m := range s.State.Elements(cards) {
		out = append(out, elgamal.Encrypt(m, key, scalar(t, fmt.Sprint("under ", i))))
	}
	return out
}

func (s *scene) open(t testing.TB, i int, kind move.Kind, cs []elgamal.Ciphertext, cards []rules.Card) []byte {
	t.Helper()
	y, _ := s.keys(t, i)
	o, err := deck.Open(table.Context(s.State.Place(i), kind, 0), y, cs, s.State.Elements(cards), parlour.Rand("open"))
	if err != nil {
		t.Fatal(err)
	}
	return o.Bytes()
}

func TestFalseGuess(t *testing.T) {
	s := accusing(t, "guess", options("left"), true, true, rules.Guessing)
	s.accepts(t)
	st, i := s.State, s.State.Pos.Accusation.Accuser
	guess := func(key *group.Element, choices [][]*group.Element) *move.Guess {
		g, err := deck.MakeGuess(table.Context(st.Place(i), move.KindGuess, 0), key, choices, make([]int, len(choices)), parlour.Rand("guess"))
		if err != nil {
			t.Fatal(err)
		}
		return &move.Guess{Proof: g.Bytes()}
	}
	own := st.Choices()
	swapped := []([]*group.Element){own[0], own[2], own[1]}
	fake := []([]*group.Element){own[0], {group.Base(), own[1][1], own[1][2]}, own[2]}
	honest := guess(st.SeatKeys[i], own)
	spoil := func(at int, e *group.Element) *move.Guess {
		b := slices.Clone(honest.Proof)
		copy(b[32*at:], e.Bytes())
		return &move.Guess{Proof: b}
	}
	for name, m := range map[string]*move.Guess{
		"a location for a weapon":   guess(st.SeatKeys[i], swapped),
		"something that no card is": guess(st.SeatKeys[i], fake),
		"under another's key":       guess(st.SeatKeys[(i+1)%3], own),
		"two categories of three":   guess(st.SeatKeys[i], own[:2]),
		"the weapon replaced":       spoil(3, group.BaseMul(scalar(t, "weapon"))),
		"identity":                  spoil(2, group.Identity()),
		"nothing":                   {Proof: []byte{}},
		"one byte more":             {Proof: append(slices.Clone(honest.Proof), 0)},
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, i, m, table.RuleGuess) })
	}
}

// Several accuse, and one of them says what another says. The copy is refused
// whether its ciphertexts are the same or re-randomised: it cannot prove to
// know what is in them.
func TestCopiedGuess(t *testing.T) {
	s := accusing(t, "copied", options("left"), true, false, rules.Guessing)
	s.accepts(t)
	const victim, copycat = 0, 2
	theirs := s.honest(t, victim).(*move.Guess)
	own := s.honest(t, copycat).(*move.Guess)
	mixed := slices.Concat(theirs.Proof[:6*32], own.Proof[6*32:])
	moved := slices.Clone(theirs.Proof)
	for k := range 3 { // re-randomised, and still under the victim's key
		c, err := elgamal.Parse(moved[64*k : 64*k+64])
		if err != nil {
			t.Fatal(err)
		}
		copy(moved[64*k:], c.Rerandomise(s.State.SeatKeys[victim], scalar(t, "moved")).Bytes())
	}
	for name, b := range map[string][]byte{
		"as it is":           theirs.Proof,
		"with its own proof": mixed,
		"re-randomised":      moved,
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, copycat, &move.Guess{Proof: b}, table.RuleGuess) })
	}
}

// "Right" when wrong, by each category in which the guess can be wrong.
func TestRightWhenWrong(t *testing.T) {
	for c := range 3 {
		t.Run(fmt.Sprint("category ", c), func(t *testing.T) {
			s := newScene(t, "right when wrong", "card", 3, options("left"))
			s.follow(script{guess: func(int) []rules.Card { return s.wrong(t, c) }})
			s.until(t, phase(rules.Judging))
			s.accepts(t)
			st, i := s.State, s.State.Pos.Accusation.Accuser
			guess, crime := s.wrong(t, c), s.crime(t)
			gs, cs := st.Guess[i].Cards(), st.Peeked[i]
			twice := func(cards []rules.Card) []rules.Card { return slices.Concat(cards, cards) }
			verdict := func(named []rules.Card, both []elgamal.Ciphertext) *move.Verdict {
				return &move.Verdict{Right: true, Cards: bytesOf(named), Proof: s.open(t, i, move.KindVerdict, both, twice(named))}
			}
			wish := s.under(t, st.SeatKeys[i], crime)
			for name, m := range map[string]*move.Verdict{
				"with the guess exchanged":       verdict(crime, slices.Concat(wish, cs)),
				"with the Crime cards exchanged": verdict(guess, slices.Concat(gs, s.under(t, st.SeatKeys[i], guess))),
				"opening the crime twice":        verdict(crime, slices.Concat(cs, cs)),
				"opening the guess twice":        verdict(guess, slices.Concat(gs, gs)),
				"naming other cards": {Right: true, Cards: bytesOf(crime),
					Proof: verdict(guess, slices.Concat(gs, gs)).Proof},
				"with the proof of being wrong": {Right: true, Cards: bytesOf(crime),
					Proof: s.honest(t, i).(*move.Verdict).Proof},
				"without a proof": {Right: true, Cards: bytesOf(crime), Proof: []byte{}},
			} {
				t.Run(name, func(t *testing.T) { s.refuses(t, i, m, table.RuleVerdict) })
			}
		})
	}
}

func TestWrongWhenRight(t *testing.T) {
	s := accusing(t, "wrong when right", options("left"), true, true, rules.Judging)
	s.accepts(t)
	st, i := s.State, s.State.Pos.Accusation.Accuser
	y, _ := s.keys(t, i)
	gs, cs := st.Guess[i].Cards(), st.Peeked[i]
	differ := func(left, right []elgamal.Ciphertext) []byte {
		d, err := deck.Differ(table.Context(st.Place(i), move.KindVerdict, 0), y, left, right, parlour.Rand("differ"))
		if err != nil {
			t.Fatal(err)
		}
		return d.Bytes()
	}
	other := s.under(t, st.SeatKeys[i], s.wrong(t, 0))
	zero := differ(cs, other)
	clear(zero[:32])
	honest := s.honest(t, i).(*move.Verdict)
	for name, b := range map[string][]byte{
		"about another guess":     differ(cs, other),
		"about another crime":     differ(other, gs),
		"about two categories":    differ([]elgamal.Ciphertext{cs[0], cs[1]}, []elgamal.Ciphertext{gs[0], other[0]}),
		"about another order":     differ([]elgamal.Ciphertext{cs[1], cs[0], cs[2]}, gs),
		"with C = 0":              zero,
		"with the proof of right": honest.Proof,
		"without a proof":         {},
	} {
		t.Run(name, func(t *testing.T) {
			s.refuses(t, i, &move.Verdict{Cards: []uint8{}, Proof: b}, table.RuleVerdict)
		})
	}
	t.Run("with cards", func(t *testing.T) {
		s.refuses(t, i, &move.Verdict{Cards: honest.Cards, Proof: differ(cs, other)}, table.RuleVerdict)
	})
	t.Run("no solution", func(t *testing.T) {
		s.refuses(t, i, &move.Verdict{Right: true, Cards: []uint8{0, 0, 0}, Proof: honest.Proof}, table.RuleLegal)
	})
}

// A wrong verdict that opens cards is refused even when its proof holds.
func TestWrongVerdictNamesNoCards(t *testing.T) {
	s := accusing(t, "no cards", options("left"), false, true, rules.Judging)
	i := s.State.Pos.Accusation.Accuser
	m := s.honest(t, i).(*move.Verdict)
	m.Cards = bytesOf(s.wrong(t, 1))
	s.refuses(t, i, m, table.RuleVerdict)
}

// A guess opened to other cards than were fixed: the joiner sees in the same
// round what the others open.
func TestGuessOpenedToOtherCards(t *testing.T) {
	s := newScene(t, "opened", "card", 3, options("left"))
	s.follow(script{
		join:  func(int) bool { return true },
		guess: func(i int) []rules.Card { return s.wrong(t, i) },
	})
	s.until(t, phase(rules.Disclosing))
	s.accepts(t)
	const i = 1
	st, crime, fixed := s.State, s.crime(t), s.wrong(t, i)
	gs := st.Guess[i].Cards()
	wish := s.under(t, st.SeatKeys[i], crime)
	honest := s.honest(t, i).(*move.Disclose)
	for name, m := range map[string]*move.Disclose{
		"to the crime":                 {Cards: bytesOf(crime), Proof: honest.Proof},
		"with another guess's opening": {Cards: bytesOf(crime), Proof: s.open(t, i, move.KindDisclose, wish, crime)},
		"two cards of three":           {Cards: bytesOf(crime), Proof: s.open(t, i, move.KindDisclose, []elgamal.Ciphertext{gs[0], wish[1], gs[2]}, with(fixed, i, crime[i]))},
		"another's opening":            s.honest(t, 0).(*move.Disclose),
		"as a verdict":                 {Cards: bytesOf(fixed), Proof: s.open(t, i, move.KindVerdict, gs, fixed)},
		"without a proof":              {Cards: bytesOf(fixed), Proof: []byte{}},
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, i, m, table.RuleDisclosure) })
	}
	for name, cards := range map[string][]uint8{"no solution": {0, 1, 2}, "no card": {200, 6, 9}, "two cards": {0, 6}, "none": {}} {
		t.Run(name, func(t *testing.T) {
			s.refuses(t, i, &move.Disclose{Cards: cards, Proof: honest.Proof}, table.RuleLegal)
		})
	}
}

func TestUnsealedOtherThanSealed(t *testing.T) {
	s := accusing(t, "unsealing", options("left"), true, true, rules.Unsealing)
	s.accepts(t)
	i, other := s.State.Speakers()[0], s.State.Speakers()[1]
	honest := *s.honest(t, i).(*move.Unseal)
	theirs := s.honest(t, other).(*move.Unseal)
	turned := honest
	turned.Join = !turned.Join
	salted := honest
	salted.Salt[5] ^= 1
	for name, m := range map[string]*move.Unseal{
		"the other choice": &turned,
		"another salt":     &salted,
		"another's choice": theirs,
		"another's salt":   {Join: honest.Join, Salt: theirs.Salt},
		"no salt":          {Join: honest.Join},
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, i, m, table.RuleSeal) })
	}
}

// A copied seal cannot be opened with what its owner says to open it.
func TestCopiedSeal(t *testing.T) {
	s := accusing(t, "copied seal", options("left"), true, true, rules.Sealing)
	victim, copycat := s.State.Speakers()[0], s.State.Speakers()[1]
	s.Tamper = func(st *table.State, i int, m move.Move) move.Move {
		if i == copycat {
			return s.honest(t, victim)
		}
		return m
	}
	s.until(t, phase(rules.Unsealing))
	s.Tamper = nil
	if s.State.Seals[victim] != s.State.Seals[copycat] {
		t.Fatal("the seal was not copied")
	}
	// The copycat's own client could not make this entry, so it is sealed by hand.
	words := s.honest(t, victim)
	kind, body := encoded(t, words)
	round := []*feed.Signed{s.sealed(t, victim, kind, body), s.sealed(t, copycat, kind, body)}
	s.stops(t, round, table.Fault{Seat: copycat, Round: s.State.Round, Rule: table.RuleSeal})
}

func TestSealsDifferByEverything(t *testing.T) {
	var game feed.Hash
	seen := map[feed.Hash]bool{}
	for _, g := range []byte{0, 1} {
		game[3] = g
		for _, round := range []uint32{7, 8, 1 << 8, 1 << 16, 1 << 24} {
			for i := range 3 {
				for _, join := range []bool{true, false} {
					for _, salt := range []byte{0, 1} {
						seen[table.SealOf(game, round, i, join, [32]byte{31: salt})] = true
					}
				}
			}
		}
	}
	if want := 2 * 5 * 3 * 2 * 2; len(seen) != want {
		t.Errorf("%d different seals, want %d", len(seen), want)
	}
}

func TestSeatKeyThatIsNotItsOwn(t *testing.T) {
	s := accusing(t, "farewell", options("left"), true, true, rules.Farewell)
	s.accepts(t)
	const i = 1
	y, x := s.keys(t, i)
	yOther, _ := s.keys(t, 2)
	order := append(slices.Clone(y.Bytes()), 0)
	high := slices.Clone(y.Bytes())
	high[31] |= 0x80
	for name, key := range map[string][]byte{
		"another's":     yOther.Bytes(),
		"its lock key":  x.Bytes(),
		"one too many":  y.Add(group.ScalarFromUint64(1)).Bytes(),
		"negative":      y.Neg().Bytes(),
		"zero":          make([]byte, 32),
		"not canonical": high,
		"one byte more": order,
		"one byte less": y.Bytes()[:31],
		"huge":          make([]byte, 50<<10),
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, i, &move.Leave{Key: key}, table.RuleSeatKey) })
	}
}

// A seat may keep its key: nothing is asked of it, and nothing known.
func TestSeatKeyKept(t *testing.T) {
	s := accusing(t, "farewell", options("left"), true, true, rules.Farewell)
	kind, body := encoded(t, &move.Leave{Key: []byte{}})
	st := table.Apply(s.State, s.round(t, map[int]*feed.Signed{1: s.sealed(t, 1, kind, body)}))
	if st.Stopped() || st.Phase() != rules.Over || st.Opened[1] != nil || st.Opened[0] == nil || !st.Done() {
		t.Errorf("%v, %s, opened %v", st.Faults, st.Phase(), st.Opened)
	}
	if again := table.Apply(st, nil); again != st {
		t.Error("a game that is over was folded on")
	}
}
