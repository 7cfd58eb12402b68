package deck

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"testing"

	"alibi/crypto/beacon"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

func TestDeck(t *testing.T) {
	d := New("clue", 21)
	if d.Len() != 21 || len(d.Start()) != 21 {
		t.Errorf("%d cards, start deck of %d", d.Len(), len(d.Start()))
	}
	for i := range d.Len() {
		if got, ok := d.Index(d.Card(i)); !ok || got != i {
			t.Errorf("card %d is found as %d, %v", i, got, ok)
		}
		if c := d.Start()[i]; !c.Equal(elgamal.Plain(d.Card(i))) {
			t.Errorf("start card %d is another", i)
		}
	}
	for _, m := range []*group.Element{nil, group.Base(), group.Identity(), New("clue", 22).Card(21), New("other", 21).Card(0)} {
		if i, ok := d.Index(m); ok {
			t.Errorf("a stranger is card %d", i)
		}
	}
	if d.Card(-1) != nil || d.Card(21) != nil {
		t.Error("there is a card outside the deck")
	}
	if !New("clue", 12).Card(3).Equal(d.Card(3)) {
		t.Error("the number of cards changes the cards")
	}
}

func TestDeckOfAnImpossibleSize(t *testing.T) {
	for _, n := range []int{-1, 0, MaxCards + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a deck of %d cards exists", n)
				}
			}()
			New("clue", n)
		}()
	}
}

// Cards are constants of the protocol.
func TestCardsArePinned(t *testing.T) {
	for i, want := range map[int]string{
		0:  "4eea8cb7f9f5fd4cda74f23382d344d4786f10e4826a6b4f3550cfaff8476364",
		20: "84f9905dd30c25e4db1d47b879cce610b96ff23f0fad339564d524f03423072e",
	} {
		if got := hex.EncodeToString(New("clue", 21).Card(i).Bytes()); got != want {
			t.Errorf("card %d is %s, want %s", i, got, want)
		}
	}
}

// A relation M_i + M_j = M_k would let a shuffler melt two cards into a third
// (see TestForgeryViolatesV2 in package shuffle). None is a generator, or the
// sum of a card and a generator, either.
func TestCardsAreUnrelated(t *testing.T) {
	known := map[[32]byte]string{
		group.Identity().Encoding():   "the identity",
		group.Base().Encoding():       "G",
		group.Base().Neg().Encoding(): "-G",
	}
	generators := []*group.Element{group.Base(), transcript.HashToElement("shuffle/generator", []byte("blind"))}
	for i := range 60 {
		row := binary.BigEndian.AppendUint64(nil, uint64(i)+1)
		generators = append(generators, transcript.HashToElement("shuffle/generator", []byte("row"), row))
		generators = append(generators, beacon.Point([32]byte{1}, uint64(i)))
	}
	for i, g := range generators {
		known[g.Encoding()] = fmt.Sprint("generator ", i)
	}
	var cards []*group.Element
	for _, name := range []string{"card", "card-advanced", "classic", "clue"} {
		d := New(name, 52)
		for i := range d.Len() {
			m := d.Card(i)
			if what, ok := known[m.Encoding()]; ok {
				t.Errorf("card %d of %s is %s", i, name, what)
			}
			known[m.Encoding()] = fmt.Sprintf("card %d of %s", i, name)
			cards = append(cards, m)
		}
	}
	for i, a := range cards {
		for j, b := range cards[:i+1] {
			if what, ok := known[a.Add(b).Encoding()]; ok {
				t.Errorf("cards %d and %d add up to %s", i, j, what)
			}
		}
		for j, g := range generators {
			if what, ok := known[a.Add(g).Encoding()]; ok {
				t.Errorf("card %d and generator %d add up to %s", i, j, what)
			}
		}
	}
}

// With a source that always says the same, the same message in two places has no
// value in common.
func TestConstantRandomSource(t *testing.T) {
	sc := newScene(t)
	for _, k := range kinds {
		seen := make(map[string]bool)
		for _, ctx := range []string{"game 1", "game 2"} {
			b, err := k.make(sc, []byte(ctx), constant(5))
			if err != nil {
				t.Fatal(err)
			}
			for ; len(b) > 0; b = b[32:] {
				// What a share reveals or raises does not depend on chance.
				if seen[string(b[:32])] && !determined(sc, k, b[:32]) {
					t.Errorf("%s: a value occurs twice", k.name)
				}
				seen[string(b[:32])] = true
			}
		}
	}
}

// Two guesses made with one state of the source in one place must not share their
// first half: the second halves would then differ by the two cards.
func TestConstantSourceHidesTheGuess(t *testing.T) {
	sc := newScene(t)
	var firsts []*group.Element
	for _, picks := range [][]int{{0, 1}, {1, 2}} {
		g, err := MakeGuess(here, sc.key, sc.choices, picks, constant(5))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Cards() {
			firsts = append(firsts, c.A)
		}
	}
	if firsts[0].Equal(firsts[2]) || firsts[1].Equal(firsts[3]) {
		t.Error("two guesses share their randomness")
	}
}

func determined(sc *scene, k kind, b []byte) bool {
	x := sc.secrets.lock
	return k.name == "share" &&
		(bytes.Equal(b, sc.tasks[1].card.A.Mul(x).Bytes()) || bytes.Equal(b, sc.tasks[2].base.Mul(x).Bytes()))
}

// The masks depend on the secret key too, so that a stuck source is no use to
// somebody who knows its state.
func TestMasksDependOnTheSecret(t *testing.T) {
	sc := newScene(t)
	tasks := sc.tasks[:1]
	one, err := Unlock(here, sc.secrets.lock, tasks, constant(5))
	if err != nil {
		t.Fatal(err)
	}
	two, err := Unlock(here, sc.secrets.y, tasks, constant(5))
	if err != nil {
		t.Fatal(err)
	}
	if one.points[0].Equal(two.points[0]) {
		t.Error("two lock keys get one mask")
	}
}

func TestRandomSourceRunsOut(t *testing.T) {
	sc := newScene(t)
	for _, k := range kinds {
		for _, n := range []int{0, 31} {
			if _, err := k.make(sc, sc.ctx, bytes.NewReader(make([]byte, n))); err == nil {
				t.Errorf("%s is made of %d random bytes", k.name, n)
			}
		}
	}
}

// The same card handed over, shown and guessed again and again never looks the
// same, nor do two of its ciphertexts differ by what another two differ by.
func TestSameCardIsNotRecognisable(t *testing.T) {
	dl := newDealing(t, 2, 2)
	to := dl.players[0]
	var cs []elgamal.Ciphertext
	for range 3 {
		tasks := []Task{HandOver(dl.cards[4], to.key)}
		shares := dl.unlock(tasks, 0, 1)
		c, err := Handed(dl.quorum, []int{0, 1}, tasks, shares, 0)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, c)
		m := dl.deck.Card(4)
		shown, err := Show(here, to.y, cs[len(cs)-1:], 0, []*group.Element{m}, 0, to.key, to.rand)
		if err != nil {
			t.Fatal(err)
		}
		g, err := MakeGuess(here, to.key, [][]*group.Element{{m, dl.deck.Card(5)}}, []int{0}, to.rand)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, shown.Card(), g.Cards()[0])
	}
	seen := make(map[[32]byte]bool)
	note := func(e *group.Element) {
		if seen[e.Encoding()] {
			t.Error("an element occurs twice")
		}
		seen[e.Encoding()] = true
	}
	for i, c := range cs {
		if !c.Decrypt(to.y).Equal(dl.deck.Card(4)) {
			t.Error("another card")
		}
		note(c.A)
		note(c.B)
		for _, d := range cs[:i] {
			diff := c.Sub(d)
			note(diff.A)
			note(diff.B)
		}
	}
}
