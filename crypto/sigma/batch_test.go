package sigma

import (
	"errors"
	"slices"
	"testing"

	"alibi/crypto/group"
	"pgregory.net/rapid"
)

func TestEmptyBatchIsRefused(t *testing.T) {
	var b Batch
	if err := b.Verify(); !errors.Is(err, ErrEmptyBatch) {
		t.Errorf("%v, want %v", err, ErrEmptyBatch)
	}
	if b.Culprits() != nil || b.Len() != 0 {
		t.Error("an empty batch has members")
	}
}

func TestMalformedChecksAreRefused(t *testing.T) {
	one, g := group.ScalarFromUint64(1), group.Base()
	zero := new(group.Scalar)
	good := Linear{[]*group.Scalar{zero}, []*group.Element{g}}
	for name, k := range map[string]*Check{
		"nil":                nil,
		"no equation":        {},
		"empty equation":     {Equations: []Linear{good, {}}},
		"scalar missing":     {Equations: []Linear{{[]*group.Scalar{zero}, []*group.Element{g, g}}}},
		"element missing":    {Equations: []Linear{good, {[]*group.Scalar{zero, one}, []*group.Element{g}}}},
		"nil scalar":         {Equations: []Linear{{[]*group.Scalar{nil}, []*group.Element{g}}}},
		"nil element":        {Equations: []Linear{{[]*group.Scalar{zero}, []*group.Element{nil}}}},
		"no elements at all": {Equations: []Linear{{[]*group.Scalar{zero}, nil}}},
	} {
		if err := k.Verify(); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: singly %v", name, err)
		}
		var b Batch
		b.Add(&Check{Equations: []Linear{good}})
		i := b.Add(k)
		if err := b.Verify(); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: in a batch %v", name, err)
		}
		if got := b.Culprits(); !slices.Equal(got, []int{i}) {
			t.Errorf("%s: culprits %v", name, got)
		}
	}
	if err := (&Check{Equations: []Linear{good}}).Verify(); err != nil {
		t.Errorf("a good check: %v", err)
	}
}

// Batch and single verification agree on every input, or peers would fork.
func TestBatchAgreesWithSingles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Batch
		var bad []int
		for range rapid.IntRange(1, 4).Draw(t, "proofs") {
			s, w := drawClaim(t)
			c := s.claim()
			p, _ := c.prove(here, w, make([]byte, hedgeSize))
			if rapid.IntRange(0, 2).Draw(t, "spoil") == 0 {
				p = spoil(t, p)
			}
			k, err := c.Check(here, p)
			if err != nil {
				t.Fatal(err)
			}
			if i := b.Add(k); k.Verify() != nil {
				bad = append(bad, i)
			}
		}
		if err := b.Verify(); (err == nil) != (len(bad) == 0) {
			t.Fatalf("in a batch: %v, singly %v fail", err, bad)
		}
		if got := b.Culprits(); !slices.Equal(got, bad) {
			t.Fatalf("culprits %v, want %v", got, bad)
		}
	})
}

// spoil changes one value of a proof by one, which a base that is the identity
// may well forgive.
func spoil(t *rapid.T, p *Proof) *Proof {
	q := &Proof{slices.Clone(p.commitments), slices.Clone(p.challenges), slices.Clone(p.responses)}
	one := group.ScalarFromUint64(1)
	n := rapid.IntRange(0, len(q.commitments)+len(q.challenges)+len(q.responses)-1).Draw(t, "at")
	if n < len(q.commitments) {
		q.commitments[n] = q.commitments[n].Add(group.Base())
		return q
	}
	n -= len(q.commitments)
	if n < len(q.challenges) {
		q.challenges[n] = q.challenges[n].Add(one)
		return q
	}
	n -= len(q.challenges)
	q.responses[n] = q.responses[n].Add(one)
	return q
}

// off is an equation that is wrong by n times the generator.
func off(n int64) Linear {
	s := group.ScalarFromUint64(uint64(max(n, -n)))
	if n < 0 {
		s = s.Neg()
	}
	return Linear{[]*group.Scalar{s}, []*group.Element{group.Base()}}
}

// Errors that cancel where all weights are one, or those of a proof are.
func TestErrorsDoNotCancel(t *testing.T) {
	for name, checks := range map[string][]*Check{
		"in one check":           {{Equations: []Linear{off(1), off(-1)}}},
		"in two checks":          {{Digest: [32]byte{1}, Equations: []Linear{off(1)}}, {Digest: [32]byte{2}, Equations: []Linear{off(-1)}}},
		"in two equal digests":   {{Equations: []Linear{off(1)}}, {Equations: []Linear{off(-1)}}},
		"three times":            {{Equations: []Linear{off(1), off(1), off(-2)}}},
		"twice the other, twice": {{Equations: []Linear{off(2)}}, {Equations: []Linear{off(-1), off(-1)}}},
	} {
		var b Batch
		for _, k := range checks {
			b.Add(k)
		}
		if b.Verify() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func drawWeights(b *Batch, n int) []string {
	r := b.weights()
	out := make([]string, n)
	for i := range out {
		out[i] = string(nextWeight(r).Bytes())
	}
	return out
}

// Every digest decides every weight, and so does the order of the digests.
func TestWeightsDependOnEveryDigest(t *testing.T) {
	build := func(digests ...byte) *Batch {
		b := new(Batch)
		for _, d := range digests {
			b.Add(&Check{Digest: [32]byte{d}})
		}
		return b
	}
	seen := map[string]bool{}
	for _, b := range []*Batch{build(1, 2, 3), build(9, 2, 3), build(1, 9, 3), build(1, 2, 9), build(2, 1, 3), build(1, 2), build(1, 2, 3, 4)} {
		for _, w := range drawWeights(b, 4) {
			if seen[w] {
				t.Error("a weight occurs twice")
			}
			seen[w] = true
		}
	}
	if !slices.Equal(drawWeights(build(1, 2), 3), drawWeights(build(1, 2), 3)) {
		t.Error("two peers have other weights for one batch")
	}
}

func TestWeightsAre128Bits(t *testing.T) {
	b := new(Batch)
	b.Add(&Check{})
	var all [32]byte
	for _, w := range drawWeights(b, 64) {
		for i := range all {
			all[i] |= w[i]
		}
	}
	want := [32]byte{}
	for i := range 16 {
		want[i] = 0xff
	}
	if all != want {
		t.Errorf("bits in use: %x", all)
	}
}

func TestEqualElementsAreMerged(t *testing.T) {
	g := group.Base()
	again, err := group.ParseElement(g.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	s := newSum()
	s.add(group.ScalarFromUint64(2), g)
	s.add(group.ScalarFromUint64(3), again)
	s.add(group.ScalarFromUint64(4), group.Identity())
	s.add(group.ScalarFromUint64(5), g.Add(g))
	if len(s.elements) != 2 || !s.scalars[0].Equal(group.ScalarFromUint64(5)) || !s.scalars[1].Equal(group.ScalarFromUint64(5)) {
		t.Errorf("%d elements", len(s.elements))
	}
}
