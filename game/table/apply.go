package table

import (
	"encoding/binary"
	"slices"

	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
	"alibi/game/move"
)

// Context is what every proof of an entry is bound to beyond its own
// statement: the game, everything said before (prev), the place, the kind, and
// part, which counts the proofs of one entry.
func Context(e feed.Entry, kind move.Kind, part int) []byte {
	h := transcript.Hash("context",
		e.Game[:], e.Prev[:],
		binary.BigEndian.AppendUint32(nil, e.Round),
		[]byte{e.Seat, byte(kind), byte(part)})
	return h[:]
}

// said is one entry of the round being folded, decoded.
type said struct {
	seat int
	move move.Move
	at   feed.Entry
}

func (s said) context(part int) []byte { return Context(s.at, s.move.Kind(), part) }

// fold is one application of Apply: the state before, the state in the making,
// the proofs still to be settled, and what has to wait until they are.
type fold struct {
	*State // before
	next   *State
	batch  sigma.Batch
	owes   []proofOf // whose proof each member of the batch is
	shown  elgamal.Ciphertext
	then   func() // builds on contents that the proofs vouch for
}

type proofOf struct {
	seat int
	kind move.Kind
	rule Rule
}

// Apply folds one closed round: the entries of all Speakers in seat order, or the
// ballots that carried a motion; signatures and places are checked (feed.Log does
// that). It returns the state
// after it; if that has Faults, every peer that holds these entries has them
// too. Entries that are no closed round of s leave it as it was.
func Apply(s *State, entries []*feed.Signed) *State {
	if m, ok := s.carried(entries); ok {
		return s.without(m, entries)
	}
	if !s.closes(entries) {
		return s
	}
	f := examine(s, entries)
	if len(f.next.Faults) == 0 && f.then != nil {
		f.then()
	}
	if len(f.next.Faults) > 0 {
		return f.stopped()
	}
	f.next.Prev = feed.Next(s.Prev, s.Round, entries)
	f.next.Round = s.Round + 1
	if len(entries) == len(s.Present()) {
		copy(f.next.Sure, s.Gone) // each of them has closed all rounds before alike
	}
	return f.next
}

// Judge says which faults the fold would find in one entry of the open round,
// whatever the other seats say in it. A seat judges its own entry before it lets
// it go: a slip of its program or its computer would convict it before all.
func Judge(s *State, e *feed.Signed) []Fault {
	if _, is := e.Ballot(); is {
		return nil // it stands in no place that the fold reads
	}
	return examine(s, []*feed.Signed{e}).next.Faults
}

// examine reads entries of the open round and settles their proofs, as far as
// there is a point in going on.
func examine(s *State, entries []*feed.Signed) *fold {
	f := &fold{State: s, next: s.next()}
	round := f.decode(entries)
	if len(f.next.Faults) == 0 {
		f.stage(round)
	}
	if len(f.next.Faults) == 0 {
		f.settle()
	}
	return f
}

func (s *State) closes(entries []*feed.Signed) bool {
	speakers := s.Speakers()
	if len(entries) != len(speakers) || len(entries) == 0 {
		return false
	}
	for i, e := range entries {
		// A ballot is in another place than what its author owes, and says nothing
		// in its stead: it can neither close the round nor be held against them.
		if _, is := e.Ballot(); is || int(e.Seat) != speakers[i] || e.Round != s.Round || e.Game != s.Game || e.Prev != s.Prev {
			return false
		}
	}
	return true
}

// stopped is the state before, with the faults that stopped it.
func (f *fold) stopped() *State {
	t := f.State.next()
	t.Faults = f.next.Faults
	return t
}

// fault names a culprit, once for an entry that breaks a rule in several places.
func (f *fold) fault(seat int, rule Rule) {
	fault := Fault{Seat: seat, Round: f.Round, Rule: rule}
	if !slices.Contains(f.next.Faults, fault) {
		f.next.Faults = append(f.next.Faults, fault)
	}
}

func (f *fold) decode(entries []*feed.Signed) []said {
	var round []said
	for _, e := range entries {
		kind := move.Kind(e.Kind)
		if !f.allows(kind) {
			f.fault(int(e.Seat), RuleKind)
			continue
		}
		m, err := move.Decode(kind, e.Body)
		if err != nil {
			f.fault(int(e.Seat), RuleEncoding)
			continue
		}
		round = append(round, said{seat: int(e.Seat), move: m, at: e.Entry})
	}
	return round
}

func (f *fold) stage(round []said) {
	switch f.Stage {
	case Accepting:
		f.next.Stage = Keying
	case Keying:
		f.keys(round)
	case Sharing:
		f.shared(round)
	case Vetting:
		f.vetted(round)
	case Sorting:
		f.sorted(round[0])
	case Pooling:
		f.pooled(round[0])
	case Checking:
		f.next.Stage = Dealing
	case Dealing:
		f.dealt(round)
	case Playing:
		f.play(round)
	}
}

// prove adds a proof to the round's batch. err is what refused it before it
// came to equations.
func (f *fold) prove(s said, c *sigma.Check, err error, rule Rule) {
	if err != nil {
		f.fault(s.seat, rule)
		return
	}
	f.batch.Add(c)
	f.owes = append(f.owes, proofOf{seat: s.seat, kind: s.move.Kind(), rule: rule})
}

// settle verifies every proof of the round at once, and finds the culprits singly
// when that fails.
func (f *fold) settle() {
	if len(f.owes) == 0 {
		return
	}
	if f.batch.Verify() == nil {
		for _, o := range f.owes {
			f.next.Proofs[o.kind]++
		}
		return
	}
	for _, i := range f.batch.Culprits() {
		f.fault(f.owes[i].seat, f.owes[i].rule)
	}
	if len(f.next.Faults) == 0 { // a batch that fails has a member that fails
		f.fault(f.owes[0].seat, f.owes[0].rule)
	}
}

func (f *fold) tell(e Event) {
	e.Round = f.Round
	f.next.Story = append(slices.Clip(f.next.Story), e)
}
