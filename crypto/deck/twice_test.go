package deck

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/group"
)

// One card is handed to two players, in one share or in two. Nobody else must
// get it out of the sums and differences of what was published, not even when
// the random source repeats itself and the second player chose the key so that
// equal masks would cancel.
func TestTwoHandOversAreNoReveal(t *testing.T) {
	for _, source := range []string{"random", "constant"} {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprint(source, " apart ", apart), func(t *testing.T) {
				dl := newDealing(t, 2, 2)
				card := dl.cards[6]
				to := dl.players[0].key
				lists := [][]Task{{HandOver(card, to), HandOver(card, to.Neg())}}
				if apart {
					lists = [][]Task{{HandOver(card, to)}, {HandOver(card, to.Neg())}}
				}
				// Published sums over both helpers.
				var published []*group.Element
				for _, tasks := range lists {
					sums := make([]*group.Element, countPoints(tasks))
					for j := range 2 {
						rand := dl.rand.rand
						if source == "constant" {
							rand = constant(9)
						}
						s, err := Unlock(here, dl.locks[j], tasks, rand)
						if err != nil {
							t.Fatal(err)
						}
						for i, p := range s.points {
							if sums[i] == nil {
								sums[i] = group.Identity()
							}
							sums[i] = sums[i].Add(p)
						}
					}
					published = append(published, sums...)
				}
				layer := card.A.Mul(dl.locks[0].Add(dl.locks[1])) // what hides the card
				secrets := []*group.Element{layer, layer.Neg(), layer.Add(layer), layer.Add(layer).Neg()}
				eachSum(published, func(sum *group.Element) {
					if slices.ContainsFunc(secrets, sum.Equal) {
						t.Error("a sum of the shares takes the layers off")
					}
					if _, ok := dl.deck.Index(card.B.Sub(sum)); ok {
						t.Error("a sum of the shares reveals the card")
					}
				})
			})
		}
	}
}

// eachSum calls f with all sums of es with factors -1, 0 and 1.
func eachSum(es []*group.Element, f func(*group.Element)) {
	if len(es) == 0 {
		f(group.Identity())
		return
	}
	eachSum(es[1:], func(rest *group.Element) {
		f(rest)
		f(rest.Add(es[0]))
		f(rest.Sub(es[0]))
	})
}

// constant is a broken random source.
type constant byte

func (c constant) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte{byte(c)}, len(b)))
	return len(b), nil
}
