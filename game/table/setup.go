package table

import (
	"alibi/crypto/beacon"
	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/identity"
	"alibi/crypto/shuffle"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
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
	locks := make([]*group.Element, f.Seats())
	nonces := make([][]byte, f.Seats())
	// No key serves twice, not even as seat key and as lock key: opening the
	// one after the game must not open the other.
	taken := make(map[[32]byte]bool, 2*f.Seats())
	for _, s := range round {
		k := s.move.(*move.Keys)
		seat := f.Charter.Seats[s.seat]
		// Nobody may leave for good, so every share has one coefficient.
		if len(k.Lock) != 1 || Commitment(seat.ID, k.Nonce, k.Seat, k.Lock) != seat.Commitment {
			f.fault(s.seat, RuleCommitment)
			continue
		}
		y, errY := group.ParseNonIdentity(k.Seat[:])
		x, errX := group.ParseNonIdentity(k.Lock[0][:])
		if errY != nil || errX != nil || k.Seat == k.Lock[0] || taken[k.Seat] || taken[k.Lock[0]] {
			f.fault(s.seat, RuleKeys)
			continue
		}
		taken[k.Seat], taken[k.Lock[0]] = true, true
		seatKeys[s.seat], locks[s.seat], nonces[s.seat] = y, x, k.Nonce[:]
		claim := Possession(y, x)
		proof, err := claim.ParseProof(k.Proof)
		if err != nil {
			f.fault(s.seat, RuleKeyProof)
			continue
		}
		check, err := claim.Check(s.context(0), proof)
		f.prove(s, check, err, RuleKeyProof)
	}
	f.then = func() {
		quorum, err := elgamal.NewQuorum(locks, f.Seats())
		if err != nil {
			// Single keys were checked; only a joint key of zero is left, which
			// the commitments let nobody aim at but all together.
			f.fault(f.Seats()-1, RuleKeys)
			return
		}
		f.next.SeatKeys, f.next.Quorum = seatKeys, quorum
		f.next.Game = feed.GameID(f.Table, nonces)
		f.next.Stage, f.next.Shuffler = Sorting, 0
	}
}

func (f *fold) sorted(s said) {
	out, ok := f.shuffled(s, f.Decks)
	if !ok {
		return
	}
	f.next.Decks = out
	f.tell(Event{Kind: Shuffled, Seat: s.seat})
	if f.next.Shuffler++; f.next.Shuffler < f.Seats() {
		return
	}
	f.next.Stage, f.next.Shuffler = Pooling, 0
	f.next.Crime, f.next.Pool = nil, nil
	for _, d := range out {
		f.next.Crime = append(f.next.Crime, d[0])
		f.next.Pool = append(f.next.Pool, d[1:]...)
	}
}

func (f *fold) pooled(s said) {
	out, ok := f.shuffled(s, [][]elgamal.Ciphertext{f.Pool})
	if !ok {
		return
	}
	f.next.Pool = out[0]
	f.tell(Event{Kind: Shuffled, Seat: s.seat})
	if f.next.Shuffler++; f.next.Shuffler == f.Seats() {
		f.next.Stage, f.next.Shuffler = Checking, 0
	}
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
		owners := f.Edition.Deal(f.Seats())
		for i, owner := range owners {
			if owner == rules.FaceUp {
				faceUp = append(faceUp, f.revealed(tasks, helpers, shares, i))
				continue
			}
			c, err := deck.Handed(f.Quorum, helpers, tasks, shares, i)
			if err != nil {
				f.fault(helpers[len(helpers)-1], RuleShare)
				return
			}
			hands[owner] = append(hands[owner], c)
		}
		lot := f.drawn(tasks, helpers, shares, len(owners))
		f.next.Hands, f.next.FaceUp = hands, faceUp
		f.next.Stage = Playing
		f.next.Pos = rules.Start(f.Edition, f.Options, f.Seats(), nil, lot.Int("first player", f.Seats()))
		f.tell(Event{Kind: Dealt, Cards: faceUp})
		if f.next.Pos.Phase == rules.Turn {
			f.tell(Event{Kind: Began, Seat: f.next.Pos.Active})
		}
	}
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
