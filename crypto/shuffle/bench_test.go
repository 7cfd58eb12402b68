package shuffle

import (
	"fmt"
	"testing"

	"filippo.io/edwards25519"

	"alibi/crypto/elgamal"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

var benchSizes = []int{12, 21, 52, 520}

func benchTables(b *testing.B, run func(b *testing.B, tb *table)) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("cards=%d", n), func(b *testing.B) {
			tb := newTable(b, "bench", n)
			b.ReportAllocs()
			run(b, tb)
		})
	}
}

func BenchmarkShuffle(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		for b.Loop() {
			if _, _, err := Shuffle(tb.key, tb.in, tb.rand); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The output deck of BenchmarkProve has its encodings computed already, as
// Shuffle leaves it.
func BenchmarkProve(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		for b.Loop() {
			if _, err := Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		for b.Loop() {
			if err := tb.verify(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkVerifySingly evaluates the five equations one by one.
func BenchmarkVerifySingly(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		for b.Loop() {
			c, err := Check(tb.ctx, tb.key, tb.in, tb.out, tb.p)
			if err != nil {
				b.Fatal(err)
			}
			if err := c.Verify(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReceive is what a peer does with a shuffle from the wire: parse deck
// and proof, and verify.
func BenchmarkReceive(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		deck, proof := elgamal.EncodeAll(tb.out), tb.p.Bytes()
		for b.Loop() {
			out, err := elgamal.ParseAll(deck, len(tb.out))
			if err != nil {
				b.Fatal(err)
			}
			p, err := ParseProof(proof, len(tb.out))
			if err != nil {
				b.Fatal(err)
			}
			if err := Verify(tb.ctx, tb.key, tb.in, out, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkVerifyFour settles the shuffles of four players in one batch.
func BenchmarkVerifyFour(b *testing.B) {
	benchTables(b, func(b *testing.B, tb *table) {
		var all []table
		for range 4 {
			all = append(all, *tb)
			next := *tb
			next.in = tb.out
			next.shuffle(b)
			tb = &next
		}
		for b.Loop() {
			var batch sigma.Batch
			for _, tb := range all {
				c, err := Check(tb.ctx, tb.key, tb.in, tb.out, tb.p)
				if err != nil {
					b.Fatal(err)
				}
				batch.Add(c)
			}
			if err := batch.Verify(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The yardsticks are multi-scalar multiplications of the library below all this,
// unwrapped and in one piece: 5 N + 11 points for the verifier, and the eight
// constant-time sums of N + 1 points for the prover.

func yardstick(b *testing.B, n int) ([]*edwards25519.Scalar, []*edwards25519.Point) {
	b.Helper()
	rand := transcript.XOF("test/yardstick")
	scalars := make([]*edwards25519.Scalar, n)
	points := make([]*edwards25519.Point, n)
	var buf [64]byte
	for i := range n {
		for _, s := range []**edwards25519.Scalar{&scalars[i], new(*edwards25519.Scalar)} {
			if _, err := rand.Read(buf[:]); err != nil {
				b.Fatal(err)
			}
			var err error
			if *s, err = edwards25519.NewScalar().SetUniformBytes(buf[:]); err != nil {
				b.Fatal(err)
			}
			points[i] = new(edwards25519.Point).ScalarBaseMult(*s)
		}
	}
	return scalars, points
}

func BenchmarkYardstickVerify(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("cards=%d", n), func(b *testing.B) {
			scalars, points := yardstick(b, 5*n+11)
			for b.Loop() {
				new(edwards25519.Point).VarTimeMultiScalarMult(scalars, points)
			}
		})
	}
}

func BenchmarkYardstickProve(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("cards=%d", n), func(b *testing.B) {
			scalars, points := yardstick(b, n+1)
			for b.Loop() {
				for range 8 {
					new(edwards25519.Point).MultiScalarMult(scalars, points)
				}
			}
		})
	}
}
