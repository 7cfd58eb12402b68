package dkg

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

// Whoever lied is blamed: of the complaints about every dealer by every
// receiver, those about what fits convict the receiver and the others the
// dealer. The proofs are all true.
func TestBlame(t *testing.T) {
	const dealer, at, victim = 1, 2, 3
	p := newParty(t, 5, 3)
	honest := p.dealers[dealer]
	constant := honest.keep()[0]
	for name, c := range map[string]struct {
		dealt *Polynomial
		blame int
	}{
		"an honest dealing":             {honest, victim},
		"fits other commitments":        {p.dealers[0], dealer},
		"a coefficient is another":      {known(constant, honest.keep()[1], scalar(t, p.rand)), dealer},
		"a coefficient less":            {known(constant, honest.keep()[1]), dealer},
		"a coefficient too many":        {known(append(slices.Clone(honest.keep()), scalar(t, p.rand))...), dealer},
		"the secret itself to everyone": {known(constant), dealer},
		"zero to everyone":              {known(group.ScalarFromUint64(0)), dealer},
		"the negative":                  {known(negated(honest.keep())...), dealer},
	} {
		t.Run(name, func(t *testing.T) {
			d := p.dealAs(dealer, c.dealt)
			share, err := d.Open(dealtAt(dealer), at, p.y[victim])
			if err != nil {
				t.Fatal(err)
			}
			if fits := Verify(p.public[dealer], victim, share); fits != (c.blame == victim) {
				t.Errorf("the receiver sees that it fits: %v", fits)
			}
			complaint := p.complain(d, dealer, at)
			opened, err := complaint.Opened(dealtAt(dealer), d, at)
			if err != nil || !opened.Equal(share) {
				t.Errorf("all see another share than the receiver, %v", err)
			}
			if got := p.blames(complaint, d, dealer, at); got != c.blame {
				t.Errorf("seat %d is blamed, want %d", got, c.blame)
			}
		})
	}
}

func negated(coefficients []*group.Scalar) []*group.Scalar {
	out := make([]*group.Scalar, len(coefficients))
	for k, a := range coefficients {
		out[k] = a.Neg()
	}
	return out
}

// A dealer who swaps two boxes has given shares that fit, to the wrong seats;
// one who spoils any bit of a box has given noise. Both can prove their R.
func TestSpoiltBoxes(t *testing.T) {
	const dealer, at, victim = 0, 1, 2
	p := newParty(t, 4, 3)
	seats, keys := p.others(dealer)
	var secrets []*group.Scalar
	var points []*group.Element
	var boxes []*group.Scalar
	for i, seat := range seats {
		r := scalar(t, p.rand)
		secrets, points = append(secrets, r), append(points, group.BaseMul(r))
		boxes = append(boxes, p.dealers[dealer].Share(seat).Add(mask(dealtAt(dealer), i, points[i], keys[i].Mul(r))))
	}
	blame := func(boxes []*group.Scalar) int {
		d := p.forge(dealer, points, boxes, secrets)
		c, err := CheckDealing(dealtAt(dealer), seats, keys, d)
		accepted(t, c, err)
		return p.blames(p.complain(d, dealer, at), d, dealer, at)
	}
	if got := blame(boxes); got != victim {
		t.Errorf("seat %d is blamed for a false complaint", got)
	}
	swapped := slices.Clone(boxes)
	swapped[0], swapped[1] = boxes[1], boxes[0]
	if got := blame(swapped); got != dealer {
		t.Errorf("swapped: seat %d is blamed", got)
	}
	for bit := range 256 {
		b := boxes[at].Bytes()
		b[bit/8] ^= 1 << (bit % 8)
		box, err := group.ParseScalar(b)
		if err != nil {
			continue // nobody reads it
		}
		bent := slices.Clone(boxes)
		bent[at] = box
		if got := blame(bent); got != dealer {
			t.Errorf("bit %d: seat %d is blamed", bit, got)
		}
	}
}

// A bit changed on the way makes any message unreadable or refused. So whoever
// passes it on can put no blame on anybody.
func TestEveryBitCounts(t *testing.T) {
	const dealer, at = 0, 1
	p := newParty(t, 3, 2)
	seats, keys := p.others(dealer)
	d := p.deal(dealer)
	here := complainedAt(seats[at])
	complaint := p.complain(d, dealer, at)
	flips := func(b []byte, check func(b []byte) (*sigma.Check, error)) {
		for bit := range 8 * len(b) {
			bent := bytes.Clone(b)
			bent[bit/8] ^= 1 << (bit % 8)
			c, err := check(bent)
			refused(t, c, err)
		}
	}
	flips(d.Bytes(), func(b []byte) (*sigma.Check, error) {
		bent, err := ParseDealing(len(seats), b)
		if err != nil {
			return nil, err
		}
		return CheckDealing(dealtAt(dealer), seats, keys, bent)
	})
	flips(complaint.Bytes(), func(b []byte) (*sigma.Check, error) {
		bent, err := ParseComplaint(b)
		if err != nil {
			return nil, err
		}
		return CheckComplaint(here, d, at, keys[at], bent)
	})
	flips(d.Bytes(), func(b []byte) (*sigma.Check, error) {
		bent, err := ParseDealing(len(seats), b)
		if err != nil {
			return nil, err
		}
		return CheckComplaint(here, bent, at, keys[at], complaint)
	})
}

// A receiver who wants to blame an honest dealer needs another D. Either the
// key or the point is then not the one of its y: each of these lies violates one
// equation.
func TestForgedComplaint(t *testing.T) {
	const dealer, at, liar = 0, 1, 2
	p := newParty(t, 4, 3)
	_, keys := p.others(dealer)
	d := p.deal(dealer)
	here := complainedAt(liar)
	forge := func(dh *group.Element, y *group.Scalar) *Complaint {
		claim := complaintClaim(keys[at], d.points[at], dh)
		return &Complaint{dh, lie(t, claim, complaintPlace(here, d, at, keys[at], dh), []*group.Scalar{y}, p.rand)}
	}
	right := d.points[at].Mul(p.y[liar])
	other := scalar(t, p.rand)
	for name, c := range map[string]struct {
		forged   *Complaint
		equation int
	}{
		"another D":                   {forge(right.Add(group.Base()), p.y[liar]), 1},
		"D negated":                   {forge(right.Neg(), p.y[liar]), 1},
		"D of another receiver's R":   {forge(d.points[0].Mul(p.y[liar]), p.y[liar]), 1},
		"D made with another key":     {forge(d.points[at].Mul(other), other), 0},
		"D made with the dealer's":    {forge(d.points[at].Mul(p.y[dealer]), p.y[dealer]), 0},
		"the right D and another key": {forge(right, other), -1},
	} {
		t.Run(name, func(t *testing.T) {
			check, err := CheckComplaint(here, d, at, keys[at], c.forged)
			if c.equation < 0 {
				refused(t, check, err, 0, 1)
				return
			}
			refused(t, check, err, c.equation)
			// Had it been accepted, the honest dealer would be at fault.
			if got := p.blames(c.forged, d, dealer, at); got != dealer {
				t.Errorf("a forgery that blames seat %d is of no use", got)
			}
		})
	}
	check, err := CheckComplaint(here, d, at, keys[at], forge(right, p.y[liar]))
	accepted(t, check, err)
	zero := forge(group.Identity(), group.ScalarFromUint64(0))
	if _, err := CheckComplaint(here, d, at, keys[at], zero); !errors.Is(err, elgamal.ErrIdentity) {
		t.Errorf("CheckComplaint: %v", err)
	}
}

// A complaint is good for its place, its dealing and its receiver only.
func TestComplaintForSomethingElse(t *testing.T) {
	const dealer, at, seat = 0, 1, 2
	p := newParty(t, 4, 3)
	_, keys := p.others(dealer)
	d := p.deal(dealer)
	c := p.complain(d, dealer, at)
	here := complainedAt(seat)
	theirs := p.deal(1)
	otherPlace := p.complain(d, dealer, 0)
	otherBox := &Dealing{d.points, slices.Clone(d.boxes), d.proof}
	otherBox.boxes[0] = otherBox.boxes[0].Neg()
	for name, check := range map[string]func() (*sigma.Check, error){
		"another game":   func() (*sigma.Check, error) { return CheckComplaint([]byte("game 2"), d, at, keys[at], c) },
		"another seat":   func() (*sigma.Check, error) { return CheckComplaint(complainedAt(1), d, at, keys[at], c) },
		"another dealer": func() (*sigma.Check, error) { return CheckComplaint(here, theirs, at, keys[at], c) },
		"another's box":  func() (*sigma.Check, error) { return CheckComplaint(here, otherBox, at, keys[at], c) },
		"the proof in another": func() (*sigma.Check, error) {
			return CheckComplaint(here, &Dealing{d.points, d.boxes, theirs.proof}, at, keys[at], c)
		},
		"another receiver":     func() (*sigma.Check, error) { return CheckComplaint(here, d, 0, keys[0], c) },
		"another receiver's R": func() (*sigma.Check, error) { return CheckComplaint(here, d, 0, keys[at], c) },
		"another key":          func() (*sigma.Check, error) { return CheckComplaint(here, d, at, keys[0], c) },
		"identity as key":      func() (*sigma.Check, error) { return CheckComplaint(here, d, at, group.Identity(), c) },
		"no key":               func() (*sigma.Check, error) { return CheckComplaint(here, d, at, nil, c) },
		"receiver -1":          func() (*sigma.Check, error) { return CheckComplaint(here, d, -1, keys[at], c) },
		"receiver 3":           func() (*sigma.Check, error) { return CheckComplaint(here, d, 3, keys[at], c) },
		"no dealing":           func() (*sigma.Check, error) { return CheckComplaint(here, nil, at, keys[at], c) },
		"an empty dealing":     func() (*sigma.Check, error) { return CheckComplaint(here, new(Dealing), at, keys[at], c) },
		"missing":              func() (*sigma.Check, error) { return CheckComplaint(here, d, at, keys[at], nil) },
		"empty":                func() (*sigma.Check, error) { return CheckComplaint(here, d, at, keys[at], new(Complaint)) },
		"without proof":        func() (*sigma.Check, error) { return CheckComplaint(here, d, at, keys[at], &Complaint{point: c.point}) },
		"with the proof of other": func() (*sigma.Check, error) {
			return CheckComplaint(here, d, at, keys[at], &Complaint{c.point, otherPlace.proof})
		},
	} {
		t.Run(name, func(t *testing.T) {
			check, err := check()
			refused(t, check, err)
		})
	}
}

// The index of a receiver is in no equation: with two equal R and two equal keys
// it is all that differs.
func TestReceiverIsBound(t *testing.T) {
	p := newParty(t, 3, 2)
	seats, keys := []int{1, 2}, []*group.Element{p.keys[1], p.keys[1]}
	r := scalar(t, p.rand)
	d := &Dealing{points: []*group.Element{group.BaseMul(r), group.BaseMul(r)}, boxes: []*group.Scalar{r, r}}
	d.proof = lie(t, dealingClaim(d.points), d.place(dealtAt(0), seats, keys), []*group.Scalar{r, r}, p.rand)
	check, err := CheckDealing(dealtAt(0), seats, keys, d)
	accepted(t, check, err)
	c, err := Complain(complainedAt(1), d, 0, p.y[1], p.rand)
	if err != nil {
		t.Fatal(err)
	}
	check, err = CheckComplaint(complainedAt(1), d, 0, keys[0], c)
	accepted(t, check, err)
	check, err = CheckComplaint(complainedAt(1), d, 1, keys[1], c)
	refused(t, check, err)
	one, _ := c.Opened(dealtAt(0), d, 0)
	two, _ := c.Opened(dealtAt(0), d, 1)
	if one.Equal(two) {
		t.Error("two receivers have one mask")
	}
}

func TestComplaintRoundTrip(t *testing.T) {
	p := newParty(t, 3, 2)
	d := p.deal(0)
	c := p.complain(d, 0, 1)
	b := c.Bytes()
	if len(b) != ComplaintSize() {
		t.Errorf("%d bytes, want %d", len(b), ComplaintSize())
	}
	for name, bad := range map[string][]byte{
		"nothing":      nil,
		"a byte short": b[:len(b)-1],
		"a byte more":  append(bytes.Clone(b), 0),
		"a megabyte":   make([]byte, 1<<20),
		"identity":     append(make([]byte, 32), b[32:]...),
		"no scalar":    append(bytes.Clone(b[:96]), bytes.Repeat([]byte{0xff}, 32)...),
		"no element":   append(bytes.Repeat([]byte{0xff}, 32), b[32:]...),
	} {
		if c, err := ParseComplaint(bad); err == nil || c != nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := ParseComplaint(append(make([]byte, 32), b[32:]...)); !errors.Is(err, group.ErrIdentity) {
		t.Errorf("identity: %v", err)
	}
	if _, err := Complain(complainedAt(1), d, 0, p.y[1], bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("31 random bytes are enough")
	}
}

// What cannot be opened is an error and blames nobody.
func TestNothingToOpen(t *testing.T) {
	p := newParty(t, 3, 2)
	d := p.deal(0)
	c := p.complain(d, 0, 1)
	for name, err := range map[string]error{
		"receiver -1":      second(c.Opened(dealtAt(0), d, -1)),
		"receiver 2":       second(c.Opened(dealtAt(0), d, 2)),
		"no dealing":       second(c.Opened(dealtAt(0), nil, 1)),
		"an empty dealing": second(c.Opened(dealtAt(0), new(Dealing), 1)),
		"no complaint":     second((*Complaint)(nil).Opened(dealtAt(0), d, 1)),
		"empty":            second(new(Complaint).Opened(dealtAt(0), d, 1)),
		"complain as -1":   second(Complain(complainedAt(1), d, -1, p.y[1], p.rand)),
		"complain as 2":    second(Complain(complainedAt(1), d, 2, p.y[1], p.rand)),
		"about nothing":    second(Complain(complainedAt(1), nil, 0, p.y[1], p.rand)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// With a random source that always says the same, two complaints of one seat
// have no value in common: the nonce is hashed with the statement.
func TestConstantRandomSourceOfComplaints(t *testing.T) {
	p := newParty(t, 4, 3)
	seen := make(map[string]string)
	for dealer := range 3 {
		d := p.deal(dealer)
		for round := range 2 {
			name := fmt.Sprint("dealer ", dealer, " round ", round)
			c, err := Complain([]byte(name), d, 2, p.y[3], zeros{})
			if err != nil {
				t.Fatal(err)
			}
			for b := c.Bytes()[32:]; len(b) > 0; b = b[32:] {
				if before, ok := seen[string(b[:32])]; ok {
					t.Errorf("a value of %s occurs in %s", before, name)
				}
				seen[string(b[:32])] = name
			}
		}
	}
}
