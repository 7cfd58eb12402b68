package elgamal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

func seeded(name string) io.Reader { return transcript.XOF("test/elgamal", []byte(name)) }

func scalar(t testing.TB, rand io.Reader) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(rand)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is encrypted comes back, re-randomised or not, and differences subtract.
func TestEncryption(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rand := seeded(rapid.String().Draw(rt, "seed"))
		y, r, rho := scalar(t, rand), scalar(t, rand), scalar(t, rand)
		key := group.BaseMul(y)
		m, n := group.BaseMul(scalar(t, rand)), group.BaseMul(scalar(t, rand))
		c := Encrypt(m, key, r)
		if !c.A.Equal(group.BaseMul(r)) || !c.B.Equal(m.Add(key.Mul(r))) {
			rt.Fatal("not (r G, m + r K)")
		}
		if !c.Decrypt(y).Equal(m) || !Plain(m).Decrypt(y).Equal(m) {
			rt.Fatal("decrypts to something else")
		}
		d := c.Rerandomise(key, rho)
		if d.Equal(c) || !d.Equal(Encrypt(m, key, r.Add(rho))) {
			rt.Fatal("re-randomised to something else")
		}
		if !d.Sub(Encrypt(n, key, rho)).Decrypt(y).Equal(m.Sub(n)) {
			rt.Fatal("the difference hides something else")
		}
		back, err := Parse(c.Bytes())
		if err != nil || !back.Equal(c) || !bytes.Equal(back.Bytes(), c.Bytes()) {
			rt.Fatalf("round trip: %v", err)
		}
	})
}

func TestEqual(t *testing.T) {
	rand := seeded("equal")
	a, b := group.BaseMul(scalar(t, rand)), group.BaseMul(scalar(t, rand))
	c := Ciphertext{a, b}
	for _, d := range []Ciphertext{{b, a}, {a, a}, {b, b}} {
		if c.Equal(d) {
			t.Error("different ciphertexts are equal")
		}
	}
	if !c.Equal(Ciphertext{a, b}) {
		t.Error("a ciphertext differs from itself")
	}
	if !c.Valid() || (Ciphertext{A: a}).Valid() || (Ciphertext{B: a}).Valid() {
		t.Error("half a ciphertext is valid")
	}
}

func TestParseRefuses(t *testing.T) {
	rand := seeded("parse")
	key := group.BaseMul(scalar(t, rand))
	good := Encrypt(group.Base(), key, scalar(t, rand)).Bytes()
	high := bytes.Repeat([]byte{0xff}, 32)
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"a byte short":        good[:63],
		"a byte more":         append(bytes.Clone(good), 0),
		"open card":           Plain(group.Base()).Bytes(),
		"not canonical first": append(bytes.Clone(high), good[32:]...),
		"not canonical last":  append(bytes.Clone(good[:32]), high...),
	} {
		if _, err := Parse(b); err == nil {
			t.Errorf("%s is accepted", name)
		}
		if _, err := ParseAll(append(bytes.Clone(good), b...), 2); err == nil {
			t.Errorf("ParseAll: %s is accepted", name)
		}
	}
	for _, n := range []int{-1, 0, 2, 1 << 60} {
		if _, err := ParseAll(good, n); err == nil {
			t.Errorf("64 bytes are %d ciphertexts", n)
		}
	}
	if cs, err := ParseAll(good, 1); err != nil || len(cs) != 1 {
		t.Errorf("one ciphertext: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	rand := seeded("fuzz")
	c := Encrypt(group.Base(), group.BaseMul(scalar(f, rand)), scalar(f, rand))
	f.Add(c.Bytes())
	f.Add(Plain(group.Base()).Bytes())
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Parse(b)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Bytes(), b) || c.A.IsIdentity() {
			t.Error("accepted bytes are not the encoding of a ciphertext")
		}
	})
}

// shared makes n key shares of which threshold determine the rest.
func shared(t testing.TB, rand io.Reader, n, threshold int) (secrets []*group.Scalar, keys []*group.Element, joint *group.Scalar) {
	t.Helper()
	coefficients := make([]*group.Scalar, threshold)
	for i := range coefficients {
		coefficients[i] = scalar(t, rand)
	}
	for j := range n {
		x := group.ScalarFromUint64(0)
		for i := range coefficients {
			x = x.Mul(group.ScalarFromUint64(uint64(j) + 1)).Add(coefficients[threshold-1-i])
		}
		secrets, keys = append(secrets, x), append(keys, group.BaseMul(x))
	}
	return secrets, keys, coefficients[0]
}

func TestAdditiveQuorum(t *testing.T) {
	rand := seeded("additive")
	var keys []*group.Element
	x := group.ScalarFromUint64(0)
	for range 4 {
		s := scalar(t, rand)
		x, keys = x.Add(s), append(keys, group.BaseMul(s))
	}
	q, err := NewQuorum(keys, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !q.Joint().Equal(group.BaseMul(x)) {
		t.Error("the joint key is not the sum")
	}
	if q.Size() != 4 || q.Threshold() != 4 {
		t.Errorf("%d of %d", q.Threshold(), q.Size())
	}
	for j := -1; j <= 4; j++ {
		if k := q.Key(j); (k == nil) != (j < 0 || j > 3) || k != nil && !k.Equal(keys[j]) {
			t.Errorf("key %d is another", j)
		}
	}
	w, err := q.Weights([]int{3, 0, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range w {
		if !l.Equal(group.ScalarFromUint64(1)) {
			t.Error("a weight is not 1")
		}
	}
	keys[0] = group.Base()
	if q.Key(0).Equal(keys[0]) {
		t.Error("the quorum keeps the caller's slice")
	}
}

// Every set of helpers that is large enough, in any order, adds up to the same.
func TestThresholdQuorum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 7).Draw(rt, "keys")
		threshold := rapid.IntRange(2, n-1).Draw(rt, "threshold")
		secrets, keys, joint := shared(t, seeded(rapid.String().Draw(rt, "seed")), n, threshold)
		q, err := NewQuorum(keys, threshold)
		if err != nil {
			rt.Fatal(err)
		}
		if !q.Joint().Equal(group.BaseMul(joint)) {
			rt.Fatal("another joint key")
		}
		order := rapid.Permutation(firstHelpers(n)).Draw(rt, "order")
		helpers := order[:rapid.IntRange(threshold, n).Draw(rt, "helpers")]
		w, err := q.Weights(helpers)
		if err != nil {
			rt.Fatal(err)
		}
		sum := group.ScalarFromUint64(0)
		for k, h := range helpers {
			sum = sum.Add(w[k].Mul(secrets[h]))
		}
		if !sum.Equal(joint) {
			rt.Fatalf("helpers %v of %d-of-%d add up to something else", helpers, threshold, n)
		}
		if _, err := q.Weights(order[:threshold-1]); err == nil {
			rt.Fatal("too few helpers are accepted")
		}
	})
}

func TestWeightsRefuse(t *testing.T) {
	_, keys, _ := shared(t, seeded("weights"), 4, 3)
	q, err := NewQuorum(keys, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, helpers := range [][]int{nil, {0, 1}, {0, 1, 1}, {0, 1, 4}, {0, 1, -1}, {0, 1, 2, 3, 0}, {2, 2, 2, 2}} {
		if _, err := q.Weights(helpers); err == nil {
			t.Errorf("helpers %v are accepted", helpers)
		}
	}
}

func TestQuorumRefuses(t *testing.T) {
	_, keys, _ := shared(t, seeded("refuse"), 4, 3)
	with := func(j int, e *group.Element) []*group.Element {
		out := slices.Clone(keys)
		out[j] = e
		return out
	}
	many := make([]*group.Element, MaxKeys+1)
	for i := range many {
		many[i] = group.BaseMul(group.ScalarFromUint64(uint64(i) + 1))
	}
	stranger := group.BaseMul(scalar(t, seeded("stranger")))
	type attempt struct {
		keys      []*group.Element
		threshold int
	}
	attempts := map[string]attempt{
		"no keys":                  {nil, 0},
		"no keys, one":             {nil, 1},
		"threshold 0":              {keys, 0},
		"threshold -1":             {keys, -1},
		"threshold 5":              {keys, 5},
		"threshold 2 fits no line": {keys, 2},
		"equal keys":               {with(2, keys[0]), 4},
		"missing key":              {with(2, nil), 4},
		"sum is identity":          {[]*group.Element{keys[0], keys[0].Neg()}, 2},
		"too many":                 {many, MaxKeys + 1},
	}
	for j := range keys {
		attempts[fmt.Sprint("identity as key ", j)] = attempt{with(j, group.Identity()), 4}
		attempts[fmt.Sprint("key off the polynomial ", j)] = attempt{with(j, stranger), 3}
	}
	for name, a := range attempts {
		if _, err := NewQuorum(a.keys, a.threshold); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := NewQuorum(with(1, group.Identity()), 4); !errors.Is(err, ErrIdentity) {
		t.Errorf("identity: %v", err)
	}
	if _, err := NewQuorum(with(1, stranger), 4); err != nil {
		t.Errorf("all must help, any keys will do: %v", err)
	}
}
