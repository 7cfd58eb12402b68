package deck

import (
	"errors"
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

type taskKind byte

const (
	reveal taskKind = iota + 1
	handOver
	raise
)

func (k taskKind) String() string {
	switch k {
	case reveal:
		return "reveal"
	case handOver:
		return "hand over"
	case raise:
		return "raise"
	}
	return "none"
}

// Task is one thing helpers do together with their lock keys. It is made by
// Reveal, HandOver and Raise; all helpers must make the same list of them from
// the agreed state of the game.
type Task struct {
	kind taskKind
	card elgamal.Ciphertext // reveal, handOver
	to   *group.Element     // handOver
	base *group.Element     // raise
}

// Reveal turns the card c, under the joint key, up for everybody.
func Reveal(c elgamal.Ciphertext) Task { return Task{kind: reveal, card: c} }

// HandOver gives the card c, under the joint key, to the holder of the seat key
// `to` and to nobody else.
func HandOver(c elgamal.Ciphertext, to *group.Element) Task {
	return Task{kind: handOver, card: c, to: to}
}

// Raise publishes x P under the joint secret x, for package beacon. P must be a
// hash to the group, such as beacon.Point: for the first half of a card, Raise
// would be a Reveal in disguise.
func Raise(p *group.Element) Task { return Task{kind: raise, base: p} }

// points returns how many elements a share has for the task.
func (t Task) points() int {
	if t.kind == handOver {
		return 2
	}
	return 1
}

// elements lists all that the task speaks of.
func (t Task) elements() []*group.Element {
	switch t.kind {
	case reveal:
		return []*group.Element{t.card.A, t.card.B}
	case handOver:
		return []*group.Element{t.card.A, t.card.B, t.to}
	default:
		return []*group.Element{t.base}
	}
}

func checkTasks(tasks []Task) error {
	if len(tasks) == 0 {
		return errors.New("share without tasks")
	}
	for i, t := range tasks {
		if err := t.check(); err != nil {
			return fmt.Errorf("task %d (%v): %w", i, t.kind, err)
		}
	}
	return nil
}

func (t Task) check() error {
	switch t.kind {
	case reveal:
		return usableCards("card", []elgamal.Ciphertext{t.card})
	case handOver:
		if err := usableCards("card", []elgamal.Ciphertext{t.card}); err != nil {
			return err
		}
		return usable("receiver", t.to)
	case raise:
		return usable("point", t.base)
	}
	return errors.New("task is empty")
}

// countPoints returns the number of elements in a share for tasks.
func countPoints(tasks []Task) int {
	n := 0
	for _, t := range tasks {
		n += t.points()
	}
	return n
}

// shareClaim says, with one x for all tasks and one rho for each hand over:
//
//	X = x G
//	reveal     D = x A
//	hand over  R = rho G,  S = x A + rho Y_to
//	raise      D = x P
//
// The secrets are x, then the rho in order of the tasks.
func shareClaim(key *group.Element, tasks []Task, points []*group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	x := rel.Secret()
	rel.Equation(key, x.Times(group.Base()))
	for _, t := range tasks {
		switch t.kind {
		case handOver:
			rho := rel.Secret()
			rel.Equation(points[0], rho.Times(group.Base()))
			rel.Equation(points[1], x.Times(t.card.A), rho.Times(t.to))
		case reveal:
			rel.Equation(points[0], x.Times(t.card.A))
		default:
			rel.Equation(points[0], x.Times(t.base))
		}
		points = points[t.points():]
	}
	return sigma.NewClaim("deck/share").Clause(rel)
}

// shareShape is shareClaim with stand-ins for all elements.
func shareShape(tasks []Task) *sigma.Claim {
	blank := make([]Task, len(tasks))
	for i, t := range tasks {
		g := group.Base()
		blank[i] = Task{kind: t.kind, card: elgamal.Ciphertext{A: g, B: g}, to: g, base: g}
	}
	return shareClaim(group.Base(), blank, stand(countPoints(tasks)))
}

// sharePlace binds kinds, order and every element of the tasks.
func sharePlace(ctx []byte, tasks []Task) []byte {
	kinds := make([]byte, len(tasks))
	var es []*group.Element
	for i, t := range tasks {
		kinds[i] = byte(t.kind)
		es = append(es, t.elements()...)
	}
	h := transcript.Hash("deck/share", ctx, kinds, encodings(es))
	return h[:]
}
