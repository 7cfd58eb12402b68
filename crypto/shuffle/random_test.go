package shuffle

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// With a source that always says the same, two statements still get two sets of
// nonces: equal ones would give the permutation away.
func TestConstantRandomSource(t *testing.T) {
	tb := newTable(t, "constant", 5)
	proof := func(ctx string) map[string]bool {
		p, err := Prove([]byte(ctx), tb.key, tb.in, tb.out, tb.w, constant(7))
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for b := p.Bytes(); len(b) > 0; b = b[32:] {
			if seen[string(b[:32])] {
				t.Error("a value occurs twice in one proof")
			}
			seen[string(b[:32])] = true
		}
		return seen
	}
	one, two := proof("game 1"), proof("game 2")
	for v := range one {
		if two[v] {
			t.Error("two statements share a commitment or a response")
		}
	}

	// The same for the re-randomisation of two decks.
	other := newTable(t, "constant 2", 5)
	_, w1, err := Shuffle(tb.key, tb.in, constant(7))
	if err != nil {
		t.Fatal(err)
	}
	_, w2, err := Shuffle(tb.key, other.in, constant(7))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range w1.rho {
		for j, s := range w2.rho {
			if r.Equal(s) {
				t.Errorf("rho %d and %d of two decks are equal", i, j)
			}
		}
	}
}

// Nonces depend on the secrets too: the same statement with two witnesses.
func TestNoncesDependOnTheSecrets(t *testing.T) {
	tb := newTable(t, "secrets", 3)
	st := tb.statement(t)
	one, err := newProver(st, tb.w, constant(0))
	if err != nil {
		t.Fatal(err)
	}
	w := *tb.w
	w.rho = append([]*group.Scalar{w.rho[0].Add(group.ScalarFromUint64(1))}, w.rho[1:]...)
	two, err := newProver(st, &w, constant(0))
	if err != nil {
		t.Fatal(err)
	}
	if one.src.Scalar().Equal(two.src.Scalar()) {
		t.Error("two witnesses get one nonce")
	}
}

// All 24 orders of four cards are equally likely: chi-square with 23 degrees of
// freedom stays below 49.7 with probability 0.999.
func TestPermutationsAreUniform(t *testing.T) {
	const draws = 24000
	rand := seeded("chi-square")
	counts := make(map[[4]int]int)
	for range draws {
		perm, err := permutation(4, rand)
		if err != nil {
			t.Fatal(err)
		}
		counts[[4]int(perm)]++
	}
	if len(counts) != 24 {
		t.Fatalf("%d orders occur, want 24", len(counts))
	}
	chi := 0.0
	for _, c := range counts {
		d := float64(c) - draws/24
		chi += d * d / (draws / 24)
	}
	if chi > 49.7 {
		t.Errorf("chi-square %.1f, want below 49.7", chi)
	}
}

// 2^32 leaves a remainder of 1 modulo 3: the word 2^32 - 1 is one too many.
func TestDrawRejectsTheRemainder(t *testing.T) {
	words := bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0})
	got, err := below(3, words)
	if err != nil || got != 1 || words.Len() != 0 {
		t.Errorf("got %d, %v with %d bytes left, want 1", got, err, words.Len())
	}
	last := bytes.NewReader([]byte{0xfe, 0xff, 0xff, 0xff})
	if got, err := below(3, last); err != nil || got != 2 {
		t.Errorf("got %d, %v, want 2", got, err)
	}
	if _, err := below(3, constant(0xff)); !errors.Is(err, ErrStuck) {
		t.Errorf("stuck source: %v", err)
	}
}

func TestRandomSourceRunsOut(t *testing.T) {
	tb := newTable(t, "short", 4)
	for n := range 44 { // 3 words and 32 bytes
		if _, _, err := Shuffle(tb.key, tb.in, bytes.NewReader(make([]byte, n))); err == nil {
			t.Errorf("Shuffle is content with %d bytes", n)
		}
	}
	if _, err := Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("Prove is content with 31 bytes")
	}
}

// The same card is not recognisable after a shuffle, nor in two shuffles of one
// deck, by an element or by a difference of two cards.
func TestCardsAreNotRecognisable(t *testing.T) {
	tb := newTable(t, "recognise", 6)
	again := *tb
	again.shuffle(t)
	once := *tb
	once.in = tb.out
	once.shuffle(t)
	seen := make(map[[32]byte]string)
	for name, cs := range map[string][]elgamal.Ciphertext{
		"in": tb.in, "out": tb.out, "again": again.out, "once more": once.out,
	} {
		for i, c := range cs {
			for part, e := range map[string]*group.Element{"A": c.A, "B": c.B} {
				here := fmt.Sprintf("%s of %s[%d]", part, name, i)
				if there, ok := seen[e.Encoding()]; ok {
					t.Errorf("%s equals %s", here, there)
				}
				seen[e.Encoding()] = here
			}
			for j, d := range cs {
				if i == j {
					continue
				}
				diff := c.Sub(d)
				for part, e := range map[string]*group.Element{"A": diff.A, "B": diff.B} {
					here := fmt.Sprintf("%s of %s[%d]-[%d]", part, name, i, j)
					if there, ok := seen[e.Encoding()]; ok {
						t.Errorf("%s equals %s", here, there)
					}
					seen[e.Encoding()] = here
				}
			}
		}
	}
}

// The generators are constants of the protocol: a change here makes all proofs
// ever made invalid.
func TestGeneratorsArePinned(t *testing.T) {
	g := newGenerators(MaxCards)
	for name, c := range map[string]struct {
		e    *group.Element
		want string
	}{
		"H":      {g.blind, "fa5f3d8ae6bd5f309279b5fddfba92a8818f0f2da905c0ba6a39aa3118a8f66f"},
		"H_1":    {g.row[0], "f0f4bcf301a79a44fae8fa0b3d134eb692bf84f8bbad83f1aa98fc4063bf1b54"},
		"H_2":    {g.row[1], "a4abb374290bd718e885736c4a90963a185648ab60904b90f208ed4729273779"},
		"H_1024": {g.row[1023], "a6a18dd120d683fabcaeb5f2d29f207fb89d71715f4106357cfb0ab36d03ef6e"},
	} {
		if got := hex.EncodeToString(c.e.Bytes()); got != c.want {
			t.Errorf("%s is %s, want %s", name, got, c.want)
		}
	}
	for n, want := range map[int]string{
		2:        "884d342ee918460e1ba7da4df281197d9ee435799dc36b2f4cdf3513b326522a",
		21:       "8a77c5314aa97c7fffd425a9afc44ff1e94a8b35d05ddf76926cbad1f68a5bed",
		MaxCards: "600d33118647b66462b0e36b2c042ed65e219576461415a0640dc866c369a609",
	} {
		tag := newGenerators(n).tag
		if got := hex.EncodeToString(tag[:]); got != want {
			t.Errorf("tag for %d cards is %s, want %s", n, got, want)
		}
	}
}

func TestGeneratorsAreUnrelated(t *testing.T) {
	g := newGenerators(MaxCards)
	seen := map[[32]byte]bool{group.Base().Encoding(): true, group.Identity().Encoding(): true}
	for _, e := range append([]*group.Element{g.blind}, g.row...) {
		if seen[e.Encoding()] || seen[e.Neg().Encoding()] {
			t.Fatal("a generator occurs twice")
		}
		seen[e.Encoding()] = true
	}
}
