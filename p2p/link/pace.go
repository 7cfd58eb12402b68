package link

import (
	"hash/maphash"
	"net/netip"
	"sync"
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
	if !b.left(now) {
		return false
	}
	b.tokens--
	return true
}

// left reports whether there is one to take.
func (b *bucket) left(now time.Time) bool {
	if b.filled.IsZero() {
		b.tokens = b.size
	} else if gone := now.Sub(b.filled).Seconds(); gone > 0 {
		b.tokens = min(b.size, b.tokens+b.rate*gone)
	}
	b.filled = now
	return b.tokens >= 1
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

func (p *paces) take(address netip.Addr, now time.Time) bool { return p.of(address).take(now) }

func (p *paces) of(address netip.Addr) *bucket {
	return &p.slots[maphash.Comparable(p.seed, address)%paceSlots]
}

const missesPerSecond, missesBurst = 8, 64

// misses bounds how often an address is tried that does not answer as it
// should. Where others are is what they say, and what anybody on the network
// says in their name; a table must not become somebody's tool for knocking at
// a computer that has nothing to do with it. What succeeds costs nothing.
type misses struct {
	mu    sync.Mutex
	paces paces // guarded by mu
}

func newMisses() *misses { return &misses{paces: newPaces(missesPerSecond, missesBurst)} }

// allow reports whether an address may be tried; this computer always may.
func (m *misses) allow(address netip.Addr, now time.Time) bool {
	address = address.Unmap().WithZone("")
	m.mu.Lock()
	defer m.mu.Unlock()
	return address.IsLoopback() || m.paces.of(address).left(now)
}

// note notes a try in vain.
func (m *misses) note(address netip.Addr, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paces.take(address.Unmap().WithZone(""), now)
}
