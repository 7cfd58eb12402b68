package deck_test

import (
	"crypto/rand"
	"fmt"
	"slices"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/shuffle"
	"alibi/crypto/sigma"
)

// Three players deal six cards without a dealer: two are turned up for all, the
// other four are handed to the third player. In a program the three would sit at
// three computers; what crosses the network is the shuffles, the shares and
// their proofs.
func Example() {
	six := deck.New("example", 6)

	// Lock keys and seat keys. A real table also demands proofs of possession.
	var locks, seats []*group.Scalar
	var lockKeys, seatKeys []*group.Element
	for range 3 {
		x, _ := group.RandomScalar(rand.Reader)
		y, _ := group.RandomScalar(rand.Reader)
		locks, seats = append(locks, x), append(seats, y)
		lockKeys, seatKeys = append(lockKeys, group.BaseMul(x)), append(seatKeys, group.BaseMul(y))
	}
	quorum, err := elgamal.NewQuorum(lockKeys, 3)
	if err != nil {
		fmt.Println(err)
		return
	}

	// Everyone shuffles in turn; everyone else checks, all shuffles in one go.
	cards := six.Start()
	var checks sigma.Batch
	for seat := range 3 {
		place := fmt.Appendf(nil, "game 1, round %d, seat %d", seat, seat)
		mixed, witness, err := shuffle.Shuffle(quorum.Joint(), cards, rand.Reader)
		if err != nil {
			fmt.Println(err)
			return
		}
		proof, err := shuffle.Prove(place, quorum.Joint(), cards, mixed, witness, rand.Reader)
		if err != nil {
			fmt.Println(err)
			return
		}
		check, err := shuffle.Check(place, quorum.Joint(), cards, mixed, proof)
		if err != nil {
			fmt.Println(err)
			return
		}
		checks.Add(check)
		cards = mixed
	}

	// Two cards for all, four for the third player. Each helper makes one share.
	tasks := []deck.Task{deck.Reveal(cards[0]), deck.Reveal(cards[1])}
	for _, c := range cards[2:] {
		tasks = append(tasks, deck.HandOver(c, seatKeys[2]))
	}
	helpers := []int{0, 1, 2}
	var shares []*deck.Share
	for _, seat := range helpers {
		place := fmt.Appendf(nil, "game 1, round 3, seat %d", seat)
		share, err := deck.Unlock(place, locks[seat], tasks, rand.Reader)
		if err != nil {
			fmt.Println(err)
			return
		}
		check, err := deck.CheckShare(place, quorum.Key(seat), tasks, share)
		if err != nil {
			fmt.Println(err)
			return
		}
		checks.Add(check)
		shares = append(shares, share)
	}
	fmt.Println("everything checked:", checks.Verify() == nil)

	var open, hidden []int
	for i := range tasks {
		var card *group.Element
		if i < 2 {
			card, err = deck.Opened(quorum, helpers, tasks, shares, i)
		} else {
			var c elgamal.Ciphertext
			c, err = deck.Handed(quorum, helpers, tasks, shares, i)
			if err == nil {
				card = c.Decrypt(seats[2]) // the third player alone can
			}
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		n, ok := six.Index(card)
		if !ok {
			fmt.Println("no card of this deck")
			return
		}
		if i < 2 {
			open = append(open, n)
		} else {
			hidden = append(hidden, n)
		}
	}
	fmt.Println("turned up:", len(open), "in hand:", len(hidden))
	all := slices.Sorted(slices.Values(append(open, hidden...)))
	fmt.Println("together:", all)
	// Output:
	// everything checked: true
	// turned up: 2 in hand: 4
	// together: [0 1 2 3 4 5]
}
