package link

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// bucket allows so many a second after a burst. It begins full.
type bucket struct {
	rate, size float64
	tokens     float64
	filled     time.Time
}

// take takes one out, if there is one.
func (b *bucket) take(now time.Time) bool {
	if b.filled.IsZero() {
		b.tokens = b.size
	} else if gone := now.Sub(b.filled).Seconds(); gone > 0 {
		b.tokens = min(b.size, b.tokens+b.rate*gone)
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

const paceSlots = 1024

// paces is a bucket for each address. Addresses share a fixed number of them,
// so that inventing addresses costs no memory.
type paces struct {
	seed  maphash.Seed
	slots []bucket
}

func newPaces(rate, size float64) paces {
	p := paces{maphash.MakeSeed(), make([]bucket, paceSlots)}
	for i := range p.slots {
		p.slots[i] = bucket{rate: rate, size: size}
	}
	return p
}

func (p *paces) take(address netip.Addr, now time.Time) bool {
	return p.slots[maphash.Comparable(p.seed, address)%paceSlots].take(now)
}
