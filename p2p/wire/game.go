package wire

import (
	"fmt"

	"alibi/crypto/feed"
)

// Position is where a peer stands in a game: it holds every entry of the
// rounds before Round, and in Round those of the seats in Heard.
type Position struct {
	_     struct{} `cbor:",toarray"`
	Round uint32
	Heard uint16 // bit s: the entry of seat s is held
}

// Hello is the first message on a game's stream, in both directions.
type Hello struct {
	_       struct{} `cbor:",toarray"`
	Version uint64
	Table   feed.Hash
	At      Position
	Links   uint16 // bit s: seat s is connected to the sender
}

// Where is sent when the sender's position or connections have changed.
type Where struct {
	_     struct{} `cbor:",toarray"`
	At    Position
	Links uint16
	// Again asks for everything that At lacks, whatever was sent before.
	Again bool
}

// Entry is an entry of the game.
type Entry struct {
	Signed *feed.Signed
}

// Taken says how many entries of this stream the sender has taken in since
// Hello, counted modulo 2^32; at most Window may be on their way beyond that.
type Taken struct {
	_     struct{} `cbor:",toarray"`
	Count uint32
}

// Window is how many entries may be on their way to a peer that has not said
// that it has taken them in. It bounds what a peer can make another hold.
const Window = 32

// Ping is answered by a Pong with the same number.
type Ping struct {
	_ struct{} `cbor:",toarray"`
	N uint32
}

// Pong answers a Ping.
type Pong struct {
	_ struct{} `cbor:",toarray"`
	N uint32
}

func (*Hello) kind() byte { return kindHello }
func (*Where) kind() byte { return kindWhere }
func (*Entry) kind() byte { return kindEntry }
func (*Taken) kind() byte { return kindTaken }
func (*Ping) kind() byte  { return kindPing }
func (*Pong) kind() byte  { return kindPong }

const seatBits = 1<<feed.MaxSeats - 1

func (p Position) check() error {
	if p.Heard&^seatBits != 0 {
		return fmt.Errorf("%w: seat past %d", ErrMessage, feed.MaxSeats)
	}
	return nil
}

func (m *Hello) check() error { return checkWhere(m.At, m.Links) }
func (m *Where) check() error { return checkWhere(m.At, m.Links) }

func checkWhere(at Position, links uint16) error {
	if links&^seatBits != 0 {
		return fmt.Errorf("%w: seat past %d", ErrMessage, feed.MaxSeats)
	}
	return at.check()
}

func (m *Entry) check() error {
	if m.Signed == nil || len(m.Signed.Raw()) == 0 {
		return fmt.Errorf("%w: no entry", ErrMessage)
	}
	return nil
}

func (*Taken) check() error { return nil }
func (*Ping) check() error  { return nil }
func (*Pong) check() error  { return nil }
