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

func TestDealing(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		p := newParty(t, n, n-1)
		for i := range n {
			d := p.deal(i)
			seats, _ := p.others(i)
			if len(d.Bytes()) != DealingSize(len(seats)) {
				t.Fatalf("%d bytes, want %d", len(d.Bytes()), DealingSize(len(seats)))
			}
			for at, j := range seats {
				share, err := d.Open(dealtAt(i), at, p.y[j])
				if err != nil {
					t.Fatal(err)
				}
				if !share.Equal(p.dealers[i].Share(j)) || !Verify(p.public[i], j, share) {
					t.Errorf("seat %d of %d gets another share", j, n)
				}
				// Whoever has another key, or opens it elsewhere, gets nothing.
				for name, try := range map[string]func() (*group.Scalar, error){
					"another's key":     func() (*group.Scalar, error) { return d.Open(dealtAt(i), at, p.y[i]) },
					"another context":   func() (*group.Scalar, error) { return d.Open(dealtAt(i+1), at, p.y[j]) },
					"the next receiver": func() (*group.Scalar, error) { return d.Open(dealtAt(i), (at+1)%len(seats), p.y[j]) },
				} {
					if s, err := try(); err == nil && len(seats) > 1 && s.Equal(share) {
						t.Errorf("%s opens the share of seat %d", name, j)
					}
				}
			}
		}
	}
}

func TestDealRefuses(t *testing.T) {
	p := newParty(t, 4, 3)
	k := p.keys
	many := make([]*group.Element, elgamal.MaxKeys+1)
	seats := make([]int, len(many))
	for i := range many {
		many[i], seats[i] = k[0], i
	}
	good, _ := p.others(0)
	d := p.deal(0)
	for name, c := range map[string]struct {
		receivers []int
		keys      []*group.Element
	}{
		"nobody":           {nil, nil},
		"a key too many":   {good, k},
		"a key too few":    {good, k[1:3]},
		"a missing key":    {good, []*group.Element{k[1], nil, k[3]}},
		"identity as key":  {good, []*group.Element{k[1], group.Identity(), k[3]}},
		"repeated seat":    {[]int{1, 1, 3}, k[1:]},
		"descending seats": {[]int{1, 3, 2}, k[1:]},
		"seat -1":          {[]int{-1, 2, 3}, k[1:]},
		"seat 255":         {[]int{1, 2, elgamal.MaxKeys}, k[1:]},
		"too many":         {seats, many},
	} {
		if _, err := Deal(dealtAt(0), p.dealers[0], c.receivers, c.keys, p.rand); err == nil {
			t.Errorf("Deal to %s is accepted", name)
		}
		if _, err := CheckDealing(dealtAt(0), c.receivers, c.keys, d); err == nil {
			t.Errorf("CheckDealing: %s is accepted", name)
		}
	}
	for _, n := range []int{1, 2} {
		if _, err := CheckDealing(dealtAt(0), good[:n], k[1:n+1], d); err == nil {
			t.Errorf("a dealing to 3 is one to %d", n)
		}
	}
	for _, n := range []int{31, 63} {
		if _, err := Deal(dealtAt(0), p.dealers[0], good, k[1:], bytes.NewReader(make([]byte, n))); err == nil {
			t.Errorf("%d random bytes are enough", n)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	p := newParty(t, 4, 3)
	d := p.deal(0)
	for name, open := range map[string]func() (*group.Scalar, error){
		"receiver -1": func() (*group.Scalar, error) { return d.Open(dealtAt(0), -1, p.y[1]) },
		"receiver 3":  func() (*group.Scalar, error) { return d.Open(dealtAt(0), 3, p.y[1]) },
		"missing":     func() (*group.Scalar, error) { return (*Dealing)(nil).Open(dealtAt(0), 0, p.y[1]) },
		"empty":       func() (*group.Scalar, error) { return new(Dealing).Open(dealtAt(0), 0, p.y[1]) },
	} {
		if s, err := open(); err == nil || s != nil {
			t.Errorf("%s is opened", name)
		}
	}
}

func TestParseDealingRefuses(t *testing.T) {
	p := newParty(t, 4, 3)
	good := p.deal(0).Bytes()
	with := func(at int, b []byte) []byte {
		out := bytes.Clone(good)
		copy(out[32*at:], b)
		return out
	}
	zero, high := make([]byte, 32), bytes.Repeat([]byte{0xff}, 32)
	attempts := map[string][]byte{
		"nothing":      nil,
		"a byte short": good[:len(good)-1],
		"a byte more":  append(bytes.Clone(good), 0),
		"32 less":      good[:len(good)-32],
		"32 more":      append(bytes.Clone(good), zero...),
		"a megabyte":   make([]byte, 1<<20),
	}
	for at := range 3 {
		attempts[fmt.Sprint("identity as R ", at)] = with(at, zero)
	}
	for at := range len(good) / 32 {
		attempts[fmt.Sprint("not canonical ", at)] = with(at, high)
	}
	// l is the lowest number that is no scalar.
	order := group.ScalarFromUint64(1).Neg().Bytes()
	order[0]++
	attempts["a box of l"] = with(3, order)
	for name, b := range attempts {
		if d, err := ParseDealing(3, b); err == nil || d != nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := ParseDealing(3, with(1, zero)); !errors.Is(err, group.ErrIdentity) {
		t.Errorf("identity: %v", err)
	}
	if _, err := ParseDealing(3, with(3, order)); !errors.Is(err, group.ErrScalarRange) {
		t.Errorf("box out of range: %v", err)
	}
	for _, n := range []int{-1, 0, 2, 4, elgamal.MaxKeys + 1, 1 << 60} {
		if _, err := ParseDealing(n, good); err == nil {
			t.Errorf("a dealing to 3 is one to %d", n)
		}
	}
	if _, err := ParseDealing(0, nil); err == nil {
		t.Error("a dealing to nobody is read")
	}
}

// A dealing is good for its place, its receivers and their keys only.
func TestDealingForSomethingElse(t *testing.T) {
	p := newParty(t, 5, 3)
	seats, keys := p.others(0)
	d := p.deal(0)
	swapped := slices.Clone(keys)
	swapped[0], swapped[1] = keys[1], keys[0]
	for name, check := range map[string]func() (*sigma.Check, error){
		"another game":        func() (*sigma.Check, error) { return CheckDealing([]byte("game 2"), seats, keys, d) },
		"another dealer":      func() (*sigma.Check, error) { return CheckDealing(dealtAt(1), seats, keys, d) },
		"other receivers":     func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), []int{0, 1, 2, 3}, keys, d) },
		"one other receiver":  func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), []int{1, 2, 3, 5}, keys, d) },
		"fewer receivers":     func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats[:3], keys[:3], d) },
		"more receivers":      func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), []int{0, 1, 2, 3, 4}, p.keys, d) },
		"other keys":          func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats, p.keys[:4], d) },
		"keys in other order": func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats, swapped, d) },
		"missing":             func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats, keys, nil) },
		"empty":               func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats, keys, new(Dealing)) },
		"without proof": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{d.points, d.boxes, nil})
		},
		"boxes of another": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{d.points, p.deal(1).boxes, d.proof})
		},
		"fewer boxes": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{d.points, d.boxes[1:], d.proof})
		},
		"elements of another": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{p.deal(1).points, d.boxes, d.proof})
		},
		"proof of another": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{d.points, d.boxes, p.deal(1).proof})
		},
		"an element missing": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{append(slices.Clone(d.points[:3]), nil), d.boxes, d.proof})
		},
		"an element identity": func() (*sigma.Check, error) {
			return CheckDealing(dealtAt(0), seats, keys, &Dealing{append(slices.Clone(d.points[:3]), group.Identity()), d.boxes, d.proof})
		},
		"boxes in other order": func() (*sigma.Check, error) { return CheckDealing(dealtAt(0), seats, keys, turned(d)) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}

func turned(d *Dealing) *Dealing {
	boxes := slices.Clone(d.boxes)
	slices.Reverse(boxes)
	return &Dealing{d.points, boxes, d.proof}
}

// forge is a dealing of seat i with these R and boxes, whose proof claims to
// know secrets.
func (p *party) forge(i int, points []*group.Element, boxes, secrets []*group.Scalar) *Dealing {
	seats, keys := p.others(i)
	d := &Dealing{points: points, boxes: boxes}
	d.proof = lie(p.t, dealingClaim(points), d.place(dealtAt(i), seats, keys), secrets, p.rand)
	return d
}

// Each R needs its own r: a lie about one fails in its equation alone.
func TestForgedDealing(t *testing.T) {
	p := newParty(t, 4, 3)
	seats, keys := p.others(0)
	boxes := p.deal(0).boxes
	var secrets []*group.Scalar
	var points []*group.Element
	for range seats {
		r := scalar(t, p.rand)
		secrets, points = append(secrets, r), append(points, group.BaseMul(r))
	}
	c, err := CheckDealing(dealtAt(0), seats, keys, p.forge(0, points, boxes, secrets))
	accepted(t, c, err)
	for at := range points {
		bent := slices.Clone(points)
		bent[at] = bent[at].Add(group.Base())
		c, err := CheckDealing(dealtAt(0), seats, keys, p.forge(0, bent, boxes, secrets))
		refused(t, c, err, at)
	}
	// An R of the identity could be proven, and its box would lie open.
	secrets[1], points[1] = group.ScalarFromUint64(0), group.Identity()
	if _, err := CheckDealing(dealtAt(0), seats, keys, p.forge(0, points, boxes, secrets)); !errors.Is(err, elgamal.ErrIdentity) {
		t.Errorf("CheckDealing: %v", err)
	}
}

// Mallory wants a complaint of the receiver to open what somebody else sealed to
// the same key, here the share that another dealer dealt. Whatever is done to
// the proof, the copied R is refused; and were it not, the complaint would do
// what she wants.
func TestCopiedElement(t *testing.T) {
	p := newParty(t, 4, 3)
	const honest, mallory, victim = 0, 1, 2
	theirs := p.deal(honest)
	const theirAt, at = 1, 1 // seat 2 among the others, in both
	seats, keys := p.others(mallory)

	own := p.deal(mallory)
	copied := slices.Clone(own.points)
	copied[at] = theirs.points[theirAt]
	secrets := []*group.Scalar{scalar(t, p.rand), scalar(t, p.rand), scalar(t, p.rand)}
	half := slices.Clone(secrets)
	points := []*group.Element{group.BaseMul(half[0]), theirs.points[theirAt], group.BaseMul(half[2])}
	for name, d := range map[string]*Dealing{
		"with her own proof":         {copied, own.boxes, own.proof},
		"with its proof":             {copied, own.boxes, theirs.proof},
		"word for word":              theirs,
		"a proof without knowing r":  p.forge(mallory, points, own.boxes, half),
		"the whole list, new boxes":  {theirs.points, own.boxes, theirs.proof},
		"the whole list, own proof":  p.forge(mallory, theirs.points, own.boxes, secrets),
		"re-randomised, known shift": p.forge(mallory, []*group.Element{points[0], points[1].Add(group.BaseMul(half[1])), points[2]}, own.boxes, half),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := CheckDealing(dealtAt(mallory), seats, keys, d)
			refused(t, c, err)
		})
	}

	d := p.forge(mallory, points, own.boxes, half)
	c, err := Complain(complainedAt(victim), d, at, p.y[victim], p.rand)
	if err != nil {
		t.Fatal(err)
	}
	share := theirs.unmask(dealtAt(honest), theirAt, c.point)
	if !share.Equal(p.dealers[honest].Share(victim)) {
		t.Error("the attack that the proof is against does not work")
	}
}

// A random source that always says the same still gives every receiver, every
// place and every polynomial an R of its own; only the same dealing is the same
// again.
func TestConstantRandomSource(t *testing.T) {
	p := newParty(t, 4, 3)
	seats, keys := p.others(0)
	seen := make(map[string]string)
	deal := func(name string, ctx []byte, f *Polynomial, seats []int, keys []*group.Element) *Dealing {
		d, err := Deal(ctx, f, seats, keys, zeros{})
		if err != nil {
			t.Fatal(err)
		}
		b := d.Bytes()
		for ; len(b) > 0; b = b[32:] {
			if before, ok := seen[string(b[:32])]; ok {
				t.Errorf("a value of %q occurs in %q", name, before)
			}
			seen[string(b[:32])] = name
		}
		return d
	}
	first := deal("first", dealtAt(0), p.dealers[0], seats, keys)
	deal("another place", dealtAt(1), p.dealers[0], seats, keys)
	deal("another polynomial", dealtAt(0), p.dealers[1], seats, keys)
	deal("other receivers", dealtAt(0), p.dealers[0], []int{0, 1, 2}, keys)
	same := known(scalar(t, p.rand)) // one share for everybody
	deal("one share", dealtAt(0), same, seats, keys)
	deal("one share, other receivers", dealtAt(0), same, []int{0, 1, 2}, keys)
	deal("other keys", dealtAt(0), p.dealers[0], seats, p.keys[:3])
	again, err := Deal(dealtAt(0), p.dealers[0], seats, keys, zeros{})
	if err != nil || !bytes.Equal(again.Bytes(), first.Bytes()) {
		t.Errorf("the same dealing is another: %v", err)
	}
	fresh, err := Deal(dealtAt(0), p.dealers[0], seats, keys, p.rand)
	if err != nil || bytes.Equal(fresh.Bytes(), first.Bytes()) {
		t.Errorf("the random source is not used: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
