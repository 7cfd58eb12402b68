package shuffle

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Every order of a small deck can be proven, and the cards are those put in.
func TestEveryOrder(t *testing.T) {
	var orders [][]int
	var extend func(order []int, n int)
	extend = func(order []int, n int) {
		if len(order) == n {
			orders = append(orders, slices.Clone(order))
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				extend(append(order, i), n)
			}
		}
	}
	extend(nil, 2)
	extend(nil, 3)
	extend(nil, 4)
	for _, order := range orders {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			tb := newTable(t, "orders", len(order))
			tb.apply(t, order)
			var err error
			if tb.p, err = Prove(tb.ctx, tb.key, tb.in, tb.out, tb.w, tb.rand); err != nil {
				t.Fatal(err)
			}
			if err := tb.verify(); err != nil {
				t.Error(err)
			}
			for i, from := range order {
				if !tb.out[i].Decrypt(tb.y).Equal(card(from)) {
					t.Errorf("output %d does not hide card %d", i, from)
				}
			}
		})
	}
}

// Sizes around the piece boundary of the constant-time sums, and a deck that
// starts open.
func TestSizes(t *testing.T) {
	for _, n := range []int{MinCards, 3, 21, piece - 1, piece, piece + 1} {
		tb := newTable(t, "sizes", n)
		if err := tb.verify(); err != nil {
			t.Errorf("%d cards: %v", n, err)
		}
		if got := len(tb.p.Bytes()); got != ProofSize(n) {
			t.Errorf("proof for %d cards has %d bytes, want %d", n, got, ProofSize(n))
		}
		for i := range tb.in {
			tb.in[i] = elgamal.Plain(card(i))
		}
		tb.shuffle(t)
		if err := tb.verify(); err != nil {
			t.Errorf("start deck of %d cards: %v", n, err)
		}
	}
}

func TestSizesOutOfRange(t *testing.T) {
	tb := newTable(t, "range", 2)
	many := make([]elgamal.Ciphertext, MaxCards+1)
	for i := range many {
		many[i] = tb.in[0]
	}
	for _, in := range [][]elgamal.Ciphertext{nil, {}, tb.in[:1], many} {
		if _, _, err := Shuffle(tb.key, in, tb.rand); err == nil {
			t.Errorf("Shuffle takes %d cards", len(in))
		}
		if err := Verify(tb.ctx, tb.key, in, in, tb.p); err == nil {
			t.Errorf("Verify takes %d cards", len(in))
		}
	}
	for _, n := range []int{-1, 0, 1, MaxCards + 1} {
		if _, err := ParseProof(make([]byte, max(0, ProofSize(n))), n); err == nil {
			t.Errorf("ParseProof takes %d cards", n)
		}
	}
}

func TestMissingValuesAreErrors(t *testing.T) {
	tb := newTable(t, "missing", 3)
	if err := Verify(tb.ctx, nil, tb.in, tb.out, tb.p); err == nil {
		t.Error("no key")
	}
	if err := Verify(tb.ctx, tb.key, tb.in, tb.out, nil); err == nil {
		t.Error("no proof")
	}
	if err := Verify(tb.ctx, tb.key, tb.in, tb.out, new(Proof)); err == nil {
		t.Error("empty proof")
	}
	hole := slices.Clone(tb.in)
	hole[1] = elgamal.Ciphertext{}
	if err := Verify(tb.ctx, tb.key, hole, tb.out, tb.p); err == nil {
		t.Error("no input card")
	}
	hole = slices.Clone(tb.out)
	hole[1] = elgamal.Ciphertext{}
	if err := Verify(tb.ctx, tb.key, tb.in, hole, tb.p); err == nil {
		t.Error("no output card")
	}
}

// A batch, a batch of one, and the equations taken singly agree, whatever was
// done to deck and proof: peers that verify differently must not part ways.
func TestBatchAndSingleAgree(t *testing.T) {
	const n = 4
	honest := newTable(t, "agree", n)
	encoded := honest.p.Bytes()
	rapid.Check(t, func(rt *rapid.T) {
		tb := *honest
		tb.in, tb.out = slices.Clone(honest.in), slices.Clone(honest.out)
		b := slices.Clone(encoded)
		for range rapid.IntRange(0, 2).Draw(rt, "changes") {
			i := rapid.IntRange(0, n-1).Draw(rt, "card")
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0: // a response, kept canonical
				at := 32*points + 32*rapid.IntRange(0, 3*n+1).Draw(rt, "scalar")
				b[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "flip"))
			case 1:
				at := 32 * rapid.IntRange(0, points-1).Draw(rt, "element")
				copy(b[at:], card(i).Bytes())
			case 2:
				j := rapid.IntRange(0, n-1).Draw(rt, "other")
				tb.out[i], tb.out[j] = tb.out[j], tb.out[i]
			case 3:
				tb.in[i].B = tb.in[i].B.Add(group.Base())
			}
		}
		var err error
		if tb.p, err = ParseProof(b, n); err != nil {
			return
		}
		check, err := Check(tb.ctx, tb.key, tb.in, tb.out, tb.p)
		if err != nil {
			rt.Fatal(err)
		}
		good, err := Check(honest.ctx, honest.key, honest.in, honest.out, honest.p)
		if err != nil {
			rt.Fatal(err)
		}
		var batch sigma.Batch
		batch.Add(good)
		at := batch.Add(check)
		single := check.Verify() == nil
		unchanged := bytes.Equal(b, encoded) && slices.EqualFunc(tb.out, honest.out, elgamal.Ciphertext.Equal) &&
			slices.EqualFunc(tb.in, honest.in, elgamal.Ciphertext.Equal)
		if single != unchanged {
			rt.Fatalf("single verification says %v, changed: %v", single, !unchanged)
		}
		if got := tb.verify() == nil; got != single {
			rt.Fatalf("Verify says %v, the equations %v", got, single)
		}
		if got := batch.Verify() == nil; got != single {
			rt.Fatalf("the batch says %v, the equations %v", got, single)
		}
		if culprits := batch.Culprits(); single != (len(culprits) == 0) || !single && !slices.Equal(culprits, []int{at}) {
			rt.Fatalf("culprits %v of a batch where %d holds: %v", culprits, at, single)
		}
	})
}

// Any number of cards, twice shuffled, comes out as it went in.
func TestShuffleKeepsTheCards(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(MinCards, 9).Draw(rt, "cards")
		tb := newTable(t, rapid.String().Draw(rt, "seed"), n)
		first := tb.out
		tb.in = first
		tb.shuffle(t)
		if err := tb.verify(); err != nil {
			rt.Fatal(err)
		}
		found := make(map[[32]byte]bool)
		for _, c := range tb.out {
			found[c.Decrypt(tb.y).Encoding()] = true
		}
		for i := range n {
			if !found[card(i).Encoding()] {
				rt.Fatalf("card %d is gone", i)
			}
		}
	})
}
