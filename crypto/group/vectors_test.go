package group

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"filippo.io/edwards25519/field"
)

var classes = map[string]error{
	"non-canonical": ErrNonCanonical,
	"negative":      ErrNegative,
	"not-square":    ErrNotSquare,
	"negative-t":    ErrNegativeT,
	"zero-y":        ErrZeroY,
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestVectorsOfRFC9496(t *testing.T) {
	f, err := os.Open("testdata/rfc9496.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		seen[words[0]]++
		switch words[0] {
		case "multiple":
			n, err := strconv.ParseUint(words[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			checkMultiple(t, n, unhex(t, words[2]))
		case "refused":
			e, err := ParseElement(unhex(t, words[2]))
			if want := classes[words[1]]; want == nil || e != nil || !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", words[2], err, want)
			}
		case "uniform":
			e, err := ElementFromUniform(unhex(t, words[1]))
			if err != nil || hex.EncodeToString(e.Bytes()) != words[2] {
				t.Errorf("uniform %s gives %x, %v", words[1], e.Bytes(), err)
			}
		}
	}
	if seen["multiple"] != 16 || seen["refused"] != 29 || seen["uniform"] != 11 {
		t.Errorf("vectors read: %v", seen)
	}
}

// checkMultiple holds every way to n G against its encoding.
func checkMultiple(t *testing.T, n uint64, enc []byte) {
	t.Helper()
	parsed, err := ParseElement(enc)
	if err != nil {
		t.Fatalf("%d G: %v", n, err)
	}
	sum := Identity()
	for range n {
		sum = sum.Add(Base())
	}
	s := ScalarFromUint64(n)
	for name, e := range map[string]*Element{
		"sum":      sum,
		"base":     BaseMul(s),
		"mul":      sum.Add(Base()).Sub(Base()),
		"variable": VarTimeMultiMul([]*Scalar{s}, []*Element{Base()}),
		"prepared": parsedBase(t).Prepared().Mul(s),
		"parsed":   parsed,
	} {
		if !bytes.Equal(e.Bytes(), enc) || !e.Equal(parsed) {
			t.Errorf("%d G by %s is %x, want %x", n, name, e.Bytes(), enc)
		}
	}
}

// parsedBase is the generator without the table of the generator.
func parsedBase(tb testing.TB) *Element {
	tb.Helper()
	e, err := ParseElement(Base().Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestConstantsOfRFC9496(t *testing.T) {
	for decimal, got := range map[string]*field.Element{
		"37095705934669439343138083508754565189542113879843219016388785533085940283555": constD,
		"19681161376707505956807079304988542015446066515923890162744021073123829784752": sqrtM1,
		"25063068953384623474111414158702152701244531502492656460079210482610430750235": sqrtADMinusOne,
		"54469307008909316920995813868745141605393597292927456921205312896311721017578": invSqrtAMinusD,
		"1159843021668779879193775521855586647937357759715417654439879720876111806838":  oneMinusDSq,
		"40440834346308536858101042469323190826248399146238708352240133220865137265952": dMinusOneSq,
	} {
		want, _ := new(big.Int).SetString(decimal, 10)
		b := got.Bytes()
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		if new(big.Int).SetBytes(b).Cmp(want) != 0 {
			t.Errorf("constant %s is %x", decimal, got.Bytes())
		}
	}
}
