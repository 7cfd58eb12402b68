package group

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"strings"
	"sync"
	"testing"

	"filippo.io/edwards25519"
	"pgregory.net/rapid"
)

var order, _ = new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)

func littleEndian(n *big.Int) []byte {
	b := n.FillBytes(make([]byte, 32))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

// drawScalar prefers the ends of the range and short numbers.
func drawScalar(t *rapid.T, label string) *Scalar {
	minus := func(n uint64) *Scalar { return new(Scalar).Sub(ScalarFromUint64(n)) }
	switch rapid.IntRange(0, 7).Draw(t, label+" kind") {
	case 0:
		return new(Scalar)
	case 1:
		return ScalarFromUint64(rapid.Uint64Range(1, 20).Draw(t, label))
	case 2:
		return minus(rapid.Uint64Range(1, 20).Draw(t, label))
	case 3:
		w := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, label)
		return ScalarFromWeight([16]byte(w))
	default:
		s, err := ScalarFromUniform(rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, label))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// drawElement mixes elements of every origin: parsed, computed, hashed,
// prepared, the identity and the generator.
func drawElement(t *rapid.T, label string) *Element {
	switch rapid.IntRange(0, 6).Draw(t, label+" kind") {
	case 0:
		return Identity()
	case 1:
		return Base()
	case 2:
		return BaseMul(drawScalar(t, label)).Prepared()
	case 3:
		e, err := ElementFromUniform(rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, label))
		if err != nil {
			t.Fatal(err)
		}
		return e
	case 4:
		e, err := ParseElement(BaseMul(drawScalar(t, label)).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return e
	default:
		return BaseMul(drawScalar(t, label)).Add(BaseMul(drawScalar(t, label+" other")))
	}
}

// torsion returns the four points of order dividing four, which all stand for
// the identity of the group.
func torsion(t *testing.T) []*edwards25519.Point {
	var out []*edwards25519.Point
	for _, s := range lowOrder[:4] {
		p, err := new(edwards25519.Point).SetBytes(unhex(t, s))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// lowOrder are the eight points of Ed25519 of order 1, 2, 4, 4 and 8.
var lowOrder = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
}

func TestLowOrderEncodingsAreNoElements(t *testing.T) {
	for _, s := range lowOrder {
		if e, err := ParseNonIdentity(unhex(t, s)); err == nil {
			t.Errorf("%s is accepted as %x", s, e.Bytes())
		}
	}
}

func TestTorsionIsInvisible(t *testing.T) {
	for _, low := range torsion(t) {
		e := new(Element)
		e.p.Set(low)
		if !e.IsIdentity() || !e.Equal(Identity()) || e.Encoding() != Identity().Encoding() {
			t.Errorf("%x is not the identity", low.Bytes())
		}
		moved := new(Element)
		moved.p.Add(&Base().p, low)
		if moved.IsIdentity() || !moved.Equal(Base()) || moved.Encoding() != Base().Encoding() {
			t.Errorf("G + %x is not G", low.Bytes())
		}
	}
}

func TestIdentityIsAcceptedOnlyWhereAllowed(t *testing.T) {
	zero := make([]byte, ElementSize)
	e, err := ParseElement(zero)
	if err != nil || !e.IsIdentity() {
		t.Errorf("ParseElement: %v", err)
	}
	if _, err := ParseNonIdentity(zero); !errors.Is(err, ErrIdentity) {
		t.Errorf("ParseNonIdentity: %v, want %v", err, ErrIdentity)
	}
	if Base().IsIdentity() || !BaseMul(new(Scalar)).IsIdentity() {
		t.Error("IsIdentity is wrong")
	}
}

func TestLengths(t *testing.T) {
	b := Base().Bytes()
	for _, in := range [][]byte{nil, b[:31], append(Base().Bytes(), 0), make([]byte, 64)} {
		if _, err := ParseElement(in); !errors.Is(err, ErrLength) {
			t.Errorf("element of %d bytes: %v", len(in), err)
		}
		if _, err := ParseNonIdentity(in); !errors.Is(err, ErrLength) {
			t.Errorf("element of %d bytes: %v", len(in), err)
		}
		if _, err := ParseScalar(in); !errors.Is(err, ErrLength) {
			t.Errorf("scalar of %d bytes: %v", len(in), err)
		}
	}
	for _, n := range []int{0, 32, 63, 65} {
		if _, err := ElementFromUniform(make([]byte, n)); !errors.Is(err, ErrLength) {
			t.Errorf("element from %d uniform bytes: %v", n, err)
		}
		if _, err := ScalarFromUniform(make([]byte, n)); !errors.Is(err, ErrLength) {
			t.Errorf("scalar from %d uniform bytes: %v", n, err)
		}
	}
}

func TestScalarsAreCanonical(t *testing.T) {
	one := big.NewInt(1)
	for name, n := range map[string]*big.Int{
		"l":       order,
		"l + 1":   new(big.Int).Add(order, one),
		"2 l":     new(big.Int).Add(order, order),
		"2^252+c": new(big.Int).Add(order, new(big.Int).Lsh(one, 128)),
		"2^253":   new(big.Int).Lsh(one, 253),
		"2^255":   new(big.Int).Lsh(one, 255),
		"2^256-1": new(big.Int).Sub(new(big.Int).Lsh(one, 256), one),
	} {
		if s, err := ParseScalar(littleEndian(n)); !errors.Is(err, ErrScalarRange) || s != nil {
			t.Errorf("%s: %v, want %v", name, err, ErrScalarRange)
		}
	}
	last := littleEndian(new(big.Int).Sub(order, one))
	s, err := ParseScalar(last)
	if err != nil || !bytes.Equal(s.Bytes(), last) || !s.Add(ScalarFromUint64(1)).IsZero() {
		t.Errorf("l - 1: %v", err)
	}
}

func TestRandomScalar(t *testing.T) {
	if _, err := RandomScalar(strings.NewReader("too short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short source: %v", err)
	}
	s, err := RandomScalar(bytes.NewReader(bytes.Repeat([]byte{0xff}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	n := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 512), big.NewInt(1))
	if !bytes.Equal(s.Bytes(), littleEndian(n.Mod(n, order))) {
		t.Errorf("2^512 - 1 reduces to %x", s.Bytes())
	}
}

func TestScalarsAgainstBigIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawScalar(t, "a"), drawScalar(t, "b"), drawScalar(t, "c")
		number := func(s *Scalar) *big.Int {
			le := s.Bytes()
			for i, j := 0, 31; i < j; i, j = i+1, j-1 {
				le[i], le[j] = le[j], le[i]
			}
			return new(big.Int).SetBytes(le)
		}
		x, y, z := number(a), number(b), number(c)
		check := func(name string, got *Scalar, want *big.Int) {
			if !bytes.Equal(got.Bytes(), littleEndian(want.Mod(want, order))) {
				t.Fatalf("%s: %x", name, got.Bytes())
			}
		}
		check("a+b", a.Add(b), new(big.Int).Add(x, y))
		check("a-b", a.Sub(b), new(big.Int).Sub(x, y))
		check("ab", a.Mul(b), new(big.Int).Mul(x, y))
		check("ab+c", a.MulAdd(b, c), new(big.Int).Add(z, new(big.Int).Mul(x, y)))
		check("-a", a.Neg(), new(big.Int).Neg(x))
		if !a.IsZero() {
			check("1/a", a.Invert(), new(big.Int).ModInverse(x, order))
		} else if !a.Invert().IsZero() {
			t.Fatal("1/0 is not 0")
		}
		if a.Equal(b) != (x.Cmp(y) == 0) || a.IsZero() != (x.Sign() == 0) {
			t.Fatal("Equal or IsZero is wrong")
		}
		if back, err := ParseScalar(a.Bytes()); err != nil || !back.Equal(a) {
			t.Fatalf("round trip: %v", err)
		}
	})
}

func TestOperationsLeaveOperandsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, f, s := drawElement(t, "e"), drawElement(t, "f"), drawScalar(t, "s")
		before := [3]string{string(encodeAfresh(e)), string(encodeAfresh(f)), string(s.Bytes())}
		e.Add(f)
		e.Sub(f)
		e.Neg()
		e.Mul(s)
		e.Prepared().Mul(s)
		e.Equal(f)
		MultiMul([]*Scalar{s, s}, []*Element{e, f})
		VarTimeMultiMul([]*Scalar{s, s}, []*Element{e, f})
		s.Add(s)
		s.Invert()
		e.Bytes()[0] ^= 1
		s.Bytes()[0] ^= 1
		after := [3]string{string(encodeAfresh(e)), string(encodeAfresh(f)), string(s.Bytes())}
		if before != after {
			t.Fatal("an operand changed")
		}
		if string(e.Bytes()) != before[0] {
			t.Fatal("the cached encoding changed")
		}
	})
}

func encodeAfresh(e *Element) []byte {
	enc := encode(&e.p)
	return enc[:]
}

func TestParseDoesNotKeepItsInput(t *testing.T) {
	b := Base().Bytes()
	e, err := ParseElement(b)
	if err != nil {
		t.Fatal(err)
	}
	b[3] ^= 1
	if e.Encoding() != Base().Encoding() {
		t.Error("the element changed with the slice it was parsed from")
	}
}

func TestConcurrentReaders(t *testing.T) {
	e := BaseMul(ScalarFromUint64(77)).Prepared()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				e.Encoding()
				e.Mul(ScalarFromUint64(3))
				e.Equal(Base())
			}
		})
	}
	wg.Wait()
}
