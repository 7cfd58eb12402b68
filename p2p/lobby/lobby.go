// Package lobby decides who sits down. The opener of a table offers it; whoever
// joins sends a name and a commitment to keys it has not shown yet; everybody
// sees the seats fill. When all are taken and all have said ready, the opener
// makes the charter, every joiner compares it with what it was shown, and the
// table goes over to the game, in which the opener is a player like any other.
//
// Opener and Joiner are pure state machines: a message or a wish in, messages
// out. They read no clock and no socket. package node drives them over
// connections whose far end is known by its key, so a message never says who
// it is from. Most callers want node.Open and node.Join.
package lobby

import (
	"errors"
	"fmt"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Bounds of an offer's summary, which has to fit into a DNS TXT record.
const (
	MaxSummary      = 6   // pairs
	MaxSummaryKey   = 14  // bytes of a-z, 0-9 and '-'
	MaxSummaryValue = 48  // bytes of printable text
	MaxSummaryText  = 200 // bytes of all together
)

// Offer is what the opener proposes. Everything but Summary goes into the
// charter as it stands here.
type Offer struct {
	// Table is the table's name, 1 to 64 bytes of printable text.
	Table string
	// Terms say what is played, at most feed.MaxTerms bytes that only the game understands.
	Terms []byte
	// Seats is how many sit down, the opener among them: feed.MinSeats to feed.MaxSeats.
	Seats int
	// Leavers is how many may leave for good, 0 to Seats-2.
	Leavers int
	// Summary is a few short words for people who look for a table, such as
	// edition and first move. It is shown before anybody joins and binds nobody.
	Summary map[string]string
}

// ErrOffer is wrapped by every refusal of an offer.
var ErrOffer = errors.New("lobby: offer refused")

// Check refuses an offer that no charter could be made of.
func (o Offer) Check() error {
	switch {
	case feed.CheckName(o.Table) != nil:
		return fmt.Errorf("%w: table: %w", ErrOffer, feed.ErrName)
	case len(o.Terms) > feed.MaxTerms:
		return fmt.Errorf("%w: terms of %d bytes", ErrOffer, len(o.Terms))
	case o.Seats < feed.MinSeats || o.Seats > feed.MaxSeats:
		return fmt.Errorf("%w: %d seats", ErrOffer, o.Seats)
	case o.Leavers < 0 || o.Leavers > o.Seats-2:
		return fmt.Errorf("%w: %d leavers of %d seats", ErrOffer, o.Leavers, o.Seats)
	case len(o.Summary) > MaxSummary:
		return fmt.Errorf("%w: summary of %d pairs", ErrOffer, len(o.Summary))
	}
	total := 0
	for k, v := range o.Summary {
		total += len(k) + len(v)
		if !label(k) || len(v) > MaxSummaryValue || feed.CheckName(v) != nil {
			return fmt.Errorf("%w: summary is not short plain text", ErrOffer)
		}
	}
	if total > MaxSummaryText {
		return fmt.Errorf("%w: summary of %d bytes", ErrOffer, total)
	}
	return nil
}

func label(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != "" && len(s) <= MaxSummaryKey
}

// Seat is one place as everybody sees it while the table fills. A free seat
// is the zero value.
type Seat struct {
	// Name is the player's name, "" while the seat is free.
	Name string
	// ID is the player's identity.
	ID identity.ID
	// Commitment is to the keys the seat opens in round 1.
	Commitment feed.Hash
	// Ready says that the player has agreed to begin.
	Ready bool
	// Addrs are the addresses the player can be dialled at, best first, each an
	// IP and a port.
	Addrs []string
}

// Taken reports whether somebody sits here.
func (s Seat) Taken() bool { return s.Name != "" }

// Phase says how far a table has come.
type Phase uint8

const (
	Filling Phase = iota // seats are free, or somebody is not ready
	Closing              // a charter is out, not everybody has agreed to it yet
	Begun                // the charter is final
	Over                 // this sitting ended without a charter; View.Err says why
)

// View is a sitting as one peer sees it, a value to keep.
type View struct {
	Offer  Offer
	Opener identity.ID
	Seats  []Seat
	// Me is the own seat's index, -1 while not seated.
	Me    int
	Phase Phase
	// Err says why the sitting is over, nil before.
	Err error
}

// Reasons why a sitting ends or a seat is refused. They can be told apart with
// errors.Is on both ends.
var (
	ErrFull      = errors.New("lobby: every seat is taken")
	ErrBegun     = errors.New("lobby: the table has begun")
	ErrNameTaken = errors.New("lobby: somebody at the table has this name")
	ErrRemoved   = errors.New("lobby: the opener took the seat back")
	ErrClosed    = errors.New("lobby: the opener closed the table")
	ErrRefused   = errors.New("lobby: the table's opener refused what was sent")
	ErrTooFast   = errors.New("lobby: too many messages")
	ErrLost      = errors.New("lobby: connection to the opener lost")
	ErrLeft      = errors.New("lobby: left the table")
	ErrNoTable   = errors.New("lobby: no table is open there")
	// ErrChanged is wrapped when a charter is not what was shown.
	ErrChanged = errors.New("lobby: the charter differs from what was shown")
)
