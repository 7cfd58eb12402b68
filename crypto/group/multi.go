package group

import "filippo.io/edwards25519"

// pieceSize bounds how many points share the doublings of one Straus run:
// beyond it the tables (1,280 bytes a point) outgrow the cache, and a run
// measures slower than two of half the size.
const pieceSize = 128

// MultiMul returns the sum of s[i] e[i] in constant time: its running time
// depends only on the length of the slices, which must match, and on which
// elements are the generator.
func MultiMul(s []*Scalar, e []*Element) *Element {
	r := new(Element)
	scalars := make([]*edwards25519.Scalar, 0, len(s))
	points := make([]*edwards25519.Point, 0, len(e))
	var onBase *Scalar
	for i := range s {
		if e[i] == base {
			if onBase == nil {
				onBase = s[i]
			} else {
				onBase = onBase.Add(s[i])
			}
			continue
		}
		scalars = append(scalars, &s[i].s)
		points = append(points, &e[i].p)
	}
	switch {
	case onBase == nil:
		r.p.MultiScalarMult(scalars, points)
	case len(points) == 0:
		r.p.ScalarBaseMult(&onBase.s)
	default:
		var b edwards25519.Point
		b.ScalarBaseMult(&onBase.s)
		r.p.MultiScalarMult(scalars, points)
		r.p.Add(&r.p, &b)
	}
	return r
}

// VarTimeMultiMul returns the sum of s[i] e[i]; the slices must be of one
// length. The running time depends on the scalars: public data only.
func VarTimeMultiMul(s []*Scalar, e []*Element) *Element {
	r := new(Element)
	r.p.Set(edwards25519.NewIdentityPoint())
	scalars := make([]*edwards25519.Scalar, 0, min(len(s), pieceSize))
	points := make([]*edwards25519.Point, 0, min(len(e), pieceSize))
	var sum edwards25519.Point
	for len(s) > 0 {
		n := min(len(s), pieceSize)
		scalars, points = scalars[:0], points[:0]
		for i := range n {
			scalars = append(scalars, &s[i].s)
			points = append(points, &e[i].p)
		}
		r.p.Add(&r.p, sum.VarTimeMultiScalarMult(scalars, points))
		s, e = s[n:], e[n:]
	}
	return r
}
