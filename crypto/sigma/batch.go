package sigma

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// ErrEmptyBatch is the answer to verifying a batch nothing was added to.
var ErrEmptyBatch = errors.New("sigma: empty batch")

// A Batch verifies any number of checks in one multi-scalar multiplication:
// the sum of all their equations, each times a weight of 128 bits. The weights
// are hashed from all digests, so every peer computes the same, and nobody can
// choose a proof knowing them; a batch with a wrong equation passes with
// probability 2^-128. An element that several equations share counts once.
//
// The zero value is an empty batch. It is not safe for concurrent use.
type Batch struct{ checks []*Check }

// Add puts c into the batch and returns its index. A nil or empty check is
// taken in, and makes the batch fail.
func (b *Batch) Add(c *Check) int {
	b.checks = append(b.checks, c)
	return len(b.checks) - 1
}

// Len returns how many checks the batch holds.
func (b *Batch) Len() int { return len(b.checks) }

// Verify settles the batch. It refuses an empty one: a caller that may have
// had nothing to verify has to say so by looking at Len, so that forgetting to
// add a check does not look like success.
func (b *Batch) Verify() error {
	if len(b.checks) == 0 {
		return ErrEmptyBatch
	}
	for i, c := range b.checks {
		if err := c.wellFormed(); err != nil {
			return fmt.Errorf("check %d of %d: %w", i, len(b.checks), err)
		}
	}
	weights := b.weights()
	sum := newSum()
	for _, c := range b.checks {
		for _, l := range c.Equations {
			w := nextWeight(weights)
			for i, e := range l.Elements {
				sum.add(w.Mul(l.Scalars[i]), e)
			}
		}
	}
	if !group.VarTimeMultiMul(sum.scalars, sum.elements).IsIdentity() {
		return fmt.Errorf("%w: among %d", ErrRefused, len(b.checks))
	}
	return nil
}

// Culprits verifies every check on its own and returns the indices of those
// that fail, in order; none if all hold.
func (b *Batch) Culprits() []int {
	var failed []int
	for i, c := range b.checks {
		if c.Verify() != nil {
			failed = append(failed, i)
		}
	}
	return failed
}

// weights is the stream all weights are read from, one per equation.
func (b *Batch) weights() io.Reader {
	parts := make([][]byte, len(b.checks))
	for i, c := range b.checks {
		parts[i] = c.Digest[:]
	}
	return transcript.XOF("sigma/batch", parts...)
}

func nextWeight(r io.Reader) *group.Scalar {
	var w [16]byte
	io.ReadFull(r, w[:]) // the stream does not end
	return group.ScalarFromWeight(w)
}

// A sum collects scalar multiples and merges those of one element.
type sum struct {
	scalars  []*group.Scalar
	elements []*group.Element
	seen     map[[group.ElementSize]byte]int
}

func newSum() *sum { return &sum{seen: make(map[[group.ElementSize]byte]int)} }

func (s *sum) add(k *group.Scalar, e *group.Element) {
	enc := e.Encoding()
	if enc == ([group.ElementSize]byte{}) {
		return // the identity adds nothing
	}
	if i, ok := s.seen[enc]; ok {
		s.scalars[i] = s.scalars[i].Add(k)
		return
	}
	s.seen[enc] = len(s.elements)
	s.scalars, s.elements = append(s.scalars, k), append(s.elements, e)
}
