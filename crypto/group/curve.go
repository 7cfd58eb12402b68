package group

import (
	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// The point arithmetic that edwards25519 keeps to itself: additions of
// prepared affine points. All of it runs in constant time.

// extended is (X:Y:Z:T) with x = X/Z, y = Y/Z, xy = T/Z
// (Hisil, Wong, Carter, Dawson, ASIACRYPT 2008).
type extended struct{ x, y, z, t field.Element }

// affine is a point with Z = 1, prepared for addition: y+x, y-x, 2dxy.
type affine struct{ sum, diff, t2d field.Element }

var (
	constD2  = new(field.Element).Add(constD, constD)
	inverseD = new(field.Element).Invert(constD)
)

// normalise divides all points by their Z, with one inversion for all
// (Montgomery's trick).
func normalise(points []extended) []affine {
	partial := make([]field.Element, len(points)) // product of the Z before this one
	product := *one
	for i := range points {
		partial[i] = product
		product.Multiply(&product, &points[i].z)
	}
	out := make([]affine, len(points))
	var inverse, zInv, x, y, t field.Element
	inverse.Invert(&product)
	for i := len(points) - 1; i >= 0; i-- {
		q := &points[i]
		zInv.Multiply(&inverse, &partial[i])
		inverse.Multiply(&inverse, &q.z)
		x.Multiply(&q.x, &zInv)
		y.Multiply(&q.y, &zInv)
		t.Multiply(&q.t, &zInv)
		out[i].sum.Add(&y, &x)
		out[i].diff.Subtract(&y, &x)
		out[i].t2d.Multiply(&t, constD2)
	}
	return out
}

func (p *extended) load(q *edwards25519.Point) {
	x, y, z, t := q.ExtendedCoordinates()
	p.x, p.y, p.z, p.t = *x, *y, *z, *t
}

func (p *extended) store(q *edwards25519.Point) {
	q.SetExtendedCoordinates(&p.x, &p.y, &p.z, &p.t) // on the curve, as all sums are
}

func (p *extended) zero() {
	p.x.Zero()
	p.y.One()
	p.z.One()
	p.t.Zero()
}

// set makes p = ±q as (2x : 2y : 2 : 2xy).
func (p *extended) set(q *affine, negative bool) {
	p.x.Subtract(&q.sum, &q.diff)
	p.y.Add(&q.sum, &q.diff)
	p.z.Add(one, one)
	p.t.Multiply(&q.t2d, inverseD)
	if negative {
		p.x.Negate(&p.x)
		p.t.Negate(&p.t)
	}
}

// addAffine makes p = p + q for q = (y+x, y-x, 2dxy):
// A = (Y-X)(y-x), B = (Y+X)(y+x), C = T 2dxy, D = 2Z.
func (p *extended) addAffine(sum, diff, t2d *field.Element) {
	var a, b, c, d field.Element
	a.Multiply(a.Subtract(&p.y, &p.x), diff)
	b.Multiply(b.Add(&p.y, &p.x), sum)
	c.Multiply(&p.t, t2d)
	d.Add(&p.z, &p.z)
	p.complete(&a, &b, &c, &d)
}

// subAffine makes p = p - q: -q has y-x and y+x swapped and 2dxy negated.
func (p *extended) subAffine(q *affine) {
	var minus field.Element
	p.addAffine(&q.diff, &q.sum, minus.Negate(&q.t2d))
}

// add makes p = p + q:
// A = (Y1-X1)(Y2-X2), B = (Y1+X1)(Y2+X2), C = 2d T1 T2, D = 2 Z1 Z2.
func (p *extended) add(q *extended) {
	var a, b, c, d, tmp field.Element
	a.Multiply(a.Subtract(&p.y, &p.x), tmp.Subtract(&q.y, &q.x))
	b.Multiply(b.Add(&p.y, &p.x), tmp.Add(&q.y, &q.x))
	c.Multiply(&p.t, tmp.Multiply(&q.t, constD2))
	d.Multiply(&p.z, &q.z)
	d.Add(&d, &d)
	p.complete(&a, &b, &c, &d)
}

// complete ends both additions: E = B-A, F = D-C, G = D+C, H = B+A,
// (EF : GH : FG : EH).
func (p *extended) complete(a, b, c, d *field.Element) {
	var e, f, g, h field.Element
	e.Subtract(b, a)
	f.Subtract(d, c)
	g.Add(d, c)
	h.Add(b, a)
	p.x.Multiply(&e, &f)
	p.y.Multiply(&g, &h)
	p.z.Multiply(&f, &g)
	p.t.Multiply(&e, &h)
}

// double makes p = 2p: A = X^2, B = Y^2, C = 2 Z^2, H = A+B,
// E = H-(X+Y)^2, G = A-B, F = C+G, (EF : GH : FG : EH).
func (p *extended) double() {
	var a, b, c, e, f, g, h field.Element
	a.Square(&p.x)
	b.Square(&p.y)
	c.Square(&p.z)
	c.Add(&c, &c)
	h.Add(&a, &b)
	e.Square(e.Add(&p.x, &p.y))
	e.Subtract(&h, &e)
	g.Subtract(&a, &b)
	f.Add(&c, &g)
	p.x.Multiply(&e, &f)
	p.y.Multiply(&g, &h)
	p.z.Multiply(&f, &g)
	p.t.Multiply(&e, &h)
}
