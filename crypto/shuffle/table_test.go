package shuffle

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// seeded is a random source that says the same in every run.
func seeded(name string) io.Reader { return transcript.XOF("test/shuffle", []byte(name)) }

// constant is a broken random source.
type constant byte

func (c constant) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte{byte(c)}, len(b)))
	return len(b), nil
}

func scalar(t testing.TB, rand io.Reader) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(rand)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func card(i int) *group.Element {
	return transcript.HashToElement("test/card", fmt.Append(nil, i))
}

// table is one shuffle, honestly made.
type table struct {
	rand    io.Reader
	ctx     []byte
	y       *group.Scalar
	key     *group.Element
	in, out []elgamal.Ciphertext
	w       *Witness
	p       *Proof
}

// newTable shuffles n encrypted cards.
func newTable(t testing.TB, name string, n int) *table {
	t.Helper()
	rand := seeded(name)
	tb := &table{rand: rand, ctx: []byte("game 1, seat 2"), y: scalar(t, rand)}
	tb.key = group.BaseMul(tb.y)
	for i := range n {
		tb.in = append(tb.in, elgamal.Encrypt(card(i), tb.key, scalar(t, rand)))
	}
	tb.shuffle(t)
	return tb
}

// shuffle shuffles tb.in afresh.
func (tb *table) shuffle(t testing.TB) {
	t.Helper()
	var err error
	if tb.out, tb.w, err = Shuffle(tb.key, tb.in, tb.rand); err != nil {
		t.Fatal(err)
	}
	if tb.p, err = Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); err != nil {
		t.Fatal(err)
	}
}

func (tb *table) verify() error { return Verify(tb.ctx, tb.key, tb.in, tb.out, tb.p) }

func (tb *table) statement(t testing.TB) *statement {
	t.Helper()
	st, err := newStatement(tb.ctx, tb.key, tb.in, tb.out)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// apply makes tb.out from tb.in as a shuffler who respects nothing would:
// output i is input from[i], re-randomised. It renews the witness.
func (tb *table) apply(t testing.TB, from []int) {
	t.Helper()
	tb.w = &Witness{perm: from}
	tb.out = make([]elgamal.Ciphertext, len(from))
	for i, f := range from {
		rho := scalar(t, tb.rand)
		tb.w.rho = append(tb.w.rho, rho)
		tb.out[i] = tb.in[f].Rerandomise(tb.key, rho)
	}
	tb.w.made = statementHash(tb.key, tb.in, tb.out)
}

// failing returns the indices of the equations that do not hold.
func failing(c *sigma.Check) []int {
	var bad []int
	for i, eq := range c.Equations {
		if !group.VarTimeMultiMul(eq.Scalars, eq.Elements).IsIdentity() {
			bad = append(bad, i)
		}
	}
	return bad
}

// mustRefuse fails the test unless the shuffle is refused by Verify and by the
// equations taken singly.
func (tb *table) mustRefuse(t *testing.T) {
	t.Helper()
	if tb.verify() == nil {
		t.Error("Verify accepts")
	}
	c, err := Check(tb.ctx, tb.key, tb.in, tb.out, tb.p)
	if err == nil && c.Verify() == nil {
		t.Error("the equations hold singly")
	}
}
