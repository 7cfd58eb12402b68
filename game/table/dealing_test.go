package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/dkg"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// sharing is a table of four at the round of the key shares.
func sharing(t testing.TB, leavers int) *scene {
	t.Helper()
	s := leavingScene(t, "sharing", "card", 4, leavers, rules.DefaultOptions(), nil)
	s.until(t, stage(table.Sharing))
	return s
}

// dealer makes dealings by hand, after the protocol: its shares need not lie on
// the polynomial that it committed to.
type dealer struct {
	ctx       []byte
	receivers []int
	keys      []*group.Element
	points    []*group.Element
	boxes     []*group.Scalar
	secrets   []*group.Scalar
}

// dealing seals to each other seat the share that bend makes of its true one.
func (s *scene) dealing(t testing.TB, from int, bend func(to int, share *group.Scalar) *group.Scalar) *dealer {
	t.Helper()
	d := &dealer{ctx: table.Context(s.State.Place(from), move.KindKeyShares, 0), receivers: s.State.Others(from)}
	rand := parlour.Rand("dealing")
	f := s.polynomial(t, from)
	for i, to := range d.receivers {
		r, err := group.RandomScalar(rand)
		if err != nil {
			t.Fatal(err)
		}
		key := s.State.Locks[to][0]
		d.keys, d.secrets = append(d.keys, key), append(d.secrets, r)
		d.points = append(d.points, group.BaseMul(r))
		d.boxes = append(d.boxes, bend(to, f.Share(to)).Add(d.mask(i, key.Mul(r))))
	}
	return d
}

func (d *dealer) mask(i int, dh *group.Element) *group.Scalar {
	return transcript.HashToScalar("dkg/mask", d.ctx, []byte{byte(i)}, elements(d.points[i], dh))
}

// bytes is the dealing with its proof.
func (d *dealer) bytes(t testing.TB) []byte {
	t.Helper()
	rel := sigma.NewRelation()
	var seats, boxes []byte
	for i, p := range d.points {
		rel.Equation(p, rel.Secret().Times(group.Base()))
		seats, boxes = append(seats, byte(d.receivers[i])), append(boxes, d.boxes[i].Bytes()...)
	}
	place := transcript.Hash("dkg/dealing", d.ctx, seats, elements(d.keys...), elements(d.points...), boxes)
	proof, err := sigma.ProveMade(place[:], sigma.NewClaim("dkg/dealing").Clause(rel), []sigma.Known{{Secrets: d.secrets}}, parlour.Rand("proof"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(elements(d.points...), boxes, proof.Bytes())
}

func elements(es ...*group.Element) (b []byte) {
	for _, e := range es {
		b = append(b, e.Bytes()...)
	}
	return b
}

// polynomial is what a seat has committed to, as the protocol derives it.
func (s *scene) polynomial(t testing.TB, i int) *dkg.Polynomial {
	t.Helper()
	_, x := s.keys(t, i)
	n := s.State.Threshold()
	return dkg.New(x, n, func(k int) *group.Scalar {
		return transcript.HashToScalar("coefficient", s.Secrets[i].Bytes()[32:64], []byte{byte(n), byte(k)})
	})
}

func honestly(_ int, share *group.Scalar) *group.Scalar { return share }

// said is the open round, honest but for some moves.
func (s *scene) said(t testing.TB, moves map[int]move.Move) []*feed.Signed {
	t.Helper()
	lies := map[int]*feed.Signed{}
	for i, m := range moves {
		kind, body := encoded(t, m)
		lies[i] = s.sealed(t, i, kind, body)
	}
	return s.round(t, lies)
}

// goesOn folds a round that nobody is to blame for, in the log as well.
func (s *scene) goesOn(t testing.TB, round []*feed.Signed) {
	t.Helper()
	next := table.Apply(s.State, round)
	if next.Stopped() || next.Round != s.State.Round+1 {
		t.Fatalf("%s: %v", s.State.Stage, next.Faults)
	}
	closes(t, s.Log, round, next)
	s.State, s.twin = next, next
}

// The machinery of the tests is sound: dealt by hand with the right shares, a
// dealing is taken, and each seat reads its share.
func TestDealingByHandIsHonest(t *testing.T) {
	for leavers := range 3 {
		if leavers == 0 {
			continue
		}
		s := sharing(t, leavers)
		s.goesOn(t, s.said(t, map[int]move.Move{2: &move.KeyShares{Dealing: s.dealing(t, 2, honestly).bytes(t)}}))
		if s.State.Stage != table.Vetting {
			t.Fatal(s.State.Stage)
		}
		for _, i := range s.State.Present() {
			if _, ok := s.honest(t, i).(*move.Checked); !ok {
				t.Errorf("seat %d complains", i)
			}
		}
		s.accepts(t)
		s.goesOn(t, s.round(t, nil))
		s.lockedRightly(t)
	}
}

// lockedRightly compares the joint key, and the key that each seat unlocks with,
// with what the secrets of the seats that dealt add up to.
func (s *scene) lockedRightly(t testing.TB) {
	t.Helper()
	st := s.State
	if !st.Quorum.Joint().Equal(group.BaseMul(s.joint(t))) || st.Quorum.Threshold() != st.Threshold() || st.Quorum.Size() != st.Seats() {
		t.Errorf("the joint key is not that of %v, %d of %d", st.Dealers, st.Threshold(), st.Seats())
	}
	for j := range st.Seats() {
		sum := group.ScalarFromUint64(0)
		for _, i := range st.Dealers {
			sum = sum.Add(s.polynomial(t, i).Share(j))
		}
		if !st.Quorum.Key(j).Equal(group.BaseMul(sum)) {
			t.Errorf("seat %d unlocks with another key than %v dealt it", j, st.Dealers)
		}
	}
}

// What all can see of a dealing is judged in the round in which it is dealt.
func TestFalseDealings(t *testing.T) {
	s := sharing(t, 1)
	s.accepts(t)
	good := func() *dealer { return s.dealing(t, 2, honestly) }
	spoil := func(at int, with byte) []byte {
		b := good().bytes(t)
		b[at] = with
		return b
	}
	by := func(change func(d *dealer)) []byte {
		d := good()
		change(d)
		return d.bytes(t)
	}
	one := group.ScalarFromUint64(1)
	for name, b := range map[string][]byte{
		"nothing":        {},
		"one byte short": good().bytes(t)[:dkg.DealingSize(3)-1],
		"one byte long":  append(good().bytes(t), 0),
		"one receiver less": by(func(d *dealer) {
			d.receivers, d.points, d.boxes = d.receivers[:2], d.points[:2], d.boxes[:2]
			d.secrets = d.secrets[:2]
		}),
		"no receiver's proof":  append(good().bytes(t)[:6*32], make([]byte, 6*32)...),
		"itself as receiver":   by(func(d *dealer) { d.receivers, d.keys[2] = []int{0, 1, 2}, s.State.Locks[2][0] }),
		"other receivers":      by(func(d *dealer) { d.receivers = []int{1, 0, 3} }),
		"other keys":           by(func(d *dealer) { d.keys[0], d.keys[1] = d.keys[1], d.keys[0] }),
		"sealed to seat keys":  by(func(d *dealer) { d.keys = s.State.SeatKeys; d.keys = []*group.Element{d.keys[0], d.keys[1], d.keys[3]} }),
		"another table":        by(func(d *dealer) { d.ctx = slices.Clone(d.ctx); d.ctx[0] ^= 1 }),
		"another dealer's":     s.honest(t, 1).(*move.KeyShares).Dealing,
		"a point of another's": append(slices.Clone(s.honest(t, 1).(*move.KeyShares).Dealing[:32]), good().bytes(t)[32:]...),
		"a point no element":   spoil(31, 0xff),
		"a box out of range":   spoil(3*32+31, 0xff),
		"a box changed":        spoil(3*32, good().bytes(t)[3*32]^1),
		"a point unknown":      by(func(d *dealer) { d.points[1] = d.points[1].Add(group.Base()) }),
		"proof of one bit":     spoil(9*32, good().bytes(t)[9*32]^1),
		"the identity": by(func(d *dealer) {
			d.points[0], d.secrets[0] = group.Identity(), group.ScalarFromUint64(0)
		}),
		"noise":              slices.Repeat([]byte{0x5a}, dkg.DealingSize(3)),
		"a box after proof":  by(func(d *dealer) { d.boxes[2] = d.boxes[2].Add(one) })[:dkg.DealingSize(3)-1],
		"room for all seats": append(good().bytes(t), make([]byte, 128)...),
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, 2, &move.KeyShares{Dealing: b}, table.RuleKeyShare) })
	}
}

// A dealing is to those who are present. To one who has left, nothing is dealt,
// and what was made for the round before the leave is of no use.
func TestDealingAfterALeave(t *testing.T) {
	s := sharing(t, 1)
	old := s.honest(t, 2).(*move.KeyShares)
	s.leave(t, 3)
	s.twin = s.State
	s.refuses(t, 2, old, table.RuleKeyShare)
	four := s.dealing(t, 2, honestly)
	four.receivers, four.keys = []int{0, 1, 3}, append(four.keys, s.State.Locks[3][0])
	four.points, four.boxes, four.secrets = append(four.points, four.points[0]), append(four.boxes, four.boxes[0]), append(four.secrets, four.secrets[0])
	s.refuses(t, 2, &move.KeyShares{Dealing: four.bytes(t)}, table.RuleKeyShare)
	two := s.dealing(t, 2, honestly)
	two.ctx = table.Context(s.left[0].before.Place(2), move.KindKeyShares, 0)
	s.refuses(t, 2, &move.KeyShares{Dealing: two.bytes(t)}, table.RuleKeyShare)
	s.accepts(t)
	s.goesOn(t, s.round(t, nil))
	if got := s.State.KeyShares[3]; got != nil {
		t.Error("who has left is a dealer")
	}
	s.accepts(t)
	s.goesOn(t, s.round(t, nil))
	if !slices.Equal(s.State.Dealers, []int{0, 1, 2}) {
		t.Errorf("shares of %v count", s.State.Dealers)
	}
	s.lockedRightly(t)
}
