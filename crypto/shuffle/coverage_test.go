package shuffle

import (
	"encoding/hex"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// Fiat-Shamir coverage: whatever the proof speaks of must reach the challenges,
// and from the first one on that is asked after it was said. A value that is
// missing here is one a forger can choose afterwards.
func TestEveryPublicInputChangesTheChallenge(t *testing.T) {
	const n = 4
	bump := func(e **group.Element) { *e = (*e).Add(group.Base()) }
	bumpS := func(s **group.Scalar) { *s = (*s).Add(group.ScalarFromUint64(1)) }
	type change struct {
		name  string
		first string // the first challenge that has to change
		apply func(*statement, *Proof)
	}
	changes := []change{
		{"context", "x", func(st *statement, _ *Proof) { st.ctx = append(slices.Clone(st.ctx), 0) }},
		{"key", "x", func(st *statement, _ *Proof) { bump(&st.key) }},
		{"generators", "x", func(st *statement, _ *Proof) { st.gens.tag[31] ^= 1 }},
		{"number of cards", "x", func(st *statement, _ *Proof) { st.in, st.out = st.in[:n-1], st.out[:n-1] }},
		{"end of input to output", "x", func(st *statement, _ *Proof) {
			st.in, st.out = st.in[:n-1], append([]elgamal.Ciphertext{st.in[n-1]}, st.out...)
		}},
		{"c_pi", "x", func(_ *statement, p *Proof) { bump(&p.cPi) }},
		{"c_b", "y", func(_ *statement, p *Proof) { bump(&p.cB) }},
		{"c_d", "e", func(_ *statement, p *Proof) { bump(&p.cD) }},
		{"c_delta", "e", func(_ *statement, p *Proof) { bump(&p.cCross) }},
		{"c_Delta", "e", func(_ *statement, p *Proof) { bump(&p.cCarry) }},
		{"c_alpha", "e", func(_ *statement, p *Proof) { bump(&p.cAlpha) }},
		{"E_0 first", "e", func(_ *statement, p *Proof) { bump(&p.e0.A) }},
		{"E_0 second", "e", func(_ *statement, p *Proof) { bump(&p.e0.B) }},
		{"r~", "digest", func(_ *statement, p *Proof) { bumpS(&p.r) }},
		{"s~", "digest", func(_ *statement, p *Proof) { bumpS(&p.s) }},
		{"o_r", "digest", func(_ *statement, p *Proof) { bumpS(&p.oR) }},
		{"tau", "digest", func(_ *statement, p *Proof) { bumpS(&p.tau) }},
	}
	for i := range n {
		changes = append(changes,
			change{"A", "x", func(st *statement, _ *Proof) { bump(&st.in[i].A) }},
			change{"B", "x", func(st *statement, _ *Proof) { bump(&st.in[i].B) }},
			change{"A'", "x", func(st *statement, _ *Proof) { bump(&st.out[i].A) }},
			change{"B'", "x", func(st *statement, _ *Proof) { bump(&st.out[i].B) }},
			change{"a~", "digest", func(_ *statement, p *Proof) { bumpS(&p.a[i]) }},
			change{"o", "digest", func(_ *statement, p *Proof) { bumpS(&p.o[i]) }},
		)
	}
	for i := range n - 2 {
		changes = append(changes, change{"b~", "digest", func(_ *statement, p *Proof) { bumpS(&p.b[i]) }})
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			tb := newTable(t, "coverage", n)
			st, p := tb.statement(t), tb.p
			before, digest := st.replay(p)
			c.apply(st, p)
			after, newDigest := st.replay(p)
			differs := map[string]bool{
				"x":      !before.x.Equal(after.x),
				"y":      !before.y.Equal(after.y),
				"z":      !before.z.Equal(after.z),
				"e":      !before.e.Equal(after.e),
				"digest": digest != newDigest,
			}
			order := []string{"x", "y", "z", "e", "digest"}
			for k, name := range order {
				want := k >= slices.Index(order, c.first)
				if differs[name] != want {
					t.Errorf("%s changes: %v, want %v", name, differs[name], want)
				}
			}
		})
	}
}

// The transcript is part of the protocol: what is hashed, in which order.
func TestChallengesArePinned(t *testing.T) {
	point := func(i uint64) *group.Element { return group.BaseMul(group.ScalarFromUint64(i)) }
	st := &statement{gens: newGenerators(2), ctx: []byte("pinned"), key: point(1)}
	for i := range uint64(2) {
		st.in = append(st.in, elgamal.Ciphertext{A: point(2 + i), B: point(4 + i)})
		st.out = append(st.out, elgamal.Ciphertext{A: point(6 + i), B: point(8 + i)})
	}
	one := group.ScalarFromUint64(1)
	p := &Proof{
		cPi: point(10), cB: point(11), cD: point(12), cCross: point(13), cCarry: point(14),
		cAlpha: point(15), e0: elgamal.Ciphertext{A: point(16), B: point(17)},
		a: []*group.Scalar{one, one}, o: []*group.Scalar{one, one}, r: one, s: one, oR: one, tau: one,
		cardsCount: 2,
	}
	c, digest := st.replay(p)
	for name, v := range map[string]struct {
		got  []byte
		want string
	}{
		"x":      {c.x.Bytes(), "268824cb842ded75591860088d82263fa249c4ccf3be3a22f4ee7872a5085f00"},
		"y":      {c.y.Bytes(), "b65fa078a326ca0ef5dfb9fe3390005a00a8804f410898dda999a1b9ab0a1a09"},
		"z":      {c.z.Bytes(), "f13e96a7d797532b84e1cc404d3b66c89509ecaa9d0360568fc1cb9ce0c1060c"},
		"e":      {c.e.Bytes(), "0ce6a5c90cfe42efe566ab75d8c661cd9541f062328b6a7dce509c63101a2b08"},
		"digest": {digest[:], "02c6196ff111e252ddaf9f5fe2b8cf6023967edd641985bff727b855b86b56da"},
	} {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s is %s, want %s", name, got, v.want)
		}
	}
}

func TestChallengesDiffer(t *testing.T) {
	tb := newTable(t, "challenges", 4)
	asked, _ := tb.statement(t).replay(tb.p)
	all := []*group.Scalar{asked.x, asked.y, asked.z, asked.e}
	for i := range all {
		for j := range i {
			if all[i].Equal(all[j]) {
				t.Errorf("challenges %d and %d are equal", i, j)
			}
		}
	}
}
