package dkg

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// Complaint opens one share of a Dealing to everybody: the point D = y R that
// masks it, with the proof that it was made with the receiver's key. It decides
// between the two, as each of the two lies is seen: a share that does not fit
// is the dealer's, a complaint about one that fits is the receiver's.
//
// Nothing but this share is opened by it (see Dealing).
type Complaint struct {
	point *group.Element // D
	proof *sigma.Proof
}

// complaintClaim says, with one y:
//
//	Y = y G,  D = y R
func complaintClaim(key, point, dh *group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	y := rel.Secret()
	rel.Equation(key, y.Times(group.Base()))
	rel.Equation(dh, y.Times(point))
	return sigma.NewClaim("dkg/complaint").Clause(rel)
}

// Complain opens the share of receiver i of d, whose secret key is y. ctx names
// the place of the complaint, not that of the dealing. d must have passed
// CheckDealing: of a dealing without proof nothing may be opened. Whoever
// complains about a share that fits is at fault, and this function does not
// look.
func Complain(ctx []byte, d *Dealing, i int, y *group.Scalar, rand io.Reader) (*Complaint, error) {
	if err := d.has(i); err != nil {
		return nil, err
	}
	key, dh := group.BaseMul(y), d.points[i].Mul(y)
	known := []sigma.Known{{Secrets: []*group.Scalar{y}}}
	proof, err := sigma.ProveMade(complaintPlace(ctx, d, i, key, dh), complaintClaim(key, d.points[i], dh), known, rand)
	if err != nil {
		return nil, err
	}
	return &Complaint{dh, proof}, nil
}

// complaintPlace binds the whole dealing that is complained about, by its bytes.
func complaintPlace(ctx []byte, d *Dealing, i int, key, dh *group.Element) []byte {
	h := transcript.Hash("dkg/complaint", ctx, d.Bytes(), []byte{byte(i)}, encodings([]*group.Element{key, dh}))
	return h[:]
}

// ComplaintSize returns the length in bytes of a Complaint.
func ComplaintSize() int { return group.ElementSize + complaintShape().ProofSize() }

func complaintShape() *sigma.Claim {
	return complaintClaim(group.Base(), group.Base(), group.Base())
}

// Bytes returns the encoding: D, then the proof.
func (c *Complaint) Bytes() []byte { return append(c.point.Bytes(), c.proof.Bytes()...) }

// ParseComplaint reads a Complaint. It refuses any other length, encodings that
// are not canonical, and a D that is the identity.
func ParseComplaint(b []byte) (*Complaint, error) {
	if want := ComplaintSize(); len(b) != want {
		return nil, fmt.Errorf("complaint has %d bytes, not %d", len(b), want)
	}
	c := new(Complaint)
	var err error
	if c.point, err = group.ParseNonIdentity(b[:group.ElementSize]); err != nil {
		return nil, fmt.Errorf("complaint: %w", err)
	}
	if c.proof, err = complaintShape().ParseProof(b[group.ElementSize:]); err != nil {
		return nil, fmt.Errorf("complaint: %w", err)
	}
	return c, nil
}

// CheckComplaint returns what remains to be verified of the complaint c, said at
// ctx, of receiver i of d, which has key.
func CheckComplaint(ctx []byte, d *Dealing, i int, key *group.Element, c *Complaint) (*sigma.Check, error) {
	if err := d.has(i); err != nil {
		return nil, err
	}
	if err := usable("receiver's key", key); err != nil {
		return nil, err
	}
	if err := c.whole(); err != nil {
		return nil, err
	}
	return complaintClaim(key, d.points[i], c.point).Check(complaintPlace(ctx, d, i, key, c.point), c.proof)
}

// Opened returns the share that c opens: what receiver i has from d, dealt at
// ctx. If Verify says that it fits, the complainer is at fault, and otherwise
// the dealer. c must have passed CheckComplaint for the same d and i. An error
// is for a d or c that cannot have, and blames nobody.
func (c *Complaint) Opened(ctx []byte, d *Dealing, i int) (*group.Scalar, error) {
	if err := d.has(i); err != nil {
		return nil, err
	}
	if err := c.whole(); err != nil {
		return nil, err
	}
	return d.unmask(ctx, i, c.point), nil
}

// whole refuses a complaint that ParseComplaint would not have made.
func (c *Complaint) whole() error {
	if c == nil {
		return errors.New("complaint is missing")
	}
	return usable("element of complaint", c.point)
}
