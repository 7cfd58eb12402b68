package deck

import (
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// scene is one true message of each kind, with a way to check it that takes all
// public inputs from the scene. Tests bend the inputs and the messages.
type scene struct {
	ctx             []byte
	key, asker      *group.Element
	hand            []elgamal.Ciphertext
	asked, notAsked []*group.Element // the hand holds one of asked, none of notAsked
	tasks           []Task
	lock            *group.Element
	choices         [][]*group.Element
	guess, crime    []elgamal.Ciphertext
	guessed         []*group.Element

	secrets struct{ y, lock *group.Scalar }
}

func newScene(t testing.TB) *scene {
	t.Helper()
	d := New("clue", 12)
	s, asker, lock := newSeat(t, "scene"), newSeat(t, "scene asker"), newSeat(t, "scene lock")
	sc := &scene{
		ctx: []byte("game 1, round 4, seat 0"), key: s.key, asker: asker.key, lock: lock.key,
		hand:  s.hold(pick(d, 0, 1, 2)...),
		asked: pick(d, 1, 9), notAsked: pick(d, 5, 6),
		tasks: []Task{
			HandOver(lock.hold(d.Card(3))[0], s.key), Reveal(lock.hold(d.Card(4))[0]), Raise(d.Card(11)),
		},
		choices: [][]*group.Element{pick(d, 0, 1), pick(d, 6, 7, 8)},
		guessed: pick(d, 0, 7),
		crime:   s.hold(pick(d, 1, 7)...),
	}
	sc.secrets.y, sc.secrets.lock = s.y, lock.y
	g, err := MakeGuess(sc.ctx, sc.key, sc.choices, []int{0, 1}, s.rand)
	if err != nil {
		t.Fatal(err)
	}
	sc.guess = g.Cards()
	return sc
}

func (sc *scene) clone() *scene {
	c := *sc
	c.hand, c.asked, c.notAsked = slices.Clone(sc.hand), slices.Clone(sc.asked), slices.Clone(sc.notAsked)
	c.tasks, c.guess, c.crime = slices.Clone(sc.tasks), slices.Clone(sc.guess), slices.Clone(sc.crime)
	c.guessed = slices.Clone(sc.guessed)
	c.choices = slices.Clone(sc.choices)
	for i := range c.choices {
		c.choices[i] = slices.Clone(c.choices[i])
	}
	return &c
}

// kind is one kind of message: made from a scene and a random source, parsed and
// checked against a scene.
type kind struct {
	name  string
	make  func(sc *scene, ctx []byte, rand reader) ([]byte, error)
	check func(sc *scene, b []byte) (*sigma.Check, error)
}

type reader = interface{ Read([]byte) (int, error) }

var kinds = []kind{
	{"share", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := Unlock(ctx, sc.secrets.lock, sc.tasks, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseShare(sc.tasks, b)
		if err != nil {
			return nil, err
		}
		return CheckShare(sc.ctx, sc.lock, sc.tasks, m)
	}},
	{"denial", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := Deny(ctx, sc.secrets.y, sc.hand, sc.notAsked, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseDenial(len(sc.hand), len(sc.notAsked), b)
		if err != nil {
			return nil, err
		}
		return CheckDenial(sc.ctx, sc.key, sc.hand, sc.notAsked, m)
	}},
	{"showing", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := Show(ctx, sc.secrets.y, sc.hand, 1, sc.asked, 0, sc.asker, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseShowing(len(sc.hand), len(sc.asked), b)
		if err != nil {
			return nil, err
		}
		return CheckShowing(sc.ctx, sc.key, sc.hand, sc.asked, sc.asker, m)
	}},
	{"guess", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := MakeGuess(ctx, sc.key, sc.choices, []int{0, 1}, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseGuess(sc.lens(), b)
		if err != nil {
			return nil, err
		}
		return CheckGuess(sc.ctx, sc.key, sc.choices, m)
	}},
	{"opening", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := Open(ctx, sc.secrets.y, sc.guess, sc.guessed, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseOpening(len(sc.guess), b)
		if err != nil {
			return nil, err
		}
		return CheckOpening(sc.ctx, sc.key, sc.guess, sc.guessed, m)
	}},
	{"difference", func(sc *scene, ctx []byte, rand reader) ([]byte, error) {
		m, err := Differ(ctx, sc.secrets.y, sc.crime, sc.guess, rand)
		if err != nil {
			return nil, err
		}
		return m.Bytes(), nil
	}, func(sc *scene, b []byte) (*sigma.Check, error) {
		m, err := ParseDifference(len(sc.guess), b)
		if err != nil {
			return nil, err
		}
		return CheckDifference(sc.ctx, sc.key, sc.crime, sc.guess, m)
	}},
}

func (sc *scene) lens() []int {
	out := make([]int, len(sc.choices))
	for i, c := range sc.choices {
		out[i] = len(c)
	}
	return out
}

// message returns the honest message of a kind in this scene.
func (k kind) message(t testing.TB, sc *scene) []byte {
	t.Helper()
	b, err := k.make(sc, sc.ctx, seeded("message "+k.name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
