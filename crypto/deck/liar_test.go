package deck

import (
	"io"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// liar is a prover that does not look whether its witness is true: it answers
// every challenge as if it were. Of the equations it proves, exactly those fail
// that the witness violates. It learns the equations of a claim from the Check
// of a hollow proof, so that it goes on working when one is taken away.
type liar struct {
	t     testing.TB
	claim *sigma.Claim
	place []byte // what the message is bound to
	rand  io.Reader
}

// clauseShape says how many branches a clause has and how many secrets each.
type clauseShape struct{ branches, secrets int }

// term is ± (value of slot) base, where slot counts the responses of a proof.
type term struct {
	slot     int
	negative bool
	base     *group.Element
}

// check returns the equations of a proof made of these parts.
func (l liar) check(commitments []*group.Element, scalars []*group.Scalar) (*sigma.Proof, *sigma.Check) {
	l.t.Helper()
	b := encodings(commitments)
	for _, s := range scalars {
		b = append(b, s.Bytes()...)
	}
	p, err := l.claim.ParseProof(b)
	if err != nil {
		l.t.Fatal(err)
	}
	c, err := l.claim.Check(l.place, p)
	if err != nil {
		l.t.Fatal(err)
	}
	return p, c
}

// learn returns the terms and images of all equations.
func (l liar) learn(challenges, responses int) (terms [][]term, images []*group.Element) {
	l.t.Helper()
	n := l.claim.ProofSize()/32 - challenges - responses
	commitments := make([]*group.Element, n)
	for i := range commitments {
		commitments[i] = group.Identity()
	}
	scalars := zeros(challenges)
	plus, minus := make(map[string]int), make(map[string]int)
	for i := range responses {
		mark := group.ScalarFromUint64(uint64(i) + 1)
		scalars = append(scalars, mark)
		minus[string(mark.Bytes())] = i
		plus[string(mark.Neg().Bytes())] = i
	}
	_, c := l.check(commitments, scalars)
	if len(c.Equations) != n {
		l.t.Fatalf("liar: %d equations, counted %d", len(c.Equations), n)
	}
	for _, eq := range c.Equations {
		images = append(images, eq.Elements[1])
		var ts []term
		for k, s := range eq.Scalars[2:] {
			tm := term{base: eq.Elements[k+2]}
			var isPlus, isMinus bool
			if tm.slot, isPlus = plus[string(s.Bytes())]; !isPlus {
				tm.slot, isMinus = minus[string(s.Bytes())]
				tm.negative = true
			}
			if isPlus == isMinus {
				l.t.Fatal("liar: a term is no response")
			}
			ts = append(ts, tm)
		}
		terms = append(terms, ts)
	}
	return terms, images
}

// prove answers as the holder of known, clause by clause.
func (l liar) prove(shape []clauseShape, known []sigma.Known) *sigma.Proof {
	l.t.Helper()
	sent, responses := 0, 0
	for _, c := range shape {
		sent += c.branches - 1
		responses += c.branches * c.secrets
	}
	terms, images := l.learn(sent, responses)

	// Nonces in the branch that is claimed to be true; responses elsewhere.
	values := make([]*group.Scalar, responses)
	for i := range values {
		values[i] = l.scalar()
	}
	branchOf := make([]int, responses) // counted over all clauses
	var challenges []*group.Scalar     // of every branch
	slot, first := 0, 0
	for i, c := range shape {
		for b := range c.branches {
			challenges = append(challenges, l.scalar())
			if b == known[i].Branch {
				challenges[first+b] = group.ScalarFromUint64(0)
			}
			for range c.secrets {
				branchOf[slot] = first + b
				slot++
			}
		}
		first += c.branches
	}
	commitments := make([]*group.Element, len(terms))
	for i, ts := range terms {
		sum := images[i].Mul(challenges[branchOf[ts[0].slot]]).Neg()
		for _, tm := range ts {
			v := values[tm.slot]
			if tm.negative {
				v = v.Neg()
			}
			sum = sum.Add(tm.base.Mul(v))
		}
		commitments[i] = sum
	}

	// With no challenge sent, the last branch gets the whole of it.
	_, c := l.check(commitments, zeros(sent+responses))
	total := c.Equations[len(c.Equations)-1].Scalars[1]

	var scalars []*group.Scalar
	slot, first = 0, 0
	for i, c := range shape {
		own := total
		for _, other := range challenges[first : first+c.branches] {
			own = own.Sub(other)
		}
		challenges[first+known[i].Branch] = own
		scalars = append(scalars, challenges[first:first+c.branches-1]...)
		for k, s := range known[i].Secrets {
			at := slot + known[i].Branch*c.secrets + k
			values[at] = values[at].Add(own.Mul(s))
		}
		slot += c.branches * c.secrets
		first += c.branches
	}
	p, _ := l.check(commitments, append(scalars, values...))
	return p
}

func (l liar) scalar() *group.Scalar {
	s, err := group.RandomScalar(l.rand)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func zeros(n int) []*group.Scalar {
	out := make([]*group.Scalar, n)
	for i := range out {
		out[i] = group.ScalarFromUint64(0)
	}
	return out
}

// refused fails the test unless a message is turned down, by its Check function
// or by exactly `equations` of its equations. No number given means any.
func refused(t *testing.T, c *sigma.Check, err error, equations ...int) {
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

func accepted(t *testing.T, c *sigma.Check, err error) {
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

// seeded is a random source that says the same in every run.
func seeded(name string) io.Reader { return transcript.XOF("test/deck", []byte(name)) }

// seat is one player: a seat key and a source.
type seat struct {
	t    testing.TB
	rand io.Reader
	y    *group.Scalar
	key  *group.Element
}

func newSeat(t testing.TB, name string) *seat {
	t.Helper()
	s := &seat{t: t, rand: seeded(name)}
	s.y = s.scalar()
	s.key = group.BaseMul(s.y)
	return s
}

func (s *seat) scalar() *group.Scalar {
	s.t.Helper()
	x, err := group.RandomScalar(s.rand)
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

// hold returns cards under the key of the seat.
func (s *seat) hold(ms ...*group.Element) []elgamal.Ciphertext {
	out := make([]elgamal.Ciphertext, len(ms))
	for i, m := range ms {
		out[i] = elgamal.Encrypt(m, s.key, s.scalar())
	}
	return out
}

// pick returns cards of d.
func pick(d *Deck, cards ...int) []*group.Element {
	out := make([]*group.Element, len(cards))
	for i, c := range cards {
		out[i] = d.Card(c)
	}
	return out
}
