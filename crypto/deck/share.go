package deck

import (
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/sigma"
)

// Share is one helper's part in a list of tasks, with the proof that it was made
// with the helper's lock key.
type Share struct{ body }

// Unlock makes the share of the holder of lock key x in tasks: one proof for all
// of them. The shuffles the cards come from must have been verified before. A
// new share for the same card gives it to somebody else without making the two
// add up to a Reveal, since each hand over is masked by its own rho.
func Unlock(ctx []byte, x *group.Scalar, tasks []Task, rand io.Reader) (*Share, error) {
	if err := checkTasks(tasks); err != nil {
		return nil, err
	}
	key := group.BaseMul(x)
	here := sharePlace(ctx, tasks)
	src, err := hedge.New("deck/share", rand, []*group.Scalar{x}, here)
	if err != nil {
		return nil, err
	}
	secrets := []*group.Scalar{x}
	points := make([]*group.Element, 0, countPoints(tasks))
	for _, t := range tasks {
		switch t.kind {
		case handOver:
			rho := src.Scalar()
			secrets = append(secrets, rho)
			points = append(points, group.BaseMul(rho), t.card.A.Mul(x).Add(t.to.Mul(rho)))
		case reveal:
			points = append(points, t.card.A.Mul(x))
		default:
			points = append(points, t.base.Mul(x))
		}
	}
	proof, err := sigma.ProveMade(here, shareClaim(key, tasks, points), []sigma.Known{{Secrets: secrets}}, rand)
	if err != nil {
		return nil, err
	}
	return &Share{body{points, proof}}, nil
}

// ShareSize returns the length in bytes of a share in tasks.
func ShareSize(tasks []Task) int {
	return bodySize(countPoints(tasks), shareShape(tasks))
}

// ParseShare reads a share in tasks. It refuses any other length, encodings that
// are not canonical, and the identity.
func ParseShare(tasks []Task, b []byte) (*Share, error) {
	if err := checkTasks(tasks); err != nil {
		return nil, err
	}
	m, err := parseBody(b, countPoints(tasks), shareShape(tasks))
	if err != nil {
		return nil, fmt.Errorf("share: %w", err)
	}
	return &Share{m}, nil
}

// CheckShare returns what remains to be verified of the share s in tasks made
// with the lock key behind key = x G.
func CheckShare(ctx []byte, key *group.Element, tasks []Task, s *Share) (*sigma.Check, error) {
	if err := checkTasks(tasks); err != nil {
		return nil, err
	}
	if err := usable("lock key", key); err != nil {
		return nil, err
	}
	if err := s.fit(tasks); err != nil {
		return nil, err
	}
	return shareClaim(key, tasks, s.points).Check(sharePlace(ctx, tasks), s.proof)
}

func (s *Share) fit(tasks []Task) error {
	if s == nil {
		return fmt.Errorf("share is missing")
	}
	if err := s.fits(countPoints(tasks)); err != nil {
		return fmt.Errorf("share: %w", err)
	}
	return nil
}

// Opened adds up task i, a Reveal or a Raise, from the shares of helpers (seats
// of q, in the order of shares). For a Reveal it returns the card
// M = B - sum l_j D_j, for a Raise the point sum l_j x_j P. Every share must
// have passed CheckShare with the key of its helper.
func Opened(q *elgamal.Quorum, helpers []int, tasks []Task, shares []*Share, i int) (*group.Element, error) {
	weights, at, err := gather(q, helpers, tasks, shares, i)
	if err != nil {
		return nil, err
	}
	sum := weightedSum(weights, shares, at)
	switch t := tasks[i]; t.kind {
	case reveal:
		return t.card.B.Sub(sum), nil
	case raise:
		return sum, nil
	default:
		return nil, fmt.Errorf("task %d is to %v, not to open", i, t.kind)
	}
}

// Handed adds up task i, a HandOver, and returns the card under the receiver's
// key alone: (-sum l_j R_j, B - sum l_j S_j). It refuses a first half that is
// the identity, which would lie open. Every share must have passed CheckShare
// with the key of its helper.
func Handed(q *elgamal.Quorum, helpers []int, tasks []Task, shares []*Share, i int) (elgamal.Ciphertext, error) {
	weights, at, err := gather(q, helpers, tasks, shares, i)
	if err != nil {
		return elgamal.Ciphertext{}, err
	}
	t := tasks[i]
	if t.kind != handOver {
		return elgamal.Ciphertext{}, fmt.Errorf("task %d is to %v, not to hand over", i, t.kind)
	}
	c := elgamal.Ciphertext{
		A: weightedSum(weights, shares, at).Neg(),
		B: t.card.B.Sub(weightedSum(weights, shares, at+1)),
	}
	if c.A.IsIdentity() {
		return elgamal.Ciphertext{}, fmt.Errorf("card handed over in task %d: %w", i, ErrIdentity)
	}
	return c, nil
}

// gather checks that shares and helpers belong together and returns the weights
// and the place of task i in a share.
func gather(q *elgamal.Quorum, helpers []int, tasks []Task, shares []*Share, i int) ([]*group.Scalar, int, error) {
	if q == nil || i < 0 || i >= len(tasks) {
		return nil, 0, fmt.Errorf("no task %d of %d, or no quorum", i, len(tasks))
	}
	if err := checkTasks(tasks); err != nil {
		return nil, 0, err
	}
	if len(shares) != len(helpers) {
		return nil, 0, fmt.Errorf("%d shares of %d helpers", len(shares), len(helpers))
	}
	for j, s := range shares {
		if err := s.fit(tasks); err != nil {
			return nil, 0, fmt.Errorf("helper %d: %w", helpers[j], err)
		}
	}
	weights, err := q.Weights(helpers)
	if err != nil {
		return nil, 0, err
	}
	return weights, countPoints(tasks[:i]), nil
}

// weightedSum returns sum weights_j of element `at` of each share. Shares are
// public.
func weightedSum(weights []*group.Scalar, shares []*Share, at int) *group.Element {
	es := make([]*group.Element, len(shares))
	for j, s := range shares {
		es[j] = s.points[at]
	}
	return group.VarTimeMultiMul(weights, es)
}
