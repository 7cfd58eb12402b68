package lan

import (
	"hash/maphash"
	"net/netip"
	"time"
)

const (
	packetsPerSecond = 100 // from one sender; twelve players browsing make about 30
	packetBurst      = 200
	unknownPerSecond = 1000 // from all senders together that have not been heard before
	unknownBurst     = 2000
	answersPerSecond = 20 // to one asker; each asks once a second on every interface and family
	answerBurst      = 40
	limiterSlots     = 64
)

// limiter bounds how many packets of one sender are looked at, or how many
// answers one gets. Senders share a fixed number of buckets, so that inventing
// senders costs no memory.
type limiter struct {
	seed  maphash.Seed
	rate  float64
	burst float64
	slots [limiterSlots]bucket
}

type bucket struct {
	tokens float64
	filled time.Time
}

func newLimiter(rate, burst float64) *limiter {
	return &limiter{seed: maphash.MakeSeed(), rate: rate, burst: burst}
}

// allow takes one packet out of the sender's bucket, if there is one.
func (l *limiter) allow(now time.Time, source netip.Addr) bool {
	return l.slots[maphash.Comparable(l.seed, source)%limiterSlots].take(now, l.rate, l.burst)
}

// take takes one token out, if there is one. A bucket begins full.
func (b *bucket) take(now time.Time, rate, burst float64) bool {
	if b.filled.IsZero() {
		b.tokens = burst
	} else {
		b.tokens = min(burst, b.tokens+rate*now.Sub(b.filled).Seconds())
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
