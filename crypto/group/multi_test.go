package group

import (
	"fmt"
	"testing"

	"filippo.io/edwards25519"
	"pgregory.net/rapid"
)

// naive is the twin of all multi-scalar multiplications: one product at a time.
func naive(s []*Scalar, e []*Element) *Element {
	r := Identity()
	for i := range s {
		product := new(Element)
		product.p.ScalarMultSlow(&s[i].s, &e[i].p)
		r = r.Add(product)
	}
	return r
}

func drawPairs(t *rapid.T, n int) ([]*Scalar, []*Element) {
	s, e := make([]*Scalar, n), make([]*Element, n)
	for i := range n {
		s[i], e[i] = drawScalar(t, fmt.Sprint("scalar ", i)), drawElement(t, fmt.Sprint("element ", i))
	}
	return s, e
}

func TestMultiMulIsTheSumOfProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, e := drawPairs(t, rapid.IntRange(0, 6).Draw(t, "n"))
		want := naive(s, e)
		if !MultiMul(s, e).Equal(want) {
			t.Fatal("MultiMul")
		}
		if !VarTimeMultiMul(s, e).Equal(want) {
			t.Fatal("VarTimeMultiMul")
		}
		for i := range s {
			want := naive(s[i:i+1], e[i:i+1])
			if !e[i].Mul(s[i]).Equal(want) || !e[i].Prepared().Mul(s[i]).Equal(want) {
				t.Fatal("Mul")
			}
		}
	})
}

func TestBucketsOfEveryWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, e := drawPairs(t, rapid.IntRange(1, 8).Draw(t, "n"))
		want := naive(s, e)
		for c := 2; c <= 12; c++ {
			got := new(Element)
			buckets(&got.p, s, e, c)
			if !got.Equal(want) {
				t.Fatalf("windows of %d bits", c)
			}
		}
	})
}

// TestVarTimeMultiMulOfManySizes crosses every step of window.
func TestVarTimeMultiMulOfManySizes(t *testing.T) {
	s, e := randomPairs(t, 1500)
	for i := range s {
		switch i % 7 {
		case 0:
			s[i] = ScalarFromUint64(uint64(i))
		case 1:
			s[i] = ScalarFromUint64(uint64(i)).Neg()
		}
	}
	want := Identity()
	for i := range s {
		want = want.Add(e[i].Mul(s[i]))
		switch n := i + 1; n {
		case 1, 2, 16, 149, 150, 151, 259, 260, 699, 700, 1399, 1400, 1500:
			if !VarTimeMultiMul(s[:n], e[:n]).Equal(want) {
				t.Errorf("%d points", n)
			}
		}
	}
}

func TestMultiMulOfNothingIsTheIdentity(t *testing.T) {
	if !MultiMul(nil, nil).IsIdentity() || !VarTimeMultiMul(nil, nil).IsIdentity() {
		t.Error("an empty sum is not the identity")
	}
}

func TestDigitsAreTheScalar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScalar(t, "s")
		for c := 2; c <= 15; c++ {
			windows := scalarBits/c + 1
			digits := appendDigits(nil, s.Bytes(), c, windows)
			sum, base := new(Scalar), ScalarFromUint64(1<<c)
			for i := len(digits) - 1; i >= 0; i-- {
				if d := int(digits[i]); d > 1<<(c-1) || d < -1<<(c-1) {
					t.Fatalf("digit %d in windows of %d bits", d, c)
				}
				sum = sum.MulAdd(base, signed(int64(digits[i])))
			}
			if !sum.Equal(s) {
				t.Fatalf("windows of %d bits", c)
			}
		}
		sum := new(Scalar)
		digits := radix16(s.Bytes())
		for i := len(digits) - 1; i >= 0; i-- {
			if digits[i] < -8 || digits[i] > 8 {
				t.Fatalf("digit %d", digits[i])
			}
			sum = sum.MulAdd(ScalarFromUint64(16), signed(int64(digits[i])))
		}
		if !sum.Equal(s) {
			t.Fatal("base 16")
		}
	})
}

func signed(n int64) *Scalar {
	if n < 0 {
		return ScalarFromUint64(uint64(-n)).Neg()
	}
	return ScalarFromUint64(uint64(n))
}

// TestCurveArithmetic holds our additions against those of edwards25519.
func TestCurveArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, f := drawElement(t, "e"), drawElement(t, "f")
		var p, q extended
		p.load(&e.p)
		q.load(&f.p)
		a := normalise([]extended{p, q})
		check := func(name string, got *extended, want *edwards25519.Point) {
			var r edwards25519.Point
			if _, err := r.SetExtendedCoordinates(&got.x, &got.y, &got.z, &got.t); err != nil || r.Equal(want) != 1 {
				t.Fatalf("%s: %v", name, err)
			}
		}
		sum := new(edwards25519.Point).Add(&e.p, &f.p)
		difference := new(edwards25519.Point).Subtract(&e.p, &f.p)

		r := p
		r.add(&q)
		check("add", &r, sum)
		r = p
		r.addAffine(&a[1].sum, &a[1].diff, &a[1].t2d)
		check("add affine", &r, sum)
		r = p
		r.subAffine(&a[1])
		check("subtract affine", &r, difference)
		r = p
		r.double()
		check("double", &r, new(edwards25519.Point).Double(&e.p))
		r.set(&a[1], false)
		check("set", &r, &f.p)
		r.set(&a[1], true)
		check("set negative", &r, new(edwards25519.Point).Negate(&f.p))
	})
}
