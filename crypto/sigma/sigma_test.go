package sigma

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"alibi/crypto/group"
	"pgregory.net/rapid"
)

func TestHonestProofsVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w := drawClaim(t)
		c := s.claim()
		hedge := rapid.SliceOfN(rapid.Byte(), hedgeSize, hedgeSize).Draw(t, "randomness")
		ctx := rapid.SliceOf(rapid.Byte()).Draw(t, "context")
		p, err := Prove(ctx, c, w, bytes.NewReader(hedge))
		if err != nil {
			t.Fatal(err)
		}
		enc := p.Bytes()
		if len(enc) != c.ProofSize() {
			t.Fatalf("%d bytes, ProofSize %d", len(enc), c.ProofSize())
		}
		q, err := s.claim().ParseProof(enc)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(q.Bytes(), enc) {
			t.Fatal("the proof encodes again as other bytes")
		}
		if err := Verify(ctx, s.claim(), q); err != nil {
			t.Fatal(err)
		}
		k, err := c.Check(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		var batch Batch
		batch.Add(k)
		if err := batch.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestProofSize(t *testing.T) {
	s, _ := sample(t)
	// 4 + 3·2 commitments, 2 challenges, 3 + 3 responses
	if got := s.claim().ProofSize(); got != 32*(10+2+6) {
		t.Errorf("%d bytes", got)
	}
}

func TestFalseWitnessIsRefused(t *testing.T) {
	s, w := sample(t)
	for name, change := range map[string]func(w []Known){
		"x":         func(w []Known) { w[0].Secrets[0] = randomScalar(t) },
		"alpha":     func(w []Known) { w[0].Secrets[1] = randomScalar(t) },
		"r":         func(w []Known) { w[0].Secrets[2] = randomScalar(t) },
		"swapped":   func(w []Known) { w[0].Secrets[0], w[0].Secrets[1] = w[0].Secrets[1], w[0].Secrets[0] },
		"rho":       func(w []Known) { w[1].Secrets[0] = randomScalar(t) },
		"branch":    func(w []Known) { w[1].Branch = 2 },
		"too high":  func(w []Known) { w[1].Branch = 3 },
		"negative":  func(w []Known) { w[1].Branch = -1 },
		"missing":   func(w []Known) { w[0].Secrets = w[0].Secrets[:2] },
		"too many":  func(w []Known) { w[1].Secrets = append(w[1].Secrets, randomScalar(t)) },
		"no secret": func(w []Known) { w[1].Secrets[0] = nil },
	} {
		bad := []Known{{w[0].Branch, slices.Clone(w[0].Secrets)}, {w[1].Branch, slices.Clone(w[1].Secrets)}}
		change(bad)
		if p, err := Prove(here, s.claim(), bad, rand.Reader); !errors.Is(err, ErrWitness) || p != nil {
			t.Errorf("%s: %v, want %v", name, err, ErrWitness)
		}
	}
	for _, n := range []int{0, 1} {
		if _, err := Prove(here, s.claim(), w[:n], rand.Reader); !errors.Is(err, ErrWitness) {
			t.Errorf("%d clauses known: %v", n, err)
		}
	}
	if _, err := Prove(here, s.claim(), append(w, w[1]), rand.Reader); !errors.Is(err, ErrWitness) {
		t.Errorf("one clause too many known: %v", err)
	}
}

func TestMalformedClaimsAreRefused(t *testing.T) {
	g := group.Base()
	relation := func(f func(r *Relation, s Secret)) *Relation {
		r := NewRelation()
		f(r, r.Secret())
		return r
	}
	good := relation(func(r *Relation, s Secret) { r.Equation(g, s.Times(g)) })
	foreign := NewRelation().Secret()
	for name, c := range map[string]*Claim{
		"no claim":        nil,
		"no clause":       NewClaim("x"),
		"empty clause":    NewClaim("x").Clause(good).Clause(),
		"no relation":     NewClaim("x").Clause(good, nil),
		"no equation":     NewClaim("x").Clause(NewRelation()),
		"no image":        NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(nil, s.Times(g)) })),
		"no base":         NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(g, s.Times(nil)) })),
		"no term":         NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(g, s.Times(g)); r.Equation(g) })),
		"zero term":       NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(g, s.Times(g), Term{}) })),
		"foreign secret":  NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(g, s.Times(g), foreign.Times(g)) })),
		"unused secret":   NewClaim("x").Clause(relation(func(r *Relation, s Secret) { r.Equation(g, r.Secret().Times(g)) })),
		"second relation": NewClaim("x").Clause(good).Clause(good, NewRelation()),
	} {
		if _, err := Prove(here, c, []Known{{0, []*group.Scalar{randomScalar(t)}}}, rand.Reader); !errors.Is(err, ErrClaim) {
			t.Errorf("%s: Prove: %v, want %v", name, err, ErrClaim)
		}
		if _, err := c.Check(here, &Proof{}); !errors.Is(err, ErrClaim) {
			t.Errorf("%s: Check: %v, want %v", name, err, ErrClaim)
		}
		if _, err := c.ParseProof(nil); !errors.Is(err, ErrClaim) {
			t.Errorf("%s: ParseProof: %v, want %v", name, err, ErrClaim)
		}
	}
}

func TestClaimKeepsItsOwnSlices(t *testing.T) {
	x := randomScalar(t)
	r := NewRelation()
	s := r.Secret()
	terms := []Term{s.Times(group.Base())}
	r.Equation(group.BaseMul(x), terms...)
	rels := []*Relation{r}
	c := NewClaim("x").Clause(rels...)
	p := mustProve(t, c, []Known{{0, []*group.Scalar{x}}})
	terms[0], rels[0] = s.Times(randomElement(t)), nil
	if err := Verify(here, c, p); err != nil {
		t.Error(err)
	}
}

func TestProofsOfAnotherShapeAreRefused(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	good := mustProve(t, c, w)
	one := group.ScalarFromUint64(1)
	for name, p := range map[string]*Proof{
		"nil":                   nil,
		"zero":                  {},
		"commitment missing":    {good.commitments[1:], good.challenges, good.responses},
		"commitment too many":   {append(slices.Clone(good.commitments), group.Base()), good.challenges, good.responses},
		"challenge missing":     {good.commitments, good.challenges[1:], good.responses},
		"challenge too many":    {good.commitments, append(slices.Clone(good.challenges), one), good.responses},
		"response missing":      {good.commitments, good.challenges, good.responses[1:]},
		"response too many":     {good.commitments, good.challenges, append(slices.Clone(good.responses), one)},
		"response as challenge": {good.commitments, append(slices.Clone(good.challenges), one), good.responses[1:]},
	} {
		if _, err := c.Check(here, p); !errors.Is(err, ErrShape) {
			t.Errorf("%s: Check: %v, want %v", name, err, ErrShape)
		}
		if err := Verify(here, c, p); !errors.Is(err, ErrShape) {
			t.Errorf("%s: Verify: %v, want %v", name, err, ErrShape)
		}
	}
}

func TestProofBytes(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	enc := mustProve(t, c, w).Bytes()
	for name, b := range map[string][]byte{
		"empty":    nil,
		"trailing": append(slices.Clone(enc), 0),
		"missing":  enc[:len(enc)-1],
		"a scalar": enc[:len(enc)-32],
		"twice":    append(slices.Clone(enc), enc...),
	} {
		if _, err := c.ParseProof(b); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v, want %v", name, err, ErrShape)
		}
	}
	wants := []error{group.ErrNonCanonical, group.ErrScalarRange}
	for i := range len(enc) / 32 {
		b := slices.Clone(enc)
		copy(b[32*i:], bytes.Repeat([]byte{0xff}, 32))
		want := wants[0]
		if i >= s.size() {
			want = wants[1]
		}
		if _, err := c.ParseProof(b); !errors.Is(err, want) {
			t.Errorf("value %d: %v, want %v", i, err, want)
		}
	}
}

// Whatever bit is flipped, the proof is no longer one.
func TestEveryFlippedBitOfAProofIsRefused(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	enc := mustProve(t, c, w).Bytes()
	for i := range enc {
		b := slices.Clone(enc)
		b[i] ^= 1 << (i % 8)
		p, err := c.ParseProof(b)
		if err != nil {
			continue
		}
		if len(broken(mustCheck(t, c, p))) == 0 {
			t.Errorf("byte %d may be changed", i)
		}
	}
}

func TestRandomnessFails(t *testing.T) {
	s, w := sample(t)
	if _, err := Prove(here, s.claim(), w, strings.NewReader("short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// The work may not tell the true branch. Allocations stand for it: they count
// every scalar and every element.
func TestWorkIsTheSameForEveryBranch(t *testing.T) {
	g := group.Base()
	x := randomScalar(t)
	var counts []float64
	for branch := range 4 {
		rels := make([]*Relation, 4)
		for j := range rels {
			rels[j] = NewRelation()
			image := randomElement(t)
			if j == branch {
				image = group.BaseMul(x)
			}
			image.Encoding()
			rels[j].Equation(image, rels[j].Secret().Times(g))
		}
		c, w := NewClaim("x").Clause(rels...), []Known{{branch, []*group.Scalar{x}}}
		hedge := make([]byte, hedgeSize)
		counts = append(counts, testing.AllocsPerRun(10, func() {
			c.prove(here, w, hedge)
		}))
	}
	for _, n := range counts {
		if n != counts[0] {
			t.Errorf("allocations by branch: %v", counts)
		}
	}
}

func FuzzParseProof(f *testing.F) {
	x := group.ScalarFromUint64(5)
	build := func() *Claim {
		g := group.Base()
		plain, left, right := NewRelation(), NewRelation(), NewRelation()
		plain.Equation(group.BaseMul(x), plain.Secret().Times(g))
		left.Equation(group.BaseMul(x), left.Secret().Times(g))
		right.Equation(g.Add(group.BaseMul(x)), right.Secret().Times(g).Neg())
		return NewClaim("fuzz").Clause(plain).Clause(left, right)
	}
	known := []*group.Scalar{x}
	p, err := Prove(here, build(), []Known{{0, known}, {0, known}}, bytes.NewReader(make([]byte, hedgeSize)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Bytes())
	f.Add(p.Bytes()[1:])
	f.Add(append(p.Bytes(), 1))
	f.Add(make([]byte, build().ProofSize()))
	f.Add(bytes.Repeat([]byte{0xff}, build().ProofSize()))
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := build().ParseProof(b)
		if err != nil {
			return
		}
		if !bytes.Equal(q.Bytes(), b) {
			t.Fatalf("%x encodes again as %x", b, q.Bytes())
		}
		holds := len(broken(mustCheck(t, build(), q))) == 0
		if holds && !bytes.Equal(b, p.Bytes()) {
			t.Fatalf("forged: %x", b)
		}
	})
}
