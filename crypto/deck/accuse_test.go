package deck

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// accusation is a guess of three cards and the Crime cards handed to the same
// seat. As in question, the cards have known logarithms.
type accusation struct {
	t       *testing.T
	accuser *seat
	logs    []*group.Scalar
	cards   []*group.Element
	choices [][]*group.Element // 2, 3 and 4 cards
	truth   []*group.Element
	crime   []elgamal.Ciphertext
}

func newAccusation(t *testing.T, name string) *accusation {
	t.Helper()
	ac := &accusation{t: t, accuser: newSeat(t, name)}
	for range 9 {
		m := ac.accuser.scalar()
		ac.logs, ac.cards = append(ac.logs, m), append(ac.cards, group.BaseMul(m))
	}
	ac.choices = [][]*group.Element{ac.cards[:2], ac.cards[2:5], ac.cards[5:]}
	ac.truth = []*group.Element{ac.cards[0], ac.cards[3], ac.cards[7]}
	ac.crime = ac.accuser.hold(ac.truth...)
	return ac
}

func (ac *accusation) guess(picks ...int) *Guess {
	ac.t.Helper()
	g, err := MakeGuess(here, ac.accuser.key, ac.choices, picks, ac.accuser.rand)
	if err != nil {
		ac.t.Fatal(err)
	}
	return g
}

var right = []int{0, 1, 2} // the picks that are the truth

// lie makes a guess of any ciphertexts, claiming branch picks[i] with r rs[i].
func (ac *accusation) lie(cs []elgamal.Ciphertext, picks []int, rs []*group.Scalar) *Guess {
	ac.t.Helper()
	var shape []clauseShape
	var known []sigma.Known
	for i, cards := range ac.choices {
		shape = append(shape, clauseShape{len(cards), 1})
		known = append(known, sigma.Known{Branch: picks[i], Secrets: []*group.Scalar{rs[i]}})
	}
	l := liar{ac.t, guessClaim(ac.accuser.key, ac.choices, cs),
		guessPlace(here, ac.accuser.key, ac.choices), ac.accuser.rand}
	return &Guess{body{flat(cs), l.prove(shape, known)}}
}

func TestGuess(t *testing.T) {
	ac := newAccusation(t, "guess")
	lens := []int{2, 3, 4}
	for a := range 2 {
		for b := range 3 {
			for c := range 4 {
				g := ac.guess(a, b, c)
				enc := g.Bytes()
				if len(enc) != GuessSize(lens) {
					t.Fatalf("%d bytes, want %d", len(enc), GuessSize(lens))
				}
				g, err := ParseGuess(lens, enc)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(g.Bytes(), enc) {
					t.Error("another encoding after parsing")
				}
				check, err := CheckGuess(here, ac.accuser.key, ac.choices, g)
				accepted(t, check, err)
				for i, pick := range []int{a, b, c} {
					if !g.Cards()[i].Decrypt(ac.accuser.y).Equal(ac.choices[i][pick]) {
						t.Errorf("category %d hides another card", i)
					}
				}
			}
		}
	}
	for _, picks := range [][]int{{0, 0}, {2, 0, 0}, {0, -1, 0}, {0, 0, 0, 0}} {
		if _, err := MakeGuess(here, ac.accuser.key, ac.choices, picks, ac.accuser.rand); err == nil {
			t.Errorf("picks %v are accepted", picks)
		}
	}
}

// Equations of branch b of category i: 2(first+b) for A, the next for B, with
// first the number of cards in the categories before.
func TestGuessOfNoCard(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint("category ", i), func(t *testing.T) {
			ac := newAccusation(t, "no card")
			var cs []elgamal.Ciphertext
			var rs []*group.Scalar
			for k, pick := range right {
				rs = append(rs, ac.accuser.scalar())
				cs = append(cs, elgamal.Encrypt(ac.choices[k][pick], ac.accuser.key, rs[k]))
			}
			check, err := CheckGuess(here, ac.accuser.key, ac.choices, ac.lie(cs, right, rs))
			accepted(t, check, err)

			at := 2 * ([]int{0, 2, 5}[i] + right[i])
			// A sum of two cards, or a card of another category.
			m := ac.cards[0].Add(ac.cards[8])
			gap := ac.logs[0].Add(ac.logs[8]).Sub(ac.logs[[]int{0, 3, 7}[i]])
			cs[i] = elgamal.Encrypt(m, ac.accuser.key, rs[i])
			check, err = CheckGuess(here, ac.accuser.key, ac.choices, ac.lie(cs, right, rs))
			refused(t, check, err, at+1)
			// With an r' that solves B - M = r Y, only A = r G is left.
			rs[i] = rs[i].Add(gap.Mul(ac.accuser.y.Invert()))
			check, err = CheckGuess(here, ac.accuser.key, ac.choices, ac.lie(cs, right, rs))
			refused(t, check, err, at)
		})
	}
}

func TestGuessAmongNonsense(t *testing.T) {
	ac := newAccusation(t, "nonsense")
	g := ac.guess(right...)
	for name, bad := range map[string][]*group.Element{
		"hole": {ac.cards[5], nil, ac.cards[7], ac.cards[8]}, "identity": {ac.cards[5], group.Identity(), ac.cards[7], ac.cards[8]},
		"no card": {}, "too many cards": slices.Repeat(ac.cards, MaxCards/len(ac.cards)+1),
	} {
		choices := [][]*group.Element{ac.choices[0], ac.choices[1], bad}
		if _, err := MakeGuess(here, ac.accuser.key, choices, []int{0, 0, 0}, ac.accuser.rand); err == nil {
			t.Errorf("MakeGuess: %s is accepted", name)
		}
		if _, err := CheckGuess(here, ac.accuser.key, choices, g); err == nil {
			t.Errorf("CheckGuess: %s is accepted", name)
		}
	}
	if _, err := MakeGuess(here, ac.accuser.key, nil, nil, ac.accuser.rand); err == nil {
		t.Error("a guess of nothing is made")
	}
	if _, err := CheckGuess(here, ac.accuser.key, nil, new(Guess)); err == nil {
		t.Error("a guess of nothing is accepted")
	}
	if _, err := ParseGuess(nil, nil); err == nil || GuessSize(nil) != 0 {
		t.Error("a guess of nothing is read")
	}
}

// A guess with A = 0 would lie open.
func TestGuessInTheOpen(t *testing.T) {
	ac := newAccusation(t, "open")
	cs := []elgamal.Ciphertext{elgamal.Plain(ac.truth[0]), elgamal.Plain(ac.truth[1]), elgamal.Plain(ac.truth[2])}
	g := ac.lie(cs, right, zeros(3))
	check, err := CheckGuess(here, ac.accuser.key, ac.choices, g)
	refused(t, check, err)
	if _, err := ParseGuess([]int{2, 3, 4}, g.Bytes()); err == nil {
		t.Error("ParseGuess accepts it")
	}
}

// Somebody who joins an accusation repeats the guess of the accuser.
func TestCopiedGuess(t *testing.T) {
	ac := newAccusation(t, "accuser")
	copier := newSeat(t, "copier")
	g := ac.guess(right...)
	theirs := []byte("game 1, round 9, seat 3")
	for name, check := range map[string]func() (*sigma.Check, error){
		"word for word": func() (*sigma.Check, error) { return CheckGuess(theirs, copier.key, ac.choices, g) },
		"with its key":  func() (*sigma.Check, error) { return CheckGuess(theirs, ac.accuser.key, ac.choices, g) },
		"own key":       func() (*sigma.Check, error) { return CheckGuess(here, copier.key, ac.choices, g) },
		"re-randomised": func() (*sigma.Check, error) {
			cs := g.Cards()
			for i := range cs {
				cs[i] = cs[i].Rerandomise(copier.key, copier.scalar())
			}
			return CheckGuess(theirs, copier.key, ac.choices, &Guess{body{flat(cs), g.proof}})
		},
		"re-randomised, own proof": func() (*sigma.Check, error) {
			// Under the key of the accuser, whose r the copier does not know.
			cs := g.Cards()
			var rs []*group.Scalar
			for i := range cs {
				rs = append(rs, copier.scalar())
				cs[i] = cs[i].Rerandomise(ac.accuser.key, rs[i])
			}
			return CheckGuess(here, ac.accuser.key, ac.choices, ac.lie(cs, right, rs))
		},
		"other choices": func() (*sigma.Check, error) {
			return CheckGuess(here, ac.accuser.key, [][]*group.Element{ac.cards[1:3], ac.choices[1], ac.choices[2]}, g)
		},
		"order of choices": func() (*sigma.Check, error) {
			turned := slices.Clone(ac.choices[2])
			slices.Reverse(turned)
			return CheckGuess(here, ac.accuser.key, [][]*group.Element{ac.choices[0], ac.choices[1], turned}, g)
		},
		"fewer categories": func() (*sigma.Check, error) { return CheckGuess(here, ac.accuser.key, ac.choices[:2], g) },
		"no categories":    func() (*sigma.Check, error) { return CheckGuess(here, ac.accuser.key, nil, g) },
		"missing":          func() (*sigma.Check, error) { return CheckGuess(here, ac.accuser.key, ac.choices, nil) },
		"empty":            func() (*sigma.Check, error) { return CheckGuess(here, ac.accuser.key, ac.choices, new(Guess)) },
		"no key":           func() (*sigma.Check, error) { return CheckGuess(here, nil, ac.choices, g) },
		"identity key":     func() (*sigma.Check, error) { return CheckGuess(here, group.Identity(), ac.choices, g) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}

func (ac *accusation) lieOpening(cs []elgamal.Ciphertext, ms []*group.Element, y *group.Scalar) *Opening {
	ac.t.Helper()
	l := liar{ac.t, openingClaim(ac.accuser.key, cs, ms),
		openingPlace(here, ac.accuser.key, cs, ms), ac.accuser.rand}
	return &Opening{body{nil, l.prove([]clauseShape{{1, 1}}, []sigma.Known{{Secrets: []*group.Scalar{y}}})}}
}

func TestOpening(t *testing.T) {
	ac := newAccusation(t, "opening")
	cs := ac.guess(right...).Cards()
	o, err := Open(here, ac.accuser.y, cs, ac.truth, ac.accuser.rand)
	if err != nil {
		t.Fatal(err)
	}
	b := o.Bytes()
	if len(b) != OpeningSize(3) {
		t.Errorf("%d bytes, want %d", len(b), OpeningSize(3))
	}
	if o, err = ParseOpening(3, b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(o.Bytes(), b) {
		t.Error("another encoding after parsing")
	}
	c, err := CheckOpening(here, ac.accuser.key, cs, ac.truth, o)
	accepted(t, c, err)
}

// Right when wrong: the guess is opened to the Crime cards, which it is not.
func TestGuessOpenedToAnotherCard(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint("category ", i), func(t *testing.T) {
			ac := newAccusation(t, "another card")
			picks := slices.Clone(right)
			picks[i] = (picks[i] + 1) % len(ac.choices[i])
			cs := ac.guess(picks...).Cards()
			if _, err := Open(here, ac.accuser.y, cs, ac.truth, ac.accuser.rand); err == nil {
				t.Error("Open opens it")
			}
			c, err := CheckOpening(here, ac.accuser.key, cs, ac.truth, ac.lieOpening(cs, ac.truth, ac.accuser.y))
			refused(t, c, err, 1+i)
		})
	}
}

// One card alone, with a y' that solves B - M = y A, violates Y = y G only.
func TestGuessOpenedWithAnotherKey(t *testing.T) {
	ac := newAccusation(t, "another key")
	r := ac.accuser.scalar()
	cs := []elgamal.Ciphertext{elgamal.Encrypt(ac.cards[0], ac.accuser.key, r)}
	gap := ac.logs[0].Sub(ac.logs[1])
	y := ac.accuser.y.Add(gap.Mul(r.Invert()))
	ms := []*group.Element{ac.cards[1]}
	c, err := CheckOpening(here, ac.accuser.key, cs, ms, ac.lieOpening(cs, ms, y))
	refused(t, c, err, 0)
}

// Ciphertexts that lie open are nobody's secret to open or to compare, though
// the equations could be met.
func TestNothingToOpen(t *testing.T) {
	ac := newAccusation(t, "nothing")
	cs := ac.guess(right...).Cards()
	cs[1] = elgamal.Plain(ac.truth[1])
	o := ac.lieOpening(cs, ac.truth, ac.accuser.y)
	if _, err := CheckOpening(here, ac.accuser.key, cs, ac.truth, o); !errors.Is(err, ErrIdentity) {
		t.Errorf("CheckOpening: %v", err)
	}
	if _, err := Open(here, ac.accuser.y, cs, ac.truth, ac.accuser.rand); err == nil {
		t.Error("Open opens it")
	}
	none := ac.lieOpening(nil, nil, ac.accuser.y) // a true proof, of no card
	if _, err := CheckOpening(here, ac.accuser.key, nil, nil, none); err == nil {
		t.Error("an opening of no card is accepted")
	}
	wrong := ac.guess(1, 1, 2).Cards()
	var secrets []*group.Scalar
	for range 3 {
		r := ac.accuser.scalar()
		secrets = append(secrets, r.Mul(ac.accuser.y), r)
	}
	crime := slices.Clone(ac.crime)
	crime[2] = elgamal.Plain(ac.truth[2])
	for _, pair := range [][2][]elgamal.Ciphertext{{crime, wrong}, {wrong, crime}} {
		d := ac.lieDifference(pair[0], pair[1], differencePoint(pair[0], pair[1], secrets), secrets)
		if _, err := CheckDifference(here, ac.accuser.key, pair[0], pair[1], d); !errors.Is(err, ErrIdentity) {
			t.Errorf("CheckDifference: %v", err)
		}
		if _, err := Differ(here, ac.accuser.y, pair[0], pair[1], ac.accuser.rand); err == nil {
			t.Error("Differ compares it")
		}
	}
}

func TestOpeningOfAnotherPlace(t *testing.T) {
	ac := newAccusation(t, "opening place")
	other := newSeat(t, "other")
	cs := ac.guess(right...).Cards()
	o, err := Open(here, ac.accuser.y, cs, ac.truth, ac.accuser.rand)
	if err != nil {
		t.Fatal(err)
	}
	again := ac.guess(right...).Cards()
	key := ac.accuser.key
	open := []elgamal.Ciphertext{elgamal.Plain(ac.truth[0]), cs[1], cs[2]}
	for name, check := range map[string]func() (*sigma.Check, error){
		"context":   func() (*sigma.Check, error) { return CheckOpening(nil, key, cs, ac.truth, o) },
		"key":       func() (*sigma.Check, error) { return CheckOpening(here, other.key, cs, ac.truth, o) },
		"guess":     func() (*sigma.Check, error) { return CheckOpening(here, key, again, ac.truth, o) },
		"cards":     func() (*sigma.Check, error) { return CheckOpening(here, key, cs, ac.cards[:3], o) },
		"fewer":     func() (*sigma.Check, error) { return CheckOpening(here, key, cs[:2], ac.truth[:2], o) },
		"more":      func() (*sigma.Check, error) { return CheckOpening(here, key, cs, ac.cards[:4], o) },
		"too few":   func() (*sigma.Check, error) { return CheckOpening(here, key, cs, ac.truth[:2], o) },
		"none":      func() (*sigma.Check, error) { return CheckOpening(here, key, nil, nil, o) },
		"missing":   func() (*sigma.Check, error) { return CheckOpening(here, key, cs, ac.truth, nil) },
		"empty":     func() (*sigma.Check, error) { return CheckOpening(here, key, cs, ac.truth, new(Opening)) },
		"no key":    func() (*sigma.Check, error) { return CheckOpening(here, nil, cs, ac.truth, o) },
		"open card": func() (*sigma.Check, error) { return CheckOpening(here, key, open, ac.truth, o) },
		"no card":   func() (*sigma.Check, error) { return CheckOpening(here, key, cs, make([]*group.Element, 3), o) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}
