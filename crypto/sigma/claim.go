// Package sigma proves linear relations between group elements in zero
// knowledge, non-interactively. Adding a proof to the protocol means writing
// its equations, not a prover.
//
// A [Claim] is an AND of clauses. A clause is one [Relation], or an OR of
// several of which the prover satisfies at least one without telling which. A
// relation is a list of equations over secrets of its own,
//
//	Image = ± secret · Base ± secret · Base ...
//
// The construction is Maurer's (AFRICACRYPT 2009) for linear maps, with the OR
// of Cramer, Damgård and Schoenmakers (CRYPTO 1994), made non-interactive by
// hashing the whole statement and all commitments. A [Proof] carries its
// commitments, so that verification is a list of equations of points which a
// [Batch] settles together with those of many other proofs.
//
// Most callers want [Prove], [Claim.ParseProof], [Claim.Check] and a [Batch].
// What the bases and images are, and whether they may be the identity, is for
// the caller to check: the engine proves any linear relation, a hollow one too.
package sigma

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// Errors a caller may tell apart.
var (
	ErrClaim   = errors.New("sigma: malformed claim")
	ErrWitness = errors.New("sigma: witness does not satisfy the claim")
	ErrShape   = errors.New("sigma: proof does not fit the claim")
	ErrRefused = errors.New("sigma: proof refused")
)

// A Claim is a statement to prove: all of its clauses hold. Build it once, the
// same way on both sides; it must not change afterwards.
type Claim struct {
	label   string
	clauses [][]*Relation
}

// NewClaim starts a claim; label separates kinds of statement from each other.
func NewClaim(label string) *Claim { return &Claim{label: label} }

// Clause adds a clause: one relation that holds, or several of which at least
// one does.
func (c *Claim) Clause(rels ...*Relation) *Claim {
	c.clauses = append(c.clauses, slices.Clone(rels))
	return c
}

// A Relation is a list of equations over secrets that belong to it alone: a
// relation used in two clauses has two sets of secrets.
type Relation struct {
	secrets   int
	equations []equation
}

type equation struct {
	image *group.Element
	terms []Term
}

// A Secret names a secret scalar of one relation.
type Secret struct {
	rel   *Relation
	index int
}

// A Term is ± secret · base.
type Term struct {
	secret   Secret
	base     *group.Element
	negative bool
}

// NewRelation starts an empty relation.
func NewRelation() *Relation { return new(Relation) }

// Secret declares the next secret. Witnesses list values in this order.
func (r *Relation) Secret() Secret {
	r.secrets++
	return Secret{r, r.secrets - 1}
}

// Equation adds image = sum of terms.
func (r *Relation) Equation(image *group.Element, terms ...Term) {
	r.equations = append(r.equations, equation{image, slices.Clone(terms)})
}

// Times is the term secret · base.
func (s Secret) Times(base *group.Element) Term { return Term{secret: s, base: base} }

// Neg is the term with the other sign.
func (t Term) Neg() Term {
	t.negative = !t.negative
	return t
}

// validate refuses claims that say nothing or cannot be evaluated. A secret in
// no equation is refused because its response would be free, and so the
// encoding of a proof not unique.
func (c *Claim) validate() error {
	if c == nil || len(c.clauses) == 0 {
		return fmt.Errorf("%w: no clause", ErrClaim)
	}
	for i, rels := range c.clauses {
		if len(rels) == 0 {
			return fmt.Errorf("%w: clause %d has no relation", ErrClaim, i)
		}
		for _, r := range rels {
			if err := r.validate(); err != nil {
				return fmt.Errorf("%w: clause %d: %w", ErrClaim, i, err)
			}
		}
	}
	return nil
}

func (r *Relation) validate() error {
	if r == nil || len(r.equations) == 0 {
		return errors.New("no equation")
	}
	used := make([]bool, r.secrets)
	for i, eq := range r.equations {
		if eq.image == nil || len(eq.terms) == 0 {
			return fmt.Errorf("equation %d lacks its image or its terms", i)
		}
		for _, t := range eq.terms {
			if t.base == nil || t.secret.rel != r {
				return fmt.Errorf("equation %d has no base or a foreign secret", i)
			}
			used[t.secret.index] = true
		}
	}
	for k, ok := range used {
		if !ok {
			return fmt.Errorf("secret %d is in no equation", k)
		}
	}
	return nil
}

// shape is how many values of each kind a proof of the claim carries.
type shape struct{ commitments, challenges, responses int }

func (c *Claim) shape() shape {
	var s shape
	for _, rels := range c.clauses {
		s.challenges += max(0, len(rels)-1)
		for _, r := range rels {
			if r != nil {
				s.commitments += len(r.equations)
				s.responses += r.secrets
			}
		}
	}
	return s
}

// begin records the context and the whole statement, down to every sign, and
// returns its digest too.
func (c *Claim) begin(ctx []byte) (*transcript.Transcript, [32]byte) {
	t := transcript.New("sigma")
	t.Append("claim", []byte(c.label))
	t.Append("context", ctx)
	t.AppendUint64("clauses", uint64(len(c.clauses)))
	for _, rels := range c.clauses {
		t.AppendUint64("relations", uint64(len(rels)))
		for _, r := range rels {
			r.record(t)
		}
	}
	return t, t.Digest("statement")
}

func (r *Relation) record(t *transcript.Transcript) {
	t.AppendUint64("secrets", uint64(r.secrets))
	t.AppendUint64("equations", uint64(len(r.equations)))
	var layout []byte
	var elements []*group.Element
	for _, eq := range r.equations {
		layout, elements = layout[:0], append(elements[:0], eq.image)
		for _, term := range eq.terms {
			layout = term.appendLayout(layout)
			elements = append(elements, term.base)
		}
		t.Append("terms", layout)
		t.AppendElements("image and bases", elements...)
	}
}

// appendLayout adds the sign and the secret of a term, 9 bytes.
func (t Term) appendLayout(b []byte) []byte {
	sign := byte('+')
	if t.negative {
		sign = '-'
	}
	return binary.BigEndian.AppendUint64(append(b, sign), uint64(t.secret.index))
}

// challenge ends the statement with the commitments and draws the challenge.
func challenge(t *transcript.Transcript, commitments []*group.Element) *group.Scalar {
	t.AppendElements("commitments", commitments...)
	return t.Challenge("challenge")
}
