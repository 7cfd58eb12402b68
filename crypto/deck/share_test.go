package deck

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// dealing is a quorum with its secrets, and cards under its joint key.
type dealing struct {
	t       *testing.T
	rand    *seat // who draws what the table needs
	deck    *Deck
	locks   []*group.Scalar
	quorum  *elgamal.Quorum
	cards   []elgamal.Ciphertext // card i of the deck
	players []*seat
}

// newDealing makes n lock keys of which threshold open.
func newDealing(t *testing.T, n, threshold int) *dealing {
	t.Helper()
	dl := &dealing{t: t, rand: newSeat(t, "dealing"), deck: New("clue", 12)}
	coefficients := make([]*group.Scalar, threshold)
	for i := range coefficients {
		coefficients[i] = dl.rand.scalar()
	}
	var keys []*group.Element
	for j := range n {
		x := dl.rand.scalar()
		if threshold < n {
			x = group.ScalarFromUint64(0)
			for i := range coefficients {
				x = x.Mul(group.ScalarFromUint64(uint64(j) + 1)).Add(coefficients[threshold-1-i])
			}
		}
		dl.locks, keys = append(dl.locks, x), append(keys, group.BaseMul(x))
		dl.players = append(dl.players, newSeat(t, fmt.Sprint("player ", j)))
	}
	var err error
	if dl.quorum, err = elgamal.NewQuorum(keys, threshold); err != nil {
		t.Fatal(err)
	}
	for i := range dl.deck.Len() {
		dl.cards = append(dl.cards, elgamal.Encrypt(dl.deck.Card(i), dl.quorum.Joint(), dl.rand.scalar()))
	}
	return dl
}

// unlock returns the checked shares of helpers, each parsed from its bytes.
func (dl *dealing) unlock(tasks []Task, helpers ...int) []*Share {
	dl.t.Helper()
	var out []*Share
	for _, j := range helpers {
		s, err := Unlock(here, dl.locks[j], tasks, dl.rand.rand)
		if err != nil {
			dl.t.Fatal(err)
		}
		b := s.Bytes()
		if len(b) != ShareSize(tasks) {
			dl.t.Errorf("share has %d bytes, want %d", len(b), ShareSize(tasks))
		}
		if s, err = ParseShare(tasks, b); err != nil {
			dl.t.Fatal(err)
		}
		if !bytes.Equal(s.Bytes(), b) {
			dl.t.Error("another encoding after parsing")
		}
		c, err := CheckShare(here, dl.quorum.Key(j), tasks, s)
		accepted(dl.t, c, err)
		out = append(out, s)
	}
	return out
}

func TestRevealAndHandOver(t *testing.T) {
	for _, c := range []struct {
		n, threshold int
		helpers      []int
	}{
		{1, 1, []int{0}},
		{2, 2, []int{0, 1}},
		{3, 3, []int{0, 1, 2}},
		{3, 3, []int{2, 0, 1}},
		{4, 3, []int{0, 1, 2}},
		{4, 3, []int{3, 1, 2}},
		{4, 3, []int{0, 1, 2, 3}},
		{5, 2, []int{4, 0}},
	} {
		t.Run(fmt.Sprint(c.n, c.threshold, c.helpers), func(t *testing.T) {
			dl := newDealing(t, c.n, c.threshold)
			to := dl.players[0]
			p := dl.deck.Card(9) // any point will do for a raise
			tasks := []Task{HandOver(dl.cards[4], to.key), Reveal(dl.cards[7]), Raise(p), HandOver(dl.cards[1], to.key)}
			shares := dl.unlock(tasks, c.helpers...)
			if m, err := Opened(dl.quorum, c.helpers, tasks, shares, 1); err != nil || !m.Equal(dl.deck.Card(7)) {
				t.Errorf("revealed another card, %v", err)
			}
			for i, want := range map[int]int{0: 4, 3: 1} {
				ct, err := Handed(dl.quorum, c.helpers, tasks, shares, i)
				if err != nil {
					t.Fatal(err)
				}
				if got, ok := dl.deck.Index(ct.Decrypt(to.y)); !ok || got != want {
					t.Errorf("task %d hands over card %d, want %d", i, got, want)
				}
			}
			z, err := Opened(dl.quorum, c.helpers, tasks, shares, 2)
			if err != nil {
				t.Fatal(err)
			}
			w, err := dl.quorum.Weights(c.helpers)
			if err != nil {
				t.Fatal(err)
			}
			x := group.ScalarFromUint64(0)
			for k, j := range c.helpers {
				x = x.Add(w[k].Mul(dl.locks[j]))
			}
			if !z.Equal(p.Mul(x)) {
				t.Error("raised to another secret")
			}
		})
	}
}

func TestAddingUpRefuses(t *testing.T) {
	dl := newDealing(t, 3, 3)
	all := []int{0, 1, 2}
	tasks := []Task{Reveal(dl.cards[0]), HandOver(dl.cards[1], dl.players[0].key)}
	shares := dl.unlock(tasks, all...)
	other := dl.unlock(tasks[:1], 1)[0]
	for name, err := range map[string]error{
		"too few":          opens(dl.quorum, all[:2], tasks, shares[:2], 0),
		"doubled helper":   opens(dl.quorum, []int{0, 1, 1}, tasks, shares, 0),
		"unknown helper":   opens(dl.quorum, []int{0, 1, 3}, tasks, shares, 0),
		"negative helper":  opens(dl.quorum, []int{0, 1, -1}, tasks, shares, 0),
		"missing share":    opens(dl.quorum, all, tasks, []*Share{shares[0], nil, shares[2]}, 0),
		"empty share":      opens(dl.quorum, all, tasks, []*Share{shares[0], {}, shares[2]}, 0),
		"other tasks":      opens(dl.quorum, all, tasks, []*Share{shares[0], other, shares[2]}, 0),
		"fewer shares":     opens(dl.quorum, all, tasks, shares[:2], 0),
		"no such task":     opens(dl.quorum, all, tasks, shares, 2),
		"negative task":    opens(dl.quorum, all, tasks, shares, -1),
		"open a hand over": opens(dl.quorum, all, tasks, shares, 1),
		"no quorum":        opens(nil, all, tasks, shares, 0),
		"empty tasks":      opens(dl.quorum, all, []Task{{}, {}}, shares, 0),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Handed(dl.quorum, all, tasks, shares, 0); err == nil {
		t.Error("a reveal is handed over")
	}
	if _, err := Handed(dl.quorum, all[:2], tasks, shares[:2], 1); err == nil {
		t.Error("two of three hand over")
	}
}

func opens(q *elgamal.Quorum, helpers []int, tasks []Task, shares []*Share, i int) error {
	_, err := Opened(q, helpers, tasks, shares, i)
	return err
}

// Helpers who choose their masks together could cancel them, and the card would
// lie open. Their proofs are true.
func TestHandOverThatCancels(t *testing.T) {
	dl := newDealing(t, 2, 2)
	tasks := []Task{HandOver(dl.cards[0], dl.players[0].key)}
	rho := dl.rand.scalar()
	shares := []*Share{
		dl.lie(tasks, 0, dl.locks[0], []*group.Scalar{rho}, nil),
		dl.lie(tasks, 1, dl.locks[1], []*group.Scalar{rho.Neg()}, nil),
	}
	for j, s := range shares {
		c, err := CheckShare(here, dl.quorum.Key(j), tasks, s)
		accepted(t, c, err)
	}
	if _, err := Handed(dl.quorum, []int{0, 1}, tasks, shares, 0); !errors.Is(err, ErrIdentity) {
		t.Errorf("Handed: %v", err)
	}
}

// lie makes a share of helper j with lock key x and masks rho, true but for what
// bend does to its points.
func (dl *dealing) lie(tasks []Task, j int, x *group.Scalar, rho []*group.Scalar, bend func(points []*group.Element)) *Share {
	dl.t.Helper()
	var points []*group.Element
	left := rho
	for _, task := range tasks {
		switch task.kind {
		case handOver:
			points = append(points, group.BaseMul(left[0]), task.card.A.Mul(x).Add(task.to.Mul(left[0])))
			left = left[1:]
		case reveal:
			points = append(points, task.card.A.Mul(x))
		default:
			points = append(points, task.base.Mul(x))
		}
	}
	if bend != nil {
		bend(points)
	}
	l := liar{dl.t, shareClaim(dl.quorum.Key(j), tasks, points), sharePlace(here, tasks), dl.rand.rand}
	secrets := append([]*group.Scalar{x}, rho...)
	return &Share{body{points, l.prove([]clauseShape{{1, len(secrets)}}, []sigma.Known{{Secrets: secrets}})}}
}

// Equations of a share in these tasks: 0 X; 1 D of the reveal; 2, 3 R and S of
// the hand over; 4 the raise.
func TestForgedShares(t *testing.T) {
	dl := newDealing(t, 3, 3)
	tasks := []Task{Reveal(dl.cards[0]), HandOver(dl.cards[1], dl.players[0].key), Raise(dl.deck.Card(5))}
	add := func(at int, e *group.Element) func([]*group.Element) {
		return func(points []*group.Element) { points[at] = points[at].Add(e) }
	}
	noise := group.BaseMul(dl.rand.scalar())
	other := dl.cards[2].A.Sub(dl.cards[0].A).Mul(dl.locks[1])
	for _, c := range []struct {
		name     string
		x        *group.Scalar
		bend     func([]*group.Element)
		equation int
	}{
		{"another lock key", dl.rand.scalar(), nil, 0},
		{"foreign share", dl.locks[0], nil, 0},
		{"another ciphertext", dl.locks[1], add(0, other), 1},
		{"spoilt reveal", dl.locks[1], add(0, noise), 1},
		{"masked for nobody", dl.locks[1], add(1, noise), 2},
		{"masked for another", dl.locks[1], add(2, noise), 3},
		{"biased beacon", dl.locks[1], add(3, noise), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := dl.lie(tasks, 1, c.x, []*group.Scalar{dl.rand.scalar()}, c.bend)
			check, err := CheckShare(here, dl.quorum.Key(1), tasks, s)
			refused(t, check, err, c.equation)
		})
	}
	honest := dl.lie(tasks, 1, dl.locks[1], []*group.Scalar{dl.rand.scalar()}, nil)
	check, err := CheckShare(here, dl.quorum.Key(1), tasks, honest)
	accepted(t, check, err)
}

// A share is good for its list of tasks, in its order, for its receiver, from
// its helper, in its place.
func TestShareForSomethingElse(t *testing.T) {
	dl := newDealing(t, 3, 3)
	to, other := dl.players[0].key, dl.players[1].key
	c0, c1, c2 := dl.cards[0], dl.cards[1], dl.cards[2]
	p := dl.deck.Card(3)
	tasks := []Task{Reveal(c0), HandOver(c1, to), HandOver(c2, to), Raise(p)}
	share := dl.unlock(tasks, 1)[0]
	bentB := c0
	bentB.B = bentB.B.Add(group.Base()) // B is in no equation
	bentHand := c1
	bentHand.B = bentHand.B.Add(group.Base())
	for name, c := range map[string]struct {
		ctx   []byte
		key   *group.Element
		tasks []Task
	}{
		"another context":               {[]byte("game 2"), dl.quorum.Key(1), tasks},
		"another helper":                {here, dl.quorum.Key(0), tasks},
		"identity as lock key":          {here, group.Identity(), tasks},
		"no lock key":                   {here, nil, tasks},
		"another ciphertext":            {here, dl.quorum.Key(1), []Task{Reveal(c1), tasks[1], tasks[2], tasks[3]}},
		"another ciphertext to hand":    {here, dl.quorum.Key(1), []Task{tasks[0], HandOver(c0, to), tasks[2], tasks[3]}},
		"another second half":           {here, dl.quorum.Key(1), []Task{Reveal(bentB), tasks[1], tasks[2], tasks[3]}},
		"another second half to hand":   {here, dl.quorum.Key(1), []Task{tasks[0], HandOver(bentHand, to), tasks[2], tasks[3]}},
		"another position":              {here, dl.quorum.Key(1), []Task{tasks[0], tasks[2], tasks[1], tasks[3]}},
		"another recipient":             {here, dl.quorum.Key(1), []Task{tasks[0], HandOver(c1, other), tasks[2], tasks[3]}},
		"another point":                 {here, dl.quorum.Key(1), []Task{tasks[0], tasks[1], tasks[2], Raise(c0.A)}},
		"a raise instead of the reveal": {here, dl.quorum.Key(1), []Task{Raise(c0.A), tasks[1], tasks[2], tasks[3]}},
		"fewer tasks":                   {here, dl.quorum.Key(1), tasks[:3]},
		"no tasks":                      {here, dl.quorum.Key(1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			check, err := CheckShare(c.ctx, c.key, c.tasks, share)
			refused(t, check, err)
		})
	}
	for _, s := range []*Share{nil, {}} {
		check, err := CheckShare(here, dl.quorum.Key(1), tasks, s)
		refused(t, check, err)
	}
}

// A reveal turned into a hand over keeps its bytes apart, and the other way
// round: kinds are bound, not only elements.
func TestRaiseOfACardIsNoReveal(t *testing.T) {
	dl := newDealing(t, 1, 1)
	raised := []Task{Raise(dl.cards[0].A)}
	s := dl.unlock(raised, 0)[0]
	check, err := CheckShare(here, dl.quorum.Key(0), []Task{Reveal(dl.cards[0])}, s)
	refused(t, check, err)
}

func TestTasksThatHideNothing(t *testing.T) {
	dl := newDealing(t, 1, 1)
	for name, task := range map[string]Task{
		"empty":                   {},
		"open card":               Reveal(elgamal.Plain(dl.deck.Card(0))),
		"no card":                 Reveal(elgamal.Ciphertext{}),
		"open card to hand":       HandOver(elgamal.Plain(dl.deck.Card(0)), dl.players[0].key),
		"identity as recipient":   HandOver(dl.cards[0], group.Identity()),
		"no recipient":            HandOver(dl.cards[0], nil),
		"identity as point":       Raise(group.Identity()),
		"no point":                Raise(nil),
		"no card for a recipient": HandOver(elgamal.Ciphertext{}, dl.players[0].key),
	} {
		tasks := []Task{Reveal(dl.cards[0]), task}
		if _, err := Unlock(here, dl.locks[0], tasks, dl.rand.rand); err == nil {
			t.Errorf("Unlock: %s is accepted", name)
		}
		if _, err := ParseShare(tasks, make([]byte, ShareSize(tasks))); err == nil {
			t.Errorf("ParseShare: %s is accepted", name)
		}
		honest := []Task{tasks[0], Reveal(dl.cards[1])}
		if task.kind == handOver {
			honest[1] = HandOver(dl.cards[1], dl.players[0].key)
		}
		share := dl.unlock(honest, 0)
		if _, err := CheckShare(here, dl.quorum.Key(0), tasks, share[0]); err == nil {
			t.Errorf("CheckShare: %s is accepted", name)
		}
		if _, err := Opened(dl.quorum, []int{0}, tasks, share, 1); err == nil {
			t.Errorf("Opened: %s is accepted", name)
		}
		if _, err := Handed(dl.quorum, []int{0}, tasks, share, 1); err == nil {
			t.Errorf("Handed: %s is accepted", name)
		}
	}
	if _, err := Unlock(here, dl.locks[0], nil, dl.rand.rand); err == nil {
		t.Error("Unlock of nothing is accepted")
	}
}

// A lock key of zero takes no layer off, and its proof is true. It hands nothing
// but its mask over.
func TestShareOfNoLockKey(t *testing.T) {
	dl := newDealing(t, 1, 1)
	tasks := []Task{HandOver(dl.cards[0], dl.players[0].key)}
	zero, rho := group.ScalarFromUint64(0), dl.rand.scalar()
	points := []*group.Element{group.BaseMul(rho), dl.players[0].key.Mul(rho)}
	l := liar{t, shareClaim(group.Identity(), tasks, points), sharePlace(here, tasks), dl.rand.rand}
	s := &Share{body{points, l.prove([]clauseShape{{1, 2}}, []sigma.Known{{Secrets: []*group.Scalar{zero, rho}}})}}
	if _, err := CheckShare(here, group.Identity(), tasks, s); !errors.Is(err, ErrIdentity) {
		t.Errorf("CheckShare: %v", err)
	}
}

// The identity in a share is refused, wherever it stands: R = 0 would hand the
// card over in the open.
func TestShareWithIdentity(t *testing.T) {
	dl := newDealing(t, 2, 2)
	tasks := []Task{Reveal(dl.cards[0]), HandOver(dl.cards[1], dl.players[0].key), Raise(dl.deck.Card(5))}
	good := dl.unlock(tasks, 0)[0].Bytes()
	for at := range countPoints(tasks) {
		b := bytes.Clone(good)
		copy(b[32*at:], make([]byte, 32))
		if _, err := ParseShare(tasks, b); err == nil {
			t.Errorf("element %d may be the identity", at)
		}
	}
	zero := group.ScalarFromUint64(0)
	open := dl.lie(tasks, 0, dl.locks[0], []*group.Scalar{zero}, nil) // a true proof
	if _, err := CheckShare(here, dl.quorum.Key(0), tasks, open); !errors.Is(err, ErrIdentity) {
		t.Errorf("CheckShare: %v", err)
	}
}
