package shuffle

import (
	"bytes"
	"testing"

	"alibi/crypto/elgamal"
)

func TestProofRoundTrip(t *testing.T) {
	for _, n := range []int{2, 3, 7} {
		tb := newTable(t, "round trip", n)
		b := tb.p.Bytes()
		p, err := ParseProof(b, n)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Bytes(), b) {
			t.Errorf("%d cards: another encoding", n)
		}
		tb.p = p
		if err := tb.verify(); err != nil {
			t.Errorf("%d cards: %v", n, err)
		}
	}
}

func TestParseProofRefuses(t *testing.T) {
	const n = 3
	good := newTable(t, "parse", n).p.Bytes()
	high := bytes.Repeat([]byte{0xff}, 32)
	for name, b := range map[string][]byte{
		"nothing":      nil,
		"a byte short": good[:len(good)-1],
		"a byte more":  append(bytes.Clone(good), 0),
		"other size":   good[:ProofSize(n-1)],
	} {
		if _, err := ParseProof(b, n); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for at := 0; at < len(good); at += 32 {
		b := bytes.Clone(good)
		copy(b[at:], high)
		if _, err := ParseProof(b, n); err == nil {
			t.Errorf("32 bytes 0xff at %d are accepted", at)
		}
	}
}

// A megabyte in the place of a proof is refused for its length alone.
func TestParseProofRefusesBeforeAllocating(t *testing.T) {
	huge := make([]byte, 1<<20)
	if n := testing.AllocsPerRun(10, func() {
		if _, err := ParseProof(huge, 21); err == nil {
			t.Error("accepted")
		}
	}); n > 8 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParseProof(f *testing.F) {
	for _, n := range []int{2, 3} {
		tb := newTable(f, "fuzz", n)
		f.Add(tb.p.Bytes(), n)
		f.Add(make([]byte, ProofSize(n)), n)
	}
	f.Add([]byte{}, 0)
	f.Add([]byte{1}, MaxCards+1)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		p, err := ParseProof(b, n)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Bytes(), b) {
			t.Error("accepted bytes are not the encoding")
		}
		// Whatever parses can be checked without a panic, and only the honest
		// proof of this deck passes.
		if n > 8 {
			return
		}
		tb := newTable(t, "fuzz", n)
		honest := bytes.Equal(b, tb.p.Bytes())
		tb.p = p
		if (tb.verify() == nil) != honest {
			t.Errorf("verification says %v", !honest)
		}
	})
}

// FuzzCheckDeck lets decks from peers meet the checks.
func FuzzCheckDeck(f *testing.F) {
	tb := newTable(f, "fuzz deck", 3)
	f.Add(elgamal.EncodeAll(tb.out))
	f.Add(elgamal.EncodeAll(tb.in))
	f.Add(elgamal.EncodeAll([]elgamal.Ciphertext{tb.out[0], tb.out[1], tb.in[2]}))
	f.Add(elgamal.EncodeAll([]elgamal.Ciphertext{tb.out[1], tb.out[0], tb.out[2]}))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := elgamal.ParseAll(b, 3)
		if err != nil {
			return
		}
		honest := bytes.Equal(b, elgamal.EncodeAll(tb.out))
		if (Verify(tb.ctx, tb.key, tb.in, out, tb.p) == nil) != honest {
			t.Errorf("verification says %v", !honest)
		}
	})
}
