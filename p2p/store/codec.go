package store

import (
	"fmt"

	"alibi/crypto/feed"
)

// head is the first record of a game. Fields are never added or removed;
// a new format is a new key.
type head struct {
	_       struct{} `cbor:",toarray"`
	Order   uint64   // counts tables begun here
	Seat    uint8
	Seats   uint8
	Charter []byte
}

func (h head) encode() ([]byte, error) { return feed.Marshal(h) }

func decodeHead(b []byte) (h head, err error) {
	if err := feed.Unmarshal(b, &h); err != nil {
		return head{}, fmt.Errorf("%w: game record: %w", ErrDamaged, err)
	}
	c, err := feed.ParseCharter(h.Charter)
	if err != nil {
		return head{}, fmt.Errorf("%w: game record: %w", ErrDamaged, err)
	}
	if int(h.Seats) != len(c.Seats) || h.Seat >= h.Seats {
		return head{}, fmt.Errorf("%w: game record names seat %d of %d", ErrDamaged, h.Seat, h.Seats)
	}
	return h, nil
}

// state is written with every change of a game. It tells a log that has lost
// its end from a short one.
type state struct {
	_        struct{} `cbor:",toarray"`
	Entries  uint32
	Finished bool
}

func (s state) encode() ([]byte, error) { return feed.Marshal(s) }

func decodeState(b []byte) (s state, err error) {
	if err := feed.Unmarshal(b, &s); err != nil {
		return state{}, fmt.Errorf("%w: state record: %w", ErrDamaged, err)
	}
	if s.Entries > feed.MaxEntries {
		return state{}, fmt.Errorf("%w: state record counts %d entries", ErrDamaged, s.Entries)
	}
	return s, nil
}
