package dkg

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// Any threshold of seats put together the joint secret, whoever the dealers are
// that count, and every seat's lock key is the one that all know the public half
// of.
func TestAnyThresholdReconstructs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 8).Draw(rt, "seats")
		threshold := rapid.IntRange(2, n-1).Draw(rt, "threshold")
		rand := seeded(rapid.String().Draw(rt, "seed"))
		all := make([]int, n)
		for j := range all {
			all[j] = j
		}
		count := rapid.Permutation(all).Draw(rt, "dealers")[:rapid.IntRange(1, n).Draw(rt, "count")]
		secret, locks := group.ScalarFromUint64(0), make([]*group.Scalar, n)
		for j := range locks {
			locks[j] = group.ScalarFromUint64(0)
		}
		var public [][]*group.Element
		for range count {
			a := scalar(t, rand)
			f := New(a, threshold, func(int) *group.Scalar { return scalar(t, rand) })
			secret, public = secret.Add(a), append(public, f.Commitments())
			for j := range locks {
				if !Verify(f.Commitments(), j, f.Share(j)) {
					rt.Fatalf("the share of seat %d does not fit", j)
				}
				locks[j] = locks[j].Add(f.Share(j))
			}
		}
		q, err := Combine(public, n, threshold)
		if err != nil {
			rt.Fatal(err)
		}
		if q.Size() != n || q.Threshold() != threshold || !q.Joint().Equal(group.BaseMul(secret)) {
			rt.Fatalf("%d of %d, or another joint key", q.Threshold(), q.Size())
		}
		for j, x := range locks {
			if !q.Key(j).Equal(group.BaseMul(x)) {
				rt.Fatalf("seat %d has another key", j)
			}
		}
		helpers := rapid.Permutation(all).Draw(rt, "helpers")[:rapid.IntRange(threshold, n).Draw(rt, "many")]
		w, err := q.Weights(helpers)
		if err != nil {
			rt.Fatal(err)
		}
		sum := group.ScalarFromUint64(0)
		for k, j := range helpers {
			sum = w[k].MulAdd(locks[j], sum)
		}
		if !sum.Equal(secret) {
			rt.Fatalf("helpers %v of %d-of-%d put together something else", helpers, threshold, n)
		}
	})
}

// What threshold-1 seats hold fits every secret: for any other there is one
// polynomial that gives them the same shares, and one more share tells the two
// apart.
func TestFewerThanTheThresholdTellNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(rt, "seats")
		threshold := rapid.IntRange(1, n).Draw(rt, "threshold")
		rand := seeded(rapid.String().Draw(rt, "seed"))
		all := make([]int, n)
		for j := range all {
			all[j] = j
		}
		order := rapid.Permutation(all).Draw(rt, "order")
		coalition, others := order[:threshold-1], order[threshold-1:]

		// difference = d * product of (1 - z/z_j) over the coalition, by degree.
		difference := []*group.Scalar{scalar(t, rand)}
		for _, j := range coalition {
			root := group.ScalarFromUint64(uint64(j) + 1).Invert()
			next := append(slices.Clone(difference), group.ScalarFromUint64(0))
			for k, c := range difference {
				next[k+1] = next[k+1].Sub(c.Mul(root))
			}
			difference = next
		}
		var one, two []*group.Scalar
		for _, c := range difference {
			a := scalar(t, rand)
			one, two = append(one, a), append(two, a.Add(c))
		}
		if one[0].Equal(two[0]) {
			rt.Fatal("not another secret")
		}
		for _, j := range coalition {
			if !known(one...).Share(j).Equal(known(two...).Share(j)) {
				rt.Fatalf("seat %d of coalition %v can tell", j, coalition)
			}
		}
		for _, j := range others {
			if known(one...).Share(j).Equal(known(two...).Share(j)) {
				rt.Fatalf("%d shares and that of %d fit both", threshold-1, j)
			}
		}
	})
}

// f(z) = 5 + 3z + 2z^2, by hand.
func TestPolynomial(t *testing.T) {
	var asked []int
	f := New(group.ScalarFromUint64(5), 3, func(k int) *group.Scalar {
		asked = append(asked, k)
		return group.ScalarFromUint64([]uint64{3, 2}[k-1])
	})
	if !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("asked for coefficients %v", asked)
	}
	for seat, want := range map[int]uint64{0: 10, 1: 19, 2: 32, 254: 5 + 3*255 + 2*255*255} {
		if !f.Share(seat).Equal(group.ScalarFromUint64(want)) {
			t.Errorf("seat %d has another share", seat)
		}
		if !Expected(f.Commitments(), seat).Equal(group.BaseMul(group.ScalarFromUint64(want))) {
			t.Errorf("another is expected of seat %d", seat)
		}
	}
	for k, want := range []uint64{5, 3, 2} {
		if !f.Commitments()[k].Equal(group.BaseMul(group.ScalarFromUint64(want))) {
			t.Errorf("commitment %d is another", k)
		}
	}
}

func TestVerify(t *testing.T) {
	rand := seeded("verify")
	f, g := drawn(t, rand, 3), drawn(t, rand, 3)
	share := f.Share(1)
	for name, fits := range map[string]bool{
		"share of another seat": Verify(f.Commitments(), 2, share),
		"other commitments":     Verify(g.Commitments(), 1, share),
		"one commitment less":   Verify(f.Commitments()[:2], 1, share),
		"one commitment more":   Verify(append(f.Commitments(), group.Base()), 1, share),
		"order of commitments":  Verify([]*group.Element{f.Commitments()[1], f.Commitments()[0], f.Commitments()[2]}, 1, share),
		"one off":               Verify(f.Commitments(), 1, share.Add(group.ScalarFromUint64(1))),
		"negative":              Verify(f.Commitments(), 1, share.Neg()),
		"zero":                  Verify(f.Commitments(), 1, group.ScalarFromUint64(0)),
		"no share":              Verify(f.Commitments(), 1, nil),
		"nothing at all":        Verify(nil, 1, group.ScalarFromUint64(0)),
	} {
		if fits {
			t.Errorf("%s: fits", name)
		}
	}
	if !Verify(f.Commitments(), 1, share) {
		t.Error("an honest share does not fit")
	}
}

// A share of zero is a share: it fits, and so does the lock key that others add
// to it.
func TestZeroShare(t *testing.T) {
	rand := seeded("zero")
	a := scalar(t, rand)
	z := group.ScalarFromUint64(3)
	f := known(a, a.Mul(z.Invert()).Neg()) // a - (a/3) z
	zero := f.Share(2)
	if !zero.IsZero() || !Verify(f.Commitments(), 2, zero) {
		t.Error("a share of zero does not fit")
	}
	g := drawn(t, rand, 2)
	q, err := Combine([][]*group.Element{f.Commitments(), g.Commitments()}, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !q.Key(2).Equal(group.BaseMul(g.Share(2))) {
		t.Error("another key")
	}
	// Alone, it would make a lock key that takes no layer off.
	if _, err := Combine([][]*group.Element{f.Commitments()}, 4, 2); !errors.Is(err, elgamal.ErrIdentity) {
		t.Errorf("a lock key of zero: %v", err)
	}
}

func TestParseCommitments(t *testing.T) {
	f := drawn(t, seeded("parse"), 4)
	var good [][32]byte
	for _, a := range f.Commitments() {
		good = append(good, a.Encoding())
	}
	as, err := ParseCommitments(good, 4)
	if err != nil {
		t.Fatal(err)
	}
	for k, a := range as {
		if !a.Equal(f.Commitments()[k]) {
			t.Errorf("commitment %d is another", k)
		}
	}
	with := func(k int, b [32]byte) [][32]byte {
		out := slices.Clone(good)
		out[k] = b
		return out
	}
	high := [32]byte(bytes.Repeat([]byte{0xff}, 32))
	var many [][32]byte
	for k := range elgamal.MaxKeys + 1 {
		many = append(many, group.BaseMul(group.ScalarFromUint64(uint64(k)+1)).Encoding())
	}
	type attempt struct {
		encoded   [][32]byte
		threshold int
	}
	attempts := map[string]attempt{
		"none":          {nil, 4},
		"none of none":  {nil, 0},
		"one too few":   {good[:3], 4},
		"one too many":  {append(slices.Clone(good), f.Commitments()[0].Add(group.Base()).Encoding()), 4},
		"threshold -1":  {good, -1},
		"threshold 256": {many, 256},
	}
	for k := range good {
		attempts[fmt.Sprint("identity as commitment ", k)] = attempt{with(k, [32]byte{}), 4}
		attempts[fmt.Sprint("not canonical commitment ", k)] = attempt{with(k, high), 4}
		attempts[fmt.Sprint("equal commitment ", k)] = attempt{with(k, good[(k+1)%4]), 4}
	}
	for name, a := range attempts {
		if as, err := ParseCommitments(a.encoded, a.threshold); err == nil || as != nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := ParseCommitments(many[:elgamal.MaxKeys], elgamal.MaxKeys); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	if _, err := ParseCommitments(with(2, [32]byte{}), 4); !errors.Is(err, group.ErrIdentity) {
		t.Errorf("identity: %v", err)
	}
}

func TestCombineRefuses(t *testing.T) {
	rand := seeded("combine")
	var good [][]*group.Element
	for range 5 {
		good = append(good, drawn(t, rand, 3).Commitments())
	}
	negative := make([]*group.Element, 3)
	for k, a := range good[0] {
		negative[k] = a.Neg()
	}
	with := func(bad []*group.Element) [][]*group.Element { return [][]*group.Element{good[0], bad} }
	a := scalar(t, rand)
	// Only the value at 0 cancels that of the other dealer.
	cancels := []*group.Element{good[0][0].Neg(), group.BaseMul(a), group.BaseMul(a.Add(a))}
	type attempt struct {
		dealers          [][]*group.Element
		seats, threshold int
	}
	for name, c := range map[string]attempt{
		"nobody deals":          {nil, 5, 3},
		"no commitments":        {with(nil), 5, 3},
		"one commitment less":   {with(good[1][:2]), 5, 3},
		"one commitment more":   {with(append(slices.Clone(good[1]), group.Base())), 5, 3},
		"a hole":                {with([]*group.Element{good[1][0], nil, good[1][2]}), 5, 3},
		"threshold 0":           {[][]*group.Element{{}}, 5, 0},
		"threshold -1":          {good, 5, -1},
		"other threshold":       {good, 5, 2},
		"no seats":              {good, 0, 3},
		"all must help":         {good, 3, 3},
		"too few seats":         {good, 2, 3},
		"too many seats":        {good, elgamal.MaxKeys + 1, 3},
		"everything cancels":    {with(negative), 5, 3},
		"the constants cancel":  {with(cancels), 5, 3},
		"one helps, keys equal": {[][]*group.Element{good[0][:1]}, 5, 1},
	} {
		if q, err := Combine(c.dealers, c.seats, c.threshold); err == nil || q != nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Combine(with(cancels), 5, 3); !errors.Is(err, elgamal.ErrIdentity) {
		t.Errorf("joint identity: %v", err)
	}
	if _, err := Combine(good, 5, 3); err != nil {
		t.Error(err)
	}
}

// No helper at the point of the secret, none twice.
func TestWeightsOfACombination(t *testing.T) {
	p := newParty(t, 5, 3)
	q, err := Combine(p.public, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, helpers := range [][]int{nil, {0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, 1, 5}, {2, 2, 2}} {
		if _, err := q.Weights(helpers); err == nil {
			t.Errorf("helpers %v are accepted", helpers)
		}
	}
}

// At the point 0 lies the secret: no number of a seat gets there.
func TestSeatsThatCannotBe(t *testing.T) {
	f := drawn(t, seeded("seats"), 2)
	panics := func(name string, call func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s returns", name)
			}
		}()
		call()
	}
	for _, seat := range []int{-1, -2, elgamal.MaxKeys, 1 << 40} {
		panics(fmt.Sprint("Share ", seat), func() { f.Share(seat) })
		panics(fmt.Sprint("Expected ", seat), func() { Expected(f.Commitments(), seat) })
		panics(fmt.Sprint("Verify ", seat), func() { Verify(f.Commitments(), seat, group.ScalarFromUint64(1)) })
	}
	for _, threshold := range []int{-1, 0, elgamal.MaxKeys + 1} {
		panics(fmt.Sprint("New ", threshold), func() { drawn(t, seeded("seats"), threshold) })
	}
	drawn(t, seeded("seats"), elgamal.MaxKeys).Share(elgamal.MaxKeys - 1)
}

// No verb, flag, wrapping value or encoder shows a coefficient.
func TestPolynomialNeverPrints(t *testing.T) {
	secret := group.ScalarFromUint64(0xabcdef0123456789)
	f := known(secret, secret)
	inside := struct {
		Pointer *Polynomial
		Value   Polynomial
		hidden  *Polynomial
		within  Polynomial
	}{f, *f, f, *f}
	// The test's own eyes: the plain coefficients are seen.
	if shown(fmt.Sprintf("%x", secret.Bytes())) == "" || shown(fmt.Sprintf("%d", secret.Bytes())) == "" {
		t.Fatal("cannot see")
	}
	for name, v := range map[string]any{
		"pointer": f, "value": *f, "inside": inside, "pointer to inside": &inside,
		"slice": []*Polynomial{f}, "map": map[string]Polynomial{"k": *f},
	} {
		for _, verb := range "vTtbcdoOxXUeEfFgGsqpw" {
			for _, flag := range []string{"", "+", "#", "-", " ", "0", "+#", "# ", ".50"} {
				text := fmt.Sprintf("%"+flag+string(verb), v)
				if found := shown(text); found != "" {
					t.Errorf("%%%s%c of %s prints %q", flag, verb, name, found)
				}
			}
		}
		if b, err := json.Marshal(v); err == nil && shown(string(b)) != "" {
			t.Errorf("%s marshals to %s", name, b)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v %d", f, *f, f, *f); got != strings.TrimSpace(strings.Repeat("dkg.Polynomial ", 4)) {
		t.Errorf("prints %s", got)
	}
}

// shown looks for some bytes of the secret of TestPolynomialNeverPrints.
func shown(text string) string {
	b := group.ScalarFromUint64(0xabcdef0123456789).Bytes()[2:6]
	for _, form := range []string{
		string(b), hex.EncodeToString(b), fmt.Sprintf("% x", b), strings.Trim(fmt.Sprint(b), "[]"),
		strings.Trim(fmt.Sprintf("%#v", b), "[]byte{}"), strings.Trim(fmt.Sprintf("%o", b), "[]"), strings.Trim(fmt.Sprintf("%b", b), "[]"),
	} {
		if strings.Contains(strings.ToLower(text), form) {
			return form
		}
	}
	return ""
}
