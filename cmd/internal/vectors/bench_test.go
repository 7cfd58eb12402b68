package vectors_test

import (
	"bytes"
	"context"
	"crypto/sha3"
	"io"
	"testing"
	"time"

	"filippo.io/edwards25519"

	"alibi/cmd/internal/rehearsal"
	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/game/audit"
)

// The numbers that docs/benchmarks.md quotes and no other package measures:
// answers as a game makes them, from bytes to verdict, and the audit of a log.

func stream(seed string) io.Reader {
	s := sha3.NewSHAKE256()
	_, _ = s.Write([]byte(seed)) // a hash never fails
	return s
}

// question is a hand of six cards and a question for three.
type question struct {
	y, k  *group.Scalar // of the holder, of the asker
	hand  []elgamal.Ciphertext
	asked []*group.Element
	rand  io.Reader
}

func newQuestion(b *testing.B, asked ...int) *question {
	b.Helper()
	q := &question{rand: stream("question")}
	for _, s := range []**group.Scalar{&q.y, &q.k} {
		var err error
		if *s, err = group.RandomScalar(q.rand); err != nil {
			b.Fatal(err)
		}
	}
	cards := deck.New("classic", 21)
	for i := range 6 {
		r, err := group.RandomScalar(q.rand)
		if err != nil {
			b.Fatal(err)
		}
		q.hand = append(q.hand, elgamal.Encrypt(cards.Card(i), group.BaseMul(q.y), r))
	}
	for _, c := range asked {
		q.asked = append(q.asked, cards.Card(c))
	}
	return q
}

// settle verifies as a peer does: in a batch.
func settle(b *testing.B, c *sigma.Check, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	var batch sigma.Batch
	batch.Add(c)
	if err := batch.Verify(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkDenial(b *testing.B) {
	q := newQuestion(b, 10, 11, 12)
	key, here := group.BaseMul(q.y), []byte("here")
	prove := func(b *testing.B) []byte {
		d, err := deck.Deny(here, q.y, q.hand, q.asked, q.rand)
		if err != nil {
			b.Fatal(err)
		}
		return d.Bytes()
	}
	sent := prove(b)
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			prove(b)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			d, err := deck.ParseDenial(len(q.hand), len(q.asked), sent)
			if err != nil {
				b.Fatal(err)
			}
			c, err := deck.CheckDenial(here, key, q.hand, q.asked, d)
			settle(b, c, err)
		}
	})
	// C, and two commitments of two terms each, for 18 pairs; 18 C, 36
	// commitments, 18 differences, 6 A, G and Y.
	yardsticks(b, 6*18, 80)
}

func BenchmarkShowing(b *testing.B) {
	q := newQuestion(b, 3, 11, 12)
	key, asker, here := group.BaseMul(q.y), group.BaseMul(q.k), []byte("here")
	prove := func(b *testing.B) []byte {
		s, err := deck.Show(here, q.y, q.hand, 3, q.asked, 0, asker, q.rand)
		if err != nil {
			b.Fatal(err)
		}
		return s.Bytes()
	}
	sent := prove(b)
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			prove(b)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			s, err := deck.ParseShowing(len(q.hand), len(q.asked), sent)
			if err != nil {
				b.Fatal(err)
			}
			c, err := deck.CheckShowing(here, key, q.hand, q.asked, asker, s)
			settle(b, c, err)
		}
	})
	// Six branches of seven terms, three of four, and E; 24 commitments, 9
	// differences, 6 A, G, Y, K and E_1.
	yardsticks(b, 6*7+3*4+2, 43)
}

func BenchmarkReveal(b *testing.B) {
	q := newQuestion(b, 3)
	key, here := group.BaseMul(q.y), []byte("here")
	tasks := []deck.Task{deck.Reveal(q.hand[0])}
	prove := func(b *testing.B) []byte {
		s, err := deck.Unlock(here, q.y, tasks, q.rand)
		if err != nil {
			b.Fatal(err)
		}
		return s.Bytes()
	}
	sent := prove(b)
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			prove(b)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			s, err := deck.ParseShare(tasks, sent)
			if err != nil {
				b.Fatal(err)
			}
			c, err := deck.CheckShare(here, key, tasks, s)
			settle(b, c, err)
		}
	})
	// X, D and two commitments; the same and G and A.
	yardsticks(b, 4, 6)
}

// yardsticks run the library below on as many points as a message has: in
// constant time as its maker must, in variable time as whoever verifies may.
func yardsticks(b *testing.B, proved, verified int) {
	n := max(proved, verified)
	scalars, points := make([]*edwards25519.Scalar, n), make([]*edwards25519.Point, n)
	rand := stream("yardstick")
	for i := range n {
		var buf [64]byte
		_, _ = io.ReadFull(rand, buf[:]) // does not end
		scalars[i], _ = edwards25519.NewScalar().SetUniformBytes(buf[:])
		points[i] = new(edwards25519.Point).ScalarBaseMult(scalars[i])
	}
	b.Run("prove-yardstick", func(b *testing.B) {
		for b.Loop() {
			new(edwards25519.Point).MultiScalarMult(scalars[:proved], points[:proved])
		}
	})
	b.Run("verify-yardstick", func(b *testing.B) {
		for b.Loop() {
			new(edwards25519.Point).VarTimeMultiScalarMult(scalars[:verified], points[:verified])
		}
	})
}

// BenchmarkVerifyLog audits the log of a whole game of four bots, from the
// file's bytes.
func BenchmarkVerifyLog(b *testing.B) {
	for _, edition := range []string{"card", "card-advanced"} {
		b.Run(edition, func(b *testing.B) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			t, err := rehearsal.New(rehearsal.Plan{Seed: "log", Edition: edition, Names: []string{"a", "b", "c", "d"}})
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range t.Run(ctx) {
				if err != nil {
					b.Fatal(err)
				}
			}
			var file bytes.Buffer
			if err := t.Sessions[0].WriteLog(&file); err != nil {
				b.Fatal(err)
			}
			var entries int
			for b.Loop() {
				charter, log, err := feed.ReadLog(bytes.NewReader(file.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				r, err := audit.Check(charter, log)
				if err != nil || !r.Fair() || !r.Complete {
					b.Fatal("not fair and complete", err)
				}
				entries = r.Entries
			}
			b.ReportMetric(float64(file.Len()), "bytes")
			b.ReportMetric(float64(entries), "entries")
		})
	}
}
