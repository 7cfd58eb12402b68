package lan

import (
	"hash/maphash"
	"net/netip"
	"time"
)

const (
	packetsPerSecond = 100 // from one sender; twelve players browsing make about 30
	packetBurst      = 200
	limiterSlots     = 64
)

// limiter bounds how many packets of one sender are looked at. Senders share a
// fixed number of buckets, so that inventing senders costs no memory.
type limiter struct {
	seed  maphash.Seed
	slots [limiterSlots]bucket
}

type bucket struct {
	tokens float64
	filled time.Time
}

func newLimiter() *limiter { return &limiter{seed: maphash.MakeSeed()} }

// allow takes one packet out of the sender's bucket, if there is one.
func (l *limiter) allow(now time.Time, source netip.Addr) bool {
	b := &l.slots[maphash.Comparable(l.seed, source)%limiterSlots]
	if b.filled.IsZero() {
		b.tokens = packetBurst
	} else {
		b.tokens = min(packetBurst, b.tokens+packetsPerSecond*now.Sub(b.filled).Seconds())
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
