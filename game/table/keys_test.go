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
func keying(t *testing.T, prepare func(s *scene, c *cheat)) (*scene, *cheat) {
	t.Helper()
	s := newScene(t, "keying", "card", 4, rules.DefaultOptions())
	c := &cheat{seat: 2}
	c.y, c.x = s.keys(t, 2)
	c.seatKey, c.lock = group.BaseMul(c.y).Encoding(), [][32]byte{group.BaseMul(c.x).Encoding()}
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
	s, c := keying(t, func(*scene, *cheat) {})
	kind, body := encoded(t, c.opening(t, s))
	round := s.round(t, map[int]*feed.Signed{2: s.sealed(t, 2, kind, body)})
	if st := table.Apply(s.State, round); st.Stopped() || st.Stage != table.Sorting {
		t.Fatal(st.Faults)
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
			s, c := keying(t, tt.prepare)
			s.refuses(t, 2, c.opening(t, s), tt.want)
		})
	}
}

// Lock keys that add up to nothing, each with a good proof: it takes everybody
// together, and the joint key would hide no card. The last seat stands for all.
func TestLockKeysThatCancel(t *testing.T) {
	s, c := keying(t, func(s *scene, c *cheat) {
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
	s, c := keying(t, func(s *scene, c *cheat) {
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
