package sigma

import (
	"fmt"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// Linear claims that the sum of Scalars[i] · Elements[i] is the identity.
type Linear struct {
	Scalars  []*group.Scalar
	Elements []*group.Element
}

// A Check is what is left to do of a verification once the challenges are
// recomputed. The proof holds exactly when all Equations do.
//
// Digest must be a hash of the statement and of the whole proof: a batch
// derives its weights from the digests alone, and whoever could change an
// equation without changing a digest could make errors cancel.
type Check struct {
	Digest    [32]byte
	Equations []Linear
}

// Check recomputes the challenges of p and returns the equations that remain.
// A proof that is missing or of another shape is an error.
func (c *Claim) Check(ctx []byte, p *Proof) (*Check, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := p.fits(c); err != nil {
		return nil, err
	}
	t, _ := c.begin(ctx)
	return c.check(t, p, challenge(t, p.commitments)), nil
}

// check writes the equations of p for the challenge total. t has recorded the
// statement and the commitments.
func (c *Claim) check(t *transcript.Transcript, p *Proof, total *group.Scalar) *Check {
	t.AppendScalars("challenges", p.challenges...)
	t.AppendScalars("responses", p.responses...)
	check := &Check{Digest: t.Digest("proof")}
	commitments, challenges, responses := p.commitments, p.challenges, p.responses
	for _, rels := range c.clauses {
		rest := total
		for j, rel := range rels {
			own := rest
			if j < len(rels)-1 {
				own, challenges = challenges[0], challenges[1:]
				rest = rest.Sub(own)
			}
			for i, eq := range rel.equations {
				check.Equations = append(check.Equations, eq.linear(commitments[i], own, responses))
			}
			commitments, responses = commitments[len(rel.equations):], responses[rel.secrets:]
		}
	}
	return check
}

// linear is commitment + challenge · Image - sum(±response · Base).
// The commitment keeps the scalar 1, which stays short under a batch's weight.
func (eq equation) linear(commitment *group.Element, challenge *group.Scalar, responses []*group.Scalar) Linear {
	l := Linear{
		Scalars:  make([]*group.Scalar, 0, len(eq.terms)+2),
		Elements: make([]*group.Element, 0, len(eq.terms)+2),
	}
	l.add(group.ScalarFromUint64(1), commitment)
	l.add(challenge, eq.image)
	for _, t := range eq.terms {
		z := responses[t.secret.index]
		if !t.negative {
			z = z.Neg()
		}
		l.add(z, t.base)
	}
	return l
}

func (l *Linear) add(s *group.Scalar, e *group.Element) {
	l.Scalars, l.Elements = append(l.Scalars, s), append(l.Elements, e)
}

func (l Linear) wellFormed() bool {
	if len(l.Scalars) == 0 || len(l.Scalars) != len(l.Elements) {
		return false
	}
	for i := range l.Scalars {
		if l.Scalars[i] == nil || l.Elements[i] == nil {
			return false
		}
	}
	return true
}

// wellFormed reports whether there is something to verify and nothing missing.
// A check without equations would hold of anything, so it is refused.
func (c *Check) wellFormed() error {
	if c == nil || len(c.Equations) == 0 {
		return fmt.Errorf("%w: nothing to check", ErrRefused)
	}
	for i, l := range c.Equations {
		if !l.wellFormed() {
			return fmt.Errorf("%w: equation %d is malformed", ErrRefused, i)
		}
	}
	return nil
}

// Verify evaluates every equation on its own, without weights.
func (c *Check) Verify() error {
	if err := c.wellFormed(); err != nil {
		return err
	}
	for i, l := range c.Equations {
		if !group.VarTimeMultiMul(l.Scalars, l.Elements).IsIdentity() {
			return fmt.Errorf("%w: equation %d does not hold", ErrRefused, i)
		}
	}
	return nil
}

// Verify checks a single proof.
func Verify(ctx []byte, c *Claim, p *Proof) error {
	check, err := c.Check(ctx, p)
	if err != nil {
		return err
	}
	return check.Verify()
}
