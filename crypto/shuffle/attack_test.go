package shuffle

import (
	"errors"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// The honest prover, made to run with a witness that is no permutation.
func TestDuplicatedCardIsRefused(t *testing.T) {
	for _, from := range [][]int{{0, 0}, {1, 1}, {0, 1, 1}, {2, 2, 2}, {3, 1, 3, 0, 4}} {
		tb := newTable(t, "duplicated", len(from))
		tb.apply(t, from)
		var err error
		if tb.p, err = Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); err != nil {
			t.Fatal(err)
		}
		tb.mustRefuse(t)
	}
}

func TestReplacedCardIsRefused(t *testing.T) {
	for i := range 5 {
		tb := newTable(t, "replaced", 5)
		tb.out[i] = elgamal.Encrypt(card(77), tb.key, scalar(t, tb.rand))
		tb.mustRefuse(t) // with the proof of the honest output
		tb.w.made = statementHash(tb.key, tb.in, tb.out)
		var err error
		if tb.p, err = Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); err != nil {
			t.Fatal(err)
		}
		tb.mustRefuse(t) // and with one of its own
	}
}

func TestDroppedCardIsRefused(t *testing.T) {
	tb := newTable(t, "dropped", 5)
	tb.out = tb.out[:4]
	tb.mustRefuse(t)
	short := newTable(t, "dropped", 4)
	tb.p = short.p
	tb.mustRefuse(t)
	tb.in = tb.in[:4]
	tb.mustRefuse(t)
}

func TestAddedCardIsRefused(t *testing.T) {
	tb := newTable(t, "added", 5)
	honest := *tb
	extra := elgamal.Encrypt(card(5), tb.key, scalar(t, tb.rand))
	tb.out = append(slices.Clone(tb.out), extra)
	tb.mustRefuse(t)
	tb.in = append(slices.Clone(tb.in), extra.Rerandomise(tb.key, scalar(t, tb.rand)))
	tb.mustRefuse(t)
	tb.p = newTable(t, "added", 6).p
	tb.mustRefuse(t)
	if err := honest.verify(); err != nil {
		t.Fatal(err)
	}
}

// A card that is passed on untouched can be followed through the shuffle. Its
// re-randomisation by zero satisfies every equation, so it has its own check.
func TestUntouchedCardIsRefused(t *testing.T) {
	for from := range 4 {
		tb := newTable(t, "untouched", 4)
		i := slices.Index(tb.w.perm, from)
		tb.w.rho[i] = group.ScalarFromUint64(0)
		tb.out[i] = tb.in[from]
		tb.w.made = statementHash(tb.key, tb.in, tb.out)
		_, err := Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand)
		if !errors.Is(err, ErrUnchanged) {
			t.Errorf("Prove: %v", err)
		}
		if err := tb.verify(); !errors.Is(err, ErrUnchanged) {
			t.Errorf("Verify: %v", err)
		}
	}
}

// The equations alone would let it pass: the check is not idle.
func TestUntouchedCardSatisfiesTheEquations(t *testing.T) {
	tb := newTable(t, "untouched", 4)
	st := tb.statement(t)
	i := slices.Index(tb.w.perm, 2)
	tb.w.rho[i] = group.ScalarFromUint64(0)
	st.out = slices.Clone(tb.out)
	st.out[i] = tb.in[2]
	p := proveUnchecked(t, st, tb)
	asked, _ := st.replay(p)
	for k, eq := range st.equations(p, asked) {
		if !group.VarTimeMultiMul(eq.Scalars, eq.Elements).IsIdentity() {
			t.Errorf("equation %d fails", k)
		}
	}
}

func TestOpenOutputCardIsRefused(t *testing.T) {
	tb := newTable(t, "open", 4)
	tb.out[2] = elgamal.Plain(card(2))
	tb.w.made = statementHash(tb.key, tb.in, tb.out)
	if _, err := Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); !errors.Is(err, ErrIdentity) {
		t.Errorf("Prove: %v", err)
	}
	if err := tb.verify(); !errors.Is(err, ErrIdentity) {
		t.Errorf("Verify: %v", err)
	}
}

// One re-randomisation chosen to cancel A opens the card, with a true proof.
func TestOpenedByCancellationIsRefused(t *testing.T) {
	tb := newTable(t, "cancel", 4)
	r := scalar(t, tb.rand)
	tb.in[1] = elgamal.Encrypt(card(1), tb.key, r)
	tb.shuffle(t)
	i := slices.Index(tb.w.perm, 1)
	tb.w.rho[i] = r.Neg()
	tb.out[i] = tb.in[1].Rerandomise(tb.key, r.Neg())
	st := &statement{newGenerators(4), tb.ctx, tb.key, tb.in, tb.out}
	tb.p = proveUnchecked(t, st, tb)
	if err := tb.verify(); !errors.Is(err, ErrIdentity) {
		t.Errorf("Verify: %v", err)
	}
}

// proveUnchecked runs the honest prover on a statement newStatement refuses.
func proveUnchecked(t *testing.T, st *statement, tb *table) *Proof {
	t.Helper()
	p, err := newProver(st, tb.w, tb.rand)
	if err != nil {
		t.Fatal(err)
	}
	return p.run()
}

func TestMixedDeckIsRefused(t *testing.T) {
	tb := newTable(t, "mixed", 4)
	tb.in[2] = elgamal.Plain(card(2))
	if _, _, err := Shuffle(tb.key, tb.in, tb.rand); !errors.Is(err, ErrMixed) {
		t.Errorf("Shuffle: %v", err)
	}
	if err := tb.verify(); !errors.Is(err, ErrMixed) {
		t.Errorf("Verify: %v", err)
	}
}

func TestIdentityKeyIsRefused(t *testing.T) {
	tb := newTable(t, "key", 4)
	tb.key = group.Identity()
	if _, _, err := Shuffle(tb.key, tb.in, tb.rand); !errors.Is(err, ErrIdentity) {
		t.Errorf("Shuffle: %v", err)
	}
	if err := tb.verify(); !errors.Is(err, ErrIdentity) {
		t.Errorf("Verify: %v", err)
	}
}

func TestProofOfAnotherPlaceIsRefused(t *testing.T) {
	other := newTable(t, "another deck", 5)
	for name, change := range map[string]func(*table){
		"game or seat": func(tb *table) { tb.ctx = []byte("game 1, seat 3") },
		"no context":   func(tb *table) { tb.ctx = nil },
		"input deck":   func(tb *table) { tb.in = other.in },
		"output deck":  func(tb *table) { tb.out = other.out },
		"both decks":   func(tb *table) { tb.in, tb.out = other.in, other.out },
		"key":          func(tb *table) { tb.key = other.key },
		"input order":  func(tb *table) { slices.Reverse(tb.in) },
		"output order": func(tb *table) { slices.Reverse(tb.out) },
		"proof":        func(tb *table) { tb.p = other.p },
		"backwards":    func(tb *table) { tb.in, tb.out = tb.out, tb.in },
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t, "place", 5)
			if err := tb.verify(); err != nil {
				t.Fatal(err)
			}
			change(tb)
			tb.mustRefuse(t)
		})
	}
}

// The forger keeps an honest proof, chooses all output cards but one as he
// likes and solves the equations for the last. It works whenever the challenges
// do not depend on the output, as in libraries that have hashed too little.
func TestLinearSolveIsRefused(t *testing.T) {
	tb := newTable(t, "solve", 5)
	honest := tb.statement(t)
	asked, _ := honest.replay(tb.p)
	p := tb.p

	tb.out = slices.Clone(tb.out)
	for i := range 4 {
		tb.out[i] = elgamal.Encrypt(card(100+i), tb.key, scalar(t, tb.rand))
	}
	a, b := honest.cardEquations(p, asked, powersOf(asked.x, 5))
	rest := elgamal.Ciphertext{
		A: group.VarTimeMultiMul(a.Scalars, a.Elements),
		B: group.VarTimeMultiMul(b.Scalars, b.Elements),
	}
	// The honest sum is zero; take away what the four cards changed.
	for i := range 4 {
		change := tb.out[i].Sub(honest.out[i])
		rest.A = rest.A.Sub(change.A.Mul(p.o[i]))
		rest.B = rest.B.Sub(change.B.Mul(p.o[i]))
	}
	inv := p.o[4].Invert()
	tb.out[4].A = tb.out[4].A.Add(rest.A.Mul(inv))
	tb.out[4].B = tb.out[4].B.Add(rest.B.Mul(inv))

	forged := tb.statement(t)
	for k, eq := range forged.equations(p, asked) {
		if !group.VarTimeMultiMul(eq.Scalars, eq.Elements).IsIdentity() {
			t.Fatalf("equation %d fails under the old challenges: the attack was not carried out", k)
		}
	}
	tb.mustRefuse(t)
}

// The same with a proof made before its input deck was chosen.
func TestLinearSolveForInputIsRefused(t *testing.T) {
	tb := newTable(t, "solve input", 5)
	honest := tb.statement(t)
	asked, _ := honest.replay(tb.p)
	powers := powersOf(asked.x, 5)
	tb.in = slices.Clone(tb.in)
	change := elgamal.Encrypt(card(50), tb.key, scalar(t, tb.rand))
	tb.in[0] = elgamal.Ciphertext{A: tb.in[0].A.Add(change.A), B: tb.in[0].B.Add(change.B)}
	factor := powers[0].Mul(powers[1].Invert()).Neg()
	tb.in[1] = elgamal.Ciphertext{
		A: tb.in[1].A.Add(change.A.Mul(factor)),
		B: tb.in[1].B.Add(change.B.Mul(factor)),
	}
	for k, eq := range tb.statement(t).equations(tb.p, asked) {
		if !group.VarTimeMultiMul(eq.Scalars, eq.Elements).IsIdentity() {
			t.Fatalf("equation %d fails under the old challenges: the attack was not carried out", k)
		}
	}
	tb.mustRefuse(t)
}

func TestWitnessOfAnotherShuffleIsRefused(t *testing.T) {
	tb, other := newTable(t, "one", 4), newTable(t, "other", 4)
	for _, w := range []*Witness{nil, {}, other.w} {
		if _, err := Prove(tb.ctx, tb.key, tb.in, tb.out, w, tb.rand); err == nil {
			t.Error("Prove accepts a witness of another shuffle")
		}
	}
}
