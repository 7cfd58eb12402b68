package table

import (
	"slices"

	"alibi/crypto/beacon"
	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/identity"
	"alibi/crypto/shuffle"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
	"alibi/game/board"
	"alibi/game/move"
	"alibi/game/rules"
)

// Commitment is what a seat's charter line commits to: its nonce and keys.
func Commitment(id identity.ID, nonce, seat [32]byte, lock [][32]byte) feed.Hash {
	parts := [][]byte{id[:], nonce[:], seat[:]}
	for i := range lock {
		parts = append(parts, lock[i][:])
	}
	return transcript.Hash("commitment", parts...)
}

// Possession is the claim of a seat's proof of possession: it knows the
// discrete logarithms of its seat key and of its share of the joint key.
func Possession(seat, lock *group.Element) *sigma.Claim {
	r := sigma.NewRelation()
	y, x := r.Secret(), r.Secret()
	r.Equation(seat, y.Times(group.Base()))
	r.Equation(lock, x.Times(group.Base()))
	return sigma.NewClaim("possession").Clause(r)
}

func (f *fold) keys(round []said) {
	seatKeys := make([]*group.Element, f.Seats())
	locks := make([][]*group.Element, f.Seats())
	var nonces [][]byte
	// No key serves twice, not even as seat key and as lock key: opening the
	// one after the game must not open the other.
	taken := make(map[[32]byte]bool, 2*f.Seats())
	for _, s := range round {
		k := s.move.(*move.Keys)
		seat := f.Charter.Seats[s.seat]
		if len(k.Lock) != f.coefficients() || Commitment(seat.ID, k.Nonce, k.Seat, k.Lock) != seat.Commitment {
			f.fault(s.seat, RuleCommitment)
			continue
		}
		y, errY := group.ParseNonIdentity(k.Seat[:])
		xs, errX := dkg.ParseCommitments(k.Lock, f.coefficients())
		if errY != nil || errX != nil || k.Seat == k.Lock[0] || taken[k.Seat] || taken[k.Lock[0]] {
			f.fault(s.seat, RuleKeys)
			continue
		}
		taken[k.Seat], taken[k.Lock[0]] = true, true
		seatKeys[s.seat], locks[s.seat], nonces = y, xs, append(nonces, k.Nonce[:])
		claim := Possession(y, xs[0])
		proof, err := claim.ParseProof(k.Proof)
		if err != nil {
			f.fault(s.seat, RuleKeyProof)
			continue
		}
		check, err := claim.Check(s.context(0), proof)
		f.prove(s, check, err, RuleKeyProof)
	}
	f.then = func() {
		f.next.SeatKeys, f.next.Locks = seatKeys, locks
		f.next.Game = feed.GameID(f.Game, nonces)
		f.next.Name = f.next.Game
		if f.Charter.Leavers > 0 {
			f.next.Stage = Sharing
			return
		}
		shares := make([]*group.Element, f.Seats())
		for i, l := range locks {
			shares[i] = l[0]
		}
		f.lock(elgamal.NewQuorum(shares, f.Seats()))
	}
}

// coefficients is how many lock commitments a seat makes: its whole share of the
// joint key if nobody may leave, else those of a polynomial.
func (s *State) coefficients() int {
	if s.Charter.Leavers == 0 {
		return 1
	}
	return s.Threshold()
}

// lock goes on to the shuffles with the joint key.
func (f *fold) lock(q *elgamal.Quorum, err error) {
	present := f.Present()
	if err != nil {
		// Single keys and key shares were checked; what is left is a joint key or
		// a share of zero, which the commitments let nobody aim at.
		f.fault(present[len(present)-1], RuleKeys)
		return
	}
	f.next.Quorum = q
	f.next.Stage, f.next.Shuffler = Sorting, present[0]
}

func (f *fold) sorted(s said) {
	out, ok := f.shuffled(s, f.Decks)
	if !ok {
		return
	}
	f.next.Decks = out
	f.tell(Event{Kind: Shuffled, Seat: s.seat})
	f.next.shuffledBy(s.seat)
}

// shuffledBy passes the decks on to the next present seat after one that has
// shuffled, or will not, and goes on when it was the last.
func (s *State) shuffledBy(seat int) {
	present := s.Present()
	for _, next := range present {
		if next > seat {
			s.Shuffler = next
			return
		}
	}
	if s.Shuffler = present[0]; s.Stage == Pooling {
		// Whom each card goes to is settled before anybody can give a share for it:
		// who leaves from here on has a hand.
		s.Stage, s.Owners = Checking, s.Edition.DealAmong(present)
		return
	}
	s.Stage, s.Crime, s.Pool = Pooling, nil, nil
	for _, d := range s.Decks {
		s.Crime = append(s.Crime, d[0])
		s.Pool = append(s.Pool, d[1:]...)
	}
}

func (f *fold) pooled(s said) {
	out, ok := f.shuffled(s, [][]elgamal.Ciphertext{f.Pool})
	if !ok {
		return
	}
	f.next.Pool = out[0]
	f.tell(Event{Kind: Shuffled, Seat: s.seat})
	f.next.shuffledBy(s.seat)
}

// shuffled parses the decks of one entry and adds their proofs to the batch.
func (f *fold) shuffled(s said, decks [][]elgamal.Ciphertext) ([][]elgamal.Ciphertext, bool) {
	m := s.move.(*move.Shuffle)
	if len(m.Decks) != len(decks) {
		f.fault(s.seat, RuleShuffle)
		return nil, false
	}
	out := make([][]elgamal.Ciphertext, len(decks))
	for i, d := range m.Decks {
		cards, err := elgamal.ParseAll(d.Cards, len(decks[i]))
		if err != nil {
			f.fault(s.seat, RuleShuffle)
			return nil, false
		}
		proof, err := shuffle.ParseProof(d.Proof, len(decks[i]))
		if err != nil {
			f.fault(s.seat, RuleShuffle)
			return nil, false
		}
		check, err := shuffle.Check(s.context(i), f.Quorum.Joint(), decks[i], cards, proof)
		f.prove(s, check, err, RuleShuffle)
		out[i] = cards
	}
	return out, true
}

// shares parses everybody's shares of the round's tasks and adds their proofs.
func (f *fold) shares(round []said) (tasks []deck.Task, helpers []int, shares []*deck.Share) {
	tasks = f.Tasks()
	for _, s := range round {
		share, err := deck.ParseShare(tasks, s.move.(*move.Shares).Share)
		if err != nil {
			f.fault(s.seat, RuleShare)
			continue
		}
		check, err := deck.CheckShare(s.context(0), f.Quorum.Key(s.seat), tasks, share)
		f.prove(s, check, err, RuleShare)
		helpers = append(helpers, s.seat)
		shares = append(shares, share)
	}
	return tasks, helpers, shares
}

func (f *fold) dealt(round []said) {
	tasks, helpers, shares := f.shares(round)
	f.then = func() {
		hands := make([][]elgamal.Ciphertext, f.Seats())
		var faceUp []rules.Card
		for i, owner := range f.Owners {
			switch {
			case owner == rules.FaceUp:
				faceUp = append(faceUp, f.revealed(tasks, helpers, shares, i))
			case f.Gone[owner]:
				f.next.Laid[owner] = append(slices.Clone(f.next.Laid[owner]), f.revealed(tasks, helpers, shares, i))
			default:
				c, err := deck.Handed(f.Quorum, helpers, tasks, shares, i)
				if err != nil {
					f.fault(helpers[len(helpers)-1], RuleShare)
					return
				}
				hands[owner] = append(hands[owner], c)
			}
		}
		lot := f.drawn(tasks, helpers, shares, len(f.Owners))
		f.next.Hands, f.next.FaceUp = hands, faceUp
		f.next.Stage = Playing
		if f.next.Pos = f.start(lot); f.next.Pos == nil {
			return
		}
		f.tell(Event{Kind: Dealt, Cards: faceUp})
		for seat, cards := range f.next.Laid {
			if cards != nil { // it left while the cards were dealt
				f.tell(Event{Kind: LaidOpen, Seat: seat, Cards: cards})
			}
		}
		if f.next.Pos.Phase == rules.Turn {
			f.tell(Event{Kind: Began, Seat: f.next.Pos.Active})
		}
	}
}

// start is the position after the deal, or nil after a fault.
func (f *fold) start(lot beacon.Value) *rules.Position {
	if !f.Edition.Board {
		return rules.Start(f.Edition, f.Options, f.Seats(), f.Gone, lot.Int("first player", f.Seats()))
	}
	pos, err := rules.StartBoard(f.Edition, f.Options, f.Seats(), f.Gone, lot.Perm("weapons", board.Rooms))
	if err != nil {
		f.fault(f.Present()[0], RuleCard) // a permutation of the rooms always fits
		return nil
	}
	return pos
}

// revealed is the card that task i turned over for all.
func (f *fold) revealed(tasks []deck.Task, helpers []int, shares []*deck.Share, i int) rules.Card {
	m, err := deck.Opened(f.Quorum, helpers, tasks, shares, i)
	if err == nil {
		if c, ok := f.Deck.Index(m); ok {
			return rules.Card(c)
		}
	}
	// Every share and shuffle is proven, so this names a fault of the program
	// rather than of a player; it still stops the game alike everywhere.
	f.fault(helpers[len(helpers)-1], RuleCard)
	return 0
}

// drawn is the beacon's value, which task i raised.
func (f *fold) drawn(tasks []deck.Task, helpers []int, shares []*deck.Share, i int) beacon.Value {
	z, err := deck.Opened(f.Quorum, helpers, tasks, shares, i)
	if err != nil {
		f.fault(helpers[len(helpers)-1], RuleShare)
		return beacon.Value{}
	}
	value, err := beacon.FromSum(z)
	if err != nil {
		f.fault(helpers[len(helpers)-1], RuleShare)
	}
	return value
}
