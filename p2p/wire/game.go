package wire

import (
	"fmt"

	"alibi/crypto/feed"
	"alibi/p2p/replica"
)

// Position is where a peer stands in a game: it holds the epochs before Epoch
// whole, in Epoch every entry of the rounds before Round, and in Round those of
// the seats in Heard. It says nothing about the ballots that ended epochs.
type Position struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint8
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
	// Over says that the game is over for the sender, who keeps all of it by now.
	Over bool
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

// Watch is the first message of one who wants to follow a game without a seat
// in it. Table is zero for whichever game is played there.
type Watch struct {
	_       struct{} `cbor:",toarray"`
	Version uint64
	Table   feed.Hash
}

// Charter answers Watch, as long as spectators are let in; else a Bye does.
// From then on the spectator says Where, Taken and Ping, and nothing else.
type Charter struct {
	_       struct{} `cbor:",toarray"`
	Charter []byte
}

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

func (*Hello) kind() byte   { return kindHello }
func (*Where) kind() byte   { return kindWhere }
func (*Entry) kind() byte   { return kindEntry }
func (*Taken) kind() byte   { return kindTaken }
func (*Ping) kind() byte    { return kindPing }
func (*Pong) kind() byte    { return kindPong }
func (*Watch) kind() byte   { return kindWatch }
func (*Charter) kind() byte { return kindCharter }

const seatBits = 1<<feed.MaxSeats - 1

func (p Position) check() error {
	switch {
	case p.Heard&^seatBits != 0:
		return fmt.Errorf("%w: seat past %d", ErrMessage, feed.MaxSeats)
	case p.Epoch > replica.MaxEpoch:
		return fmt.Errorf("%w: epoch past %d", ErrMessage, replica.MaxEpoch)
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

func (m *Charter) check() error {
	if len(m.Charter) == 0 || len(m.Charter) > feed.MaxCharter {
		return fmt.Errorf("%w: charter of %d bytes", ErrMessage, len(m.Charter))
	}
	return nil
}

func (*Watch) check() error { return nil }
func (*Taken) check() error { return nil }
func (*Ping) check() error  { return nil }
func (*Pong) check() error  { return nil }
