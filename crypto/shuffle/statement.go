package shuffle

import (
	"errors"
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// Reasons to refuse a shuffle before its proof is looked at.
var (
	// ErrIdentity reports a key, or the first half of an output card, that is
	// the identity.
	ErrIdentity = elgamal.ErrIdentity
	// ErrMixed reports an input with some cards open and some encrypted.
	ErrMixed = errors.New("input deck is neither a start deck nor an encrypted one")
	// ErrUnchanged reports an output card that is an input card bit for bit.
	ErrUnchanged = errors.New("output card equals an input card")
)

// statement is what a proof speaks about: out is a re-randomised permutation
// of in under key, said in context ctx.
type statement struct {
	gens    generators
	ctx     []byte
	key     *group.Element
	in, out []elgamal.Ciphertext
}

// newStatement refuses what no honest shuffler sends. An output card equal to
// an input card would satisfy the equations (re-randomised by zero), and would
// let everybody follow that card through the shuffle; an output with A = 0
// would lie open.
func newStatement(ctx []byte, key *group.Element, in, out []elgamal.Ciphertext) (*statement, error) {
	if err := checkInput(key, in); err != nil {
		return nil, err
	}
	if len(out) != len(in) {
		return nil, fmt.Errorf("shuffle returned %d cards for %d", len(out), len(in))
	}
	before := make(map[[2][group.ElementSize]byte]int, len(in))
	for i, c := range in {
		before[encoding(c)] = i
	}
	for i, c := range out {
		if !c.Valid() {
			return nil, fmt.Errorf("output card %d is missing", i)
		}
		if c.A.IsIdentity() {
			return nil, fmt.Errorf("output card %d: %w", i, ErrIdentity)
		}
		if j, same := before[encoding(c)]; same {
			return nil, fmt.Errorf("output card %d, input card %d: %w", i, j, ErrUnchanged)
		}
	}
	return &statement{gens: newGenerators(len(in)), ctx: ctx, key: key, in: in, out: out}, nil
}

func encoding(c elgamal.Ciphertext) [2][group.ElementSize]byte {
	return [2][group.ElementSize]byte{c.A.Encoding(), c.B.Encoding()}
}

func checkInput(key *group.Element, in []elgamal.Ciphertext) error {
	if len(in) < MinCards || len(in) > MaxCards {
		return fmt.Errorf("deck of %d cards, a shuffle takes %d to %d", len(in), MinCards, MaxCards)
	}
	if key == nil {
		return errors.New("shuffle key is missing")
	}
	if key.IsIdentity() {
		return fmt.Errorf("shuffle key: %w", ErrIdentity)
	}
	open := 0
	for i, c := range in {
		if !c.Valid() {
			return fmt.Errorf("input card %d is missing", i)
		}
		if c.A.IsIdentity() {
			open++
		}
	}
	if open != 0 && open != len(in) {
		return fmt.Errorf("%d of %d cards open: %w", open, len(in), ErrMixed)
	}
	return nil
}

// transcript starts the hash that all challenges come from. Everything a
// verifier relies on goes in before the first challenge: a challenge that did
// not depend on the output would let a forger solve for it.
func (st *statement) transcript() *transcript.Transcript {
	t := transcript.New("shuffle")
	t.Append("context", st.ctx)
	t.Append("generators", st.gens.tag[:])
	t.AppendUint64("cards", uint64(len(st.in)))
	t.AppendElements("key", st.key)
	t.Append("in", elgamal.EncodeAll(st.in))
	t.Append("out", elgamal.EncodeAll(st.out))
	return t
}

// challenges are the verifier's four questions; prove.go tells what each is
// for.
type challenges struct{ x, y, z, e *group.Scalar }

// The prover asks the transcript for one challenge after the other as its
// commitments get ready; the verifier asks for all with replay. Both go through
// these three steps.

func askX(t *transcript.Transcript, p *Proof) *group.Scalar {
	t.AppendElements("order", p.cPi)
	return t.Challenge("x")
}

func askYZ(t *transcript.Transcript, p *Proof) (y, z *group.Scalar) {
	t.AppendElements("powers", p.cB)
	return t.Challenge("y"), t.Challenge("z")
}

func askE(t *transcript.Transcript, p *Proof) *group.Scalar {
	t.AppendElements("product", p.cD, p.cCross, p.cCarry)
	t.AppendElements("blinding", p.cAlpha, p.e0.A, p.e0.B)
	return t.Challenge("e")
}

// replay recomputes all challenges of a proof, and a digest of statement and
// proof together.
func (st *statement) replay(p *Proof) (c challenges, digest [32]byte) {
	t := st.transcript()
	c.x = askX(t, p)
	c.y, c.z = askYZ(t, p)
	c.e = askE(t, p)
	t.AppendScalars("responses", p.responses()...)
	return c, t.Digest("proof")
}
