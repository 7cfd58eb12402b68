package shuffle

import (
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
