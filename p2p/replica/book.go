package replica

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"alibi/crypto/feed"
)

// Book is what has been published here. It belongs to one goroutine, or to
// whoever holds its owner's lock.
type Book struct {
	lines    []*line // in log order
	at       map[feed.Place]*line
	games    map[feed.Hash]uint8 // the epoch that a game field belongs to
	closings []feed.Place        // how each epoch but the last ended; of no seat
	pos      Position
	added    int
	cuts     int
}

// line is one entry of a book.
type line struct {
	entry  *feed.Signed
	epoch  uint8 // of a ballot, the one that it ends
	ballot bool
	sum    [sha256.Size]byte // of a ballot's bytes
	serial int               // grows along the list; no number is used twice
	gone   bool              // rolled back
}

// NewBook makes an empty book.
func NewBook() *Book {
	return &Book{at: make(map[feed.Place]*line), games: make(map[feed.Hash]uint8)}
}

// Add takes an entry in and reports whether it is new. The caller adds in log
// order, and the ballots that closed a round all together; a second entry for
// one place is left out, and so is what belongs to an epoch that has ended. The
// first ballot of a closing takes everything back that was in the book for its
// round or after it.
func (b *Book) Add(e *feed.Signed) bool {
	if e == nil || e.Seat >= feed.MaxSeats || b.at[e.Place()] != nil {
		return false
	}
	epoch, known := b.games[e.Game]
	if !known {
		epoch = b.pos.Epoch
	}
	l := &line{entry: e, epoch: epoch, serial: b.added}
	if ballot, is := e.Ballot(); is {
		if !ballot.Yes || !b.closes(epoch, e) {
			return false
		}
		l.ballot, l.sum = true, sum(e)
		b.pos = Position{Epoch: epoch + 1, Round: e.Round + 1}
	} else {
		if epoch != b.pos.Epoch {
			return false
		}
		b.pos = b.pos.Merge(Position{Epoch: epoch, Round: e.Round, Heard: 1 << e.Seat})
	}
	b.games[e.Game] = epoch
	b.at[e.Place()] = l
	b.lines = append(b.lines, l)
	b.added++
	return true
}

// closes makes room for a ballot that ends an epoch, and reports whether it may.
func (b *Book) closes(epoch uint8, e *feed.Signed) bool {
	closing := e.Place()
	closing.Seat = 0
	if int(epoch) < len(b.closings) && b.closings[epoch] == closing {
		last := b.lines[len(b.lines)-1]
		return last.ballot && last.epoch == epoch // else it comes after what it should come before
	}
	if epoch >= MaxEpoch {
		return false
	}
	b.cut(epoch, e.Round)
	b.closings = append(b.closings[:epoch], closing)
	return true
}

// cut takes back everything from a round of an epoch on.
func (b *Book) cut(epoch uint8, round uint32) {
	i := slices.IndexFunc(b.lines, func(l *line) bool {
		return l.epoch > epoch || l.epoch == epoch && (l.ballot || l.entry.Round >= round)
	})
	if i < 0 {
		return
	}
	for _, l := range b.lines[i:] {
		l.gone = true
		delete(b.at, l.entry.Place())
	}
	b.lines = slices.Delete(b.lines, i, len(b.lines))
	b.cuts++
}

// find is the line that holds exactly this entry, or nil.
func (b *Book) find(e *feed.Signed) *line {
	if l := b.at[e.Place()]; l != nil && bytes.Equal(l.entry.Raw(), e.Raw()) {
		return l
	}
	return nil
}

// Holds reports whether exactly this entry is in the book.
func (b *Book) Holds(e *feed.Signed) bool { return b.find(e) != nil }

// Position is where the book stands.
func (b *Book) Position() Position { return b.pos }

// Len is the number of entries.
func (b *Book) Len() int { return len(b.lines) }

// Added counts the entries ever added, those that were taken back too.
func (b *Book) Added() int { return b.added }

// Cuts counts how often entries were taken back.
func (b *Book) Cuts() int { return b.cuts }

// since lists what was added from a serial number on.
func (b *Book) since(serial int) []*line {
	i, _ := slices.BinarySearchFunc(b.lines, serial, func(l *line, serial int) int { return l.serial - serial })
	return b.lines[i:]
}

// sum stands for an entry's bytes, signature and all.
func sum(e *feed.Signed) [sha256.Size]byte { return sha256.Sum256(e.Raw()) }
