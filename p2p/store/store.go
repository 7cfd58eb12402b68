// Package store keeps what must survive a crash: the identity, the secrets of
// the games under way and every entry of their logs. What a method has
// returned without an error is on the disk; what it returned an error for is
// there wholly or not at all.
//
// Two stores exist: Open keeps a folder only its owner can read, NewMemory
// forgets everything. Salvage reads the logs out of a file that Open refuses.
// Nothing here knows what a secret or an entry means, and no secret ever
// appears in an error.
package store

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Bounds of what is kept. A log besides holds no more than feed.MaxEntries and
// what fits a log file.
const (
	MaxSecret  = 64 << 10 // bytes
	MaxPending = 64       // pending secrets; the oldest is dropped beyond
	MaxRivals  = 8        // different entries of another seat for one place; more are passed over
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
	// ErrContradiction means that another entry of the own seat is kept for the
	// same place.
	ErrContradiction = errors.New("store: a different own entry is kept for this place")
	// ErrDamaged is wrapped by whatever cannot be what was written.
	ErrDamaged = errors.New("store: damaged")
	// ErrVersion means that the folder was written by another version of alibi.
	ErrVersion = errors.New("store: this folder belongs to another version of alibi")
	// ErrReadOnly means that the folder or the file must not be written to.
	// Nothing was changed.
	ErrReadOnly = errors.New("store: this folder cannot be written to")
	// ErrFull means that the disk has no room left. Nothing was changed.
	ErrFull = errors.New("store: the disk is full")
	// ErrBounds refuses what is too large to be kept.
	ErrBounds = errors.New("store: too large")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("store: closed")
)

// Store is durable memory. All methods may be called from any goroutine.
// Byte slices are copied both ways.
type Store interface {
	// Identity returns the identity kept here; at the first use it draws one
	// from rand. One that is damaged is ErrDamaged and never replaced.
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
	// Append keeps entries at the end of a table's log: all of them or none. An
	// entry that is kept, byte for byte, is passed over. A second entry of the
	// own seat for one place (feed.Place) is ErrContradiction; of another seat
	// it is evidence and kept, up to MaxRivals of them, whatever history it
	// stands on. So the log is all that this peer took, in that order.
	Append(table feed.Hash, entries ...*feed.Signed) error
	// Load returns a table with its secret and its log, or ErrDamaged if it is
	// not sure of any part of them.
	Load(table feed.Hash) (*Game, error)
	// LoadLog is Load for readers: without the secret, and of a damaged game
	// what can be read of the log, together with ErrDamaged.
	LoadLog(table feed.Hash) (*Game, error)
	// Games lists the tables kept, newest first. A game that cannot be gone on
	// with is marked.
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
	Charter  []byte // nil if it is lost
	Seat     int
	Entries  int
	Finished bool
	Damaged  bool // Load refuses it; LoadLog and Salvage may still read its log
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

// clone copies b and is never nil, so that an empty secret is one in both stores.
func clone(b []byte) []byte { return append([]byte{}, b...) }
