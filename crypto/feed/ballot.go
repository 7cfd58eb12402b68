package feed

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"alibi/crypto/identity"
	"alibi/crypto/transcript"
)

// KindBallot is the kind of an entry that is a Ballot. It belongs to the
// envelope: a ballot is about the round itself and means the same in any game.
const KindBallot = 255

// Motion proposes to close the open round without some seats, or to abandon the
// game. The zero Motion proposes nothing: it stands for closing the round the
// normal way, by everybody having spoken.
type Motion struct {
	Without uint16 // seats that are not waited for any longer, by bit
	Abandon bool   // the game ends here, without a result
	// Trial is above that of every motion for the same round which this one is to
	// prevail over: one that can no longer be carried or refused, since the last to
	// vote has left, or one that was refused before it was known why.
	Trial uint16
}

// Without makes the motion to go on without seats.
func Without(seats ...int) (m Motion) {
	for _, s := range seats {
		m.Without |= 1 << s
	}
	return m
}

// Seats lists the seats that the motion is to go on without.
func (m Motion) Seats() []int {
	var out []int
	for s := range MaxSeats {
		if m.Drops(s) {
			out = append(out, s)
		}
	}
	return out
}

// Drops reports whether the motion is to go on without seat.
func (m Motion) Drops(seat int) bool { return m.Without&(1<<seat) != 0 }

// Normal reports whether m proposes nothing.
func (m Motion) Normal() bool { return m.Without == 0 && !m.Abandon }

// Compare orders motions: the normal way first, then by trial, those that abandon
// the game after others, then by how many seats they drop, then by which. A
// higher motion, once voted for, is in the way of a lower one (Log.Closes).
func (m Motion) Compare(o Motion) int {
	return cmp.Or(
		cmp.Compare(m.rank(), o.rank()),
		cmp.Compare(bits.OnesCount16(m.Without), bits.OnesCount16(o.Without)),
		cmp.Compare(m.Without, o.Without))
}

// rank is 0 for the normal way.
func (m Motion) rank() int {
	switch {
	case m.Normal():
		return 0
	case m.Abandon:
		return 2*int(m.Trial) + 2
	}
	return 2*int(m.Trial) + 1
}

// Ballot is one seat's word on a motion for a round. Yes promises not to close
// the round by anything lower unless somebody who is to stay said no; no says
// that its author never will vote for it: it has closed the round in another way,
// or hears whom it drops. Whoever signs both is convicted by them.
type Ballot struct {
	Motion
	Yes bool
}

// body is how a ballot is encoded.
type body struct {
	_       struct{} `cbor:",toarray"`
	Without uint16
	Abandon bool
	Trial   uint16
	Yes     bool
}

// ErrBallot refuses a ballot that could not have been cast.
var ErrBallot = errors.New("feed: no such motion")

// CastBallot makes the entry of a ballot: at is a Template of the round.
func CastBallot(key identity.Key, at Entry, b Ballot) (*Signed, error) {
	encoded, err := encoder.Marshal(body{Without: b.Without, Abandon: b.Abandon, Trial: b.Trial, Yes: b.Yes})
	if err != nil {
		return nil, fmt.Errorf("feed: encoding a ballot: %w", err)
	}
	at.Kind, at.Body = KindBallot, encoded
	return Seal(key, at)
}

// ParseBallot reads the body of an entry of kind KindBallot strictly.
func ParseBallot(b []byte) (Ballot, error) {
	var v body
	if err := Unmarshal(b, &v); err != nil {
		return Ballot{}, fmt.Errorf("feed: ballot: %w", err)
	}
	m := Motion{Without: v.Without, Abandon: v.Abandon, Trial: v.Trial}
	if m.Normal() || v.Without >= 1<<MaxSeats {
		return Ballot{}, fmt.Errorf("%w: %v", ErrBallot, m)
	}
	return Ballot{Motion: m, Yes: v.Yes}, nil
}

// Place is where an entry stands: whoever signs two different entries for one
// place is convicted by them.
type Place struct {
	Game   Hash
	Round  uint32
	Seat   uint8
	Motion Motion // zero for whatever is no ballot
}

// Place is where the entry stands.
func (s *Signed) Place() Place {
	return Place{Game: s.Game, Round: s.Round, Seat: s.Seat, Motion: s.ballot.Motion}
}

// Ballot returns the ballot that the entry is, if it is one.
func (s *Signed) Ballot() (Ballot, bool) { return s.ballot, s.Kind == KindBallot }

// NextGame is the game field of entries after a round was closed by a motion:
// what was said before can never stand in a place that is filled after it.
func NextGame(game, prev Hash, round uint32, m Motion) Hash {
	abandon := byte(0)
	if m.Abandon {
		abandon = 1
	}
	return transcript.Hash("leave", game[:], prev[:],
		[]byte{byte(round >> 24), byte(round >> 16), byte(round >> 8), byte(round)},
		[]byte{byte(m.Without >> 8), byte(m.Without)}, []byte{abandon}, []byte{byte(m.Trial >> 8), byte(m.Trial)})
}
