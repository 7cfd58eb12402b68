package feed_test

import (
	"bytes"
	"testing"

	"alibi/crypto/feed"
)

func BenchmarkSeal(b *testing.B) {
	c := newCircle(b, "bench", 4)
	e := c.log().Template(1)
	e.Body = make([]byte, 2000)
	for b.Loop() {
		c.seal(b, 1, e)
	}
}

func BenchmarkDecode(b *testing.B) {
	c := newCircle(b, "bench", 4)
	e := c.log().Template(1)
	e.Body = make([]byte, 2000)
	raw := c.seal(b, 1, e).Raw()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := feed.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOffer refills a log of 50 rounds, signatures verified.
func BenchmarkOffer(b *testing.B) {
	c := newCircle(b, "bench", 4)
	all := c.play(b, c.log(), 50)
	for b.Loop() {
		refill(b, c, c.log(), all)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(all)), "us/entry")
}

func BenchmarkReadLog(b *testing.B) {
	c := newCircle(b, "bench", 4)
	file, _ := logFile(b, c, 50)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, _, err := feed.ReadLog(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
