package link

import (
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"alibi/crypto/identity"
)

// door counts inbound connections, each from before anything is spent on it
// until it is closed, and says which come in. Its rooms are apart, so that who
// fills one keeps nobody out of another: above all, strangers cannot take the
// room of those who play.
//
// Before a handshake has proven who somebody is, only the address can tell. An
// address from which a member came in, or at which one was reached, is
// familiar and has a room of its own. A member who comes from a new address has
// to share one with strangers; there the newest goes before the oldest of
// whoever takes up most, so a handshake that is in earnest gets its
// milliseconds however many others only hold the door.
type door struct {
	admit  func(identity.ID) bool
	member func(identity.ID) bool

	mu       sync.Mutex // guards all below
	rooms    [places][]*visit
	paces    paces  // of addresses that are not familiar
	strange  bucket // of all of them together
	familiar []acquaintance
}

// place is a room behind the door.
type place uint8

const (
	strangeTCP  place = iota // handshake under way, from an address that tells nothing
	strangeQUIC              // the same; apart, since such a one cannot be sent away for another
	familiarTCP              // handshake under way, from where a member has been
	familiarQUIC
	guests  // let in while a table is open
	members // those of a game
	places
)

// room is how many a place holds, of one address, of one identity and in all.
// Members are bounded by their number.
type room struct{ address, identity, all int }

var rooms = [places]room{
	strangeTCP:   {address: 16, all: 64},
	strangeQUIC:  {address: 16, all: 48},
	familiarTCP:  {address: 16, all: 64},
	familiarQUIC: {address: 16, all: 64},
	guests:       {address: 24, identity: 4, all: 64},
	members:      {identity: maxConnsTable},
}

const (
	// Inbound connections a second from one address after a burst; a table of
	// twelve on one computer dials 264 times when all dial all at once, both
	// ways. A handshake costs about a quarter of a millisecond, so strangers
	// together get a small part of one processor.
	addressPerSecond, addressBurst = 32, 256
	strangePerSecond, strangeBurst = 256, 512

	maxAcquaintances = 64 // identities whose addresses are remembered
	maxHaunts        = 4  // addresses of one

	// quicHandshake is past the time that the library gives one (two times its
	// idle time of 5 s).
	quicHandshake = 12 * time.Second
)

// acquaintance is where a member has been.
type acquaintance struct {
	id     identity.ID
	haunts []haunt
}

type haunt struct {
	address netip.Addr
	pace    bucket
}

// visit is one inbound connection.
type visit struct {
	door    *door
	place   place
	address netip.Addr
	id      identity.ID // once proven
	began   time.Time
	evict   func() // closes it while its handshake is under way; nil if nothing can
	over    bool
}

var (
	errCrowded = errors.New("link: too many connections")
	errGated   = errors.New("link: not admitted")
)

func newDoor(admit, member func(identity.ID) bool) *door {
	return &door{
		admit: admit, member: member,
		paces:   newPaces(addressPerSecond, addressBurst),
		strange: bucket{rate: strangePerSecond, size: strangeBurst},
	}
}

// enter counts in a connection whose handshake is about to begin. evict ends
// it to make room for another; it may be called from any goroutine, and not
// after prove.
func (d *door) enter(address netip.Addr, quic bool, evict func(), now time.Time) (*visit, error) {
	address = address.Unmap().WithZone("")
	v := &visit{door: d, address: address, began: now, evict: evict}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.haunt(address)
	switch {
	case h != nil && quic:
		v.place = familiarQUIC
	case h != nil:
		v.place = familiarTCP
	case quic:
		v.place = strangeQUIC
	}
	if h != nil && !h.pace.take(now) || h == nil && !(d.paces.take(address, now) && d.strange.take(now)) {
		return nil, errCrowded
	}
	if !d.makeRoom(v, now) {
		return nil, errCrowded
	}
	d.rooms[v.place] = append(d.rooms[v.place], v)
	return v, nil
}

// makeRoom reports whether one more fits, after it has sent another away if it
// must: the oldest of the same address if that has its share, else the oldest
// of the address that takes up most.
func (d *door) makeRoom(v *visit, now time.Time) bool {
	d.rooms[v.place] = slices.DeleteFunc(d.rooms[v.place], func(o *visit) bool {
		// A handshake over QUIC whose end the library has not told.
		o.over = o.over || o.evict == nil && now.Sub(o.began) > quicHandshake
		return o.over
	})
	counts, most := map[netip.Addr]int{}, 0
	for _, o := range d.rooms[v.place] {
		counts[o.address]++
		most = max(most, counts[o.address])
	}
	limit := rooms[v.place]
	full := len(d.rooms[v.place]) >= limit.all
	if counts[v.address] < limit.address && !full {
		return true
	}
	for _, o := range d.rooms[v.place] {
		fits := o.address == v.address
		if counts[v.address] < limit.address {
			fits = counts[o.address] == most
		}
		if fits && o.evict != nil {
			o.evict()
			d.remove(o)
			return true
		}
	}
	return false
}

// prove moves a connection to where its identity belongs, once the handshake
// has shown it, or refuses it.
func (v *visit) prove(id identity.ID) error {
	d := v.door
	member := d.member(id) // before the lock: the owner has one of its own
	if !member && !d.admit(id) {
		return errGated
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v.over {
		return errCrowded // sent away in this very moment
	}
	to := guests
	if member {
		to = members
		d.acquaint(id, v.address)
	}
	limit := rooms[to]
	same, near := 0, 0
	for _, o := range d.rooms[to] {
		if o.id == id {
			same++
		}
		if o.address == v.address {
			near++
		}
	}
	crowded := limit.address > 0 && near >= limit.address && !v.address.IsLoopback()
	if same >= limit.identity || crowded || limit.all > 0 && len(d.rooms[to]) >= limit.all {
		return errCrowded
	}
	d.remove(v)
	v.over, v.place, v.id, v.evict = false, to, id, nil
	d.rooms[to] = append(d.rooms[to], v)
	return nil
}

// leave counts a connection out. It may be called more than once.
func (v *visit) leave() {
	v.door.mu.Lock()
	defer v.door.mu.Unlock()
	v.door.remove(v)
}

func (d *door) remove(v *visit) {
	v.over = true
	d.rooms[v.place] = slices.DeleteFunc(d.rooms[v.place], func(o *visit) bool { return o == v })
}

// busy reports whether the source of a QUIC packet has to show that it gets
// what is sent to it, before anything is spent on it: an address can be
// borrowed, and then stands for nobody.
func (d *door) busy(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	d.mu.Lock()
	defer d.mu.Unlock()
	of, all := 0, 0
	for _, p := range []place{strangeQUIC, familiarQUIC} {
		all += len(d.rooms[p])
		for _, o := range d.rooms[p] {
			if o.address == address {
				of++
			}
		}
	}
	return of >= rooms[strangeQUIC].address/2 || all >= rooms[strangeQUIC].all/2
}

// met notes that a member was reached at an address.
func (d *door) met(id identity.ID, address netip.Addr) {
	if !d.member(id) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acquaint(id, address.Unmap().WithZone(""))
}

// acquaint makes an address familiar, the latest of its identity first.
func (d *door) acquaint(id identity.ID, address netip.Addr) {
	if !address.IsValid() {
		return
	}
	i := slices.IndexFunc(d.familiar, func(a acquaintance) bool { return a.id == id })
	a := acquaintance{id: id}
	if i >= 0 {
		a = d.familiar[i]
		d.familiar = slices.Delete(d.familiar, i, i+1)
	}
	h := haunt{address, bucket{rate: addressPerSecond, size: addressBurst}}
	if k := slices.IndexFunc(a.haunts, func(h haunt) bool { return h.address == address }); k >= 0 {
		h = a.haunts[k]
		a.haunts = slices.Delete(a.haunts, k, k+1)
	}
	a.haunts = slices.Insert(a.haunts, 0, h)
	a.haunts = a.haunts[:min(len(a.haunts), maxHaunts)]
	d.familiar = slices.Insert(d.familiar, 0, a)
	d.familiar = d.familiar[:min(len(d.familiar), maxAcquaintances)]
}

// haunt finds a familiar address. The pointer is good until the next change.
func (d *door) haunt(address netip.Addr) *haunt {
	for i := range d.familiar {
		for k := range d.familiar[i].haunts {
			if d.familiar[i].haunts[k].address == address {
				return &d.familiar[i].haunts[k]
			}
		}
	}
	return nil
}

// counts lists how many there are in each place.
func (d *door) counts() (n [places]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p := range n {
		n[p] = len(d.rooms[p])
	}
	return n
}
