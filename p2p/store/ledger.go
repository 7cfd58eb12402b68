package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// ledger is a table in memory: what both stores ask before they keep an entry.
// On a disk it is made from the log when a table is first appended to, so the
// places have no second copy that could disagree with the entries.
type ledger struct {
	Info
	seats  int
	size   int // bytes of the log file that the log would make
	log    []*feed.Signed
	places map[feed.Place][]*feed.Signed
}

// newLedger is a table before its first entry.
func newLedger(table feed.Hash, charter []byte, seat, seats int) *ledger {
	return &ledger{
		Info:   Info{Table: table, Charter: clone(charter), Seat: seat},
		seats:  seats,
		size:   len(feed.Magic) + itemHead + len(charter),
		places: make(map[feed.Place][]*feed.Signed),
	}
}

// itemHead is the most that a log file puts in front of an item.
const itemHead = 5

// fresh picks the entries that are to be kept, and changes nothing.
func (l *ledger) fresh(entries []*feed.Signed) ([]*feed.Signed, error) {
	if l.Finished {
		return nil, ErrFinished
	}
	if err := checkEntries(entries, l.seats); err != nil {
		return nil, err
	}
	added := make(map[feed.Place][]*feed.Signed)
	size := l.size
	var out []*feed.Signed
	for _, e := range entries {
		at := e.Place()
		held := slices.Concat(l.places[at], added[at])
		switch {
		case slices.ContainsFunc(held, func(h *feed.Signed) bool { return bytes.Equal(h.Raw(), e.Raw()) }):
			continue
		case len(held) > 0 && int(e.Seat) == l.Seat:
			return nil, ErrContradiction
		case len(held) >= MaxRivals:
			continue // two convict; the eighth tells nobody anything
		}
		size += itemHead + len(e.Raw())
		if len(l.log)+len(out) >= feed.MaxEntries || size > feed.MaxLogFile {
			return nil, ErrBounds
		}
		added[at] = append(added[at], e)
		out = append(out, e)
	}
	return out, nil
}

// add keeps what fresh has picked.
func (l *ledger) add(entries []*feed.Signed) {
	for _, e := range entries {
		at := e.Place()
		l.places[at] = append(l.places[at], e)
		l.log = append(l.log, e)
		l.size += itemHead + len(e.Raw())
	}
	l.Entries = len(l.log)
}

// checkEntries refuses what could not be read back.
func checkEntries(entries []*feed.Signed, seats int) error {
	for _, e := range entries {
		switch {
		case e == nil || len(e.Raw()) <= identity.SignatureSize:
			return errors.New("store: entry without content")
		case len(e.Raw()) > feed.MaxEntry:
			return ErrBounds
		case int(e.Seat) >= seats:
			return fmt.Errorf("store: entry of seat %d at a table of %d", e.Seat, seats)
		}
	}
	return nil
}
