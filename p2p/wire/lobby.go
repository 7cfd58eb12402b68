package wire

import (
	"fmt"
	"net/netip"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Bounds of lobby messages.
const (
	MaxAddrs    = 8  // addresses of one seat
	MaxAddrText = 64 // bytes of an address
)

// Offer is the first message of a table's opener to whoever connects.
type Offer struct {
	_       struct{} `cbor:",toarray"`
	Version uint64
	Table   string
	Terms   []byte
	Leavers uint8
	Seats   uint8
}

// Sit asks for a seat.
type Sit struct {
	_          struct{} `cbor:",toarray"`
	Name       string
	Commitment feed.Hash
	Addrs      []string // host:port
}

// Seats is the table as it stands, sent by the opener after every change.
type Seats struct {
	_    struct{} `cbor:",toarray"`
	You  uint8    // the receiver's seat
	List []Seat
}

// Seat is one seat; Name is empty and the rest zero while it is free.
type Seat struct {
	_          struct{} `cbor:",toarray"`
	Name       string
	ID         identity.ID
	Commitment feed.Hash
	Ready      bool
	Addrs      []string
}

// Ready says whether the sender agrees to begin.
type Ready struct {
	_   struct{} `cbor:",toarray"`
	Yes bool
}

// Bye ends a stream, with the reason.
type Bye struct {
	_      struct{} `cbor:",toarray"`
	Reason uint8
}

// Reasons of Bye. A number is never used for anything else.
const (
	ByeLeft uint8 = iota
	ByeFull
	ByeBegun
	ByeName
	ByeRemoved
	ByeClosed
	ByeRefused
	ByeTooFast
	ByeNoTable
	ByeChanged
	ByeVersion
)

// Final carries the charter for everybody to compare with what was shown.
type Final struct {
	_       struct{} `cbor:",toarray"`
	Charter []byte
}

// Agreed says that the charter of this hash is as it was shown.
type Agreed struct {
	_     struct{} `cbor:",toarray"`
	Table feed.Hash
}

// Begin says that everybody has agreed to the charter of this hash.
type Begin struct {
	_     struct{} `cbor:",toarray"`
	Table feed.Hash
}

func (*Offer) kind() byte  { return kindOffer }
func (*Sit) kind() byte    { return kindSit }
func (*Seats) kind() byte  { return kindSeats }
func (*Ready) kind() byte  { return kindReady }
func (*Bye) kind() byte    { return kindBye }
func (*Final) kind() byte  { return kindFinal }
func (*Agreed) kind() byte { return kindAgreed }
func (*Begin) kind() byte  { return kindBegin }

func (m *Offer) check() error {
	switch {
	case feed.CheckName(m.Table) != nil:
		return fmt.Errorf("%w: table name", ErrMessage)
	case len(m.Terms) > feed.MaxTerms:
		return fmt.Errorf("%w: terms of %d bytes", ErrMessage, len(m.Terms))
	case m.Seats < feed.MinSeats || m.Seats > feed.MaxSeats || m.Leavers > m.Seats-2:
		return fmt.Errorf("%w: %d seats, %d leavers", ErrMessage, m.Seats, m.Leavers)
	}
	return nil
}

func (m *Sit) check() error {
	if feed.CheckName(m.Name) != nil {
		return fmt.Errorf("%w: player name", ErrMessage)
	}
	return checkAddrs(m.Addrs)
}

func (m *Seats) check() error {
	if len(m.List) < feed.MinSeats || len(m.List) > feed.MaxSeats || int(m.You) >= len(m.List) {
		return fmt.Errorf("%w: seat %d of %d", ErrMessage, m.You, len(m.List))
	}
	for i := range m.List {
		if err := m.List[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Seat) check() error {
	if s.Name == "" {
		if s.ID != (identity.ID{}) || s.Commitment != (feed.Hash{}) || s.Ready || len(s.Addrs) != 0 {
			return fmt.Errorf("%w: free seat with somebody in it", ErrMessage)
		}
		return nil
	}
	if feed.CheckName(s.Name) != nil {
		return fmt.Errorf("%w: player name", ErrMessage)
	}
	if _, err := identity.ParseID(s.ID[:]); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return checkAddrs(s.Addrs)
}

// checkAddrs accepts numeric addresses with a port, which need no name lookup
// and leave nothing to interpret.
func checkAddrs(addrs []string) error {
	if len(addrs) > MaxAddrs {
		return fmt.Errorf("%w: %d addresses", ErrMessage, len(addrs))
	}
	for _, a := range addrs {
		if len(a) > MaxAddrText {
			return fmt.Errorf("%w: address of %d bytes", ErrMessage, len(a))
		}
		ap, err := netip.ParseAddrPort(a)
		if err != nil || ap.String() != a || ap.Port() == 0 || ap.Addr().Zone() != "" {
			return fmt.Errorf("%w: address is not a plain IP and port", ErrMessage)
		}
	}
	return nil
}

func (m *Ready) check() error { return nil }
func (m *Bye) check() error   { return nil }

func (m *Final) check() error {
	if len(m.Charter) > feed.MaxCharter {
		return fmt.Errorf("%w: charter of %d bytes", ErrMessage, len(m.Charter))
	}
	return nil
}

func (m *Agreed) check() error { return nil }
func (m *Begin) check() error  { return nil }
