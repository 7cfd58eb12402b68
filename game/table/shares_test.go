package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// unlocked is a share of seat i for tasks, made with the lock key x.
func unlocked(t testing.TB, s *scene, i int, x *group.Scalar, tasks []deck.Task) *move.Shares {
	t.Helper()
	share, err := deck.Unlock(table.Context(s.State.Place(i), move.KindShares, 0), x, tasks, parlour.Rand("unlocked"))
	if err != nil {
		t.Fatal(err)
	}
	return &move.Shares{Share: share.Bytes()}
}

// dealing lists the honest tasks of the deal one by one, so that a cheat can
// change them: 9 cards handed over in the card edition with three seats.
func dealing(st *table.State) (tasks []deck.Task) {
	for i, owner := range st.Edition.Deal(st.Seats()) {
		tasks = append(tasks, deck.HandOver(st.Pool[i], st.SeatKeys[owner]))
	}
	return append(tasks, deck.Raise(st.Point()))
}

func TestSharesOfTheDeal(t *testing.T) {
	s := at(t, "shares", stage(table.Dealing))
	s.accepts(t)
	st := s.State
	const cheat = 1
	_, x := s.keys(t, cheat)
	_, xOther := s.keys(t, 2)
	stranger := group.BaseMul(scalar(t, "stranger"))
	for name, change := range map[string]func(tasks []deck.Task) []deck.Task{
		"another position": func(ts []deck.Task) []deck.Task {
			ts[0] = deck.HandOver(st.Pool[3], st.SeatKeys[0])
			return ts
		},
		"positions exchanged": func(ts []deck.Task) []deck.Task {
			ts[0], ts[3] = ts[3], ts[0]
			return ts
		},
		"a Crime card for a pool card": func(ts []deck.Task) []deck.Task {
			ts[cheat] = deck.HandOver(st.Crime[0], st.SeatKeys[cheat])
			return ts
		},
		"another's card to itself": func(ts []deck.Task) []deck.Task {
			ts[0] = deck.HandOver(st.Pool[0], st.SeatKeys[cheat])
			return ts
		},
		"every card to itself": func(ts []deck.Task) []deck.Task {
			for i := range 9 {
				ts[i] = deck.HandOver(st.Pool[i], st.SeatKeys[cheat])
			}
			return ts
		},
		"a card to a stranger": func(ts []deck.Task) []deck.Task {
			ts[0] = deck.HandOver(st.Pool[0], stranger)
			return ts
		},
		"another ciphertext of the same card": func(ts []deck.Task) []deck.Task {
			ts[0] = deck.HandOver(again(t, st, st.Pool[0], "other"), st.SeatKeys[0])
			return ts
		},
		"an open card instead of a hidden one": func(ts []deck.Task) []deck.Task {
			ts[0] = deck.Reveal(st.Pool[0])
			return ts
		},
		"one position more than due": func(ts []deck.Task) []deck.Task {
			return append(ts, deck.HandOver(st.Crime[0], st.SeatKeys[cheat]))
		},
		"every Crime card besides": func(ts []deck.Task) []deck.Task {
			for _, c := range st.Crime {
				ts = append(ts, deck.Reveal(c))
			}
			return ts
		},
		"one position less than due": func(ts []deck.Task) []deck.Task { return ts[1:] },
		"no beacon share":            func(ts []deck.Task) []deck.Task { return ts[:9] },
		"a beacon share of another round": func(ts []deck.Task) []deck.Task {
			elsewhere := *st
			elsewhere.Round++
			ts[9] = deck.Raise(elsewhere.Point())
			return ts
		},
		"a beacon share of another game": func(ts []deck.Task) []deck.Task {
			elsewhere := *st
			elsewhere.Game[0] ^= 1
			ts[9] = deck.Raise(elsewhere.Point())
			return ts
		},
		"a beacon share that opens a card": func(ts []deck.Task) []deck.Task {
			ts[9] = deck.Raise(st.Pool[0].A)
			return ts
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.refuses(t, cheat, unlocked(t, s, cheat, x, change(dealing(st))), table.RuleShare)
		})
	}
	t.Run("by another seat's key", func(t *testing.T) {
		s.refuses(t, cheat, unlocked(t, s, cheat, xOther, dealing(st)), table.RuleShare)
	})
	t.Run("by its own seat key", func(t *testing.T) {
		y, _ := s.keys(t, cheat)
		s.refuses(t, cheat, unlocked(t, s, cheat, y, dealing(st)), table.RuleShare)
	})
	t.Run("by the sum of two keys", func(t *testing.T) {
		s.refuses(t, cheat, unlocked(t, s, cheat, x.Add(xOther), dealing(st)), table.RuleShare)
	})
}

// Each element of a share, spoilt alone, and each exchanged for another.
func TestSharesSpoilt(t *testing.T) {
	s := at(t, "shares", stage(table.Dealing))
	const cheat = 2
	honest := s.honest(t, cheat).(*move.Shares).Share
	points := 9*2 + 1
	for i := range points {
		b := slices.Clone(honest)
		copy(b[32*i:], group.Base().Bytes())
		t.Run(fmt.Sprintf("element %d", i), func(t *testing.T) {
			s.refuses(t, cheat, &move.Shares{Share: b}, table.RuleShare)
		})
		zero := slices.Clone(honest)
		clear(zero[32*i : 32*i+32])
		t.Run(fmt.Sprintf("identity %d", i), func(t *testing.T) {
			s.refuses(t, cheat, &move.Shares{Share: zero}, table.RuleShare)
		})
	}
	for name, b := range map[string][]byte{
		"nothing":       {},
		"one byte less": honest[:len(honest)-1],
		"one byte more": append(slices.Clone(honest), 0),
		"twice":         append(slices.Clone(honest), honest...),
		"huge":          make([]byte, 60<<10),
	} {
		t.Run(name, func(t *testing.T) { s.refuses(t, cheat, &move.Shares{Share: b}, table.RuleShare) })
	}
}

// Nobody may unlock before its round, and nothing that is not due can ride on
// an entry of another kind.
func TestSharesBeforeTheirRound(t *testing.T) {
	early := func(t *testing.T, s *scene, i int, tasks []deck.Task) {
		t.Helper()
		_, x := s.keys(t, i)
		s.refuses(t, i, unlocked(t, s, i, x, tasks), table.RuleKind)
	}
	t.Run("while the categories are shuffled", func(t *testing.T) {
		s := at(t, "early", func(st *table.State) bool { return st.Stage == table.Sorting && st.Shuffler == 1 })
		early(t, s, 1, []deck.Task{deck.Reveal(s.State.Decks[0][0])})
	})
	t.Run("while the shuffles are checked", func(t *testing.T) {
		s := at(t, "early", stage(table.Checking))
		if len(s.State.Tasks()) != 0 {
			t.Error("there are tasks before all have checked")
		}
		early(t, s, 0, dealing(s.State))
	})
	t.Run("of the Crime cards, on one's turn", func(t *testing.T) {
		s := at(t, "early", phase(rules.Turn))
		var tasks []deck.Task
		for _, c := range s.State.Crime {
			tasks = append(tasks, deck.HandOver(c, s.State.SeatKeys[0]))
		}
		early(t, s, s.State.Pos.Active, tasks)
	})
}

// While one seat holds its share back the round is open and the state as it
// was; there is nothing to fold and nobody is blamed.
func TestSharesWithheldAndDoubled(t *testing.T) {
	s := at(t, "withheld", stage(table.Dealing))
	round := s.round(t, nil)
	for i := range round {
		short := slices.Delete(slices.Clone(round), i, i+1)
		if st := table.Apply(s.State, short); st != s.State {
			t.Error("a round without one share was folded")
		}
		doubled := append(slices.Clone(round), round[i])
		if st := table.Apply(s.State, doubled); st != s.State {
			t.Error("a round with one share twice was folded")
		}
	}
	if st := table.Apply(s.State, nil); st != s.State {
		t.Error("an empty round was folded")
	}
}

// Shares of the Crime cards, to all at the end and to the lone accuser before.
func TestSharesOfTheCrime(t *testing.T) {
	for _, where := range []rules.Phase{rules.Peeking, rules.Revealing} {
		t.Run(where.String(), func(t *testing.T) {
			s := accusing(t, "crime", options("left"), true, true, where)
			s.accepts(t)
			st := s.State
			cheat := (st.Pos.Accusation.Accuser + 1) % 3
			_, x := s.keys(t, cheat)
			task := func(c elgamal.Ciphertext) deck.Task {
				if where == rules.Peeking {
					return deck.HandOver(c, st.SeatKeys[st.Pos.Accusation.Accuser])
				}
				return deck.Reveal(c)
			}
			honest := func() (ts []deck.Task) {
				for _, c := range st.Crime {
					ts = append(ts, task(c))
				}
				return ts
			}
			for name, change := range map[string]func(ts []deck.Task) []deck.Task{
				"to itself": func(ts []deck.Task) []deck.Task {
					ts[0] = deck.HandOver(st.Crime[0], st.SeatKeys[cheat])
					return ts
				},
				"of a pool card":      func(ts []deck.Task) []deck.Task { ts[0] = task(st.Pool[0]); return ts },
				"in another order":    func(ts []deck.Task) []deck.Task { slices.Reverse(ts); return ts },
				"of two of three":     func(ts []deck.Task) []deck.Task { return ts[:2] },
				"with a pool card":    func(ts []deck.Task) []deck.Task { return append(ts, task(st.Pool[0])) },
				"the other operation": func([]deck.Task) []deck.Task { return other(st, where) },
			} {
				t.Run(name, func(t *testing.T) {
					s.refuses(t, cheat, unlocked(t, s, cheat, x, change(honest())), table.RuleShare)
				})
			}
		})
	}
}

// other unlocks the Crime cards to all where they are due to one, and the
// other way round.
func other(st *table.State, where rules.Phase) (ts []deck.Task) {
	for _, c := range st.Crime {
		if where == rules.Peeking {
			ts = append(ts, deck.Reveal(c))
		} else {
			ts = append(ts, deck.HandOver(c, st.SeatKeys[0]))
		}
	}
	return ts
}

// Two players accuse wrongly one after the other. What everybody handed over to
// each of them must not add up to the Crime cards for a third.
func TestTwoHandOversAreNoReveal(t *testing.T) {
	s := newScene(t, "two hand-overs", "card", 4, options("left"))
	s.follow(script{guess: func(int) []rules.Card { return s.wrong(t, 0) }})
	peeks := 0
	var points [][][]*group.Element // by peek, by helper: R and S of each Crime card
	for peeks < 2 {
		s.until(t, phase(rules.Peeking))
		var of [][]*group.Element
		for _, e := range s.round(t, nil) {
			m, err := move.Decode(move.KindShares, e.Body)
			if err != nil {
				t.Fatal(err)
			}
			b := m.(*move.Shares).Share
			var es []*group.Element
			for i := range 6 {
				p, err := group.ParseElement(b[32*i : 32*i+32])
				if err != nil {
					t.Fatal(err)
				}
				es = append(es, p)
			}
			of = append(of, es)
		}
		points = append(points, of)
		peeks++
		s.until(t, phase(rules.Turn))
	}
	for j := range s.Seats {
		_, x := s.keys(t, j)
		for k, c := range s.State.Crime {
			layer := c.A.Mul(x)
			given := []*group.Element{points[0][j][2*k], points[0][j][2*k+1], points[1][j][2*k], points[1][j][2*k+1]}
			for _, w := range smallVectors(4) {
				sum := group.Identity()
				for i, e := range given {
					sum = sum.Add(e.Mul(w[i]))
				}
				if sum.Equal(layer) {
					t.Fatalf("seat %d, Crime card %d: the hand-overs open it", j, k)
				}
			}
		}
	}
}

// smallVectors lists the vectors of n scalars from -1 to 1.
func smallVectors(n int) [][]*group.Scalar {
	one := group.ScalarFromUint64(1)
	out := [][]*group.Scalar{nil}
	for range n {
		var longer [][]*group.Scalar
		for _, v := range out {
			for _, s := range []*group.Scalar{one.Neg(), one.Sub(one), one} {
				longer = append(longer, append(slices.Clone(v), s))
			}
		}
		out = longer
	}
	return out
}
