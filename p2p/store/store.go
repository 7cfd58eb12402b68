// Package store keeps what must survive a crash: the identity, the secrets of
// the games under way and every entry of their logs. What a method has
// returned without an error is on the disk.
//
// Two stores exist: Open keeps a folder only its owner can read, NewMemory
// forgets everything. Nothing here knows what a secret or an entry means,
// and no secret ever appears in an error.
package store

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Bounds in bytes of what is kept.
const (
	MaxSecret  = 64 << 10
	MaxPending = 64 // pending secrets; the oldest is dropped beyond
)

// Errors that callers tell apart.
var (
	// ErrInUse means that another process has this store open.
	ErrInUse = errors.New("store: another running alibi uses this folder")
	// ErrUnknown means that no such game or pending secret is kept.
	ErrUnknown = errors.New("store: nothing is kept under this name")
	// ErrExists means that this table has begun here before.
	ErrExists = errors.New("store: this table is already kept")
	// ErrFinished means that the game has been closed for good.
	ErrFinished = errors.New("store: this game is finished")
	// ErrContradiction means that another entry is kept for the same round and seat.
	ErrContradiction = errors.New("store: a different entry is kept for this round and seat")
	// ErrDamaged is wrapped by whatever cannot be what was written.
	ErrDamaged = errors.New("store: damaged")
	// ErrBounds refuses what is too large to be kept.
	ErrBounds = errors.New("store: too large")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("store: closed")
)

// Store is durable memory. All methods may be called from any goroutine.
// Byte slices are copied both ways.
type Store interface {
	// Identity returns the identity kept here; at the first use it draws one from rand.
	Identity(rand io.Reader) (identity.Key, error)

	// SavePending keeps the secret behind a commitment until its table begins.
	SavePending(commitment feed.Hash, secret []byte) error
	// Pending returns the secret behind a commitment, or ErrUnknown.
	Pending(commitment feed.Hash) ([]byte, error)
	// DropPending forgets one; it is no error when there is none.
	DropPending(commitment feed.Hash) error

	// Begin starts to keep a table: its charter, the own seat and that seat's
	// secret. The pending secret of the seat's commitment is dropped in the
	// same step. It returns the table's name (feed.TableHash).
	Begin(charter []byte, seat int, secret []byte) (feed.Hash, error)
	// Append keeps entries at the end of a table's log: all of them or none.
	// An entry already kept is passed over, a different one for its round and
	// seat is ErrContradiction.
	Append(table feed.Hash, entries ...*feed.Signed) error
	// Load returns a table with its log.
	Load(table feed.Hash) (*Game, error)
	// Games lists the tables kept, newest first. A table it could not read is
	// left out, and the error says so: the list is good all the same.
	Games() ([]Info, error)
	// Finish marks a table as over and lets go of the seat's secret; the log
	// stays. On a disk the secret's bytes may outlive this until the space is
	// used again.
	Finish(table feed.Hash) error

	// Close releases the folder. Every later call is ErrClosed.
	Close() error
}

// Info is a kept table without its log and its secret.
type Info struct {
	Table    feed.Hash
	Charter  []byte
	Seat     int
	Entries  int
	Finished bool
}

// Game is a kept table. Secret is nil once it is finished.
type Game struct {
	Info
	Secret []byte
	Log    []*feed.Signed // in the order they were appended
}

// checkBegin validates what Begin is given and returns the parsed charter.
func checkBegin(charter []byte, seat int, secret []byte) (feed.Charter, error) {
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return feed.Charter{}, fmt.Errorf("store: %w", err)
	}
	if seat < 0 || seat >= len(c.Seats) {
		return feed.Charter{}, fmt.Errorf("store: seat %d of %d", seat, len(c.Seats))
	}
	if len(secret) > MaxSecret {
		return feed.Charter{}, ErrBounds
	}
	return c, nil
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
