package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// Proofs rule these out, so the states are made by hand: decks that hold what
// no shuffle can have put there. Every honest share verifies, and what comes to
// light is nonsense. The game must stop alike everywhere all the same, with one
// fault and nothing made of the nonsense.

// noCard is something that is no card of the deck, under the joint key.
func noCard(t *testing.T, s *scene) elgamal.Ciphertext {
	return elgamal.Encrypt(group.BaseMul(scalar(t, "no card")), s.State.Quorum.Joint(), scalar(t, "no card's"))
}

// impossible replaces the state of a scene, and of its twin.
func (s *scene) impossible(change func(st *table.State)) {
	for _, p := range []**table.State{&s.State, &s.twin} {
		st := **p
		change(&st)
		*p = &st
	}
}

func TestRevealedWhatIsNoCard(t *testing.T) {
	t.Run("of the crime", func(t *testing.T) {
		for k := range 3 {
			s := accusing(t, "no card", options("left"), true, false, rules.Revealing)
			c := noCard(t, s)
			s.impossible(func(st *table.State) { st.Crime = with(st.Crime, k, c) })
			s.stops(t, s.round(t, nil), table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleCard})
		}
	})
	t.Run("face up", func(t *testing.T) {
		s := newScene(t, "no card", "card", 4, rules.DefaultOptions()) // one of nine is left over
		s.until(t, stage(table.Dealing))
		c := noCard(t, s)
		s.impossible(func(st *table.State) { st.Pool = with(st.Pool, 8, c) })
		s.stops(t, s.round(t, nil), table.Fault{Seat: 3, Round: s.State.Round, Rule: table.RuleCard})
	})
}

// Crime cards of which two are of one category, and Crime cards that are not
// those which a verdict has already proven.
func TestRevealedWhatIsNoSolution(t *testing.T) {
	s := accusing(t, "no solution", options("left"), true, false, rules.Revealing)
	s.impossible(func(st *table.State) { st.Crime = with(st.Crime, 1, st.Crime[0]) })
	s.stops(t, s.round(t, nil), table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleCard})

	s = accusing(t, "no solution", options("left"), true, true, rules.Revealing)
	other := elgamal.Encrypt(s.State.Deck.Card(int(s.wrong(t, 0)[0])), s.State.Quorum.Joint(), scalar(t, "other"))
	s.impossible(func(st *table.State) { st.Crime = with(st.Crime, 0, other) })
	s.stops(t, s.round(t, nil), table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleCard})
}

// A card handed over whose masks add up to nothing would lie open under the
// receiver's key. It takes all seats together to make one, each share verifying.
func TestHandedOverOpen(t *testing.T) {
	for name, s := range map[string]*scene{
		"dealt":  at(t, "open", stage(table.Dealing)),
		"peeked": accusing(t, "open", options("left"), true, true, rules.Peeking),
	} {
		t.Run(name, func(t *testing.T) {
			last := group.ScalarFromUint64(0)
			lies := map[int]*feed.Signed{}
			for i := range 3 {
				rho := scalar(t, fmt.Sprint("mask ", i))
				if i == 2 {
					rho = last.Neg()
				}
				last = last.Add(rho)
				kind, body := encoded(t, masked(t, s, i, rho))
				lies[i] = s.sealed(t, i, kind, body)
			}
			if _, singly, _ := table.Judged(s.State, s.round(t, lies)); len(singly) > 0 {
				t.Fatalf("the shares of %v do not verify", singly)
			}
			s.stops(t, s.round(t, lies), table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleShare})
		})
	}
}

// masked is seat i's share of the open round with a mask of its choice on the
// first card: deck.Unlock, written a second time.
func masked(t *testing.T, s *scene, i int, rho *group.Scalar) *move.Shares {
	t.Helper()
	st := s.State
	_, x := s.keys(t, i)
	var cards []elgamal.Ciphertext
	var to []*group.Element
	if st.Stage == table.Dealing {
		for k, owner := range st.Edition.Deal(3) {
			cards, to = append(cards, st.Pool[k]), append(to, st.SeatKeys[owner])
		}
	} else {
		for _, c := range st.Crime {
			cards, to = append(cards, c), append(to, st.SeatKeys[st.Pos.Accusation.Accuser])
		}
	}
	rel := sigma.NewRelation()
	xs := rel.Secret()
	rel.Equation(st.Quorum.Key(i), xs.Times(group.Base()))
	secrets := []*group.Scalar{x}
	var kinds, about, points []byte
	for k, c := range cards {
		r := scalar(t, fmt.Sprint("mask ", i, k))
		if k == 0 {
			r = rho
		}
		first, second := group.BaseMul(r), c.A.Mul(x).Add(to[k].Mul(r))
		rs := rel.Secret()
		rel.Equation(first, rs.Times(group.Base()))
		rel.Equation(second, xs.Times(c.A), rs.Times(to[k]))
		secrets = append(secrets, r)
		kinds, about = append(kinds, 2), slices.Concat(about, c.Bytes(), to[k].Bytes())
		points = slices.Concat(points, first.Bytes(), second.Bytes())
	}
	if st.Stage == table.Dealing {
		p := st.Point()
		rel.Equation(p.Mul(x), xs.Times(p))
		kinds, about, points = append(kinds, 3), append(about, p.Bytes()...), append(points, p.Mul(x).Bytes()...)
	}
	here := transcript.Hash("deck/share", table.Context(st.Place(i), move.KindShares, 0), kinds, about)
	proof, err := sigma.Prove(here[:], sigma.NewClaim("deck/share").Clause(rel), []sigma.Known{{Secrets: secrets}}, parlour.Rand("masked"))
	if err != nil {
		t.Fatal(err)
	}
	return &move.Shares{Share: append(points, proof.Bytes()...)}
}

// Before a share of the Crime cards leaves, all have spoken on top of what ended the
// game: a round can be opened again, and then the game goes on with the Crime hidden.
func TestBarrierBeforeTheCrime(t *testing.T) {
	for _, right := range []bool{true, false} {
		for _, alone := range []bool{true, false} {
			s := accusing(t, "barrier", options("left"), right, alone, rules.Guessing)
			s.until(t, barrier(rules.Revealing))
			if got := s.State.Speakers(); len(got) != 3 || s.State.Tasks() != nil {
				t.Fatalf("right %v, alone %v: speakers %v, %d tasks", right, alone, got, len(s.State.Tasks()))
			}
			if m := s.honest(t, 1); m.Kind() != move.KindChecked {
				t.Fatalf("says %s", m.Kind())
			}
			s.refuses(t, 1, &move.Shares{}, table.RuleKind)
			s.step(t)
			if s.State.Phase() != rules.Revealing || s.State.Barrier || len(s.State.Tasks()) == 0 {
				t.Fatalf("right %v, alone %v: %s, barrier %v", right, alone, s.State.Phase(), s.State.Barrier)
			}
		}
	}
}
