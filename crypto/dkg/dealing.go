package dkg

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// Dealing is the shares of one dealer for several receivers, each sealed to the
// key of its receiver. Share f_i of receiver i, with key Y_i, is
//
//	R_i = r_i G,  box_i = f_i + H(context, i, R_i, r_i Y_i)
//
// which is ElGamal with a hash to the scalars. A proof that the dealer knows
// every r_i, bound to the context and to all the rest, goes with them.
//
// Without it a dealer could take R from somebody else's ciphertext under the
// same key (a card, or a share of another dealer) and put it before a box of
// noise. The receiver would complain, that is publish y R, and everybody could
// open that other ciphertext. Who knows r knows r Y as well: what a complaint
// opens is then nothing that the dealer could not have opened without it.
type Dealing struct {
	points []*group.Element // R
	boxes  []*group.Scalar
	proof  *sigma.Proof
}

var errNoDealing = errors.New("dealing is missing")

// dealingClaim says R_i = r_i G for all i, each with a secret of its own.
func dealingClaim(points []*group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	for _, p := range points {
		rel.Equation(p, rel.Secret().Times(group.Base()))
	}
	return sigma.NewClaim("dkg/dealing").Clause(rel)
}

// Deal seals to each of the receivers, seats in ascending order, its share of p
// under its key in keys. ctx names game, round and dealer. The secrets of the
// keys must never be opened (see the package).
func Deal(ctx []byte, p *Polynomial, receivers []int, keys []*group.Element, rand io.Reader) (*Dealing, error) {
	if err := checkReceivers(receivers, keys); err != nil {
		return nil, err
	}
	shares := make([]*group.Scalar, len(receivers))
	for i, seat := range receivers {
		shares[i] = p.Share(seat)
	}
	src, err := hedge.New("dkg/dealing", rand, shares, ctx, seatBytes(receivers), encodings(keys))
	if err != nil {
		return nil, err
	}
	d := &Dealing{points: make([]*group.Element, len(receivers)), boxes: make([]*group.Scalar, len(receivers))}
	secrets := src.Scalars(len(receivers))
	for i, r := range secrets {
		d.points[i] = group.BaseMul(r)
		d.boxes[i] = shares[i].Add(mask(ctx, i, d.points[i], keys[i].Mul(r)))
	}
	here := d.place(ctx, receivers, keys)
	d.proof, err = sigma.ProveMade(here, dealingClaim(d.points), []sigma.Known{{Secrets: secrets}}, rand)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// mask returns what is added to the share of receiver i. dh is r Y and also y R.
func mask(ctx []byte, i int, point, dh *group.Element) *group.Scalar {
	return transcript.HashToScalar("dkg/mask", ctx, []byte{byte(i)}, encodings([]*group.Element{point, dh}))
}

// place binds the proof to the context, the receivers and every byte before it.
func (d *Dealing) place(ctx []byte, receivers []int, keys []*group.Element) []byte {
	h := transcript.Hash("dkg/dealing", ctx, seatBytes(receivers), encodings(keys), encodings(d.points), scalarBytes(d.boxes))
	return h[:]
}

// checkReceivers bounds their number as well. That there is one at all, package
// sigma looks: it refuses to prove nothing.
func checkReceivers(receivers []int, keys []*group.Element) error {
	if len(keys) != len(receivers) {
		return fmt.Errorf("dealing to %d receivers with %d keys", len(receivers), len(keys))
	}
	last := -1
	for _, seat := range receivers {
		if seat <= last || seat >= elgamal.MaxKeys {
			return fmt.Errorf("receiver %d after %d, allowed are ascending seats below %d", seat, last, elgamal.MaxKeys)
		}
		last = seat
	}
	return usable("receiver's key", keys...)
}

func isCount(receivers int) bool { return receivers >= 1 && receivers <= elgamal.MaxKeys }

// DealingSize returns the length in bytes of a Dealing to n receivers, or 0 when
// there is none.
func DealingSize(n int) int {
	if !isCount(n) {
		return 0
	}
	return n*(group.ElementSize+group.ScalarSize) + dealingShape(n).ProofSize()
}

// dealingShape is the claim with G for every element.
func dealingShape(n int) *sigma.Claim {
	stand := make([]*group.Element, n)
	for i := range stand {
		stand[i] = group.Base()
	}
	return dealingClaim(stand)
}

// Bytes returns the encoding: all R, all boxes, the proof.
func (d *Dealing) Bytes() []byte {
	return append(append(encodings(d.points), scalarBytes(d.boxes)...), d.proof.Bytes()...)
}

// ParseDealing reads a Dealing to n receivers. It refuses any other length,
// encodings that are not canonical, those of the boxes among them, and an R that
// is the identity, whose box would lie open.
func ParseDealing(n int, b []byte) (*Dealing, error) {
	if !isCount(n) {
		return nil, fmt.Errorf("dealing to %d receivers, allowed are 1 to %d", n, elgamal.MaxKeys)
	}
	if want := DealingSize(n); len(b) != want {
		return nil, fmt.Errorf("dealing has %d bytes, not %d", len(b), want)
	}
	d := &Dealing{points: make([]*group.Element, n), boxes: make([]*group.Scalar, n)}
	var err error
	for i := range d.points {
		if d.points[i], err = group.ParseNonIdentity(b[:group.ElementSize]); err != nil {
			return nil, fmt.Errorf("dealing: element %d: %w", i, err)
		}
		b = b[group.ElementSize:]
	}
	for i := range d.boxes {
		if d.boxes[i], err = group.ParseScalar(b[:group.ScalarSize]); err != nil {
			return nil, fmt.Errorf("dealing: box %d: %w", i, err)
		}
		b = b[group.ScalarSize:]
	}
	if d.proof, err = dealingShape(n).ParseProof(b); err != nil {
		return nil, fmt.Errorf("dealing: %w", err)
	}
	return d, nil
}

// CheckDealing returns what remains to be verified of the dealing d to receivers
// with keys. Whether the shares inside fit, each receiver alone can tell.
func CheckDealing(ctx []byte, receivers []int, keys []*group.Element, d *Dealing) (*sigma.Check, error) {
	if err := checkReceivers(receivers, keys); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, errNoDealing
	}
	if len(d.points) != len(receivers) {
		return nil, fmt.Errorf("dealing is to %d receivers, not %d", len(d.points), len(receivers))
	}
	if err := usable("element of dealing", d.points...); err != nil {
		return nil, err
	}
	return dealingClaim(d.points).Check(d.place(ctx, receivers, keys), d.proof)
}

// Open returns the share of receiver i, counted from 0 in the order of the
// dealing, whose secret key is y. It takes constant time. The dealing must have
// passed CheckDealing; whether the share fits, Verify tells.
func (d *Dealing) Open(ctx []byte, i int, y *group.Scalar) (*group.Scalar, error) {
	if err := d.has(i); err != nil {
		return nil, err
	}
	return d.unmask(ctx, i, d.points[i].Mul(y)), nil
}

func (d *Dealing) unmask(ctx []byte, i int, dh *group.Element) *group.Scalar {
	return d.boxes[i].Sub(mask(ctx, i, d.points[i], dh))
}

// has refuses a receiver that is none of d.
func (d *Dealing) has(i int) error {
	if d == nil {
		return errNoDealing
	}
	if i < 0 || i >= len(d.points) {
		return fmt.Errorf("dealing to %d receivers has no receiver %d", len(d.points), i)
	}
	return nil
}

// usable refuses elements that are missing or the identity.
func usable(what string, es ...*group.Element) error {
	for i, e := range es {
		if e == nil {
			return fmt.Errorf("%s %d: %w", what, i, errNil)
		}
		if e.IsIdentity() {
			return fmt.Errorf("%s %d: %w", what, i, elgamal.ErrIdentity)
		}
	}
	return nil
}

func seatBytes(seats []int) []byte {
	b := make([]byte, len(seats))
	for i, s := range seats {
		b[i] = byte(s)
	}
	return b
}

func encodings(es []*group.Element) []byte {
	b := make([]byte, 0, len(es)*group.ElementSize)
	for _, e := range es {
		b = append(b, e.Bytes()...)
	}
	return b
}

func scalarBytes(ss []*group.Scalar) []byte {
	b := make([]byte, 0, len(ss)*group.ScalarSize)
	for _, s := range ss {
		b = append(b, s.Bytes()...)
	}
	return b
}
