package shuffle

import (
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// forger is a prover with a lie for each place where the real one must use the
// same powers of x. It is also a second writing of protocol section 2, one
// formula after the other.
type forger struct {
	order     []int  // committed to in c_pi
	committed vector // b as committed to in c_b
	product   vector // b as the product argument takes it
	cards     vector // b as o and tau take it
}

// vector is a list of factors for the output cards, known once x is.
type vector func(x *group.Scalar) []*group.Scalar

// permuted is what an honest shuffler uses: x^pi(i).
func permuted(order []int) vector {
	return func(x *group.Scalar) []*group.Scalar {
		out := make([]*group.Scalar, len(order))
		for i, from := range order {
			out[i] = group.ScalarFromUint64(1)
			for range from + 1 {
				out[i] = out[i].Mul(x)
			}
		}
		return out
	}
}

// melted are the factors with which the output cards add up to the input cards
// when output 0 is the sum of two of these:
//
//	b_0 (C_0 + C_1) + (b_1 - b_0) C_1 = b_0 C_0 + b_1 C_1
func melted(order []int) vector {
	return func(x *group.Scalar) []*group.Scalar {
		out := permuted(order)(x)
		out[1] = out[1].Sub(out[0])
		return out
	}
}

// melt makes output card 0 the sum of two input cards, which is none.
func (tb *table) melt(t testing.TB, order []int) {
	t.Helper()
	tb.apply(t, order)
	c := tb.in[order[1]]
	tb.out[0] = elgamal.Ciphertext{A: tb.out[0].A.Add(c.A), B: tb.out[0].B.Add(c.B)}
}

func (f forger) prove(t testing.TB, tb *table) *Proof {
	t.Helper()
	st := tb.statement(t)
	tr := st.transcript()
	n := len(tb.in)
	p := &Proof{cardsCount: n}
	num := func(i int) *group.Scalar { return group.ScalarFromUint64(uint64(i)) }
	rnd := func() *group.Scalar { return scalar(t, tb.rand) }
	list := func(n int, v func(int) *group.Scalar) []*group.Scalar {
		out := make([]*group.Scalar, n)
		for i := range out {
			out[i] = v(i)
		}
		return out
	}
	com := func(v []*group.Scalar, r *group.Scalar) *group.Element {
		sum := st.gens.blind.Mul(r)
		for i := range v {
			sum = sum.Add(st.gens.row[i].Mul(v[i]))
		}
		return sum
	}

	// 1 and 2: the order and the powers.
	rPi, rB := rnd(), rnd()
	p.cPi = com(list(n, func(i int) *group.Scalar { return num(f.order[i] + 1) }), rPi)
	x := askX(tr, p)
	p.cB = com(f.committed(x), rB)
	y, z := askYZ(tr, p)

	// 3: the product.
	a := list(n, func(i int) *group.Scalar {
		return y.Mul(num(f.order[i] + 1)).Add(f.product(x)[i]).Sub(z)
	})
	partial := make([]*group.Scalar, n)
	for i := range n {
		partial[i] = a[i]
		if i > 0 {
			partial[i] = partial[i-1].Mul(a[i])
		}
	}
	random := func(int) *group.Scalar { return rnd() }
	d, delta := list(n, random), list(n, random)
	delta[0], delta[n-1] = d[0], num(0)
	rD, s1, sX := rnd(), rnd(), rnd()
	p.cD = com(d, rD)
	p.cCross = com(list(n-1, func(i int) *group.Scalar { return delta[i].Mul(d[i+1]).Neg() }), s1)
	p.cCarry = com(list(n-1, func(i int) *group.Scalar {
		return delta[i+1].Sub(a[i+1].Mul(delta[i])).Sub(partial[i].Mul(d[i+1]))
	}), sX)

	// 3: the cards.
	alpha, rAlpha, tau0 := list(n, random), rnd(), rnd()
	p.cAlpha = com(alpha, rAlpha)
	p.e0 = elgamal.Ciphertext{A: group.BaseMul(tau0), B: tb.key.Mul(tau0)}
	for i, c := range tb.out {
		p.e0 = elgamal.Ciphertext{A: p.e0.A.Add(c.A.Mul(alpha[i])), B: p.e0.B.Add(c.B.Mul(alpha[i]))}
	}
	e := askE(tr, p)

	// 4: the responses.
	p.a = list(n, func(i int) *group.Scalar { return e.Mul(a[i]).Add(d[i]) })
	p.b = list(n-2, func(i int) *group.Scalar { return e.Mul(partial[i+1]).Add(delta[i+1]) })
	b := f.cards(x)
	p.o = list(n, func(i int) *group.Scalar { return e.Mul(b[i]).Add(alpha[i]) })
	p.r = e.Mul(y.Mul(rPi).Add(rB)).Add(rD)
	p.s = e.Mul(sX).Add(s1)
	p.oR = e.Mul(rB).Add(rAlpha)
	p.tau = tau0
	for i := range n {
		p.tau = p.tau.Sub(e.Mul(b[i].Mul(tb.w.rho[i])))
	}
	return p
}

var someOrder = []int{2, 0, 3, 1}

func honestly(order []int) forger {
	return forger{order, permuted(order), permuted(order), permuted(order)}
}

func TestForgerIsAProver(t *testing.T) {
	tb := newTable(t, "twin", 4)
	tb.apply(t, someOrder)
	tb.p = honestly(someOrder).prove(t, tb)
	if err := tb.verify(); err != nil {
		t.Fatal(err)
	}
}

// onlyViolates demands that the forgery is refused, and that it is what it says
// it is: every equation but the named one holds.
func onlyViolates(t *testing.T, tb *table, equation int) {
	t.Helper()
	c, err := Check(tb.ctx, tb.key, tb.in, tb.out, tb.p)
	if err != nil {
		t.Fatal(err)
	}
	tb.mustRefuse(t)
	if bad := failing(c); !slices.Equal(bad, []int{equation}) {
		t.Errorf("equations %v fail, want %d only", bad, equation)
	}
}

// The product argument is made about a permutation, the commitments hold the
// factors of molten cards.
func TestForgeryViolatesV1(t *testing.T) {
	tb := newTable(t, "V1", 4)
	tb.melt(t, someOrder)
	f := honestly(someOrder)
	f.committed, f.cards = melted(someOrder), melted(someOrder)
	tb.p = f.prove(t, tb)
	onlyViolates(t, tb, 0)
}

// The factors of molten cards go through the product argument as they are.
func TestForgeryViolatesV2(t *testing.T) {
	tb := newTable(t, "V2", 4)
	tb.melt(t, someOrder)
	f := honestly(someOrder)
	f.committed, f.product, f.cards = melted(someOrder), melted(someOrder), melted(someOrder)
	tb.p = f.prove(t, tb)
	onlyViolates(t, tb, 1)
}

// The commitments hold a permutation, the cards are counted with other factors.
func TestForgeryViolatesV3(t *testing.T) {
	tb := newTable(t, "V3", 4)
	tb.melt(t, someOrder)
	f := honestly(someOrder)
	f.cards = melted(someOrder)
	tb.p = f.prove(t, tb)
	onlyViolates(t, tb, 2)
}

// One card is ruined in its first half: nobody can decrypt it any more.
func TestForgeryViolatesV4First(t *testing.T) {
	tb := newTable(t, "V4a", 4)
	tb.apply(t, someOrder)
	tb.out[1].A = tb.out[1].A.Add(group.BaseMul(scalar(t, tb.rand)))
	tb.p = honestly(someOrder).prove(t, tb)
	onlyViolates(t, tb, 3)
}

// One card is turned into another through its second half.
func TestForgeryViolatesV4Second(t *testing.T) {
	tb := newTable(t, "V4b", 4)
	tb.apply(t, someOrder)
	tb.out[1].B = tb.out[1].B.Add(card(3)).Sub(card(0))
	tb.p = honestly(someOrder).prove(t, tb)
	onlyViolates(t, tb, 4)
}

// The order committed to is no permutation, with powers that agree: the product
// is wrong, and the cards do not add up either.
func TestForgeryWithDuplicatedCard(t *testing.T) {
	tb := newTable(t, "duplicate", 4)
	duplicated := []int{2, 0, 3, 3}
	tb.apply(t, duplicated)
	tb.p = honestly(duplicated).prove(t, tb)
	tb.mustRefuse(t)
}

// The edges are not sent: b~_1 is a~_1 and b~_N is the product the verifier
// computes. A forger who could choose the last would pass any factors off.
func TestForgeryWithFreeProduct(t *testing.T) {
	for _, n := range []int{2, 3} {
		tb := newTable(t, "free", n)
		order := []int{1, 0, 2}[:n]
		tb.melt(t, order)
		f := honestly(order)
		f.committed, f.product, f.cards = melted(order), melted(order), melted(order)
		tb.p = f.prove(t, tb)
		onlyViolates(t, tb, 1)
	}
}
