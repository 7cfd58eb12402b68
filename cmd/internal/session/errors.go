package session

import (
	"alibi/crypto/feed"
	"alibi/p2p/lobby"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// Errors that faces tell apart, whichever wing they come from.
var (
	// ErrInUse reports that another running alibi uses the same folder.
	ErrInUse = store.ErrInUse
	// ErrDamaged reports that what is kept cannot be what was written.
	ErrDamaged = store.ErrDamaged
	// ErrReadOnly reports that the folder must not be written to.
	ErrReadOnly = store.ErrReadOnly
	// ErrDiskFull reports that the disk has no room left. What was kept stays.
	ErrDiskFull = store.ErrFull
	// ErrFolder reports that the folder belongs to another version of alibi.
	ErrFolder = store.ErrVersion
	// ErrBusy refuses a second table at a time.
	ErrBusy = node.ErrBusy
	// ErrUndelivered reports that a seat may lack the last entries of a game.
	ErrUndelivered = node.ErrUndelivered
	// ErrUnreachable means that nothing answers at a typed address.
	ErrUnreachable = node.ErrUnreachable

	// Reasons why a seat is refused or lost before the game begins.
	ErrFull      = lobby.ErrFull
	ErrBegun     = lobby.ErrBegun
	ErrNameTaken = lobby.ErrNameTaken
	ErrRemoved   = lobby.ErrRemoved
	ErrClosed    = lobby.ErrClosed
	ErrRefused   = lobby.ErrRefused
	ErrLost      = lobby.ErrLost
	ErrLeft      = lobby.ErrLeft
	ErrNoTable   = lobby.ErrNoTable
	ErrChanged   = lobby.ErrChanged
	ErrVersion   = lobby.ErrVersion
)

// MaxName is how many bytes a name may have.
const MaxName = feed.MaxName

// CheckName refuses a name of a player or a table that could not be shown safely.
func CheckName(name string) error { return feed.CheckName(name) }
