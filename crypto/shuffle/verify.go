package shuffle

import (
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Check recomputes the challenges of a proof and returns the five equations
// that remain: V1, V2, V3 and the two halves of V4 of protocol section 2, in
// this order. Put it into a sigma.Batch, or call its Verify. An error here
// already refutes the shuffle: a deck of the wrong size or kind, an output card
// that is open (ErrIdentity) or that equals an input card (ErrUnchanged).
func Check(ctx []byte, key *group.Element, in, out []elgamal.Ciphertext, p *Proof) (*sigma.Check, error) {
	st, err := newStatement(ctx, key, in, out)
	if err != nil {
		return nil, err
	}
	if err := p.fits(len(in)); err != nil {
		return nil, err
	}
	asked, digest := st.replay(p)
	return &sigma.Check{Digest: digest, Equations: st.equations(p, asked)}, nil
}

// Verify returns nil when p proves that out is a shuffle of in under key, in
// context ctx. It settles the five equations in one multiplication of
// 5 N + 11 points, as a batch of one.
func Verify(ctx []byte, key *group.Element, in, out []elgamal.Ciphertext, p *Proof) error {
	check, err := Check(ctx, key, in, out, p)
	if err != nil {
		return err
	}
	var batch sigma.Batch
	batch.Add(check)
	return batch.Verify()
}

// equations returns what must sum to the identity.
func (st *statement) equations(p *Proof, c challenges) []sigma.Linear {
	powers := powersOf(c.x, len(st.in))
	v4a, v4b := st.cardEquations(p, c, powers)
	return []sigma.Linear{
		st.orderEquation(p, c),
		st.productEquation(p, c, powers),
		st.powersEquation(p, c),
		v4a,
		v4b,
	}
}

// orderEquation is V1:
//
//	c_d + e (y c_pi + c_b - z sum H_i) - com(a~; r~) = 0
func (st *statement) orderEquation(p *Proof, c challenges) sigma.Linear {
	eq := newEquation(len(st.in) + 4)
	eq.add(group.ScalarFromUint64(1), p.cD)
	eq.add(c.e.Mul(c.y), p.cPi)
	eq.add(c.e, p.cB)
	ez := c.e.Mul(c.z)
	for i, h := range st.gens.row {
		eq.add(p.a[i].Add(ez).Neg(), h)
	}
	eq.add(p.r.Neg(), st.gens.blind)
	return eq.Linear
}

// productEquation is V2, with b~_1 = a~_1 and b~_N = e prod (y i + x^i - z):
//
//	c_delta + e c_Delta - com((e b~_{i+1} - b~_i a~_{i+1})_{i<N}; s~) = 0
func (st *statement) productEquation(p *Proof, c challenges, powers []*group.Scalar) sigma.Linear {
	n := len(st.in)
	last := c.e
	for i := range n {
		i1 := group.ScalarFromUint64(uint64(i) + 1)
		last = last.Mul(c.y.Mul(i1).Add(powers[i]).Sub(c.z))
	}
	b := make([]*group.Scalar, 0, n)
	b = append(b, p.a[0])
	b = append(b, p.b...)
	b = append(b, last)

	eq := newEquation(n + 2)
	eq.add(group.ScalarFromUint64(1), p.cCross)
	eq.add(c.e, p.cCarry)
	for i := range n - 1 {
		eq.add(b[i].Mul(p.a[i+1]).Sub(c.e.Mul(b[i+1])), st.gens.row[i])
	}
	eq.add(p.s.Neg(), st.gens.blind)
	return eq.Linear
}

// powersEquation is V3:
//
//	c_alpha + e c_b - com(o; o_r) = 0
func (st *statement) powersEquation(p *Proof, c challenges) sigma.Linear {
	eq := newEquation(len(st.in) + 3)
	eq.add(group.ScalarFromUint64(1), p.cAlpha)
	eq.add(c.e, p.cB)
	for i, h := range st.gens.row {
		eq.add(p.o[i].Neg(), h)
	}
	eq.add(p.oR.Neg(), st.gens.blind)
	return eq.Linear
}

// cardEquations are the halves of V4:
//
//	E_0 + e sum x^i C_i - (tau G, tau Y) - sum o_i C'_i = 0
func (st *statement) cardEquations(p *Proof, c challenges, powers []*group.Scalar) (first, second sigma.Linear) {
	one := group.ScalarFromUint64(1)
	tau := p.tau.Neg()
	a, b := newEquation(2*len(st.in)+2), newEquation(2*len(st.in)+2)
	a.add(one, p.e0.A)
	b.add(one, p.e0.B)
	a.add(tau, group.Base())
	b.add(tau, st.key)
	for i := range st.in {
		ex, o := c.e.Mul(powers[i]), p.o[i].Neg()
		a.add(ex, st.in[i].A)
		b.add(ex, st.in[i].B)
		a.add(o, st.out[i].A)
		b.add(o, st.out[i].B)
	}
	return a.Linear, b.Linear
}

// equation is a sigma.Linear under construction.
type equation struct{ sigma.Linear }

func newEquation(terms int) *equation {
	return &equation{sigma.Linear{
		Scalars:  make([]*group.Scalar, 0, terms),
		Elements: make([]*group.Element, 0, terms),
	}}
}

func (eq *equation) add(s *group.Scalar, e *group.Element) {
	eq.Scalars = append(eq.Scalars, s)
	eq.Elements = append(eq.Elements, e)
}
