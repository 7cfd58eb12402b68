package beacon_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"alibi/crypto/beacon"
	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

func seeded(name string) io.Reader { return transcript.XOF("test/beacon", []byte(name)) }

func scalar(t testing.TB, rand io.Reader) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(rand)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func value(name string, i int) beacon.Value {
	return transcript.Hash("test/beacon", []byte(name), fmt.Append(nil, i))
}

// Points and draws are constants of the protocol.
func TestPinned(t *testing.T) {
	got := hex.EncodeToString(beacon.Point([32]byte{1, 2}, 3).Bytes())
	if want := "be5e4347aa728385c7a2ed8a6c32bdd4b65d121ca06f244b68408f6b4f32a11c"; got != want {
		t.Errorf("point is %s, want %s", got, want)
	}
	v, err := beacon.Combine([]*group.Scalar{group.ScalarFromUint64(2)}, []*group.Element{group.Base()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(v[:]), "6fb801cfd20487aa27edb1ce4683b29ad46cb0cd338023d8d86718a802d1c600"; got != want {
		t.Errorf("value is %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(v.Int("die", 6), v.Int("first", 4), v.Perm("weapons", 6)), "2 1 [5 1 3 0 2 4]"; got != want {
		t.Errorf("draws are %s, want %s", got, want)
	}
}

func TestPointsDiffer(t *testing.T) {
	seen := make(map[[32]byte]bool)
	for game := range 20 {
		for counter := range 20 {
			p := beacon.Point([32]byte{byte(game)}, uint64(counter)).Encoding()
			if seen[p] {
				t.Fatal("two counters or games have one point")
			}
			seen[p] = true
		}
	}
}

// Whoever helps, the value is the same; this runs through the shares of package
// deck, three of four.
func TestAnyHelpersGiveOneValue(t *testing.T) {
	rand := seeded("helpers")
	a0, a1, a2 := scalar(t, rand), scalar(t, rand), scalar(t, rand)
	var xs []*group.Scalar
	var keys []*group.Element
	for j := range 4 {
		at := group.ScalarFromUint64(uint64(j) + 1)
		x := a2.Mul(at).Add(a1).Mul(at).Add(a0)
		xs, keys = append(xs, x), append(keys, group.BaseMul(x))
	}
	q, err := elgamal.NewQuorum(keys, 3)
	if err != nil {
		t.Fatal(err)
	}
	tasks := []deck.Task{deck.Raise(beacon.Point([32]byte{7}, 0))}
	var points []*group.Element
	var shares []*deck.Share
	for j, x := range xs {
		s, err := deck.Unlock(nil, x, tasks, rand)
		if err != nil {
			t.Fatal(err)
		}
		check, err := deck.CheckShare(nil, keys[j], tasks, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Verify(); err != nil {
			t.Fatal(err)
		}
		p, err := group.ParseElement(s.Bytes()[:32])
		if err != nil {
			t.Fatal(err)
		}
		shares, points = append(shares, s), append(points, p)
	}
	var first beacon.Value
	for k, helpers := range [][]int{{0, 1, 2}, {3, 1, 0}, {1, 2, 3}, {0, 1, 2, 3}} {
		w, err := q.Weights(helpers)
		if err != nil {
			t.Fatal(err)
		}
		var some []*group.Element
		var theirs []*deck.Share
		for _, h := range helpers {
			some, theirs = append(some, points[h]), append(theirs, shares[h])
		}
		v, err := beacon.Combine(w, some)
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			first = v
		}
		if v != first {
			t.Errorf("helpers %v get another value", helpers)
		}
		// deck.Opened gives the sum at once.
		z, err := deck.Opened(q, helpers, tasks, theirs, 0)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := beacon.Combine([]*group.Scalar{group.ScalarFromUint64(1)}, []*group.Element{z}); err != nil || v != first {
			t.Errorf("the opened sum of %v gives another value, %v", helpers, err)
		}
	}

	// A share of another point, or of another helper, does not pass its check.
	foreign := []deck.Task{deck.Raise(beacon.Point([32]byte{7}, 1))}
	for name, c := range map[string]struct {
		key   *group.Element
		tasks []deck.Task
	}{
		"foreign share of another value": {keys[0], foreign},
		"doubled share of another seat":  {keys[1], tasks},
	} {
		check, err := deck.CheckShare(nil, c.key, c.tasks, shares[0])
		if err == nil && check.Verify() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := q.Weights([]int{0, 1, 1}); err == nil {
		t.Error("a share counts twice")
	}
}

func TestCombineRefuses(t *testing.T) {
	one, g := group.ScalarFromUint64(1), group.Base()
	for name, c := range map[string]struct {
		weights []*group.Scalar
		shares  []*group.Element
	}{
		"nothing":         {nil, nil},
		"withheld share":  {[]*group.Scalar{one, one}, []*group.Element{g}},
		"added share":     {[]*group.Scalar{one}, []*group.Element{g, g}},
		"missing share":   {[]*group.Scalar{one, one}, []*group.Element{g, nil}},
		"missing weight":  {[]*group.Scalar{one, nil}, []*group.Element{g, g}},
		"identity":        {[]*group.Scalar{one, one}, []*group.Element{g, group.Identity()}},
		"sum is identity": {[]*group.Scalar{one, one}, []*group.Element{g, g.Neg()}},
	} {
		if _, err := beacon.Combine(c.weights, c.shares); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	_, err := beacon.Combine([]*group.Scalar{one}, []*group.Element{group.Identity()})
	if !errors.Is(err, beacon.ErrIdentity) {
		t.Errorf("identity: %v", err)
	}
}

// chiSquare compares counts with an equal share each.
func chiSquare(counts map[string]int, classes int) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	want := float64(total) / float64(classes)
	chi := float64(classes-len(counts)) * want
	for _, c := range counts {
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return chi
}

func TestDrawsAreUniform(t *testing.T) {
	for n, limit := range map[int]float64{2: 10.83, 3: 13.82, 6: 20.52, 7: 22.46} { // p = 0.001
		counts := make(map[string]int)
		for i := range 1000 * n {
			d := value("draws", i).Int("die", n)
			if d < 0 || d >= n {
				t.Fatalf("drew %d of %d", d, n)
			}
			counts[fmt.Sprint(d)]++
		}
		if chi := chiSquare(counts, n); chi > limit {
			t.Errorf("%d items: chi-square %.1f, want below %.1f", n, chi, limit)
		}
	}
}

func TestPermutationsAreUniform(t *testing.T) {
	counts := make(map[string]int)
	for i := range 12000 {
		p := value("perms", i).Perm("order", 4)
		if !slices.Equal(slices.Sorted(slices.Values(p)), []int{0, 1, 2, 3}) {
			t.Fatalf("%v is no permutation", p)
		}
		counts[fmt.Sprint(p)]++
	}
	if chi := chiSquare(counts, 24); chi > 49.7 {
		t.Errorf("chi-square %.1f, want below 49.7", chi)
	}
}

// Two dice of one value under two labels do not depend on each other.
func TestLabelsAreIndependent(t *testing.T) {
	counts := make(map[string]int)
	for i := range 18000 {
		v := value("labels", i)
		counts[fmt.Sprint(v.Int("die 1", 6), v.Int("die 2", 6))]++
	}
	if chi := chiSquare(counts, 36); chi > 66.6 {
		t.Errorf("chi-square %.1f, want below 66.6", chi)
	}
	v := value("labels", 0)
	first, again, other := v.Int("die 1", 1<<40), v.Int("die 1", 1<<40), v.Int("die 2", 1<<40)
	if first != again {
		t.Error("one label gives two numbers")
	}
	if first == other {
		t.Error("two labels give one number")
	}
}

// A number just above half the range is where a missing rejection shows: the low
// half would come out twice as often as the high one.
func TestDrawsAreRejected(t *testing.T) {
	const n = 3 << 61
	counts := make(map[string]int)
	for i := range 6000 {
		d := value("rejected", i).Int("x", n)
		if d < 0 || d >= n {
			t.Fatalf("drew %d", d)
		}
		counts[fmt.Sprint(d/(1<<61))]++
	}
	if chi := chiSquare(counts, 3); chi > 13.82 {
		t.Errorf("chi-square %.1f, want below 13.82", chi)
	}
}

func TestSmallDraws(t *testing.T) {
	v := value("small", 0)
	if v.Int("x", 1) != 0 || len(v.Perm("x", 0)) != 0 || !slices.Equal(v.Perm("x", 1), []int{0}) {
		t.Error("there is more than one way")
	}
	for _, draw := range []func(){func() { v.Int("x", 0) }, func() { v.Int("x", -1) }, func() { v.Perm("x", -1) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a draw from nothing succeeds")
				}
			}()
			draw()
		}()
	}
}
