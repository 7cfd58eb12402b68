package deck

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Fiat-Shamir coverage: bending any public input of a message must change its
// challenge. Some of the bends below leave every equation as it is, since only
// differences enter them.
func TestEveryPublicInputChangesTheChallenge(t *testing.T) {
	bend := func(e *group.Element) *group.Element { return e.Add(group.Base()) }
	bendA := func(c elgamal.Ciphertext) elgamal.Ciphertext { return elgamal.Ciphertext{A: bend(c.A), B: c.B} }
	bendB := func(c elgamal.Ciphertext) elgamal.Ciphertext { return elgamal.Ciphertext{A: c.A, B: bend(c.B)} }
	type change struct {
		name  string
		apply func(sc *scene)
	}
	cards := func(name string, of func(*scene) []elgamal.Ciphertext, n int) []change {
		var out []change
		for i := range n {
			out = append(out,
				change{fmt.Sprint(name, i, " A"), func(sc *scene) { of(sc)[i] = bendA(of(sc)[i]) }},
				change{fmt.Sprint(name, i, " B"), func(sc *scene) { of(sc)[i] = bendB(of(sc)[i]) }})
		}
		return out
	}
	open := func(name string, of func(*scene) []*group.Element, n int) []change {
		var out []change
		for i := range n {
			out = append(out, change{fmt.Sprint(name, i), func(sc *scene) { of(sc)[i] = bend(of(sc)[i]) }})
		}
		return out
	}
	shift := func(cs []elgamal.Ciphertext, ms []*group.Element) {
		for i := range cs {
			cs[i] = bendB(cs[i])
		}
		for i := range ms {
			ms[i] = bend(ms[i])
		}
	}
	context := change{"context", func(sc *scene) { sc.ctx = append(slices.Clone(sc.ctx), 0) }}
	key := change{"key", func(sc *scene) { sc.key = bend(sc.key) }}
	hand := cards("hand", func(sc *scene) []elgamal.Ciphertext { return sc.hand }, 3)
	guess := cards("guess", func(sc *scene) []elgamal.Ciphertext { return sc.guess }, 2)
	task := func(name string, i int, to func(Task) Task) change {
		return change{name, func(sc *scene) { sc.tasks[i] = to(sc.tasks[i]) }}
	}
	changes := map[string][]change{
		"share": {context,
			{"lock key", func(sc *scene) { sc.lock = bend(sc.lock) }},
			task("hand over A", 0, func(k Task) Task { return HandOver(bendA(k.card), k.to) }),
			task("hand over B", 0, func(k Task) Task { return HandOver(bendB(k.card), k.to) }),
			task("hand over to", 0, func(k Task) Task { return HandOver(k.card, bend(k.to)) }),
			task("reveal A", 1, func(k Task) Task { return Reveal(bendA(k.card)) }),
			task("reveal B", 1, func(k Task) Task { return Reveal(bendB(k.card)) }),
			task("raise", 2, func(k Task) Task { return Raise(bend(k.base)) }),
			task("kind", 1, func(k Task) Task { return Raise(k.card.A) }),
		},
		"denial": slices.Concat([]change{context, key,
			{"all shifted", func(sc *scene) { shift(sc.hand, sc.notAsked) }},
		}, hand, open("asked", func(sc *scene) []*group.Element { return sc.notAsked }, 2)),
		"showing": slices.Concat([]change{context, key,
			{"asker", func(sc *scene) { sc.asker = bend(sc.asker) }},
		}, hand, open("asked", func(sc *scene) []*group.Element { return sc.asked }, 2)),
		"guess": slices.Concat([]change{context, key},
			open("first", func(sc *scene) []*group.Element { return sc.choices[0] }, 2),
			open("second", func(sc *scene) []*group.Element { return sc.choices[1] }, 3)),
		"opening": slices.Concat([]change{context, key,
			{"all shifted", func(sc *scene) { shift(sc.guess, sc.guessed) }},
		}, guess, open("card", func(sc *scene) []*group.Element { return sc.guessed }, 2)),
		"difference": slices.Concat([]change{context, key,
			{"all shifted", func(sc *scene) { shift(sc.guess, nil); shift(sc.crime, nil) }},
		}, guess, cards("crime", func(sc *scene) []elgamal.Ciphertext { return sc.crime }, 2)),
	}
	honest := newScene(t)
	for _, k := range kinds {
		b := k.message(t, honest)
		before, err := k.check(honest, b)
		accepted(t, before, err)
		for _, c := range changes[k.name] {
			t.Run(k.name+" "+c.name, func(t *testing.T) {
				sc := honest.clone()
				c.apply(sc)
				after, err := k.check(sc, b)
				if err != nil {
					t.Fatal(err)
				}
				if challengeOf(before).Equal(challengeOf(after)) {
					t.Error("the challenge stays")
				}
				refused(t, after, nil)
			})
		}
	}
}

// challengeOf returns the challenge of the last branch, which is what the sent
// challenges leave of the whole.
func challengeOf(c *sigma.Check) *group.Scalar { return c.Equations[len(c.Equations)-1].Scalars[1] }

// The second halves a message carries, and all they are compared with, move by
// the same: every equation stays as it is, and still the challenge must change.
func TestShiftedMessageChangesTheChallenge(t *testing.T) {
	for name, move := range map[string]struct {
		seconds []int // places of second halves in the message
		apply   func(sc *scene, by *group.Element)
	}{
		"showing": {[]int{1}, func(sc *scene, by *group.Element) {
			for i := range sc.hand {
				sc.hand[i].B = sc.hand[i].B.Add(by)
			}
			for i := range sc.asked {
				sc.asked[i] = sc.asked[i].Add(by)
			}
		}},
		"guess": {[]int{1, 3}, func(sc *scene, by *group.Element) {
			for _, cards := range sc.choices {
				for i := range cards {
					cards[i] = cards[i].Add(by)
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t)
			k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
			b := k.message(t, sc)
			before, err := k.check(sc, b)
			accepted(t, before, err)
			by := group.Base()
			bent, moved := bytes.Clone(b), sc.clone()
			for _, at := range move.seconds {
				e, err := group.ParseElement(b[32*at : 32*at+32])
				if err != nil {
					t.Fatal(err)
				}
				copy(bent[32*at:], e.Add(by).Bytes())
			}
			move.apply(moved, by)
			after, err := k.check(moved, bent)
			if err != nil {
				t.Fatal(err)
			}
			if challengeOf(before).Equal(challengeOf(after)) {
				t.Error("the challenge stays")
			}
			refused(t, after, nil)
		})
	}
}

// Two lists of tasks with the same elements in the same order and the same
// equations, which differ in their kinds alone.
func TestKindsOfTasksChangeTheChallenge(t *testing.T) {
	sc := newScene(t)
	c := sc.hand[0]
	one := []Task{Reveal(c), Raise(c.B)}
	two := []Task{Raise(c.A), Reveal(elgamal.Ciphertext{A: c.B, B: c.B})}
	s, err := Unlock(here, sc.secrets.lock, one, seeded("kinds"))
	if err != nil {
		t.Fatal(err)
	}
	check, err := CheckShare(here, sc.lock, one, s)
	accepted(t, check, err)
	check, err = CheckShare(here, sc.lock, two, s)
	refused(t, check, err)
}

// Every 32 bytes of every message matter: another value is refused.
func TestEveryPartOfAMessageCounts(t *testing.T) {
	sc := newScene(t)
	element, one := group.BaseMul(group.ScalarFromUint64(77)).Bytes(), group.ScalarFromUint64(1).Bytes()
	for _, k := range kinds {
		b := k.message(t, sc)
		for at := 0; at < len(b); at += 32 {
			for _, v := range [][]byte{element, one, make([]byte, 32), bytes.Repeat([]byte{0xff}, 32)} {
				bent := bytes.Clone(b)
				copy(bent[at:], v)
				c, err := k.check(sc, bent)
				refused(t, c, err)
			}
		}
	}
}

func TestParsersRefuseOtherLengths(t *testing.T) {
	sc := newScene(t)
	for _, k := range kinds {
		b := k.message(t, sc)
		for name, bad := range map[string][]byte{
			"nothing":      nil,
			"a byte short": b[:len(b)-1],
			"a byte more":  append(bytes.Clone(b), 0),
			"32 more":      append(bytes.Clone(b), make([]byte, 32)...),
			"32 less":      b[:len(b)-32],
			"a megabyte":   make([]byte, 1<<20),
		} {
			if _, err := k.check(sc, bad); err == nil {
				t.Errorf("%s: %s is accepted", k.name, name)
			}
		}
	}
}

// Numbers of cards that no message has are refused before anything is made.
func TestCountsOutOfRange(t *testing.T) {
	for _, n := range []int{-1, 0, MaxCards + 1, 1 << 40} {
		for name, err := range map[string]error{
			"denial hand":    second(ParseDenial(n, 1, nil)),
			"denial asked":   second(ParseDenial(1, n, nil)),
			"showing hand":   second(ParseShowing(n, 1, nil)),
			"showing asked":  second(ParseShowing(1, n, nil)),
			"guess":          second(ParseGuess([]int{1, n}, nil)),
			"opening":        second(ParseOpening(n, nil)),
			"difference":     second(ParseDifference(n, nil)),
			"too many pairs": second(ParseDenial(MaxCards, MaxCards, nil)),
			"no categories":  second(ParseGuess(nil, nil)),
			"huge guess":     second(ParseGuess(slices.Repeat([]int{MaxCards}, 5), nil)),
		} {
			if err == nil {
				t.Errorf("%s of %d is accepted", name, n)
			}
		}
		for name, size := range map[string]int{
			"huge guess": GuessSize(slices.Repeat([]int{MaxCards}, 5)),
			"denial":     DenialSize(n, 1), "showing": ShowingSize(1, n), "guess": GuessSize([]int{n}),
			"opening": OpeningSize(n), "difference": DifferenceSize(n),
		} {
			if size != 0 {
				t.Errorf("%s of %d has size %d", name, n, size)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// What a proof binds itself to is part of the protocol.
func TestPlacesArePinned(t *testing.T) {
	point := func(i uint64) *group.Element { return group.BaseMul(group.ScalarFromUint64(i)) }
	c := elgamal.Ciphertext{A: point(1), B: point(2)}
	cs, ms, key, ctx := []elgamal.Ciphertext{c}, []*group.Element{point(3)}, point(4), []byte("pinned")
	for name, v := range map[string]struct {
		got  []byte
		want string
	}{
		"share":      {sharePlace(ctx, []Task{Reveal(c), HandOver(c, key), Raise(key)}), "4559b7349bc83bb2f542dbf84d2e82fd335c23ec09b9f82f3a8e69e5b6446443"},
		"denial":     {denialPlace(ctx, key, cs, ms), "260c101106eb02d7f9d09e9dc7ab19126edaa6c174d0d90ab9c4b1322ed41838"},
		"showing":    {showingPlace(ctx, key, cs, ms, point(5)), "6d78e937759f213b40ca896cc9dbf418470ed84e81476c2a20c13dac5664be51"},
		"guess":      {guessPlace(ctx, key, [][]*group.Element{ms, {point(6), point(7)}}), "c38e3adb658fe3f9b7a05c2d3b570d64994729bad9cb55b05def6bbb7804ca85"},
		"opening":    {openingPlace(ctx, key, cs, ms), "8bcb1a4296c9348bf8acd8c25934af17b757d1efa7bd3e6e414933e01570d0df"},
		"difference": {differencePlace(ctx, key, cs, []elgamal.Ciphertext{{A: point(5), B: point(6)}}), "14fcedc2a3ec7c87b1627b546828fb78f4500dcfbfbccd371f004151a63224f4"},
	} {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s is %s, want %s", name, got, v.want)
		}
	}
}

// The sizes are part of the protocol.
func TestSizesArePinned(t *testing.T) {
	e := group.Base()
	c := elgamal.Ciphertext{A: e, B: e}
	for name, s := range map[string][2]int{
		"share: one reveal":       {ShareSize([]Task{Reveal(c)}), 32 * (1 + 2 + 1)},
		"share: one hand over":    {ShareSize([]Task{HandOver(c, e)}), 32 * (2 + 3 + 2)},
		"share: one raise":        {ShareSize([]Task{Raise(e)}), 32 * (1 + 2 + 1)},
		"denial: 6 x 2":           {DenialSize(6, 2), 32 * 12 * 5},
		"denial: 6 x 3":           {DenialSize(6, 3), 32 * 18 * 5},
		"showing: 6, 2":           {ShowingSize(6, 2), 32 * (2 + 18 + 5 + 12 + 4 + 1 + 2)},
		"guess: 6, 6, 9":          {GuessSize([]int{6, 6, 9}), 32 * (6 + 42 + 18 + 21)},
		"opening: 3":              {OpeningSize(3), 32 * (4 + 1)},
		"difference: 3":           {DifferenceSize(3), 32 * (1 + 4 + 6)},
		"denial: as many as fit":  {DenialSize(1024, 4), 32 * 4096 * 5},
		"showing: as many as fit": {ShowingSize(1024, 4), 32 * (2 + 3*1024 + 1023 + 2*1024 + 8 + 3 + 4)},
	} {
		if s[0] != s[1] {
			t.Errorf("%s has %d bytes, want %d", name, s[0], s[1])
		}
	}
}

// Single verification and a batch agree, whatever was done to the messages.
func TestBatchAndSingleAgree(t *testing.T) {
	honest := newScene(t)
	messages := make([][]byte, len(kinds))
	for i, k := range kinds {
		messages[i] = k.message(t, honest)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var batch sigma.Batch
		var want []int
		for i, k := range kinds {
			b := bytes.Clone(messages[i])
			if rapid.Bool().Draw(rt, "bend") {
				at := rapid.IntRange(0, len(b)/32-1).Draw(rt, "at")
				if rapid.Bool().Draw(rt, "element") {
					copy(b[32*at:], honest.hand[0].A.Bytes())
				} else {
					b[32*at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "flip"))
				}
			}
			c, err := k.check(honest, b)
			if err != nil {
				continue
			}
			index := batch.Add(c)
			if c.Verify() != nil {
				want = append(want, index)
			}
			if same := bytes.Equal(b, messages[i]); same != (c.Verify() == nil) {
				rt.Fatalf("%s: unchanged %v, verified %v", k.name, same, !same)
			}
		}
		if batch.Len() == 0 {
			return
		}
		if (batch.Verify() == nil) != (len(want) == 0) {
			rt.Fatalf("the batch disagrees with %v", want)
		}
		if got := batch.Culprits(); !slices.Equal(got, want) {
			rt.Fatalf("culprits %v, want %v", got, want)
		}
	})
}
