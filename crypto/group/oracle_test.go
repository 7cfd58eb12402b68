package group

import (
	"bytes"
	"testing"

	"github.com/gtank/ristretto255"
	"pgregory.net/rapid"
)

// The oracle is github.com/gtank/ristretto255: another writing of the RFC.

func oracleElement(tb *rapid.T, e *Element) *ristretto255.Element {
	o, err := ristretto255.NewIdentityElement().SetCanonicalBytes(encodeAfresh(e))
	if err != nil {
		tb.Fatalf("the oracle refuses %x: %v", encodeAfresh(e), err)
	}
	return o
}

func oracleScalar(tb *rapid.T, s *Scalar) *ristretto255.Scalar {
	o, err := ristretto255.NewScalar().SetCanonicalBytes(s.Bytes())
	if err != nil {
		tb.Fatalf("the oracle refuses %x: %v", s.Bytes(), err)
	}
	return o
}

func TestOperationsAgreeWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, f, s := drawElement(t, "e"), drawElement(t, "f"), drawScalar(t, "s")
		oe, of, os := oracleElement(t, e), oracleElement(t, f), oracleScalar(t, s)
		fresh := ristretto255.NewIdentityElement
		for name, pair := range map[string]struct {
			ours   *Element
			oracle *ristretto255.Element
		}{
			"add":  {e.Add(f), fresh().Add(oe, of)},
			"sub":  {e.Sub(f), fresh().Subtract(oe, of)},
			"neg":  {e.Neg(), fresh().Negate(oe)},
			"mul":  {e.Mul(s), fresh().ScalarMult(os, oe)},
			"base": {BaseMul(s), fresh().ScalarBaseMult(os)},
		} {
			if !bytes.Equal(pair.ours.Bytes(), pair.oracle.Bytes()) {
				t.Fatalf("%s: %x, oracle %x", name, pair.ours.Bytes(), pair.oracle.Bytes())
			}
		}
		if e.Equal(f) != (oe.Equal(of) == 1) || e.IsIdentity() != (oe.Equal(fresh()) == 1) {
			t.Fatal("equality")
		}
	})
}

func checkParse(t *testing.T, b []byte) {
	e, err := ParseElement(b)
	_, oracleErr := ristretto255.NewIdentityElement().SetCanonicalBytes(b)
	if (err == nil) != (oracleErr == nil) {
		t.Fatalf("%x: %v, oracle %v", b, err, oracleErr)
	}
	if err != nil {
		return
	}
	if !bytes.Equal(e.Bytes(), b) || !bytes.Equal(encodeAfresh(e), b) {
		t.Fatalf("%x encodes again as %x", b, encodeAfresh(e))
	}
	if _, err := ParseNonIdentity(b); (err == nil) == e.IsIdentity() {
		t.Fatalf("%x: %v from ParseNonIdentity", b, err)
	}
}

func TestParseAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(rt, "encoding")
		b[0] &= 0xfe // otherwise half of them end at the sign
		b[31] &= 0x7f
		checkParse(t, b)
	})
}

func FuzzParseElement(f *testing.F) {
	for _, s := range lowOrder {
		f.Add(unhex(f, s))
	}
	f.Add(Base().Bytes())
	f.Add(BaseMul(ScalarFromUint64(12345)).Bytes())
	f.Add(Base().Bytes()[:31])
	f.Add(append(Base().Bytes(), 0))
	f.Add(bytes.Repeat([]byte{0xff}, 32))
	f.Fuzz(checkParse)
}

func FuzzElementFromUniform(f *testing.F) {
	f.Add(make([]byte, 64))
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Add(append(bytes.Repeat([]byte{0xed}, 32), bytes.Repeat([]byte{0x7f}, 32)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := ElementFromUniform(b)
		oracle, oracleErr := ristretto255.NewIdentityElement().SetUniformBytes(b)
		if (err == nil) != (oracleErr == nil) {
			t.Fatalf("%v, oracle %v", err, oracleErr)
		}
		if err == nil && !bytes.Equal(e.Bytes(), oracle.Bytes()) {
			t.Fatalf("%x, oracle %x", e.Bytes(), oracle.Bytes())
		}
	})
}

func FuzzParseScalar(f *testing.F) {
	f.Add(littleEndian(order))
	f.Add(ScalarFromUint64(1).Neg().Bytes())
	f.Add(make([]byte, 31))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseScalar(b)
		_, oracleErr := ristretto255.NewScalar().SetCanonicalBytes(b)
		if (err == nil) != (oracleErr == nil) {
			t.Fatalf("%x: %v, oracle %v", b, err, oracleErr)
		}
		if err == nil && !bytes.Equal(s.Bytes(), b) {
			t.Fatalf("%x encodes again as %x", b, s.Bytes())
		}
	})
}
