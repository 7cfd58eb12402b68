package elgamal

import (
	"fmt"

	"alibi/crypto/group"
)

// MaxKeys bounds the number of keys in a Quorum.
const MaxKeys = 255

// Quorum is a joint key and the public key shares it is made of. It is
// immutable and safe for concurrent use.
//
// When everybody must help (threshold = number of keys) the joint key is the
// sum of the shares. Otherwise the shares lie on a polynomial over the scalars
// (Shamir), share j at the point j+1, and the joint key is its value at 0.
type Quorum struct {
	keys      []*group.Element
	threshold int
	joint     *group.Element
}

// NewQuorum makes the quorum of the key shares X_j = x_j G of which threshold
// must help to decrypt. It refuses a share that is the identity, two equal
// shares, a threshold outside 1..len(keys), a joint key that is the identity
// and, for a threshold below len(keys), shares that do not lie on one
// polynomial of degree threshold-1, because different helpers would then
// decrypt to different elements.
//
// It does not know whether anybody knows the secrets: the caller checks the
// proofs of possession (protocol section 4).
func NewQuorum(keys []*group.Element, threshold int) (*Quorum, error) {
	if len(keys) < 1 || len(keys) > MaxKeys {
		return nil, fmt.Errorf("quorum of %d keys, allowed are 1 to %d", len(keys), MaxKeys)
	}
	if threshold < 1 || threshold > len(keys) {
		return nil, fmt.Errorf("threshold %d outside 1..%d", threshold, len(keys))
	}
	seen := make(map[[group.ElementSize]byte]int, len(keys))
	for j, k := range keys {
		if k == nil {
			return nil, fmt.Errorf("key share %d is missing", j)
		}
		if k.IsIdentity() {
			return nil, fmt.Errorf("key share %d: %w", j, ErrIdentity)
		}
		if i, twice := seen[k.Encoding()]; twice {
			return nil, fmt.Errorf("key shares %d and %d are equal", i, j)
		}
		seen[k.Encoding()] = j
	}
	q := &Quorum{keys: append([]*group.Element(nil), keys...), threshold: threshold}
	if threshold < len(keys) {
		if err := q.checkPolynomial(); err != nil {
			return nil, err
		}
	}
	weights, err := q.Weights(firstHelpers(threshold))
	if err != nil {
		return nil, err
	}
	q.joint = group.VarTimeMultiMul(weights, q.keys[:threshold])
	if q.joint.IsIdentity() {
		return nil, fmt.Errorf("joint key: %w", ErrIdentity)
	}
	return q, nil
}

// checkPolynomial compares every key share beyond the first threshold ones
// with what these determine.
func (q *Quorum) checkPolynomial() error {
	helpers := firstHelpers(q.threshold)
	for j := q.threshold; j < len(q.keys); j++ {
		w := lagrange(helpers, uint64(j)+1)
		if !group.VarTimeMultiMul(w, q.keys[:q.threshold]).Equal(q.keys[j]) {
			return fmt.Errorf("key share %d is not on the polynomial of the first %d", j, q.threshold)
		}
	}
	return nil
}

// Joint returns the key that cards of the whole table are encrypted to.
func (q *Quorum) Joint() *group.Element { return q.joint }

// Key returns the key share of seat j, or nil when there is no such seat.
func (q *Quorum) Key(j int) *group.Element {
	if j < 0 || j >= len(q.keys) {
		return nil
	}
	return q.keys[j]
}

// Size returns the number of key shares.
func (q *Quorum) Size() int { return len(q.keys) }

// Threshold returns how many must help.
func (q *Quorum) Threshold() int { return q.threshold }

// Weights returns, for each helper, the factor its share enters the sum with:
// the secret of the joint key is the sum of weights[k] * x_helpers[k]. When
// all must help, all weights are 1; otherwise they are the Lagrange
// coefficients at 0. Any order of helpers will do, and more than the threshold
// too. It refuses too few helpers, a repeated one and an unknown one.
func (q *Quorum) Weights(helpers []int) ([]*group.Scalar, error) {
	if len(helpers) < q.threshold || len(helpers) > len(q.keys) {
		return nil, fmt.Errorf("%d helpers, needed are %d of %d", len(helpers), q.threshold, len(q.keys))
	}
	seen := make([]bool, len(q.keys))
	for _, h := range helpers {
		if h < 0 || h >= len(q.keys) {
			return nil, fmt.Errorf("helper %d is not in the quorum of %d", h, len(q.keys))
		}
		if seen[h] {
			return nil, fmt.Errorf("helper %d is counted twice", h)
		}
		seen[h] = true
	}
	if q.threshold < len(q.keys) {
		return lagrange(helpers, 0), nil
	}
	weights := make([]*group.Scalar, len(helpers))
	for i := range weights {
		weights[i] = group.ScalarFromUint64(1)
	}
	return weights, nil
}

// lagrange returns the coefficients l_k with f(at) = sum l_k f(helpers[k]+1)
// for every polynomial f of degree below len(helpers). The helpers are
// distinct and public.
func lagrange(helpers []int, at uint64) []*group.Scalar {
	x := group.ScalarFromUint64(at)
	out := make([]*group.Scalar, len(helpers))
	for k, h := range helpers {
		num, den := group.ScalarFromUint64(1), group.ScalarFromUint64(1)
		xk := group.ScalarFromUint64(uint64(h) + 1)
		for m, other := range helpers {
			if m == k {
				continue
			}
			xm := group.ScalarFromUint64(uint64(other) + 1)
			num = num.Mul(x.Sub(xm))
			den = den.Mul(xk.Sub(xm))
		}
		out[k] = num.Mul(den.Invert())
	}
	return out
}

func firstHelpers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
