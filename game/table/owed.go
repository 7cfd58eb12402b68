package table

import (
	"alibi/crypto/feed"
	"slices"

	"alibi/game/move"
	"alibi/game/rules"
)

// Duty is an entry that a seat owes in the open round, and the kinds it may be.
type Duty struct {
	Seat  int
	Kinds []move.Kind
}

var stageKinds = map[Stage][]move.Kind{
	Accepting: {move.KindAccept},
	Keying:    {move.KindKeys},
	Sharing:   {move.KindKeyShares},
	Vetting:   {move.KindChecked, move.KindComplain},
	Sorting:   {move.KindShuffle},
	Pooling:   {move.KindShuffle},
	Checking:  {move.KindChecked},
	Dealing:   {move.KindShares},
}

var phaseKinds = map[rules.Phase][]move.Kind{
	rules.Voting:     {move.KindVote},
	rules.Turn:       {move.KindAsk, move.KindAccuse},
	rules.Answering:  {move.KindDeny, move.KindShow},
	rules.Sealing:    {move.KindSeal},
	rules.Unsealing:  {move.KindUnseal},
	rules.Casting:    {move.KindShares},
	rules.Ordering:   {move.KindOrder},
	rules.Guessing:   {move.KindGuess},
	rules.Confirming: {move.KindChecked},
	rules.Peeking:    {move.KindShares},
	rules.Judging:    {move.KindVerdict},
	rules.Disclosing: {move.KindDisclose},
	rules.Laying:     {move.KindShares},
	rules.Revealing:  {move.KindShares},
	rules.Farewell:   {move.KindLeave},

	rules.Picking:    {move.KindPick},
	rules.Rolling:    {move.KindShares},
	rules.Moving:     {move.KindGo},
	rules.Suggesting: {move.KindSuggest, move.KindCharge, move.KindEnd},
	rules.Closing:    {move.KindCharge, move.KindEnd},
}

// boardTurn are the kinds of a turn on a board.
var boardTurn = []move.Kind{move.KindRoll, move.KindPassage, move.KindSuggest, move.KindCharge}

// Owed lists who must speak in the open round, in seat order. It is empty when
// the game is over or a fault has stopped it.
func (s *State) Owed() []Duty {
	kinds := s.kinds()
	var out []Duty
	for _, seat := range s.Speakers() {
		out = append(out, Duty{Seat: seat, Kinds: kinds})
	}
	return out
}

// Speakers lists the seats of Owed.
func (s *State) Speakers() []int {
	switch {
	case s.Stopped() || s.Abandoned:
		return nil
	case s.Stage == Playing:
		return s.Pos.Speakers()
	case s.Stage == Sorting || s.Stage == Pooling:
		return []int{s.Shuffler}
	}
	return s.Present()
}

func (s *State) kinds() []move.Kind {
	switch {
	case s.Barrier:
		return stageKinds[Checking]
	case s.Phase() == rules.Turn && s.Edition.Board:
		return boardTurn
	case s.Stage == Playing:
		return phaseKinds[s.Pos.Phase]
	}
	return stageKinds[s.Stage]
}

func (s *State) allows(k move.Kind) bool { return slices.Contains(s.kinds(), k) }

// Place is an entry of seat in the open round, without kind and body.
func (s *State) Place(seat int) feed.Entry {
	return feed.Entry{Game: s.Game, Round: s.Round, Seat: uint8(seat), Prev: s.Prev}
}
