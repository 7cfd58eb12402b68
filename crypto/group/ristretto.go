package group

import (
	"crypto/subtle"
	"encoding/hex"
	"fmt"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// Constants of RFC 9496, section 4.1, little-endian.
var (
	one            = new(field.Element).One()
	zero           = new(field.Element).Zero()
	minusOne       = new(field.Element).Negate(one)
	constD         = constant("a3785913ca4deb75abd841414d0a700098e879777940c78c73fe6f2bee6c0352")
	sqrtM1         = constant("b0a00e4a271beec478e42fad0618432fa7d7fb3d99004d2b0bdfc14f8024832b")
	sqrtADMinusOne = constant("1b2e7b49a0f6977ebd54781b0c8e9daffdd1f531c9fc3c0fac48832bbf316937")
	invSqrtAMinusD = constant("ea405d80aafdc899be72415a17162f9d40d801fe917bc216a2fcafcf05896c78")
	oneMinusDSq    = constant("76c15f94c1097ce20f355ecd38a1812ce4df70beddab9499d7e0b3b2a8729002")
	dMinusOneSq    = constant("204ded44aa5aad3199191eb02c4a9ed2eb4e9b522fd3dc4c41226cf67ab36859")
)

// constant reads a field element written above; a test compares every one
// with the decimals of the RFC.
func constant(s string) *field.Element {
	b, _ := hex.DecodeString(s)
	e, _ := new(field.Element).SetBytes(b)
	return e
}

// decode is RFC 9496, section 4.3.1. It leaves p alone when it refuses.
func decode(p *edwards25519.Point, b []byte) error {
	s, err := new(field.Element).SetBytes(b)
	if err != nil {
		return fmt.Errorf("%w: element of %d bytes, want %d", ErrLength, len(b), ElementSize)
	}
	if subtle.ConstantTimeCompare(s.Bytes(), b) != 1 {
		return ErrNonCanonical
	}
	if s.IsNegative() == 1 {
		return ErrNegative
	}

	var ss, u1, u2, u2Sq, v, x, y, t, t0 field.Element
	ss.Square(s)
	u1.Subtract(one, &ss) // u1 = 1 - s^2
	u2.Add(one, &ss)      // u2 = 1 + s^2
	u2Sq.Square(&u2)

	// v = -(D u1^2) - u2^2
	v.Multiply(constD, t0.Square(&u1))
	v.Negate(&v)
	v.Subtract(&v, &u2Sq)

	// invSqrt = 1 / sqrt(v u2^2)
	var invSqrt field.Element
	_, wasSquare := invSqrt.SqrtRatio(one, t0.Multiply(&v, &u2Sq))

	// x = |2 s denX|, y = u1 denY, t = x y, where
	// denX = invSqrt u2 and denY = invSqrt denX v
	var denX, denY field.Element
	denX.Multiply(&invSqrt, &u2)
	denY.Multiply(&invSqrt, &denX)
	denY.Multiply(&denY, &v)
	x.Multiply(s, &denX)
	x.Add(&x, &x)
	x.Absolute(&x)
	y.Multiply(&u1, &denY)
	t.Multiply(&x, &y)

	switch {
	case wasSquare == 0:
		return ErrNotSquare
	case t.IsNegative() == 1:
		return ErrNegativeT
	case y.Equal(zero) == 1:
		return ErrZeroY
	}
	_, err = p.SetExtendedCoordinates(&x, &y, one, &t)
	return err
}

// encode is RFC 9496, section 4.3.2.
func encode(p *edwards25519.Point) [ElementSize]byte {
	x0, y0, z0, t0 := p.ExtendedCoordinates()
	var u1, u2, invSqrt, den1, den2, zInv, tmp field.Element

	// u1 = (z0 + y0)(z0 - y0), u2 = x0 y0
	u1.Multiply(u1.Add(z0, y0), tmp.Subtract(z0, y0))
	u2.Multiply(x0, y0)

	// invSqrt = 1 / sqrt(u1 u2^2); the argument is always a square
	invSqrt.SqrtRatio(one, tmp.Multiply(&u1, tmp.Square(&u2)))
	den1.Multiply(&invSqrt, &u1)
	den2.Multiply(&invSqrt, &u2)
	zInv.Multiply(&den1, &den2)
	zInv.Multiply(&zInv, t0)

	// Rotate by a point of order four if t0 zInv is negative.
	var ix0, iy0, enchanted, x, y, denInv field.Element
	ix0.Multiply(x0, sqrtM1)
	iy0.Multiply(y0, sqrtM1)
	enchanted.Multiply(&den1, invSqrtAMinusD)
	rotate := tmp.Multiply(t0, &zInv).IsNegative()
	x.Select(&iy0, x0, rotate)
	y.Select(&ix0, y0, rotate)
	denInv.Select(&enchanted, &den2, rotate)

	// y = -y if x zInv is negative
	y.Select(tmp.Negate(&y), &y, new(field.Element).Multiply(&x, &zInv).IsNegative())

	// s = |denInv (z0 - y)|
	var s field.Element
	s.Multiply(&denInv, s.Subtract(z0, &y))
	s.Absolute(&s)
	return [ElementSize]byte(s.Bytes())
}

// equalPoints is RFC 9496, section 4.3.3:
// x1 y2 == y1 x2 or y1 y2 == x1 x2.
func equalPoints(p, q *edwards25519.Point) bool {
	x1, y1, _, _ := p.ExtendedCoordinates()
	x2, y2, _, _ := q.ExtendedCoordinates()
	var a, b, c, d field.Element
	same := a.Multiply(x1, y2).Equal(b.Multiply(y1, x2))
	turned := c.Multiply(y1, y2).Equal(d.Multiply(x1, x2))
	return same|turned == 1
}

// isIdentityPoint is equalPoints against (0, 1): x == 0 or y == 0.
func isIdentityPoint(p *edwards25519.Point) bool {
	x, y, _, _ := p.ExtendedCoordinates()
	return x.Equal(zero)|y.Equal(zero) == 1
}

// fromUniform is RFC 9496, section 4.3.4: the sum of the images of the halves.
func fromUniform(p *edwards25519.Point, b []byte) error {
	var q edwards25519.Point
	if err := mapHalf(p, b[:32]); err != nil {
		return err
	}
	if err := mapHalf(&q, b[32:]); err != nil {
		return err
	}
	p.Add(p, &q)
	return nil
}

// mapHalf is the function MAP of RFC 9496, section 4.3.4. The top bit of b is
// masked and the rest reduced, both by field.SetBytes.
func mapHalf(p *edwards25519.Point, b []byte) error {
	t, err := new(field.Element).SetBytes(b)
	if err != nil {
		return err
	}
	var r, u, v, c, n, tmp field.Element

	r.Multiply(sqrtM1, r.Square(t)) // r = SQRT_M1 t^2
	u.Multiply(tmp.Add(&r, one), oneMinusDSq)

	// v = (-1 - r D)(r + D)
	v.Subtract(minusOne, v.Multiply(&r, constD))
	v.Multiply(&v, tmp.Add(&r, constD))

	// s = sqrt(u/v), or -|s t| and c = r where that is no square
	var s, sPrime field.Element
	_, wasSquare := s.SqrtRatio(&u, &v)
	sPrime.Absolute(sPrime.Multiply(&s, t))
	sPrime.Negate(&sPrime)
	s.Select(&s, &sPrime, wasSquare)
	c.Select(minusOne, &r, wasSquare)

	// N = c (r - 1) (D - 1)^2 - v
	n.Multiply(&c, n.Subtract(&r, one))
	n.Multiply(&n, dMinusOneSq)
	n.Subtract(&n, &v)

	// w0 = 2 s v, w1 = N SQRT_AD_MINUS_ONE, w2 = 1 - s^2, w3 = 1 + s^2
	var w0, w1, w2, w3, ss field.Element
	ss.Square(&s)
	w0.Multiply(&s, &v)
	w0.Add(&w0, &w0)
	w1.Multiply(&n, sqrtADMinusOne)
	w2.Subtract(one, &ss)
	w3.Add(one, &ss)

	// (w0 w3 : w2 w1 : w1 w3 : w0 w2)
	var x, y, z, tt field.Element
	x.Multiply(&w0, &w3)
	y.Multiply(&w2, &w1)
	z.Multiply(&w1, &w3)
	tt.Multiply(&w0, &w2)
	_, err = p.SetExtendedCoordinates(&x, &y, &z, &tt)
	return err
}
