package dkg

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// seeded is a random source that says the same in every run.
func seeded(name string) io.Reader { return transcript.XOF("test/dkg", []byte(name)) }

func scalar(t testing.TB, rand io.Reader) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(rand)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fatal is what *testing.T and *rapid.T have in common.
type fatal interface{ Fatal(args ...any) }

// drawn returns a polynomial from a stream.
func drawn(t fatal, rand io.Reader, threshold int) *Polynomial {
	next := func(int) *group.Scalar {
		s, err := group.RandomScalar(rand)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return New(next(0), threshold, next)
}

// known makes a polynomial of these coefficients.
func known(coefficients ...*group.Scalar) *Polynomial {
	return New(coefficients[0], len(coefficients), func(k int) *group.Scalar { return coefficients[k] })
}

// party is all seats of one key generation, with their secrets.
type party struct {
	t         testing.TB
	rand      io.Reader
	threshold int
	y         []*group.Scalar
	keys      []*group.Element
	dealers   []*Polynomial
	public    [][]*group.Element // commitments, by dealer
}

func newParty(t testing.TB, seats, threshold int) *party {
	t.Helper()
	p := &party{t: t, rand: seeded(fmt.Sprint("party ", seats, threshold)), threshold: threshold}
	for range seats {
		p.y = append(p.y, scalar(t, p.rand))
		p.keys = append(p.keys, group.BaseMul(p.y[len(p.y)-1]))
		p.dealers = append(p.dealers, drawn(t, p.rand, threshold))
		p.public = append(p.public, p.dealers[len(p.dealers)-1].Commitments())
	}
	return p
}

// others are the receivers of a dealer, and their keys.
func (p *party) others(dealer int) (seats []int, keys []*group.Element) {
	for j, k := range p.keys {
		if j != dealer {
			seats, keys = append(seats, j), append(keys, k)
		}
	}
	return seats, keys
}

func dealtAt(dealer int) []byte { return fmt.Appendf(nil, "game 1, round 2, seat %d", dealer) }

func complainedAt(seat int) []byte { return fmt.Appendf(nil, "game 1, round 3, seat %d", seat) }

func (p *party) deal(i int) *Dealing { return p.dealAs(i, p.dealers[i]) }

// dealAs is a checked dealing of seat i, of whatever polynomial, read back from
// its bytes.
func (p *party) dealAs(i int, f *Polynomial) *Dealing {
	p.t.Helper()
	seats, keys := p.others(i)
	d, err := Deal(dealtAt(i), f, seats, keys, p.rand)
	if err != nil {
		p.t.Fatal(err)
	}
	if d, err = ParseDealing(len(seats), d.Bytes()); err != nil {
		p.t.Fatal(err)
	}
	c, err := CheckDealing(dealtAt(i), seats, keys, d)
	accepted(p.t, c, err)
	return d
}

// complain is a checked complaint of receiver at of the dealing d of a dealer.
func (p *party) complain(d *Dealing, dealer, at int) *Complaint {
	p.t.Helper()
	seats, keys := p.others(dealer)
	here := complainedAt(seats[at])
	c, err := Complain(here, d, at, p.y[seats[at]], p.rand)
	if err != nil {
		p.t.Fatal(err)
	}
	if c, err = ParseComplaint(c.Bytes()); err != nil {
		p.t.Fatal(err)
	}
	check, err := CheckComplaint(here, d, at, keys[at], c)
	accepted(p.t, check, err)
	return c
}

// blames returns the seat that a checked complaint of receiver at convicts.
func (p *party) blames(c *Complaint, d *Dealing, dealer, at int) int {
	p.t.Helper()
	seats, _ := p.others(dealer)
	share, err := c.Opened(dealtAt(dealer), d, at)
	if err != nil {
		p.t.Fatal(err)
	}
	if Verify(p.public[dealer], seats[at], share) {
		return seats[at]
	}
	return dealer
}

// refused fails the test unless a message is turned down, by its Check function
// or by exactly `equations` of its equations. No number given means any.
func refused(t testing.TB, c *sigma.Check, err error, equations ...int) {
	t.Helper()
	if err != nil {
		if len(equations) > 0 {
			t.Errorf("refused before its equations: %v", err)
		}
		return
	}
	var batch sigma.Batch
	batch.Add(c)
	if c.Verify() == nil || batch.Verify() == nil {
		t.Error("accepted")
		return
	}
	var bad []int
	for i, eq := range c.Equations {
		if !group.VarTimeMultiMul(eq.Scalars, eq.Elements).IsIdentity() {
			bad = append(bad, i)
		}
	}
	if len(equations) > 0 && !slices.Equal(bad, equations) {
		t.Errorf("equations %v fail, want %v only", bad, equations)
	}
}

func accepted(t testing.TB, c *sigma.Check, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	var batch sigma.Batch
	batch.Add(c)
	if err := c.Verify(); err != nil {
		t.Error(err)
	}
	if err := batch.Verify(); err != nil {
		t.Errorf("in a batch: %v", err)
	}
}

// lie proves a claim of one relation, of which every term has the sign +, with
// secrets that may be false: exactly those equations fail that they violate. It
// learns the equations from the Check of a hollow proof, so that it goes on
// working when one is taken away.
func lie(t testing.TB, claim *sigma.Claim, place []byte, secrets []*group.Scalar, rand io.Reader) *sigma.Proof {
	t.Helper()
	prove := func(commitments []*group.Element, responses []*group.Scalar) (*sigma.Proof, *sigma.Check) {
		p, err := claim.ParseProof(append(encodings(commitments), scalarBytes(responses)...))
		if err != nil {
			t.Fatal(err)
		}
		c, err := claim.Check(place, p)
		if err != nil {
			t.Fatal(err)
		}
		return p, c
	}
	commitments := make([]*group.Element, claim.ProofSize()/32-len(secrets))
	for i := range commitments {
		commitments[i] = group.Identity()
	}
	nonces, marks := make([]*group.Scalar, len(secrets)), make([]*group.Scalar, len(secrets))
	for i := range secrets {
		nonces[i], marks[i] = scalar(t, rand), group.ScalarFromUint64(uint64(i)+1)
	}
	_, hollow := prove(commitments, marks)
	for i, eq := range hollow.Equations {
		for k, base := range eq.Elements[2:] {
			at := slices.IndexFunc(marks, eq.Scalars[k+2].Neg().Equal)
			commitments[i] = commitments[i].Add(base.Mul(nonces[at]))
		}
	}
	_, asked := prove(commitments, marks)
	responses := make([]*group.Scalar, len(secrets))
	for i, s := range secrets {
		responses[i] = challengeOf(asked).MulAdd(s, nonces[i])
	}
	p, _ := prove(commitments, responses)
	return p
}

func challengeOf(c *sigma.Check) *group.Scalar { return c.Equations[0].Scalars[1] }
