package feed

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"alibi/crypto/identity"
	"alibi/crypto/transcript"
)

// Bounds of a charter.
const (
	MinSeats   = 2
	MaxSeats   = 12
	MaxName    = 64   // bytes of UTF-8 in a name
	MaxTerms   = 1024 // bytes
	MaxCharter = 8 << 10
)

// Charter is what everybody at a table signs before anything else: what is
// played (Terms, which only the game understands), how many may leave for
// good, and who sits where with a commitment to the keys and the nonce that
// the seat opens in round 1.
type Charter struct {
	_       struct{} `cbor:",toarray"`
	Version uint64
	Name    string // of the table
	Terms   []byte
	Leavers uint8
	Seats   []Seat
}

// Seat is one place at the table.
type Seat struct {
	_          struct{} `cbor:",toarray"`
	Name       string
	ID         identity.ID
	Commitment Hash
}

// ErrCharter is wrapped by every refusal of a charter.
var ErrCharter = errors.New("feed: charter refused")

// Encode validates the charter and returns its deterministic encoding.
func (c Charter) Encode() ([]byte, error) {
	c.Version = Version
	if err := c.validate(); err != nil {
		return nil, err
	}
	return encoder.Marshal(c)
}

// ParseCharter decodes a charter strictly and validates it.
func ParseCharter(b []byte) (Charter, error) {
	if len(b) > MaxCharter {
		return Charter{}, fmt.Errorf("%w: %d bytes are too many", ErrCharter, len(b))
	}
	var c Charter
	if err := Unmarshal(b, &c); err != nil {
		return Charter{}, fmt.Errorf("%w: %w", ErrCharter, err)
	}
	if err := c.validate(); err != nil {
		return Charter{}, err
	}
	return c, nil
}

func (c Charter) validate() error {
	switch {
	case c.Version != Version:
		return fmt.Errorf("%w: version %d", ErrCharter, c.Version)
	case len(c.Seats) < MinSeats || len(c.Seats) > MaxSeats:
		return fmt.Errorf("%w: %d seats", ErrCharter, len(c.Seats))
	case len(c.Terms) > MaxTerms:
		return fmt.Errorf("%w: terms of %d bytes", ErrCharter, len(c.Terms))
	case int(c.Leavers) > len(c.Seats)-2:
		return fmt.Errorf("%w: %d leavers of %d seats", ErrCharter, c.Leavers, len(c.Seats))
	}
	if err := CheckName(c.Name); err != nil {
		return fmt.Errorf("%w: table: %w", ErrCharter, err)
	}
	seen := make(map[identity.ID]bool, len(c.Seats))
	for i, s := range c.Seats {
		if err := CheckName(s.Name); err != nil {
			return fmt.Errorf("%w: seat %d: %w", ErrCharter, i, err)
		}
		if _, err := identity.ParseID(s.ID[:]); err != nil {
			return fmt.Errorf("%w: seat %d: %w", ErrCharter, i, err)
		}
		if seen[s.ID] {
			return fmt.Errorf("%w: seat %d repeats an identity", ErrCharter, i)
		}
		for _, other := range c.Seats[:i] {
			if strings.EqualFold(other.Name, s.Name) {
				return fmt.Errorf("%w: seat %d repeats a name", ErrCharter, i)
			}
		}
		seen[s.ID] = true
	}
	return nil
}

// ErrName refuses a name that could not be shown safely.
var ErrName = errors.New("feed: a name is 1 to 64 bytes of printable text")

// CheckName refuses empty and over-long names, invalid UTF-8, control and
// format characters (those that reorder or hide text among them), whatever is
// shown as nothing, and space at either end: two names that look the same must
// not differ in what nobody sees.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return ErrName
	}
	runes := []rune(name)
	marks := 0
	for i, r := range runes {
		marks++
		if !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case i == 0 && marks > 0, marks > maxMarks:
			return ErrName
		case r == zeroWidthNonJoiner:
			// It is part of the spelling within a Persian word, and nowhere else.
			if i == 0 || i == len(runes)-1 || !arabic(runes[i-1]) || !arabic(runes[i+1]) {
				return ErrName
			}
		case !unicode.IsPrint(r), blank(r):
			return ErrName
		}
	}
	return nil
}

// maxMarks is how many combining marks may follow each other: enough for every
// living script, too few to climb over the neighbouring lines.
const maxMarks = 3

const zeroWidthNonJoiner = '\u200c'

func arabic(r rune) bool { return unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r) }

// blank reports printable characters that leave no ink: fillers, the empty
// Braille pattern, selectors of a variant.
func blank(r rune) bool {
	return r == '\u2800' || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}

// IDs lists the seats' identities in seat order.
func (c Charter) IDs() []identity.ID {
	ids := make([]identity.ID, len(c.Seats))
	for i, s := range c.Seats {
		ids[i] = s.ID
	}
	return ids
}

// TableHash is the hash of an encoded charter: the prev of round 0, and the
// game field of rounds 0 and 1.
func TableHash(charter []byte) Hash { return transcript.Hash("charter", charter) }

// GameID is the game's name from round 2 on: the hash of the charter and of
// every seat's nonce, so that nobody could choose it.
func GameID(table Hash, nonces [][]byte) Hash {
	return transcript.Hash("game", append([][]byte{table[:]}, nonces...)...)
}
