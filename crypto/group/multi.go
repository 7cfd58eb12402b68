package group

import "filippo.io/edwards25519"

// MultiMul returns the sum of s[i] e[i] in constant time: its running time
// depends only on the length of the slices, which must match, and on which
// elements have a table: the generator and those that are Prepared.
func MultiMul(s []*Scalar, e []*Element) *Element {
	r := new(Element)
	r.p.Set(&identity.p)
	scalars := make([]*edwards25519.Scalar, 0, len(s))
	points := make([]*edwards25519.Point, 0, len(e))
	for i := range e {
		if e[i].hasTable() {
			r.addTableMultiple(s[i], e[i])
			continue
		}
		scalars = append(scalars, &s[i].s)
		points = append(points, &e[i].p)
	}
	if len(points) > 0 {
		r.p.Add(&r.p, new(edwards25519.Point).MultiScalarMult(scalars, points))
	}
	return r
}

func (e *Element) hasTable() bool { return e == base || e.table != nil }

// addTableMultiple makes r = r + s e, for an e that has a table. The generator
// uses the one inside edwards25519.
func (r *Element) addTableMultiple(s *Scalar, e *Element) {
	if e == base {
		r.p.Add(&r.p, new(edwards25519.Point).ScalarBaseMult(&s.s))
		return
	}
	var p extended
	p.load(&r.p)
	e.table.addMultiple(&p, s)
	p.store(&r.p)
}

// VarTimeMultiMul returns the sum of s[i] e[i]; the slices must be of one
// length. The running time depends on the scalars: public data only.
func VarTimeMultiMul(s []*Scalar, e []*Element) *Element {
	r := new(Element)
	if c := window(len(e)); c > 0 {
		buckets(&r.p, s, e, c)
		return r
	}
	scalars := make([]*edwards25519.Scalar, len(s))
	points := make([]*edwards25519.Point, len(e))
	for i := range s {
		scalars[i] = &s[i].s
	}
	for i := range e {
		points[i] = &e[i].p
	}
	r.p.VarTimeMultiScalarMult(scalars, points)
	return r
}

// window returns how many bits a window of the bucket method has for n points,
// 0 where Straus, which is what edwards25519 has, is the faster one. The steps
// are measured, except the last, which the count of additions gives.
func window(n int) int {
	switch {
	case n < 150:
		return 0
	case n < 260:
		return 6
	case n < 700:
		return 7
	case n < 1400:
		return 8
	case n < 5000:
		return 9
	default:
		return 10
	}
}
