package sigma

import (
	"crypto/rand"
	"testing"

	"alibi/crypto/group"
	"filippo.io/edwards25519"
)

// A denial is the "no" of a player with h cards to a question after q of them:
// for every pair C = αA - rB + rM and 0 = αG - rY.
type denial struct {
	secret *group.Scalar
	key    *group.Element
	a, b   []*group.Element // the hand
	m      []*group.Element // the question
}

func newDenial(tb testing.TB, h, q int) *denial {
	d := &denial{secret: randomScalar(tb)}
	d.key = group.BaseMul(d.secret).Prepared()
	for range h {
		d.a, d.b = append(d.a, randomElement(tb)), append(d.b, randomElement(tb))
	}
	for range q {
		d.m = append(d.m, randomElement(tb))
	}
	return d
}

func (d *denial) claim(points []*group.Element) *Claim {
	rel := NewRelation()
	for k := range d.a {
		for q, m := range d.m {
			alpha, r := rel.Secret(), rel.Secret()
			rel.Equation(points[k*len(d.m)+q], alpha.Times(d.a[k]), r.Times(d.b[k]).Neg(), r.Times(m))
			rel.Equation(group.Identity(), alpha.Times(group.Base()), r.Times(d.key).Neg())
		}
	}
	return NewClaim("denial").Clause(rel)
}

func (d *denial) prove(tb testing.TB) ([]*group.Element, *Proof) {
	var points []*group.Element
	var secrets []*group.Scalar
	for k := range d.a {
		for _, m := range d.m {
			r := randomScalar(tb)
			alpha := r.Mul(d.secret)
			points = append(points, group.MultiMul([]*group.Scalar{alpha, r}, []*group.Element{d.a[k], m.Sub(d.b[k])}))
			secrets = append(secrets, alpha, r)
		}
	}
	p, err := Prove(here, d.claim(points), []Known{{Secrets: secrets}}, rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return points, p
}

// verify does all a receiver does, decoding included.
func verify(tb testing.TB, claim func([]*group.Element) *Claim, points [][]byte, proof []byte) {
	parsed := make([]*group.Element, len(points))
	for i, b := range points {
		e, err := group.ParseElement(b)
		if err != nil {
			tb.Fatal(err)
		}
		parsed[i] = e
	}
	c := claim(parsed)
	p, err := c.ParseProof(proof)
	if err != nil {
		tb.Fatal(err)
	}
	k, err := c.Check(here, p)
	if err != nil {
		tb.Fatal(err)
	}
	var b Batch
	b.Add(k)
	if err := b.Verify(); err != nil {
		tb.Fatal(err)
	}
}

func encodings(points []*group.Element) [][]byte {
	out := make([][]byte, len(points))
	for i, p := range points {
		out[i] = p.Bytes()
	}
	return out
}

// distinct is how many points a verification of one check multiplies.
func distinct(k *Check) int {
	s := newSum()
	for _, l := range k.Equations {
		for i, e := range l.Elements {
			s.add(l.Scalars[i], e)
		}
	}
	return len(s.elements)
}

// yardsticks are one multi-scalar multiplication each, as edwards25519 has
// them: the constant-time one of as many points as a prover multiplies, the
// variable-time one of as many as a verifier does.
func yardsticks(b *testing.B, proved, verified int) {
	n := max(proved, verified)
	scalars, points := make([]*edwards25519.Scalar, n), make([]*edwards25519.Point, n)
	for i := range n {
		s, err := edwards25519.NewScalar().SetCanonicalBytes(randomScalar(b).Bytes())
		if err != nil {
			b.Fatal(err)
		}
		scalars[i], points[i] = s, new(edwards25519.Point).ScalarBaseMult(s)
	}
	b.Run("prove yardstick", func(b *testing.B) {
		for b.Loop() {
			new(edwards25519.Point).MultiScalarMult(scalars[:proved], points[:proved])
		}
		b.ReportMetric(float64(proved), "points")
	})
	b.Run("verify yardstick", func(b *testing.B) {
		for b.Loop() {
			new(edwards25519.Point).VarTimeMultiScalarMult(scalars[:verified], points[:verified])
		}
		b.ReportMetric(float64(verified), "points")
	})
}

func BenchmarkDenial6x3(b *testing.B) {
	d := newDenial(b, 6, 3)
	points, p := d.prove(b)
	enc, proof := encodings(points), p.Bytes()
	k, err := d.claim(points).Check(here, p)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			d.prove(b)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			verify(b, d.claim, enc, proof)
		}
	})
	b.Run("verify singly", func(b *testing.B) {
		for b.Loop() {
			if err := k.Verify(); err != nil {
				b.Fatal(err)
			}
		}
	})
	yardsticks(b, 18*6, distinct(k))
}

// A share is {X = xG, D_i = x A_i}, what a helper publishes to unlock n cards.
func benchmarkShare(b *testing.B, n int) {
	x := randomScalar(b)
	key := group.BaseMul(x)
	key.Encoding()
	var as []*group.Element
	for range n {
		as = append(as, randomElement(b))
	}
	claim := func(points []*group.Element) *Claim {
		rel := NewRelation()
		s := rel.Secret()
		rel.Equation(key, s.Times(group.Base()))
		for i, a := range as {
			rel.Equation(points[i], s.Times(a))
		}
		return NewClaim("share").Clause(rel)
	}
	prove := func() ([]*group.Element, *Proof) {
		var points []*group.Element
		for _, a := range as {
			points = append(points, a.Mul(x))
		}
		return points, mustProve(b, claim(points), []Known{{Secrets: []*group.Scalar{x}}})
	}
	points, p := prove()
	enc, proof := encodings(points), p.Bytes()
	k, err := claim(points).Check(here, p)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			prove()
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			verify(b, claim, enc, proof)
		}
	})
	yardsticks(b, 2*n+1, distinct(k))
}

func BenchmarkShare1(b *testing.B)  { benchmarkShare(b, 1) }
func BenchmarkShare18(b *testing.B) { benchmarkShare(b, 18) }
