package sigma

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/group"
	"pgregory.net/rapid"
)

// A spec is a claim as plain data, so that a test can change any part of it.
type (
	spec struct {
		label   string
		clauses [][]relationSpec
	}
	relationSpec struct {
		secrets   int
		equations []equationSpec
	}
	equationSpec struct {
		image *group.Element
		terms []termSpec
	}
	termSpec struct {
		secret   int
		base     *group.Element
		negative bool
	}
)

func (s spec) claim() *Claim {
	c := NewClaim(s.label)
	for _, rels := range s.clauses {
		var out []*Relation
		for _, rs := range rels {
			r := NewRelation()
			var secrets []Secret
			for range rs.secrets {
				secrets = append(secrets, r.Secret())
			}
			for _, eq := range rs.equations {
				var terms []Term
				for _, t := range eq.terms {
					term := secrets[t.secret].Times(t.base)
					if t.negative {
						term = term.Neg()
					}
					terms = append(terms, term)
				}
				r.Equation(eq.image, terms...)
			}
			out = append(out, r)
		}
		c.Clause(out...)
	}
	return c
}

// clone copies everything down to the terms.
func (s spec) clone() spec {
	s.clauses = slices.Clone(s.clauses)
	for i := range s.clauses {
		s.clauses[i] = slices.Clone(s.clauses[i])
		for j := range s.clauses[i] {
			r := &s.clauses[i][j]
			r.equations = slices.Clone(r.equations)
			for k := range r.equations {
				r.equations[k].terms = slices.Clone(r.equations[k].terms)
			}
		}
	}
	return s
}

// with returns a copy of s that f has changed.
func (s spec) with(f func(*spec)) spec {
	c := s.clone()
	f(&c)
	return c
}

// equation returns equation n, counted through all clauses and relations.
func (s spec) equation(n int) *equationSpec {
	for i := range s.clauses {
		for j := range s.clauses[i] {
			eqs := s.clauses[i][j].equations
			if n < len(eqs) {
				return &eqs[n]
			}
			n -= len(eqs)
		}
	}
	return nil
}

func (s spec) size() int {
	n := 0
	for s.equation(n) != nil {
		n++
	}
	return n
}

func randomScalar(tb testing.TB) *group.Scalar {
	tb.Helper()
	s, err := group.RandomScalar(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// randomElement is one as it comes from the wire.
func randomElement(tb testing.TB) *group.Element {
	tb.Helper()
	e, err := group.ParseElement(group.BaseMul(randomScalar(tb)).Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// sample is a claim with everything in it: a plain clause of four equations
// over three secrets, among them two terms of one secret and an identity
// image, and an OR of three branches of which the second holds.
func sample(tb testing.TB) (spec, []Known) {
	tb.Helper()
	g := group.Base()
	x, y, r, rho := randomScalar(tb), randomScalar(tb), randomScalar(tb), randomScalar(tb)
	a, b, m := randomElement(tb), randomElement(tb), randomElement(tb)
	alpha, key := r.Mul(y), group.BaseMul(y)
	plain := relationSpec{3, []equationSpec{
		{group.BaseMul(x), []termSpec{{0, g, false}}},
		{a.Mul(x), []termSpec{{0, a, false}}},
		{a.Mul(alpha).Sub(b.Mul(r)).Add(m.Mul(r)), []termSpec{{1, a, false}, {2, b, true}, {2, m, false}}},
		{group.Identity(), []termSpec{{1, g, false}, {2, key, true}}},
	}}
	var branches []relationSpec
	for j := range 3 {
		second := randomElement(tb)
		if j == 1 {
			second = key.Mul(rho)
		}
		branches = append(branches, relationSpec{1, []equationSpec{
			{group.BaseMul(rho), []termSpec{{0, g, false}}},
			{second, []termSpec{{0, key, false}}},
		}})
	}
	return spec{"sample", [][]relationSpec{{plain}, branches}},
		[]Known{{0, []*group.Scalar{x, alpha, r}}, {1, []*group.Scalar{rho}}}
}

var here = []byte("game 1, round 2, seat 3")

// mustProve returns an honest proof.
func mustProve(tb testing.TB, c *Claim, w []Known) *Proof {
	tb.Helper()
	p, err := Prove(here, c, w, rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// forge runs the prover on whatever witness, and hands out what it makes.
func forge(c *Claim, w []Known) *Proof {
	p, _ := c.prove(here, w, make([]byte, hedgeSize))
	return p
}

// broken lists the equations of a check that do not hold.
func broken(k *Check) []int {
	var out []int
	for i, l := range k.Equations {
		if (&Check{Equations: []Linear{l}}).Verify() != nil {
			out = append(out, i)
		}
	}
	return out
}

// mustCheck returns the check of p, and fails where the batch of it alone and
// the check itself disagree.
func mustCheck(tb testing.TB, c *Claim, p *Proof) *Check {
	tb.Helper()
	k, err := c.Check(here, p)
	if err != nil {
		tb.Fatal(err)
	}
	var batch Batch
	batch.Add(k)
	if single, together := k.Verify(), batch.Verify(); (single == nil) != (together == nil) {
		tb.Fatalf("singly: %v, in a batch: %v", single, together)
	}
	return k
}

// drawClaim draws a claim and a witness of it. The images of false branches
// are arbitrary.
func drawClaim(t *rapid.T) (spec, []Known) {
	pool := []*group.Element{group.Base(), group.Identity()}
	for i := range 4 {
		pool = append(pool, group.BaseMul(drawScalar(t, fmt.Sprint("base ", i))))
	}
	pool[3] = pool[3].Prepared()
	s := spec{label: rapid.StringN(0, 5, -1).Draw(t, "label")}
	var w []Known
	for range rapid.IntRange(1, 3).Draw(t, "clauses") {
		branches := rapid.IntRange(1, 3).Draw(t, "branches")
		k := Known{Branch: rapid.IntRange(0, branches-1).Draw(t, "true branch")}
		var rels []relationSpec
		for j := range branches {
			rel, values := drawRelation(t, pool)
			if j == k.Branch {
				k.Secrets = values
			} else {
				rel.equations[0].image = group.BaseMul(drawScalar(t, "image"))
			}
			rels = append(rels, rel)
		}
		s.clauses, w = append(s.clauses, rels), append(w, k)
	}
	return s, w
}

func drawScalar(t *rapid.T, label string) *group.Scalar {
	if rapid.Bool().Draw(t, label+" small") {
		return group.ScalarFromUint64(rapid.Uint64Range(0, 3).Draw(t, label))
	}
	s, err := group.ScalarFromUniform(rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, label))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drawRelation(t *rapid.T, pool []*group.Element) (relationSpec, []*group.Scalar) {
	r := relationSpec{secrets: rapid.IntRange(1, 3).Draw(t, "secrets")}
	var values []*group.Scalar
	for range r.secrets {
		values = append(values, drawScalar(t, "secret"))
	}
	n := rapid.IntRange(1, 3).Draw(t, "equations")
	for i := range n {
		var terms []termSpec
		draw := func(secret int) {
			terms = append(terms, termSpec{secret, rapid.SampledFrom(pool).Draw(t, "base"), rapid.Bool().Draw(t, "minus")})
		}
		for range rapid.IntRange(1, 4).Draw(t, "terms") {
			draw(rapid.IntRange(0, r.secrets-1).Draw(t, "of secret"))
		}
		for k := 0; i == n-1 && k < r.secrets; k++ {
			draw(k) // every secret has to occur
		}
		image := group.Identity()
		for _, term := range terms {
			product := term.base.Mul(values[term.secret])
			if term.negative {
				product = product.Neg()
			}
			image = image.Add(product)
		}
		r.equations = append(r.equations, equationSpec{image, terms})
	}
	return r, values
}
