package group

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"testing"

	"filippo.io/edwards25519"
)

func randomPairs(tb testing.TB, n int) ([]*Scalar, []*Element) {
	s, e := make([]*Scalar, n), make([]*Element, n)
	for i := range n {
		k, err := RandomScalar(rand.Reader)
		if err != nil {
			tb.Fatal(err)
		}
		s[i] = k
		r, err := RandomScalar(rand.Reader)
		if err != nil {
			tb.Fatal(err)
		}
		e[i] = BaseMul(r)
	}
	return s, e
}

// parsedPairs is randomPairs with elements as they come from the wire.
func parsedPairs(tb testing.TB, n int) ([]*Scalar, []*Element) {
	s, e := randomPairs(tb, n)
	for i := range e {
		p, err := ParseElement(e[i].Bytes())
		if err != nil {
			tb.Fatal(err)
		}
		e[i] = p
	}
	return s, e
}

// The yardstick is the multi-scalar multiplication of filippo.io/edwards25519
// over all points at once.
func BenchmarkVarTimeMultiMul(b *testing.B) {
	for _, n := range []int{3, 16, 90, 260, 520, 2611} {
		s, e := parsedPairs(b, n)
		b.Run(fmt.Sprintf("%d/ours", n), func(b *testing.B) {
			for b.Loop() {
				VarTimeMultiMul(s, e)
			}
		})
		b.Run(fmt.Sprintf("%d/yardstick", n), func(b *testing.B) {
			scalars, points := make([]*edwards25519.Scalar, n), make([]*edwards25519.Point, n)
			for i := range n {
				scalars[i], points[i] = &s[i].s, &e[i].p
			}
			for b.Loop() {
				new(edwards25519.Point).VarTimeMultiScalarMult(scalars, points)
			}
		})
	}
}

func BenchmarkElement(b *testing.B) {
	s, e := randomPairs(b, 2)
	enc := e[0].Bytes()
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			ParseElement(enc)
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			encode(&e[0].p)
		}
	})
	b.Run("encode again", func(b *testing.B) {
		for b.Loop() {
			e[0].Encoding()
		}
	})
	b.Run("uniform", func(b *testing.B) {
		u := bytes.Repeat([]byte{7}, 64)
		for b.Loop() {
			ElementFromUniform(u)
		}
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			e[0].Add(e[1])
		}
	})
	b.Run("mul", func(b *testing.B) {
		for b.Loop() {
			e[0].Mul(s[0])
		}
	})
	b.Run("base", func(b *testing.B) {
		for b.Loop() {
			BaseMul(s[0])
		}
	})
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			e[0].Prepared()
		}
	})
	b.Run("prepared mul", func(b *testing.B) {
		p := e[0].Prepared()
		for b.Loop() {
			p.Mul(s[0])
		}
	})
	b.Run("multi2", func(b *testing.B) {
		for b.Loop() {
			MultiMul(s, e)
		}
	})
}
