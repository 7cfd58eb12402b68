package dkg_test

import (
	"crypto/rand"
	"fmt"

	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Three seats make a joint key that two of them can unlock with. In a program
// the three would sit at three computers; what crosses the network is the
// commitments, the dealings and the complaints, and each seat does for itself
// what the loops do for all. Before the commitments are opened, everybody has
// committed to them by a hash.
func Example() {
	const seats, threshold = 3, 2
	draw := func(int) *group.Scalar {
		s, err := group.RandomScalar(rand.Reader)
		if err != nil {
			panic(err)
		}
		return s
	}
	// The constant of its own polynomial is what others seal shares to a seat with.
	var constants []*group.Scalar
	var keys []*group.Element
	var polynomials []*dkg.Polynomial
	var commitments [][]*group.Element
	for j := range seats {
		constants = append(constants, draw(0))
		polynomials = append(polynomials, dkg.New(constants[j], threshold, draw))
		commitments = append(commitments, polynomials[j].Commitments())
		keys = append(keys, commitments[j][0])
	}

	// Each deals to the two others. Seat 2 deals shares of another polynomial.
	place := func(dealer int) []byte { return fmt.Appendf(nil, "game 1, round 2, seat %d", dealer) }
	others := [][]int{{1, 2}, {0, 2}, {0, 1}}
	keysOf := func(list []int) (out []*group.Element) {
		for _, j := range list {
			out = append(out, keys[j])
		}
		return out
	}
	var checks sigma.Batch
	var dealings []*dkg.Dealing
	for i, f := range polynomials {
		if i == 2 {
			f = dkg.New(draw(0), threshold, draw)
		}
		d, err := dkg.Deal(place(i), f, others[i], keysOf(others[i]), rand.Reader)
		if err != nil {
			fmt.Println(err)
			return
		}
		check, err := dkg.CheckDealing(place(i), others[i], keysOf(others[i]), d)
		if err != nil {
			fmt.Println(err)
			return
		}
		checks.Add(check)
		dealings = append(dealings, d)
	}
	fmt.Println("every dealing is sealed by one who knows it:", checks.Verify() == nil)

	// Each opens what it got, adds up what fits, and complains of the rest.
	locks := make([]*group.Scalar, seats)
	counts := []bool{true, true, true}
	for j := range seats {
		locks[j] = polynomials[j].Share(j)
		for i, d := range dealings {
			if i == j {
				continue
			}
			at := 0 // where seat j is among the receivers of i
			for others[i][at] != j {
				at++
			}
			share, err := d.Open(place(i), at, constants[j])
			if err != nil {
				fmt.Println(err)
				return
			}
			if dkg.Verify(commitments[i], j, share) {
				locks[j] = locks[j].Add(share)
				continue
			}
			here := fmt.Appendf(nil, "game 1, round 3, seat %d", j)
			c, err := dkg.Complain(here, d, at, constants[j], rand.Reader)
			if err != nil {
				fmt.Println(err)
				return
			}
			// Everybody judges the complaint.
			check, err := dkg.CheckComplaint(here, d, at, keys[j], c)
			if err != nil || check.Verify() != nil {
				fmt.Println("the complaint proves nothing:", err)
				return
			}
			opened, err := c.Opened(place(i), d, at)
			if err != nil {
				fmt.Println(err)
				return
			}
			counts[i] = dkg.Verify(commitments[i], j, opened)
			fmt.Printf("seat %d complains of seat %d, rightly: %v\n", j, i, !counts[i])
		}
	}

	// Seats 0 and 1 count, and unlock together. Seat 2 is out.
	quorum, err := dkg.Combine(commitments[:2], seats, threshold)
	if err != nil {
		fmt.Println(err)
		return
	}
	card := group.Base()
	sealed := elgamal.Encrypt(card, quorum.Joint(), draw(0))
	weights, err := quorum.Weights([]int{0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	open := sealed.B
	for k, j := range []int{0, 1} {
		open = open.Sub(sealed.A.Mul(locks[j]).Mul(weights[k]))
	}
	fmt.Println("two of three unlock:", open.Equal(card))
	// Output:
	// every dealing is sealed by one who knows it: true
	// seat 0 complains of seat 2, rightly: true
	// seat 1 complains of seat 2, rightly: true
	// two of three unlock: true
}
