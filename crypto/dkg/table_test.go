package dkg_test

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/shuffle"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// table is a whole key generation of which only bytes pass between the seats.
type table struct {
	t       *testing.T
	rand    io.Reader
	y       []*group.Scalar
	keys    []*group.Element
	locks   []*group.Scalar // what each seat added up for itself
	quorum  *elgamal.Quorum
	checked sigma.Batch
}

func (tb *table) draw(int) *group.Scalar {
	tb.t.Helper()
	s, err := group.RandomScalar(tb.rand)
	if err != nil {
		tb.t.Fatal(err)
	}
	return s
}

func (tb *table) must(err error) {
	tb.t.Helper()
	if err != nil {
		tb.t.Fatal(err)
	}
}

func (tb *table) add(c *sigma.Check, err error) {
	tb.t.Helper()
	tb.must(err)
	tb.checked.Add(c)
}

func at(round, seat int) []byte { return fmt.Appendf(nil, "game 1, round %d, seat %d", round, seat) }

func newTable(t *testing.T, seats, threshold int) *table {
	tb := &table{t: t, rand: transcript.XOF("test/dkg/table", []byte{byte(seats), byte(threshold)})}
	var dealers []*dkg.Polynomial
	var public [][]*group.Element
	for j := range seats {
		tb.y = append(tb.y, tb.draw(0))
		tb.keys = append(tb.keys, group.BaseMul(tb.y[j]))
		dealers = append(dealers, dkg.New(tb.draw(0), threshold, tb.draw))
		var encoded [][32]byte
		for _, a := range dealers[j].Commitments() {
			encoded = append(encoded, a.Encoding())
		}
		as, err := dkg.ParseCommitments(encoded, threshold)
		tb.must(err)
		public = append(public, as)
		tb.locks = append(tb.locks, dealers[j].Share(j))
	}
	for i, f := range dealers {
		var others []int
		var keys []*group.Element
		for j := range seats {
			if j != i {
				others, keys = append(others, j), append(keys, tb.keys[j])
			}
		}
		d, err := dkg.Deal(at(2, i), f, others, keys, tb.rand)
		tb.must(err)
		d, err = dkg.ParseDealing(len(others), d.Bytes())
		tb.must(err)
		tb.add(dkg.CheckDealing(at(2, i), others, keys, d))
		for k, j := range others {
			share, err := d.Open(at(2, i), k, tb.y[j])
			tb.must(err)
			if !dkg.Verify(public[i], j, share) {
				t.Fatalf("seat %d complains of seat %d", j, i)
			}
			tb.locks[j] = tb.locks[j].Add(share)
		}
	}
	var err error
	tb.quorum, err = dkg.Combine(public, seats, threshold)
	tb.must(err)
	return tb
}

// mix has every seat shuffle the deck.
func (tb *table) mix(d *deck.Deck) []elgamal.Ciphertext {
	cards, key := d.Start(), tb.quorum.Joint()
	for j := range tb.keys {
		mixed, witness, err := shuffle.Shuffle(key, cards, tb.rand)
		tb.must(err)
		proof, err := shuffle.Prove(at(3+j, j), key, cards, mixed, witness, tb.rand)
		tb.must(err)
		tb.add(shuffle.Check(at(3+j, j), key, cards, mixed, proof))
		cards = mixed
	}
	return cards
}

// unlock returns the shares of helpers in tasks.
func (tb *table) unlock(tasks []deck.Task, round int, helpers []int) []*deck.Share {
	var out []*deck.Share
	for _, j := range helpers {
		s, err := deck.Unlock(at(round, j), tb.locks[j], tasks, tb.rand)
		tb.must(err)
		s, err = deck.ParseShare(tasks, s.Bytes())
		tb.must(err)
		tb.add(deck.CheckShare(at(round, j), tb.quorum.Key(j), tasks, s))
		out = append(out, s)
	}
	return out
}

// From keys without a dealer to cards without a dealer: any threshold of seats
// turn up and hand over, whoever the others are, and one fewer cannot.
func TestCardsUnderADealtKey(t *testing.T) {
	for _, c := range []struct {
		seats, threshold, to int
		helpers              []int
	}{
		{3, 2, 0, []int{0, 1}},
		{3, 2, 1, []int{2, 0}}, // the receiver does not help
		{4, 3, 3, []int{3, 1, 2}},
		{4, 2, 0, []int{0, 1, 2, 3}},
		{6, 5, 2, []int{5, 0, 4, 2, 1}},
	} {
		t.Run(fmt.Sprintf("%d of %d, %v for %d", c.threshold, c.seats, c.helpers, c.to), func(t *testing.T) {
			tb := newTable(t, c.seats, c.threshold)
			d := deck.New("clue", 6)
			cards := tb.mix(d)
			tasks := []deck.Task{deck.Reveal(cards[0]), deck.Reveal(cards[1])}
			for _, card := range cards[2:] {
				tasks = append(tasks, deck.HandOver(card, tb.keys[c.to]))
			}
			shares := tb.unlock(tasks, 20, c.helpers)
			var found []int
			for i := range tasks {
				var card *group.Element
				var err error
				if i < 2 {
					card, err = deck.Opened(tb.quorum, c.helpers, tasks, shares, i)
				} else {
					var hidden elgamal.Ciphertext
					hidden, err = deck.Handed(tb.quorum, c.helpers, tasks, shares, i)
					card = hidden.Decrypt(tb.y[c.to])
					if _, ok := d.Index(hidden.Decrypt(tb.y[(c.to+1)%c.seats])); ok {
						t.Error("another seat can read the hand")
					}
				}
				tb.must(err)
				n, ok := d.Index(card)
				if !ok {
					t.Fatalf("task %d unlocks no card", i)
				}
				found = append(found, n)
			}
			if slices.Sort(found); !slices.Equal(found, []int{0, 1, 2, 3, 4, 5}) {
				t.Errorf("cards %v", found)
			}
			tb.must(tb.checked.Verify())

			few := c.helpers[:c.threshold-1]
			if _, err := deck.Opened(tb.quorum, few, tasks, tb.unlock(tasks, 21, few), 0); err == nil {
				t.Error("fewer than the threshold turn a card up")
			}
			// And with weights of their own, what they open is no card.
			open := cards[0].B
			for k, w := range lagrange(few) {
				open = open.Sub(cards[0].A.Mul(w.Mul(tb.locks[few[k]])))
			}
			if _, ok := d.Index(open); ok {
				t.Error("they open it nevertheless")
			}
		})
	}
}

// lagrange returns the coefficients at 0 for as many seats as there are.
func lagrange(seats []int) []*group.Scalar {
	out := make([]*group.Scalar, len(seats))
	for k, h := range seats {
		out[k] = group.ScalarFromUint64(1)
		z := group.ScalarFromUint64(uint64(h) + 1)
		for m, o := range seats {
			if m != k {
				other := group.ScalarFromUint64(uint64(o) + 1)
				out[k] = out[k].Mul(other).Mul(other.Sub(z).Invert())
			}
		}
	}
	return out
}
