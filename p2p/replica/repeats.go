package replica

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"alibi/crypto/feed"
)

// Bounds of what is kept to be shown to one peer: far more than the ballots and
// the evidence that honest seats make, and room for a whole round of the
// largest entries there are.
const (
	MaxRepeats     = 256
	MaxRepeatBytes = 1 << 20
)

// samePlace is how many different entries for one place are kept: two convict
// their author, a third adds nothing.
const samePlace = 2

// Repeats are entries that a peer is shown whatever it holds: once over every
// connection, and again when it asks for everything. The zero value is empty.
// They belong to the goroutine, or the lock, that owns the plans they are in.
type Repeats struct {
	list   []*repeat
	serial int
	bytes  int
}

type repeat struct {
	entry  *feed.Signed
	sum    [sha256.Size]byte
	serial int
}

// Add keeps an entry and reports whether it is new. Past the bounds the oldest
// entry of the author with the most is dropped, so that a seat that signs
// without end crowds out itself.
func (r *Repeats) Add(e *feed.Signed) bool {
	at, same := e.Place(), 0
	for _, held := range r.list {
		if held.entry.Place() != at {
			continue
		}
		if bytes.Equal(held.entry.Content(), e.Content()) {
			return false
		}
		same++
	}
	if same >= samePlace {
		return false
	}
	r.list = append(r.list, &repeat{entry: e, sum: sum(e), serial: r.serial})
	r.serial++
	r.bytes += len(e.Raw())
	for len(r.list) > MaxRepeats || r.bytes > MaxRepeatBytes {
		r.drop()
	}
	return true
}

func (r *Repeats) drop() {
	var held [1 << 8]int // bytes by author
	most := r.list[0].entry.Seat
	for _, x := range r.list {
		seat := x.entry.Seat
		if held[seat] += len(x.entry.Raw()); held[seat] > held[most] {
			most = seat
		}
	}
	i := slices.IndexFunc(r.list, func(x *repeat) bool { return x.entry.Seat == most })
	r.bytes -= len(r.list[i].entry.Raw())
	r.list = slices.Delete(r.list, i, i+1)
}

// Forget drops the entries of which drop says so.
func (r *Repeats) Forget(drop func(*feed.Signed) bool) {
	r.list = slices.DeleteFunc(r.list, func(x *repeat) bool {
		if !drop(x.entry) {
			return false
		}
		r.bytes -= len(x.entry.Raw())
		return true
	})
}

// Len is the number of entries kept.
func (r *Repeats) Len() int { return len(r.list) }

// since lists what is kept from a serial number on.
func (r *Repeats) since(serial int) []*repeat {
	i, _ := slices.BinarySearchFunc(r.list, serial, func(x *repeat, serial int) int { return x.serial - serial })
	return r.list[i:]
}

// maxRecent bounds the entries that a plan remembers by their bytes.
const maxRecent = 512

// recent is a set of entries by their bytes; past its bound it forgets those
// that were put in first. The zero value is empty.
type recent struct {
	in    map[[sha256.Size]byte]bool
	order [][sha256.Size]byte
	next  int // in order, the one to be forgotten next
}

// add puts an entry in and reports whether it is new.
func (r *recent) add(sum [sha256.Size]byte) bool {
	switch {
	case r.in[sum]:
		return false
	case r.in == nil:
		r.in = make(map[[sha256.Size]byte]bool)
	}
	if len(r.order) < maxRecent {
		r.order = append(r.order, sum)
	} else {
		delete(r.in, r.order[r.next])
		r.order[r.next] = sum
		r.next = (r.next + 1) % maxRecent
	}
	r.in[sum] = true
	return true
}
