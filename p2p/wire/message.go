package wire

import (
	"fmt"

	"alibi/crypto/feed"
)

// Version of what peers say to each other. A peer with another one is told so
// and not talked to.
const Version = 1

// Message is one of the types below; there are no others.
type Message interface {
	kind() byte
	check() error
}

// Kinds of message. A number is never used for anything else.
const (
	kindHello   = 1
	kindWhere   = 2
	kindEntry   = 3
	kindTaken   = 4
	kindPing    = 5
	kindPong    = 6
	kindWatch   = 7
	kindCharter = 8
	kindOffer   = 17
	kindSit     = 18
	kindSeats   = 19
	kindReady   = 20
	kindBye     = 21
	kindFinal   = 22
	kindAgreed  = 23
	kindBegin   = 24
)

// Encode returns a frame's content.
func Encode(m Message) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if e, ok := m.(*Entry); ok {
		return append([]byte{kindEntry}, e.Signed.Raw()...), nil
	}
	body, err := feed.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return append([]byte{m.kind()}, body...), nil
}

// DecodeGame reads a message of the game protocol.
func DecodeGame(content []byte) (Message, error) {
	if len(content) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMessage)
	}
	switch content[0] {
	case kindHello:
		return decode(content, &Hello{})
	case kindWhere:
		return decode(content, &Where{})
	case kindTaken:
		return decode(content, &Taken{})
	case kindPing:
		return decode(content, &Ping{})
	case kindPong:
		return decode(content, &Pong{})
	case kindWatch:
		return decode(content, &Watch{})
	case kindCharter:
		return decode(content, &Charter{})
	case kindBye:
		return decode(content, &Bye{})
	case kindEntry:
		s, err := feed.Decode(content[1:])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMessage, err)
		}
		return &Entry{Signed: s}, nil
	}
	return nil, unknown(content[0])
}

// DecodeLobby reads a message of the lobby protocol.
func DecodeLobby(content []byte) (Message, error) {
	if len(content) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMessage)
	}
	switch content[0] {
	case kindOffer:
		return decode(content, &Offer{})
	case kindSit:
		return decode(content, &Sit{})
	case kindSeats:
		return decode(content, &Seats{})
	case kindReady:
		return decode(content, &Ready{})
	case kindBye:
		return decode(content, &Bye{})
	case kindFinal:
		return decode(content, &Final{})
	case kindAgreed:
		return decode(content, &Agreed{})
	case kindBegin:
		return decode(content, &Begin{})
	case kindPing:
		return decode(content, &Ping{})
	case kindPong:
		return decode(content, &Pong{})
	}
	return nil, unknown(content[0])
}

func decode(content []byte, m Message) (Message, error) {
	if err := feed.Unmarshal(content[1:], m); err != nil {
		return nil, fmt.Errorf("%w: kind %d: %w", ErrMessage, content[0], err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

func unknown(kind byte) error { return fmt.Errorf("%w: unknown kind %d", ErrMessage, kind) }
