package identity

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func testKey(b byte) Key { return KeyFromSeed([SeedSize]byte{b}) }

func TestSignatureIsBoundToPurposeAndMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := KeyFromSeed([SeedSize]byte(rapid.SliceOfN(rapid.Byte(), SeedSize, SeedSize).Draw(t, "seed")))
		msg := rapid.SliceOf(rapid.Byte()).Draw(t, "message")
		sig := k.Sign("entry", msg)
		if !k.ID().Verify("entry", msg, sig[:]) {
			t.Fatal("own signature refused")
		}
		if k.ID().Verify("entr", append([]byte("y\x00"), msg...), sig[:]) || k.ID().Verify("charter", msg, sig[:]) {
			t.Fatal("signature accepted for another purpose")
		}
		if k.ID().Verify("entry", append(msg, 0), sig[:]) {
			t.Fatal("signature accepted for another message")
		}
		if testKey(1).ID().Verify("entry", msg, sig[:]) {
			t.Fatal("signature accepted for another identity")
		}
	})
}

func TestSignatureOfWrongLengthIsRefused(t *testing.T) {
	sig := testKey(1).Sign("entry", []byte("m"))
	for _, s := range [][]byte{nil, sig[:63], append(sig[:], 0)} {
		if testKey(1).ID().Verify("entry", []byte("m"), s) {
			t.Errorf("signature of %d bytes accepted", len(s))
		}
	}
}

// The eight low-order points and the encodings that only a lax decoder takes.
func TestParseIDRefusesLowOrderAndNonCanonical(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want error
	}{
		{"0000000000000000000000000000000000000000000000000000000000000000", ErrLowOrder},
		{"0000000000000000000000000000000000000000000000000000000000000080", ErrLowOrder},
		{"0100000000000000000000000000000000000000000000000000000000000000", ErrLowOrder},
		{"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", ErrLowOrder},
		{"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", ErrLowOrder},
		{"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", ErrLowOrder},
		{"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", ErrLowOrder},
		{"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", ErrLowOrder},
		{"0100000000000000000000000000000000000000000000000000000000000080", ErrNotCanonical},
		{"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", ErrNotCanonical},
		{"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", ErrNotCanonical},
		{"0200000000000000000000000000000000000000000000000000000000000000", ErrNotCanonical},
		{"00", ErrLength},
	} {
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseID(b); !errors.Is(err, c.want) {
			t.Errorf("ParseID(%s) = %v, want %v", c.hex, err, c.want)
		}
	}
	id := testKey(3).ID()
	if got, err := ParseID(id[:]); err != nil || got != id {
		t.Errorf("an honest id does not round-trip: %v", err)
	}
}

func TestKeyDoesNotPrintItsSecret(t *testing.T) {
	k := testKey(7)
	seed := k.Seed()
	for _, f := range []string{"%v", "%+v", "%#v", "%s"} {
		s := fmt.Sprintf(f, k)
		if strings.Contains(s, hex.EncodeToString(seed[:])) || !strings.Contains(s, "secret") {
			t.Errorf("%s prints %q", f, s)
		}
	}
}

// Vectors of the proquint proposal: 127.0.0.1 is lusab-babad, 63.84.220.193 is gutih-tugad.
func TestWordsArePublishedProquints(t *testing.T) {
	got := Words([32]byte{127, 0, 0, 1, 63, 84, 220, 193, 9})
	if want := [4]string{"lusab", "babad", "gutih", "tugad"}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParseID(f *testing.F) {
	id := testKey(1).ID()
	f.Add(id[:])
	f.Add(make([]byte, 32))
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, err := ParseID(b); err == nil && !bytes.Equal(id[:], b) {
			t.Fatal("accepted bytes do not round-trip")
		}
	})
}
