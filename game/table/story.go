package table

import (
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/game/board"
	"alibi/game/rules"
)

// EventKind says what happened.
type EventKind uint8

// What a story is made of.
const (
	Shuffled    EventKind = iota // Seat shuffled; Cards is empty
	Dealt                        // hands are out; Cards lie face up
	Began                        // Seat has the first turn
	Voted                        // Seat voted for To
	Asked                        // Seat asked about Cards
	Denied                       // Seat has none of them
	Showed                       // Seat showed one to To; Shown is it, for To alone
	Unanswered                   // nobody could show Seat any of Cards
	Accused                      // Seat accuses
	Joined                       // Seat joins
	Passed                       // Seat passes
	Ordered                      // Seats accuse in this order
	Guessed                      // Seat has fixed a guess
	Peeked                       // Seat alone has seen the Crime cards
	Wrong                        // Seat was wrong and is out
	Right                        // Seat was right: Cards
	Disclosed                    // Seat had guessed Cards
	Revealed                     // the Crime cards are Cards
	Ended                        // the game is over: Result
	Opened                       // Seat opened its key
	Kept                         // Seat kept it
	Left                         // Seat left for good: the others went on
	LaidOpen                     // the hand of Seat, who left, is Cards
	Stopped                      // those who were there abandoned the game
	Picked                       // Seat plays Cards, a suspect
	Rolled                       // the dice of Seat show Dice
	Moved                        // Seat moved to At
	TookPassage                  // Seat went to At by a secret passage
	Charged                      // Seat accuses, of Cards
)

// Event is one line of a game's public story.
type Event struct {
	Round  uint32
	Kind   EventKind
	Seat   int
	To     int
	Cards  []rules.Card
	Seats  []int
	Dice   []int
	At     board.Place
	Shown  elgamal.Ciphertext
	Result *rules.Result
}

// Fault is an illegal entry: who, when, and which check refused it.
type Fault struct {
	Seat  int
	Round uint32
	Rule  Rule
}

func (f Fault) String() string {
	return fmt.Sprintf("seat %d, round %d: %s", f.Seat, f.Round, f.Rule)
}

// Rule names the check that refused an entry.
type Rule string

// The checks, in the words that reports use.
const (
	RuleKind       Rule = "says something that is not due in this round"
	RuleEncoding   Rule = "an entry that is not in the protocol's encoding"
	RuleCommitment Rule = "keys that differ from the commitment in the charter"
	RuleKeys       Rule = "a key that is not valid, or equal to another key"
	RuleKeyProof   Rule = "no proof of possession of its keys"
	RuleKeyShare   Rule = "dealt a key share that is not what it committed to"
	RuleComplaint  Rule = "complained about a key share that is good"
	RuleShuffle    Rule = "a shuffle that does not verify"
	RuleShare      Rule = "a share that does not verify"
	RuleCard       Rule = "unlocked something that is no card of the deck"
	RuleLegal      Rule = "a move that the rules do not allow"
	RuleDenial     Rule = "a \"no\" that does not verify"
	RuleShowing    Rule = "a shown card that does not verify"
	RuleSeal       Rule = "opened another choice than it had sealed"
	RuleGuess      Rule = "a guess that does not verify"
	RuleVerdict    Rule = "a verdict that does not verify"
	RuleDisclosure Rule = "opened another guess than it had fixed"
	RuleSeatKey    Rule = "opened a key that is not its own"
	// Three that concern places in the log rather than contents. The last
	// convicts nobody by itself: its author may have been shown another round.
	RuleFork    Rule = "signed two entries for one place"
	RuleTurn    Rule = "spoke in a round in which it owed nothing"
	RuleHistory Rule = "signed on top of another history"
)

// Stop is the state with a fault that was found outside the fold: two entries
// for one place, or one spoken out of turn, which no closed round can hold.
func (s *State) Stop(f Fault) *State {
	t := s.next()
	t.Faults = append(t.Faults, f)
	return t
}
