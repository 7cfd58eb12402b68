package shuffle

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/transcript"
)

// How the argument goes (Bayer and Groth 2012, section 4, with m = 1). The
// shuffler commits to the order pi(1)..pi(N), is asked x, and commits to
// b_i = x^pi(i). Two things remain to be shown about these commitments:
//
//   - they hold the pairs (i, x^i), each once, in some order. Asked y and z,
//     the shuffler shows that the product of a_i = y pi(i) + b_i - z is that of
//     y i + x^i - z, which the verifier computes (section 5.3, the product of
//     committed values);
//   - sum b_i C'_i is sum x^i C_i, re-randomised (section 4.1, with one row).
//
// The first makes b a permutation of the powers of x, fixed before x was known;
// with that the second says C'_i = C_pi(i), re-randomised, for every i.
//
// Nothing is learned from it. For any challenges and any witness, the random
// values r_pi, r_b, s_x, d, delta_2..delta_{N-1}, r_d, s_1, alpha, r_alpha and
// tau_0 correspond one to one to c_pi, c_b, c_Delta, a~, b~, r~, s~, o, o_r and
// tau, which are therefore uniform and independent of the witness; c_d, c_delta,
// c_alpha and E_0 follow from them by the four equations. A simulator draws the
// former and solves for the latter. (With more than one row the paper has to
// blind further sums beside E_0 and commits to the blinding; with one row there
// are none, and the commitment is left out.)

// Prove shows that out is what Shuffle made of in under key, with its witness.
// ctx names the place of the proof (game, round, seat): the proof is worth
// nothing in another. Nonces are hashed from the witness, fresh bytes of rand
// and the whole statement. It refuses a witness of another shuffle.
func Prove(ctx []byte, key *group.Element, in, out []elgamal.Ciphertext, w *Witness, rand io.Reader) (*Proof, error) {
	st, err := newStatement(ctx, key, in, out)
	if err != nil {
		return nil, err
	}
	if w == nil || w.made != statementHash(key, in, out) || len(w.perm) != len(in) || len(w.rho) != len(in) {
		return nil, errors.New("witness is of another shuffle")
	}
	pr, err := newProver(st, w, rand)
	if err != nil {
		return nil, fmt.Errorf("proving a shuffle: %w", err)
	}
	return pr.run(), nil
}

// prover holds what lives from the first commitment to the last answer. Names
// are those of protocol section 2.
type prover struct {
	*statement
	src  *hedge.Source
	t    *transcript.Transcript
	n    int
	perm []int
	rho  []*group.Scalar
	p    *Proof

	pi, b        []*group.Scalar // pi(i) and x^pi(i)
	rPi, rB      *group.Scalar
	a, partial   []*group.Scalar // a_i and p_i = a_1 ... a_i
	d, delta     []*group.Scalar
	rD, s1, sX   *group.Scalar
	alpha        []*group.Scalar
	rAlpha, tau0 *group.Scalar
	asked        challenges
}

func newProver(st *statement, w *Witness, rand io.Reader) (*prover, error) {
	n := len(st.in)
	pi := make([]*group.Scalar, n)
	for i, from := range w.perm {
		pi[i] = group.ScalarFromUint64(uint64(from) + 1)
	}
	secrets := append(append(make([]*group.Scalar, 0, 2*n), pi...), w.rho...)
	src, err := hedge.New("shuffle/prove", rand, secrets, st.ctx, w.made[:])
	if err != nil {
		return nil, err
	}
	return &prover{
		statement: st, src: src, t: st.transcript(),
		n: n, perm: w.perm, rho: w.rho, pi: pi,
		p: &Proof{cardsCount: n},
	}, nil
}

func (pr *prover) run() *Proof {
	pr.commitOrder()
	pr.commitProduct()
	pr.commitCards()
	pr.answer()
	return pr.p
}

// commitOrder makes c_pi and c_b and gets x, y and z.
func (pr *prover) commitOrder() {
	pr.rPi, pr.rB = pr.src.Scalar(), pr.src.Scalar()
	pr.p.cPi = pr.gens.commit(pr.pi, pr.rPi)
	pr.asked.x = askX(pr.t, pr.p)

	powers := powersOf(pr.asked.x, pr.n)
	pr.b = make([]*group.Scalar, pr.n)
	for i, from := range pr.perm {
		pr.b[i] = powers[from]
	}
	pr.p.cB = pr.gens.commit(pr.b, pr.rB)
	pr.asked.y, pr.asked.z = askYZ(pr.t, pr.p)
}

// commitProduct makes the commitments of the product argument:
//
//	a_i = y pi(i) + b_i - z,  p_1 = a_1,  p_i = p_{i-1} a_i
//	delta_1 = d_1,  delta_N = 0,  the other d and delta random
//	c_d     = com(d; r_d)
//	c_delta = com((-delta_i d_{i+1})_{i<N}; s_1)
//	c_Delta = com((delta_{i+1} - a_{i+1} delta_i - p_i d_{i+1})_{i<N}; s_x)
func (pr *prover) commitProduct() {
	n, y, z := pr.n, pr.asked.y, pr.asked.z
	pr.a = make([]*group.Scalar, n)
	pr.partial = make([]*group.Scalar, n)
	for i := range n {
		pr.a[i] = y.Mul(pr.pi[i]).Add(pr.b[i]).Sub(z)
		pr.partial[i] = pr.a[i]
		if i > 0 {
			pr.partial[i] = pr.partial[i-1].Mul(pr.a[i])
		}
	}
	pr.d = pr.src.Scalars(n)
	pr.delta = pr.src.Scalars(n)
	pr.delta[0] = pr.d[0]
	pr.delta[n-1] = group.ScalarFromUint64(0)
	pr.rD, pr.s1, pr.sX = pr.src.Scalar(), pr.src.Scalar(), pr.src.Scalar()

	cross := make([]*group.Scalar, n-1)
	carry := make([]*group.Scalar, n-1)
	for i := range n - 1 {
		cross[i] = pr.delta[i].Mul(pr.d[i+1]).Neg()
		carry[i] = pr.delta[i+1].Sub(pr.a[i+1].Mul(pr.delta[i])).Sub(pr.partial[i].Mul(pr.d[i+1]))
	}
	pr.p.cD = pr.gens.commit(pr.d, pr.rD)
	pr.p.cCross = pr.gens.commit(cross, pr.s1)
	pr.p.cCarry = pr.gens.commit(carry, pr.sX)
}

// commitCards makes c_alpha = com(alpha; r_alpha) and
// E_0 = (tau_0 G, tau_0 Y) + sum alpha_i C'_i, and gets e.
func (pr *prover) commitCards() {
	pr.alpha = pr.src.Scalars(pr.n)
	pr.rAlpha, pr.tau0 = pr.src.Scalar(), pr.src.Scalar()
	pr.p.cAlpha = pr.gens.commit(pr.alpha, pr.rAlpha)

	s := append(append([]*group.Scalar{}, pr.alpha...), pr.tau0)
	first := make([]*group.Element, 0, pr.n+1)
	second := make([]*group.Element, 0, pr.n+1)
	for _, c := range pr.out {
		first, second = append(first, c.A), append(second, c.B)
	}
	pr.p.e0 = elgamal.Ciphertext{
		A: secretSum(s, append(first, group.Base())),
		B: secretSum(s, append(second, pr.key)),
	}
	pr.asked.e = askE(pr.t, pr.p)
}

// answer fills in the responses:
//
//	a~_i = e a_i + d_i        b~_i = e p_i + delta_i  (1 < i < N)
//	o_i  = e b_i + alpha_i    o_r  = e r_b + r_alpha
//	r~   = e (y r_pi + r_b) + r_d
//	s~   = e s_x + s_1        tau  = tau_0 - e sum b_i rho_i
func (pr *prover) answer() {
	p, e, n := pr.p, pr.asked.e, pr.n
	p.a = make([]*group.Scalar, n)
	p.b = make([]*group.Scalar, n-2)
	p.o = make([]*group.Scalar, n)
	bRho := group.ScalarFromUint64(0)
	for i := range n {
		p.a[i] = e.Mul(pr.a[i]).Add(pr.d[i])
		p.o[i] = e.Mul(pr.b[i]).Add(pr.alpha[i])
		bRho = bRho.Add(pr.b[i].Mul(pr.rho[i]))
	}
	for i := 1; i < n-1; i++ {
		p.b[i-1] = e.Mul(pr.partial[i]).Add(pr.delta[i])
	}
	p.r = e.Mul(pr.asked.y.Mul(pr.rPi).Add(pr.rB)).Add(pr.rD)
	p.s = e.Mul(pr.sX).Add(pr.s1)
	p.oR = e.Mul(pr.rB).Add(pr.rAlpha)
	p.tau = pr.tau0.Sub(e.Mul(bRho))
}

// powersOf returns x, x^2, ..., x^n.
func powersOf(x *group.Scalar, n int) []*group.Scalar {
	out := make([]*group.Scalar, n)
	out[0] = x
	for i := 1; i < n; i++ {
		out[i] = out[i-1].Mul(x)
	}
	return out
}
