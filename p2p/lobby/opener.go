package lobby

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/wire"
)

// Send is what a driver has to do: send a message to a peer, and then, if Close
// is set, end the connection.
type Send struct {
	To      identity.ID
	Message wire.Message
	Close   bool
}

// MaxGuests is how many peers may be connected without having a seat.
const MaxGuests = 16

// Messages of one guest: a burst, then one more in each interval.
const (
	guestBurst    = 20
	guestInterval = 200 * time.Millisecond
)

// Opener is the table's side of a lobby. It belongs to one goroutine.
type Opener struct {
	offer   Offer
	me      identity.ID
	seats   []Seat
	guests  map[identity.ID]*guest
	came    int // guests so far
	phase   Phase
	err     error
	charter []byte
	table   feed.Hash
	agreed  map[identity.ID]bool
}

// guest is a connected peer.
type guest struct {
	came   int // the how manieth
	budget int
	filled time.Time
}

// NewOpener opens a table and seats its opener, who is the first to sit.
func NewOpener(offer Offer, me identity.ID, name string, commitment feed.Hash, addrs []string) (*Opener, error) {
	if err := offer.Check(); err != nil {
		return nil, err
	}
	if feed.CheckName(name) != nil {
		return nil, fmt.Errorf("%w: player: %w", ErrOffer, feed.ErrName)
	}
	o := &Opener{offer: offer, me: me, seats: make([]Seat, offer.Seats), guests: map[identity.ID]*guest{}}
	o.seats[0] = Seat{Name: name, ID: me, Commitment: commitment, Addrs: addrs}
	return o, nil
}

// View is the table as it stands.
func (o *Opener) View() View {
	return View{Offer: o.offer, Opener: o.me, Seats: cloneSeats(o.seats), Me: 0, Phase: o.phase, Err: o.err}
}

// Charter is the final charter; ok is false before everybody has agreed.
func (o *Opener) Charter() (charter []byte, me int, ok bool) {
	return o.charter, 0, o.phase == Begun
}

// Connected greets a peer, or turns it away. One that sits at the table and
// lost its connection while the charter became final is told that it did.
func (o *Opener) Connected(id identity.ID, now time.Time) []Send {
	switch {
	case o.phase == Begun && o.seatOf(id) > 0:
		return []Send{{To: id, Message: &wire.Begin{Table: o.table}, Close: true}}
	case o.phase == Begun:
		return bye(id, wire.ByeBegun)
	case o.phase == Over:
		return bye(id, wire.ByeClosed)
	case o.free() < 0:
		return bye(id, wire.ByeFull)
	}
	out := o.makeRoom()
	o.came++
	o.guests[id] = &guest{came: o.came, budget: guestBurst, filled: now}
	return append(out, Send{To: id, Message: &wire.Offer{
		Version: wire.Version, Table: o.offer.Table, Terms: o.offer.Terms,
		Leavers: uint8(o.offer.Leavers), Seats: uint8(o.offer.Seats),
	}})
}

// makeRoom sends away who has stood there longest, if too many do. A program
// that wants a seat asks for one at once, so it is not one of those.
func (o *Opener) makeRoom() []Send {
	if len(o.guests)-o.seated() < MaxGuests {
		return nil
	}
	var oldest identity.ID
	first := o.came + 1
	for id, g := range o.guests {
		if g.came < first && o.seatOf(id) < 0 {
			oldest, first = id, g.came
		}
	}
	return o.dismiss(oldest, wire.ByeFull)
}

// Disconnected frees the seat of a peer that is gone. Once the table has begun
// it changes nothing.
func (o *Opener) Disconnected(id identity.ID) []Send {
	if o.guests[id] == nil {
		return nil
	}
	delete(o.guests, id)
	return o.vacate(id)
}

// Receive takes a message from a connected peer.
func (o *Opener) Receive(id identity.ID, m wire.Message, now time.Time) []Send {
	g := o.guests[id]
	if g == nil || o.phase >= Begun {
		return nil
	}
	if !g.allow(now) {
		return o.dismiss(id, wire.ByeTooFast)
	}
	i := o.seatOf(id)
	switch m := m.(type) {
	case *wire.Sit:
		if i >= 0 {
			return o.dismiss(id, wire.ByeRefused)
		}
		return o.sit(id, m)
	case *wire.Ready:
		if i < 0 {
			return o.dismiss(id, wire.ByeRefused)
		}
		return o.ready(i, m.Yes)
	case *wire.Agreed:
		if i < 0 || o.phase != Closing || m.Table != o.table {
			return o.stale(id, i)
		}
		o.agreed[id] = true
		return o.begin()
	case *wire.Bye:
		return o.dismiss(id, wire.ByeLeft)
	case *wire.Ping:
		return []Send{{To: id, Message: &wire.Pong{N: m.N}}}
	case *wire.Pong:
		return nil
	}
	return o.dismiss(id, wire.ByeRefused)
}

// stale is an agreement to a charter that was withdrawn while it was on its
// way, which is nobody's fault.
func (o *Opener) stale(id identity.ID, seat int) []Send {
	if seat < 0 {
		return o.dismiss(id, wire.ByeRefused)
	}
	return nil
}

// SetReady says whether the opener agrees to begin.
func (o *Opener) SetReady(yes bool) []Send {
	if o.phase >= Begun {
		return nil
	}
	return o.ready(0, yes)
}

// Remove takes a seat back.
func (o *Opener) Remove(id identity.ID) []Send {
	if o.phase >= Begun || o.guests[id] == nil {
		return nil
	}
	return o.dismiss(id, wire.ByeRemoved)
}

// Close ends the table before it has begun.
func (o *Opener) Close() []Send {
	if o.phase >= Begun {
		return nil
	}
	o.phase, o.err = Over, ErrLeft
	var out []Send
	for _, id := range o.connected() {
		out = append(out, bye(id, wire.ByeClosed)...)
	}
	clear(o.guests)
	return out
}

func (o *Opener) sit(id identity.ID, m *wire.Sit) []Send {
	i := o.free()
	if i < 0 {
		return o.dismiss(id, wire.ByeFull)
	}
	for _, s := range o.seats {
		switch {
		case !s.Taken():
		case strings.EqualFold(s.Name, m.Name):
			return o.dismiss(id, wire.ByeName)
		case s.Commitment == m.Commitment:
			return o.dismiss(id, wire.ByeRefused) // a copied commitment cannot be opened
		}
	}
	o.seats[i] = Seat{Name: m.Name, ID: id, Commitment: m.Commitment, Addrs: slices.Clone(m.Addrs)}
	return o.tell()
}

func (o *Opener) ready(i int, yes bool) []Send {
	if o.seats[i].Ready == yes {
		return nil
	}
	o.seats[i].Ready = yes
	o.withdraw()
	return append(o.tell(), o.propose()...)
}

// withdraw takes a charter back that not everybody has agreed to; telling the
// seats again says so.
func (o *Opener) withdraw() {
	if o.phase == Closing {
		o.phase, o.charter, o.agreed = Filling, nil, nil
	}
}

// propose sends the charter once every seat is taken and ready.
func (o *Opener) propose() []Send {
	c := feed.Charter{Name: o.offer.Table, Terms: o.offer.Terms, Leavers: uint8(o.offer.Leavers)}
	for _, s := range o.seats {
		if !s.Taken() || !s.Ready {
			return nil
		}
		c.Seats = append(c.Seats, feed.Seat{Name: s.Name, ID: s.ID, Commitment: s.Commitment})
	}
	charter, err := c.Encode()
	if err != nil {
		// Every part was checked when it came; what is left is their sum.
		o.phase, o.err = Over, fmt.Errorf("%w: %w", ErrRefused, err)
		return o.toSeated(&wire.Bye{Reason: wire.ByeClosed}, true)
	}
	o.phase, o.charter, o.table, o.agreed = Closing, charter, feed.TableHash(charter), map[identity.ID]bool{}
	return o.toSeated(&wire.Final{Charter: charter}, false)
}

// begin makes the charter final once everybody has agreed.
func (o *Opener) begin() []Send {
	for _, s := range o.seats[1:] {
		if !o.agreed[s.ID] {
			return nil
		}
	}
	o.phase = Begun
	out := o.toSeated(&wire.Begin{Table: o.table}, true)
	for _, id := range o.connected() {
		if o.seatOf(id) < 0 {
			out = append(out, bye(id, wire.ByeBegun)...)
		}
	}
	return out
}

// dismiss ends a peer's connection and frees its seat.
func (o *Opener) dismiss(id identity.ID, reason uint8) []Send {
	delete(o.guests, id)
	return append(bye(id, reason), o.vacate(id)...)
}

func (o *Opener) vacate(id identity.ID) []Send {
	i := o.seatOf(id)
	if i < 0 || o.phase >= Begun {
		return nil
	}
	o.seats[i] = Seat{}
	o.withdraw()
	return o.tell()
}

// tell sends everybody at the table the seats.
func (o *Opener) tell() []Send {
	list := make([]wire.Seat, len(o.seats))
	for i, s := range o.seats {
		list[i] = wire.Seat{Name: s.Name, ID: s.ID, Commitment: s.Commitment, Ready: s.Ready, Addrs: s.Addrs}
	}
	var out []Send
	for i, s := range o.seats[1:] {
		if s.Taken() {
			out = append(out, Send{To: s.ID, Message: &wire.Seats{You: uint8(i + 1), List: list}})
		}
	}
	return out
}

func (o *Opener) toSeated(m wire.Message, end bool) (out []Send) {
	for _, s := range o.seats[1:] {
		if s.Taken() {
			out = append(out, Send{To: s.ID, Message: m, Close: end})
		}
	}
	return out
}

func (o *Opener) free() int {
	return slices.IndexFunc(o.seats, func(s Seat) bool { return !s.Taken() })
}

func (o *Opener) seatOf(id identity.ID) int {
	return slices.IndexFunc(o.seats, func(s Seat) bool { return s.Taken() && s.ID == id })
}

// seated counts connected peers that have a seat.
func (o *Opener) seated() (n int) {
	for id := range o.guests {
		if o.seatOf(id) >= 0 {
			n++
		}
	}
	return n
}

// connected lists the guests in a fixed order.
func (o *Opener) connected() []identity.ID {
	var ids []identity.ID
	for id := range o.guests {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b identity.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// allow is a token bucket.
func (g *guest) allow(now time.Time) bool {
	if n := int(now.Sub(g.filled) / guestInterval); n > 0 {
		g.budget = min(guestBurst, g.budget+n)
		g.filled = now
	}
	if g.budget == 0 {
		return false
	}
	g.budget--
	return true
}

func bye(id identity.ID, reason uint8) []Send {
	return []Send{{To: id, Message: &wire.Bye{Reason: reason}, Close: true}}
}

func cloneSeats(in []Seat) []Seat {
	out := slices.Clone(in)
	for i := range out {
		out[i].Addrs = slices.Clone(out[i].Addrs)
	}
	return out
}
