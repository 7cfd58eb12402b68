package lobby

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/wire"
)

// Reason turns a Bye into the error that a joiner sees.
func Reason(b *wire.Bye) error {
	switch b.Reason {
	case wire.ByeFull:
		return ErrFull
	case wire.ByeBegun:
		return ErrBegun
	case wire.ByeName:
		return ErrNameTaken
	case wire.ByeRemoved:
		return ErrRemoved
	case wire.ByeClosed:
		return ErrClosed
	case wire.ByeTooFast:
		return ErrTooFast
	case wire.ByeNoTable:
		return ErrNoTable
	case wire.ByeLeft:
		return ErrLeft
	}
	return ErrRefused
}

// ErrVersion means that the opener speaks another version of the protocol.
var ErrVersion = errors.New("lobby: the table's opener has another version of alibi")

// ParseOffer reads an opener's first message.
func ParseOffer(m wire.Message) (Offer, error) {
	switch m := m.(type) {
	case *wire.Offer:
		if m.Version != wire.Version {
			return Offer{}, fmt.Errorf("%w (%d, here %d)", ErrVersion, m.Version, wire.Version)
		}
		return Offer{Table: m.Table, Terms: m.Terms, Leavers: int(m.Leavers), Seats: int(m.Seats)}, nil
	case *wire.Bye:
		return Offer{}, Reason(m)
	}
	return Offer{}, fmt.Errorf("%w: no offer", ErrRefused)
}

// Joiner is the side of a lobby that asks for a seat. It belongs to one
// goroutine.
type Joiner struct {
	offer      Offer
	opener, me identity.ID
	name       string
	commitment feed.Hash
	addrs      []string

	seats   []Seat // as last shown
	seat    int
	ready   bool
	phase   Phase
	err     error
	charter []byte // agreed to
}

// NewJoiner prepares to ask for a seat at the table offered by opener.
func NewJoiner(offer Offer, opener, me identity.ID, name string, commitment feed.Hash, addrs []string) (*Joiner, error) {
	if err := offer.Check(); err != nil {
		return nil, err
	}
	if err := feed.CheckName(name); err != nil {
		return nil, err
	}
	return &Joiner{
		offer: offer, opener: opener, me: me, name: name, commitment: commitment, addrs: addrs,
		seats: make([]Seat, offer.Seats), seat: -1,
	}, nil
}

// Ask is the first message to send.
func (j *Joiner) Ask() wire.Message {
	return &wire.Sit{Name: j.name, Commitment: j.commitment, Addrs: j.addrs}
}

// View is the table as it was last shown.
func (j *Joiner) View() View {
	return View{Offer: j.offer, Opener: j.opener, Seats: cloneSeats(j.seats), Me: j.seat, Phase: j.phase, Err: j.err}
}

// Charter is the final charter; ok is false before.
func (j *Joiner) Charter() (charter []byte, me int, ok bool) {
	return j.charter, j.seat, j.phase == Begun
}

// SetReady says whether the own player agrees to begin.
func (j *Joiner) SetReady(yes bool) []wire.Message {
	if j.phase >= Begun || j.ready == yes || j.seat < 0 {
		return nil
	}
	j.ready = yes
	return []wire.Message{&wire.Ready{Yes: yes}}
}

// Leave gives the seat back.
func (j *Joiner) Leave() []wire.Message {
	if j.phase >= Begun {
		return nil
	}
	j.end(ErrLeft)
	return []wire.Message{&wire.Bye{Reason: wire.ByeLeft}}
}

// Disconnected notes that the opener is gone.
func (j *Joiner) Disconnected() {
	if j.phase < Begun {
		j.end(ErrLost)
	}
}

func (j *Joiner) end(err error) { j.phase, j.err = Over, err }

// Receive takes a message from the opener. After an error in View the
// connection is of no more use.
func (j *Joiner) Receive(m wire.Message) []wire.Message {
	if j.phase >= Begun {
		return nil
	}
	switch m := m.(type) {
	case *wire.Seats:
		if err := j.shown(m); err != nil {
			return j.refuse(err)
		}
		return nil
	case *wire.Final:
		if j.seat >= 0 && !j.ready {
			return nil // the player took the word back while the charter was on its way
		}
		if err := j.compare(m.Charter); err != nil {
			return j.refuse(err)
		}
		j.phase, j.charter = Closing, m.Charter
		return []wire.Message{&wire.Agreed{Table: feed.TableHash(m.Charter)}}
	case *wire.Begin:
		if j.phase != Closing || m.Table != feed.TableHash(j.charter) {
			return j.refuse(fmt.Errorf("%w: begun without it", ErrChanged))
		}
		j.phase = Begun
		return nil
	case *wire.Bye:
		j.end(Reason(m))
		return nil
	case *wire.Ping:
		return []wire.Message{&wire.Pong{N: m.N}}
	case *wire.Pong:
		return nil
	}
	return j.refuse(fmt.Errorf("%w: unexpected message", ErrRefused))
}

func (j *Joiner) refuse(err error) []wire.Message {
	j.end(err)
	return []wire.Message{&wire.Bye{Reason: wire.ByeChanged}}
}

// shown takes in the seats, if they can be: the own one as asked for, the
// opener in the first, nobody twice.
func (j *Joiner) shown(m *wire.Seats) error {
	if len(m.List) != j.offer.Seats {
		return fmt.Errorf("%w: %d seats, offered %d", ErrChanged, len(m.List), j.offer.Seats)
	}
	if j.seat >= 0 && int(m.You) != j.seat {
		return fmt.Errorf("%w: moved to another seat", ErrChanged)
	}
	seats := make([]Seat, len(m.List))
	for i, s := range m.List {
		seats[i] = Seat{Name: s.Name, ID: s.ID, Commitment: s.Commitment, Ready: s.Ready, Addrs: slices.Clone(s.Addrs)}
		for _, other := range seats[:i] {
			if s.Name != "" && other.Taken() && (other.ID == s.ID || other.Commitment == s.Commitment) {
				return fmt.Errorf("%w: somebody sits twice", ErrChanged)
			}
		}
	}
	if mine := seats[m.You]; mine.Name != j.name || mine.ID != j.me || mine.Commitment != j.commitment {
		return fmt.Errorf("%w: the own seat", ErrChanged)
	}
	if !seats[0].Taken() || seats[0].ID != j.opener {
		return fmt.Errorf("%w: the opener does not sit", ErrChanged)
	}
	if j.phase == Closing { // the charter was withdrawn
		j.phase, j.charter = Filling, nil
	}
	j.seats, j.seat = seats, int(m.You)
	return nil
}

// compare holds a charter against everything that was shown before it.
func (j *Joiner) compare(charter []byte) error {
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	switch {
	case j.seat < 0 || !j.ready || j.phase != Filling:
		return fmt.Errorf("%w: nobody here has agreed to begin", ErrChanged)
	case c.Name != j.offer.Table:
		return fmt.Errorf("%w: table name", ErrChanged)
	case !bytes.Equal(c.Terms, j.offer.Terms):
		return fmt.Errorf("%w: terms", ErrChanged)
	case int(c.Leavers) != j.offer.Leavers:
		return fmt.Errorf("%w: leavers", ErrChanged)
	case len(c.Seats) != len(j.seats):
		return fmt.Errorf("%w: number of seats", ErrChanged)
	}
	for i, s := range j.seats {
		if got := c.Seats[i]; got.Name != s.Name || got.ID != s.ID || got.Commitment != s.Commitment {
			return fmt.Errorf("%w: seat %d", ErrChanged, i)
		}
	}
	return nil
}
