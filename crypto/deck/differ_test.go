package deck

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// lieDifference claims that left and right differ, with C = c and the secrets
// alpha_k, r_k as they are given.
func (ac *accusation) lieDifference(left, right []elgamal.Ciphertext, c *group.Element, secrets []*group.Scalar) *Difference {
	ac.t.Helper()
	l := liar{ac.t, differenceClaim(ac.accuser.key, left, right, c),
		differencePlace(here, ac.accuser.key, left, right), ac.accuser.rand}
	p := l.prove([]clauseShape{{1, len(secrets)}}, []sigma.Known{{Secrets: secrets}})
	return &Difference{body{[]*group.Element{c}, p}}
}

// point is the C that goes with the secrets.
func differencePoint(left, right []elgamal.Ciphertext, secrets []*group.Scalar) *group.Element {
	c := group.Identity()
	for k := range left {
		d := left[k].Sub(right[k])
		c = c.Add(d.B.Mul(secrets[2*k+1])).Sub(d.A.Mul(secrets[2*k]))
	}
	return c
}

func TestDifference(t *testing.T) {
	ac := newAccusation(t, "difference")
	for mask := 1; mask < 8; mask++ { // which categories are wrong
		picks := slices.Clone(right)
		for i := range picks {
			if mask>>i&1 == 1 {
				picks[i] = (picks[i] + 1) % len(ac.choices[i])
			}
		}
		guess := ac.guess(picks...).Cards()
		d, err := Differ(here, ac.accuser.y, ac.crime, guess, ac.accuser.rand)
		if err != nil {
			t.Fatal(err)
		}
		b := d.Bytes()
		if len(b) != DifferenceSize(3) {
			t.Errorf("%d bytes, want %d", len(b), DifferenceSize(3))
		}
		if d, err = ParseDifference(3, b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(d.Bytes(), b) {
			t.Error("another encoding after parsing")
		}
		c, err := CheckDifference(here, ac.accuser.key, ac.crime, guess, d)
		accepted(t, c, err)
	}
}

// Wrong when right: the accuser would rather play on in silence.
func TestWrongWhenRight(t *testing.T) {
	ac := newAccusation(t, "wrong when right")
	guess := ac.guess(right...).Cards()
	if _, err := Differ(here, ac.accuser.y, ac.crime, guess, ac.accuser.rand); !errors.Is(err, ErrSame) {
		t.Errorf("Differ: %v", err)
	}
	var secrets []*group.Scalar
	for range 3 {
		r := ac.accuser.scalar()
		secrets = append(secrets, r.Mul(ac.accuser.y), r)
	}
	check := func(d *Difference, equations ...int) {
		t.Helper()
		c, err := CheckDifference(here, ac.accuser.key, ac.crime, guess, d)
		refused(t, c, err, equations...)
	}
	// All true, so that C is the identity.
	d := ac.lieDifference(ac.crime, guess, group.Identity(), secrets)
	check(d)
	if _, err := CheckDifference(here, ac.accuser.key, ac.crime, guess, d); !errors.Is(err, ErrIdentity) {
		t.Errorf("CheckDifference: %v", err)
	}
	if _, err := ParseDifference(3, d.Bytes()); err == nil {
		t.Error("ParseDifference accepts the identity")
	}
	// C is some other element: violates its own equation only, the last.
	check(ac.lieDifference(ac.crime, guess, group.BaseMul(ac.accuser.scalar()), secrets), 3)
	// One alpha is not r y: violates 0 = alpha G - r Y of this place only.
	for k := range 3 {
		bent := slices.Clone(secrets)
		bent[2*k] = ac.accuser.scalar()
		check(ac.lieDifference(ac.crime, guess, differencePoint(ac.crime, guess, bent), bent), k)
	}
}

func TestDifferenceOfAnotherPlace(t *testing.T) {
	ac := newAccusation(t, "difference place")
	other := newSeat(t, "other")
	guess := ac.guess(1, 1, 2).Cards()
	d, err := Differ(here, ac.accuser.y, ac.crime, guess, ac.accuser.rand)
	if err != nil {
		t.Fatal(err)
	}
	key := ac.accuser.key
	rightGuess := ac.guess(right...).Cards()
	open := []elgamal.Ciphertext{elgamal.Plain(ac.truth[0]), ac.crime[1], ac.crime[2]}
	for name, check := range map[string]func() (*sigma.Check, error){
		"context": func() (*sigma.Check, error) { return CheckDifference(nil, key, ac.crime, guess, d) },
		"key":     func() (*sigma.Check, error) { return CheckDifference(here, other.key, ac.crime, guess, d) },
		"guess":   func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime, rightGuess, d) },
		"crime": func() (*sigma.Check, error) {
			return CheckDifference(here, key, ac.accuser.hold(ac.truth...), guess, d)
		},
		"swapped":      func() (*sigma.Check, error) { return CheckDifference(here, key, guess, ac.crime, d) },
		"fewer":        func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime[:2], guess[:2], d) },
		"uneven":       func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime, guess[:2], d) },
		"none":         func() (*sigma.Check, error) { return CheckDifference(here, key, nil, nil, d) },
		"missing":      func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime, guess, nil) },
		"empty":        func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime, guess, new(Difference)) },
		"no key":       func() (*sigma.Check, error) { return CheckDifference(here, nil, ac.crime, guess, d) },
		"identity key": func() (*sigma.Check, error) { return CheckDifference(here, group.Identity(), ac.crime, guess, d) },
		"open card":    func() (*sigma.Check, error) { return CheckDifference(here, key, open, guess, d) },
		"open guess":   func() (*sigma.Check, error) { return CheckDifference(here, key, ac.crime, open, d) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}
