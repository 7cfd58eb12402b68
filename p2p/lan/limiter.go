package lan

import (
	"hash/maphash"
	"net/netip"
	"time"
)

const limiterSlots = 256

// pace is how many a second after a burst, of one sender and of all together.
type pace struct{ rate, burst, rateOfAll, burstOfAll float64 }

// Paces of packets that are looked at, which costs about 20 microseconds each.
// Twelve players browsing make about 30 a second all together.
var (
	knownPackets   = pace{100, 200, 2000, 4000}
	unknownPackets = pace{100, 200, 1000, 2000}
	// Each player asks once a second on every interface and family.
	answers = pace{20, 40, 500, 1000}
)

// limiter keeps a pace. Senders share a fixed number of buckets, so that
// inventing senders costs no memory.
type limiter struct {
	pace  pace
	seed  maphash.Seed
	slots *[limiterSlots]bucket
	all   bucket
}

type bucket struct {
	tokens float64
	filled time.Time
}

func newLimiter(p pace) limiter {
	return limiter{pace: p, seed: maphash.MakeSeed(), slots: new([limiterSlots]bucket)}
}

// allow takes one out of the sender's bucket and one out of everybody's, if
// there is one in both.
func (l *limiter) allow(now time.Time, source netip.Addr) bool {
	own := &l.slots[maphash.Comparable(l.seed, source)%limiterSlots]
	return own.take(now, l.pace.rate, l.pace.burst) && l.all.take(now, l.pace.rateOfAll, l.pace.burstOfAll)
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
