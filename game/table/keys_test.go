package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// cheat is a seat that commits in the charter to keys of its own choice.
type cheat struct {
	seat       int
	nonce      [32]byte
	seatKey    [32]byte
	lock       [][32]byte
	y, x       *group.Scalar // what it proves to know, right or not
	proofBytes []byte
}

// keying is a table of four at the round of the keys, whose seat 2 committed to
// what prepare makes of the others' public keys. It is the strongest form of a rogue
// key: a real cheat does not see them before it commits.
func keying(t *testing.T, leavers int, prepare func(s *scene, c *cheat)) (*scene, *cheat) {
	t.Helper()
	s := leavingScene(t, "keying", "card", 4, leavers, rules.DefaultOptions(), nil)
	c := &cheat{seat: 2}
	c.y, c.x = s.keys(t, 2)
	c.seatKey, c.lock = group.BaseMul(c.y).Encoding(), [][32]byte{group.BaseMul(c.x).Encoding()}
	if leavers > 0 {
		for _, a := range s.polynomial(t, 2).Commitments()[1:] {
			c.lock = append(c.lock, a.Encoding())
		}
	}
	prepare(s, c)
	charter, err := feed.ParseCharter(s.Charter)
	if err != nil {
		t.Fatal(err)
	}
	charter.Seats[2].Commitment = table.Commitment(s.Keys[2].ID(), c.nonce, c.seatKey, c.lock)
	if s.Charter, err = charter.Encode(); err != nil {
		t.Fatal(err)
	}
	if s.State, err = table.New(s.Charter); err != nil {
		t.Fatal(err)
	}
	s.Log = feed.NewLog(s.Charter, charter.IDs(), int(charter.Leavers))
	s.until(t, stage(table.Keying))
	return s, c
}

// opening is the cheat's entry; its proof is about what it can prove.
func (c *cheat) opening(t *testing.T, s *scene) *move.Keys {
	t.Helper()
	m := &move.Keys{Nonce: c.nonce, Seat: c.seatKey, Lock: c.lock, Proof: c.proofBytes}
	if m.Proof == nil {
		claim := table.Possession(group.BaseMul(c.y), group.BaseMul(c.x))
		p, err := sigma.Prove(table.Context(s.State.Place(c.seat), move.KindKeys, 0), claim,
			[]sigma.Known{{Secrets: []*group.Scalar{c.y, c.x}}}, parlour.Rand("cheat"))
		if err != nil {
			t.Fatal(err)
		}
		m.Proof = p.Bytes()
	}
	return m
}

func (s *scene) public(t *testing.T, i int) (seat, lock *group.Element) {
	y, x := s.keys(t, i)
	return group.BaseMul(y), group.BaseMul(x)
}

// The cheat's own machinery is sound: with an honest preparation it is folded.
func TestKeysOfTheCheatMachineryAreHonest(t *testing.T) {
	s, c := keying(t, 0, func(*scene, *cheat) {})
	kind, body := encoded(t, c.opening(t, s))
	round := s.round(t, map[int]*feed.Signed{2: s.sealed(t, 2, kind, body)})
	if st := table.Apply(s.State, round); st.Stopped() || st.Stage != table.Sorting {
		t.Fatal(st.Faults)
	}
}

// What a seat commits to beyond its lock key where somebody may leave.
func TestRogueCommitments(t *testing.T) {
	for _, leavers := range []int{1, 2} {
		s, c := keying(t, leavers, func(*scene, *cheat) {})
		kind, body := encoded(t, c.opening(t, s))
		s.goesOn(t, s.round(t, map[int]*feed.Signed{2: s.sealed(t, 2, kind, body)}))
		if s.State.Stage != table.Sharing || len(s.State.Locks[2]) != 4-leavers {
			t.Fatalf("%s: %d commitments", s.State.Stage, len(s.State.Locks[2]))
		}
	}
	for name, tt := range map[string]struct {
		prepare func(s *scene, c *cheat)
		want    table.Rule
	}{
		"one too many":                 {func(_ *scene, c *cheat) { c.lock = append(c.lock, group.Base().Encoding()) }, table.RuleCommitment},
		"one too few":                  {func(_ *scene, c *cheat) { c.lock = c.lock[:2] }, table.RuleCommitment},
		"the lock key alone":           {func(_ *scene, c *cheat) { c.lock = c.lock[:1] }, table.RuleCommitment},
		"none":                         {func(_ *scene, c *cheat) { c.lock = nil }, table.RuleCommitment},
		"an identity":                  {func(_ *scene, c *cheat) { c.lock[1] = group.Identity().Encoding() }, table.RuleKeys},
		"the last an identity":         {func(_ *scene, c *cheat) { c.lock[2] = group.Identity().Encoding() }, table.RuleKeys},
		"no element":                   {func(_ *scene, c *cheat) { c.lock[2][31] = 0xff }, table.RuleKeys},
		"two alike":                    {func(_ *scene, c *cheat) { c.lock[2] = c.lock[1] }, table.RuleKeys},
		"the lock key twice":           {func(_ *scene, c *cheat) { c.lock[1] = c.lock[0] }, table.RuleKeys},
		"proof of another coefficient": {func(_ *scene, c *cheat) { c.lock[0], c.lock[1] = c.lock[1], c.lock[0] }, table.RuleKeyProof},
		"proof of another constant term": {func(_ *scene, c *cheat) {
			c.lock[0] = group.BaseMul(c.x.Add(group.ScalarFromUint64(1))).Encoding()
		}, table.RuleKeyProof},
		"another's polynomial": {func(s *scene, c *cheat) {
			for k, a := range s.polynomial(t, 1).Commitments() {
				c.lock[k] = a.Encoding()
			}
		}, table.RuleKeys},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := keying(t, 1, tt.prepare)
			s.refuses(t, 2, c.opening(t, s), tt.want)
		})
	}
}

// A lock key that is no part of the polynomial which is dealt: the keys are in
// order, and every share is found not to fit.
func TestPolynomialOfAnotherConstant(t *testing.T) {
	s, c := keying(t, 1, func(_ *scene, c *cheat) {
		c.x = c.x.Add(group.ScalarFromUint64(1))
		c.lock[0] = group.BaseMul(c.x).Encoding()
	})
	kind, body := encoded(t, c.opening(t, s))
	s.goesOn(t, s.round(t, map[int]*feed.Signed{2: s.sealed(t, 2, kind, body)}))
	s.goesOn(t, s.said(t, map[int]move.Move{2: &move.KeyShares{Dealing: s.dealing(t, 2, honestly).bytes(t)}}))
	// Seat 2 itself reads what others dealt it with the key that it changed.
	round := s.said(t, map[int]move.Move{2: new(move.Checked)})
	s.stops(t, round, s.blames(2)...)
	for _, e := range round {
		if complains := move.Kind(e.Kind) == move.KindComplain; complains != (e.Seat != 2) {
			t.Errorf("seat %d complains: %v", e.Seat, complains)
		}
	}
}

func TestRogueKeys(t *testing.T) {
	rogue := func(of func(s *scene, c *cheat) (seat, lock *group.Element)) func(*scene, *cheat) {
		return func(s *scene, c *cheat) {
			seat, lock := of(s, c)
			c.seatKey, c.lock = seat.Encoding(), [][32]byte{lock.Encoding()}
		}
	}
	seatOf := func(s *scene, i int) *group.Element { y, _ := s.public(t, i); return y }
	lockOf := func(s *scene, i int) *group.Element { _, x := s.public(t, i); return x }
	own := func(c *cheat) (seat, lock *group.Element) { return group.BaseMul(c.y), group.BaseMul(c.x) }
	for name, tt := range map[string]struct {
		prepare func(*scene, *cheat)
		want    table.Rule
	}{
		// X_2 = x G - X_0 - X_1 - X_3 makes the joint key x G, which the cheat alone opens.
		"rogue lock key that cancels the others'": {rogue(func(s *scene, c *cheat) (seat, lock *group.Element) {
			seat, lock = own(c)
			return seat, lock.Sub(lockOf(s, 0)).Sub(lockOf(s, 1)).Sub(lockOf(s, 3))
		}), table.RuleKeyProof},
		"lock key nobody knows": {rogue(func(_ *scene, c *cheat) (seat, lock *group.Element) {
			seat, _ = own(c)
			return seat, group.BaseMul(c.y).Add(group.Base())
		}), table.RuleKeyProof},
		"seat key nobody knows": {rogue(func(_ *scene, c *cheat) (seat, lock *group.Element) {
			_, lock = own(c)
			return group.BaseMul(c.x).Add(group.Base()), lock
		}), table.RuleKeyProof},
		"copied seat key": {rogue(func(s *scene, c *cheat) (seat, lock *group.Element) {
			_, lock = own(c)
			return seatOf(s, 0), lock
		}), table.RuleKeys},
		"copied lock key": {rogue(func(s *scene, c *cheat) (seat, lock *group.Element) {
			seat, _ = own(c)
			return seat, lockOf(s, 1)
		}), table.RuleKeys},
		"seat key that is its own lock key": {rogue(func(_ *scene, c *cheat) (seat, lock *group.Element) {
			_, lock = own(c)
			return lock, lock
		}), table.RuleKeys},
		"seat key that is another's lock key": {rogue(func(s *scene, c *cheat) (seat, lock *group.Element) {
			_, lock = own(c)
			return lockOf(s, 0), lock
		}), table.RuleKeys},
		"identity as seat key": {rogue(func(_ *scene, c *cheat) (seat, lock *group.Element) {
			_, lock = own(c)
			return group.Identity(), lock
		}), table.RuleKeys},
		"identity as lock key": {rogue(func(_ *scene, c *cheat) (seat, lock *group.Element) {
			seat, _ = own(c)
			return seat, group.Identity()
		}), table.RuleKeys},
		"seat key that is no element": {func(_ *scene, c *cheat) { c.seatKey[31] = 0xff }, table.RuleKeys},
		"lock key that is no element": {func(_ *scene, c *cheat) { c.lock[0][31] = 0xff }, table.RuleKeys},
		"two lock coefficients": {func(_ *scene, c *cheat) {
			c.lock = append(c.lock, group.Base().Encoding())
		}, table.RuleCommitment},
		"no lock coefficient": {func(_ *scene, c *cheat) { c.lock = nil }, table.RuleCommitment},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := keying(t, 0, tt.prepare)
			s.refuses(t, 2, c.opening(t, s), tt.want)
		})
	}
}

// Lock keys that add up to nothing, each with a good proof: it takes everybody
// together, and the joint key would hide no card. The last seat stands for all.
func TestLockKeysThatCancel(t *testing.T) {
	s, c := keying(t, 0, func(s *scene, c *cheat) {
		c.x = group.ScalarFromUint64(0)
		for _, i := range []int{0, 1, 3} {
			_, x := s.keys(t, i)
			c.x = c.x.Sub(x)
		}
		c.lock = [][32]byte{group.BaseMul(c.x).Encoding()}
	})
	kind, body := encoded(t, c.opening(t, s))
	round := s.round(t, map[int]*feed.Signed{2: s.sealed(t, 2, kind, body)})
	s.stops(t, round, table.Fault{Seat: 3, Round: 1, Rule: table.RuleKeys})
}

// A copied key with the proof its owner gave: the copy is refused for being
// equal, and had it another key, the proof is bound to the owner's place.
func TestCopiedKeysWithTheirProof(t *testing.T) {
	s, c := keying(t, 0, func(s *scene, c *cheat) {
		seat, lock := s.public(t, 0)
		c.seatKey, c.lock = seat.Encoding(), [][32]byte{lock.Encoding()}
	})
	victim := s.honest(t, 0).(*move.Keys)
	c.proofBytes = victim.Proof
	s.refuses(t, 2, c.opening(t, s), table.RuleKeys)
}

func TestKeysThatDifferFromTheCommitment(t *testing.T) {
	s := newScene(t, "commitment", "card", 3, rules.DefaultOptions())
	s.until(t, stage(table.Keying))
	s.accepts(t)
	other := newScene(t, "another", "card", 3, rules.DefaultOptions())
	other.until(t, stage(table.Keying))
	foreign := other.honest(t, 1).(*move.Keys)
	for name, change := range map[string]func(*move.Keys){
		"nonce":           func(m *move.Keys) { m.Nonce[0] ^= 1 },
		"seat key":        func(m *move.Keys) { m.Seat = foreign.Seat },
		"lock key":        func(m *move.Keys) { m.Lock = foreign.Lock },
		"everything":      func(m *move.Keys) { *m = *foreign },
		"another's":       func(m *move.Keys) { *m = *s.honest(t, 0).(*move.Keys) },
		"keys exchanged":  func(m *move.Keys) { m.Seat, m.Lock[0] = m.Lock[0], m.Seat },
		"lock key twice":  func(m *move.Keys) { m.Lock = append(m.Lock, m.Lock[0]) },
		"lock key absent": func(m *move.Keys) { m.Lock = [][32]byte{} },
	} {
		t.Run(name, func(t *testing.T) {
			m := s.honest(t, 1).(*move.Keys)
			m.Lock = slices.Clone(m.Lock)
			change(m)
			s.refuses(t, 1, m, table.RuleCommitment)
		})
	}
}

func TestMissingPossessionProof(t *testing.T) {
	s := newScene(t, "possession", "card", 3, rules.DefaultOptions())
	s.until(t, stage(table.Keying))
	proof := func(i int) []byte { return s.honest(t, i).(*move.Keys).Proof }
	for name, change := range map[string]func(*move.Keys){
		"none":           func(m *move.Keys) { m.Proof = []byte{} },
		"short":          func(m *move.Keys) { m.Proof = m.Proof[:len(m.Proof)-1] },
		"long":           func(m *move.Keys) { m.Proof = append(m.Proof, 0) },
		"another's":      func(m *move.Keys) { m.Proof = proof(0) },
		"zeros":          func(m *move.Keys) { m.Proof = make([]byte, len(m.Proof)) },
		"one bit":        func(m *move.Keys) { m.Proof[len(m.Proof)-32] ^= 1 },
		"huge":           func(m *move.Keys) { m.Proof = make([]byte, 60<<10) },
		"not canonical":  func(m *move.Keys) { m.Proof[len(m.Proof)-1] = 0xff },
		"halves swapped": func(m *move.Keys) { m.Proof = append(m.Proof[64:], m.Proof[:64]...) },
	} {
		t.Run(name, func(t *testing.T) {
			m := s.honest(t, 1).(*move.Keys)
			change(m)
			s.refuses(t, 1, m, table.RuleKeyProof)
		})
	}
}

// Every culprit of a round is named, in seat order.
func TestTwoCulpritsAreBothNamed(t *testing.T) {
	s := newScene(t, "two culprits", "card", 4, rules.DefaultOptions())
	s.until(t, stage(table.Keying))
	lies := map[int]*feed.Signed{}
	for _, i := range []int{3, 1} {
		m := s.honest(t, i).(*move.Keys)
		m.Proof[len(m.Proof)-32] ^= 1
		kind, body := encoded(t, m)
		lies[i] = s.sealed(t, i, kind, body)
	}
	s.stops(t, s.round(t, lies),
		table.Fault{Seat: 1, Round: 1, Rule: table.RuleKeyProof},
		table.Fault{Seat: 3, Round: 1, Rule: table.RuleKeyProof})
}
