package sigma

import (
	"crypto/rand"
	"testing"

	"alibi/crypto/group"
)

func TestSmoke(t *testing.T) {
	x, _ := group.RandomScalar(rand.Reader)
	r := NewRelation()
	s := r.Secret()
	r.Equation(group.BaseMul(x), s.Times(group.Base()))
	bad := NewRelation()
	s = bad.Secret()
	bad.Equation(group.Base().Add(group.BaseMul(x)), s.Times(group.Base()))
	c := NewClaim("t").Clause(r).Clause(bad, r)
	p, err := Prove([]byte("c"), c, []Known{{0, []*group.Scalar{x}}, {1, []*group.Scalar{x}}}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	q, err := c.ParseProof(p.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify([]byte("c"), c, q); err != nil {
		t.Fatal(err)
	}
	if Verify([]byte("d"), c, q) == nil {
		t.Fatal("ctx")
	}
	if _, err := Prove(nil, c, []Known{{0, []*group.Scalar{x}}, {0, []*group.Scalar{x}}}, rand.Reader); err == nil {
		t.Fatal("witness")
	}
}
