package sigma

import (
	"crypto/subtle"
	"fmt"
	"io"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// Known is what the prover knows of one clause: the branch that holds (0 where
// there is one only) and the secrets of that branch in order of declaration.
type Known struct {
	Branch  int
	Secrets []*group.Scalar
}

// hedgeSize is how many bytes of fresh randomness a proof takes.
const hedgeSize = 32

// Prove proves c under ctx with one Known per clause. A witness that does not
// satisfy the claim is refused with ErrWitness.
//
// Nonces are hashed from the witness, 32 fresh bytes of rand, the statement
// and ctx, so that a source that repeats itself does not make two proofs share
// one. Whichever branch of a clause is true, the work is the same and so is
// its order, as long as the branches of that clause are of one shape.
func Prove(ctx []byte, c *Claim, w []Known, rand io.Reader) (*Proof, error) {
	p, check, err := attempt(ctx, c, w, rand)
	if err != nil {
		return nil, err
	}
	// To verify the proof says the same of the witness as evaluating the
	// equations would, and costs half: the proof is public, or else never
	// leaves. It also holds back a proof that a fault spoilt.
	var batch Batch
	batch.Add(check)
	if batch.Verify() != nil {
		return nil, ErrWitness
	}
	return p, nil
}

// ProveMade is Prove for a caller that has just computed every image of the
// claim from the witness: it does not look whether the witness fits. A proof of
// a false witness says no more of the secrets than a right one, but verifies
// nowhere and convicts its maker.
func ProveMade(ctx []byte, c *Claim, w []Known, rand io.Reader) (*Proof, error) {
	p, _, err := attempt(ctx, c, w, rand)
	return p, err
}

func attempt(ctx []byte, c *Claim, w []Known, rand io.Reader) (*Proof, *Check, error) {
	if err := c.validate(); err != nil {
		return nil, nil, err
	}
	if err := c.fitsWitness(w); err != nil {
		return nil, nil, err
	}
	var hedge [hedgeSize]byte
	if _, err := io.ReadFull(rand, hedge[:]); err != nil {
		return nil, nil, fmt.Errorf("sigma: reading randomness: %w", err)
	}
	p, check := c.prove(ctx, w, hedge[:])
	return p, check, nil
}

// prove makes a proof of any witness, a false one too, and its check.
func (c *Claim) prove(ctx []byte, w []Known, hedge []byte) (*Proof, *Check) {
	t, statement := c.begin(ctx)
	nonces := nonceStream(hedge, statement, w)
	p := new(Proof)
	clauses := make([][]branch, len(c.clauses))
	for i, rels := range c.clauses {
		clauses[i] = newBranches(rels, w[i], nonces)
		for _, b := range clauses[i] {
			p.commitments = append(p.commitments, b.commitments()...)
		}
	}
	total := challenge(t, p.commitments)
	for _, bs := range clauses {
		p.answer(bs, total)
	}
	return p, c.check(t, p, total)
}

func (c *Claim) fitsWitness(w []Known) error {
	if len(w) != len(c.clauses) {
		return fmt.Errorf("%w: %d clauses known of %d", ErrWitness, len(w), len(c.clauses))
	}
	for i, rels := range c.clauses {
		k := w[i]
		if k.Branch < 0 || k.Branch >= len(rels) || len(k.Secrets) != rels[k.Branch].secrets {
			return fmt.Errorf("%w: clause %d: no such branch or another number of secrets", ErrWitness, i)
		}
		for _, s := range k.Secrets {
			if s == nil {
				return fmt.Errorf("%w: clause %d: missing secret", ErrWitness, i)
			}
		}
	}
	return nil
}

// nonceStream is the hedged source of all nonces of one proof.
func nonceStream(hedge []byte, statement [32]byte, w []Known) io.Reader {
	parts := [][]byte{hedge, statement[:]}
	for _, k := range w {
		parts = append(parts, group.ScalarFromUint64(uint64(k.Branch)).Bytes())
		for _, s := range k.Secrets {
			parts = append(parts, s.Bytes())
		}
	}
	return transcript.XOF("sigma/nonce", parts...)
}

func nextNonce(r io.Reader) *group.Scalar {
	var b [64]byte
	io.ReadFull(r, b[:]) // the stream does not end
	s, _ := group.ScalarFromUniform(b[:])
	return s
}

// A branch is one relation of a clause on its way to a proof. The true one
// starts from challenge 0 and is answered with its secrets later; the others
// are simulated: challenge and responses first, commitments from them.
type branch struct {
	rel       *Relation
	alone     bool            // no OR, so the challenge is 0 whatever holds
	truth     *group.Scalar   // 1 for the true branch, 0 for the others
	challenge *group.Scalar   // 0 for the true branch
	starts    []*group.Scalar // nonces, or the responses of a simulation
	secrets   []*group.Scalar // of the true branch, cut or padded to this one
}

func newBranches(rels []*Relation, k Known, nonces io.Reader) []branch {
	bs := make([]branch, len(rels))
	for j, rel := range rels {
		truth := uint64(subtle.ConstantTimeEq(int32(j), int32(k.Branch)))
		b := branch{
			rel:       rel,
			alone:     len(rels) == 1,
			truth:     group.ScalarFromUint64(truth),
			challenge: nextNonce(nonces).Mul(group.ScalarFromUint64(1 - truth)),
		}
		for i := range rel.secrets {
			b.starts = append(b.starts, nextNonce(nonces))
			secret := new(group.Scalar)
			if i < len(k.Secrets) {
				secret = k.Secrets[i]
			}
			b.secrets = append(b.secrets, secret)
		}
		bs[j] = b
	}
	return bs
}

// commitments returns sum(±start · Base) - challenge · Image for every equation.
func (b branch) commitments() []*group.Element {
	out := make([]*group.Element, len(b.rel.equations))
	var minus *group.Scalar
	if !b.alone {
		minus = b.challenge.Neg()
	}
	for i, eq := range b.rel.equations {
		scalars, bases := eq.evaluate(b.starts)
		if minus != nil {
			scalars, bases = append(scalars, minus), append(bases, eq.image)
		}
		out[i] = group.MultiMul(scalars, bases)
	}
	return out
}

// evaluate writes the right side of eq as scalars and bases, with the bases of
// one secret added up: an addition costs a thirtieth of a multiplication.
func (eq equation) evaluate(values []*group.Scalar) ([]*group.Scalar, []*group.Element) {
	scalars := make([]*group.Scalar, 0, len(eq.terms)+1)
	bases := make([]*group.Element, 0, len(eq.terms)+1)
	for i, t := range eq.terms {
		if eq.seen(i) {
			continue
		}
		value, sum := values[t.secret.index], t.base
		if t.negative {
			value = value.Neg() // and leave the base, G has a table
		}
		for _, u := range eq.terms[i+1:] {
			switch {
			case u.secret.index != t.secret.index:
			case u.negative == t.negative:
				sum = sum.Add(u.base)
			default:
				sum = sum.Sub(u.base)
			}
		}
		scalars, bases = append(scalars, value), append(bases, sum)
	}
	return scalars, bases
}

// seen reports whether the secret of term i is in an earlier term.
func (eq equation) seen(i int) bool {
	for _, t := range eq.terms[:i] {
		if t.secret.index == eq.terms[i].secret.index {
			return true
		}
	}
	return false
}

// answer appends the challenges and responses of one clause: the true branch
// takes what the others leave of total.
func (p *Proof) answer(bs []branch, total *group.Scalar) {
	rest := total
	for _, b := range bs {
		rest = rest.Sub(b.challenge)
	}
	for j, b := range bs {
		own := rest.Mul(b.truth)
		if j < len(bs)-1 {
			p.challenges = append(p.challenges, b.challenge.Add(own))
		}
		for i, start := range b.starts {
			p.responses = append(p.responses, own.MulAdd(b.secrets[i], start))
		}
	}
}
