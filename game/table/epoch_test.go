package table_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// laid plays the rounds in which hands are laid, if there are any.
func (s *scene) laid(t testing.TB) {
	t.Helper()
	for s.State.Phase() == rules.Laying {
		s.step(t)
	}
	s.twin = s.State
}

// What was sealed before a leave is opened after it, as it was sealed, and
// nothing else can be opened in its place.
func TestSealsOutlastALeave(t *testing.T) {
	f := reel(t, "joined")
	r := f.first(t, phase(rules.Unsealing))
	s := f.cut(t, r, nil)
	active := s.State.Pos.Active
	opens := func(i int) move.Unseal { return *s.honest(t, i).(*move.Unseal) }
	i, gone := after(active, 1), after(active, 2)
	before, sealed := opens(i), s.State
	s.leave(t, gone)
	s.laid(t)
	if s.State.Sealed != sealed.Sealed || s.State.Under != sealed.Game || s.State.Game == sealed.Game {
		t.Fatal("it is not known any more under what was sealed")
	}
	if opens(i) != before {
		t.Error("the same seal is opened differently")
	}
	if want := table.SealOf(sealed.Game, sealed.Round-1, i, true, before.Salt); want != s.State.Seals[i] {
		t.Error("the seal is not what it was")
	}
	for name, change := range map[string]func(m *move.Unseal){
		"another choice": func(m *move.Unseal) { m.Join = !m.Join },
		"another salt":   func(m *move.Unseal) { m.Salt[31] ^= 1 },
		"another's":      func(m *move.Unseal) { *m = opens(after(active, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			m := opens(i)
			change(&m)
			s.refuses(t, i, &m, table.RuleSeal)
		})
	}
	s.endsRight(t)
	if n := len(s.State.Pos.Accusation.Order); n != 3 {
		t.Errorf("%d accuse", n)
	}
}

// A seal of a round that a leave has dropped is sealed anew, under the new name:
// the old one can be said again, but not be opened.
func TestSealsOfADroppedRound(t *testing.T) {
	f := reel(t, "joined")
	s := f.cut(t, f.first(t, phase(rules.Sealing)), nil)
	active := s.State.Pos.Active
	i := after(active, 1)
	old := s.honest(t, i).(*move.Seal)
	was := s.State
	s.leave(t, after(active, 2))
	s.laid(t)
	fresh := s.honest(t, i).(*move.Seal)
	if fresh.Commitment == old.Commitment {
		t.Error("the same commitment twice")
	}
	s.goesOn(t, s.said(t, map[int]move.Move{i: old}))
	if s.State.Under != s.Log.Closed(s.State.Round - 1)[0].Game || s.State.Sealed != s.State.Round-1 {
		t.Fatal("sealed under another name")
	}
	if m, err := s.Seats[i].Answer(s.State, nil); err == nil {
		t.Errorf("opens %v", m)
	}
	// What it would have opened before, and whatever it can make of the salts.
	for _, game := range []feed.Hash{was.Game, s.State.Under} {
		for _, round := range []uint32{was.Round, s.State.Sealed} {
			st := *s.State
			st.Under, st.Sealed = game, round
			for _, join := range []bool{true, false} {
				st.Seals = slices.Clone(st.Seals)
				mine := *s.State
				mine.Game, mine.Round, mine.Pos = game, round, was.Pos
				seal, err := s.Seats[i].Answer(&mine, map[bool]seat.Action{true: seat.Join{}, false: seat.Pass{}}[join])
				if err != nil {
					t.Fatal(err)
				}
				st.Seals[i] = seal.(*move.Seal).Commitment
				m, err := s.Seats[i].Answer(&st, nil)
				if err != nil {
					t.Fatal(err)
				}
				others := s.State.Seals
				round := s.openedBy(t, i, m.(*move.Unseal))
				s.stops(t, round, table.Fault{Seat: i, Round: s.State.Round, Rule: table.RuleSeal})
				if !slices.Equal(others, s.State.Seals) {
					t.Fatal("the seals have changed")
				}
			}
		}
	}
}

// openedBy is the round of unsealing in which seat i says m, and all others what
// they sealed.
func (s *scene) openedBy(t testing.TB, i int, m *move.Unseal) (out []*feed.Signed) {
	t.Helper()
	for _, p := range s.State.Speakers() {
		said := move.Move(m)
		if p != i {
			said = s.honest(t, p)
		}
		kind, body := encoded(t, said)
		out = append(out, s.sealed(t, p, kind, body))
	}
	return out
}

// A guess that is fixed stays fixed when somebody leaves: the verdict, or what is
// disclosed, is about the old one.
func TestGuessOutlastsALeave(t *testing.T) {
	for name, tt := range map[string]struct {
		reel string
		at   rules.Phase
	}{
		"confirming": {"alone", rules.Confirming}, "peeking": {"alone", rules.Peeking},
		"judging": {"alone", rules.Judging}, "disclosing": {"joined", rules.Disclosing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := reel(t, tt.reel)
			s := f.cut(t, f.first(t, phase(tt.at)), nil)
			i := accuser(s.State.Pos)
			fixed, guess := s.State.Guess[i].Bytes(), s.Seats[i].Guessed(s.State)
			s.leave(t, after(i, 1))
			s.laid(t)
			for s.State.Phase() < rules.Judging {
				s.step(t)
			}
			if !bytes.Equal(s.State.Guess[i].Bytes(), fixed) {
				t.Fatal("another guess is fixed")
			}
			s.twin = s.State
			switch m := s.honest(t, i).(type) {
			case *move.Disclose:
				lie := *m
				lie.Cards = slices.Clone(m.Cards)
				lie.Cards[0] ^= 1
				if !slices.Equal(m.Cards, small(guess)) {
					t.Errorf("discloses %v, guessed %v", m.Cards, guess)
				}
				s.refuses(t, i, &lie, table.RuleDisclosure)
			case *move.Verdict:
				if right := slices.Equal(guess, s.crime(t)); m.Right != right {
					t.Errorf("guessed %v, says right: %v", guess, m.Right)
				}
			}
		})
	}
}

func small(cards []rules.Card) (out []uint8) {
	for _, c := range cards {
		out = append(out, uint8(c))
	}
	return out
}

// However a round is closed, what is said next has places, contexts and beacon
// points of its own: nothing said on one branch fits another.
func TestEveryEpochIsAnotherGame(t *testing.T) {
	f := reel(t, "alone")
	for _, is := range []func(*table.State) bool{stage(table.Accepting), stage(table.Sharing), stage(table.Dealing), phase(rules.Turn), phase(rules.Revealing)} {
		r := f.first(t, is)
		games, points, contexts := map[feed.Hash]string{}, map[string]string{}, map[string]string{}
		meets := func(name string, st *table.State) {
			e := st.Place(0)
			e.Prev = feed.Hash{} // so that the game field alone tells them apart
			point, ctx := string(st.Point().Bytes()), string(table.Context(e, move.KindShares, 0))
			for at, other := range map[string]string{"game": games[st.Game], "point": points[point], "context": contexts[ctx]} {
				if other != "" {
					t.Errorf("%s: %s and %s have one %s", f.states[r].Stage, name, other, at)
				}
			}
			games[st.Game], points[point], contexts[ctx] = name, name, name
			if st.Round != uint32(r+1) || st.Prev == f.states[r].Prev {
				t.Errorf("%s: round %d", name, st.Round)
			}
		}
		s := f.cut(t, r, nil)
		meets("nobody left", f.states[r+1])
		for _, m := range []feed.Motion{feed.Without(0), feed.Without(1), feed.Without(1, 2), feed.Without(2, 3),
			{Abandon: true}, {Without: 1, Abandon: true}, {Without: 6, Abandon: true}} {
			voters := slices.DeleteFunc(s.State.Present(), m.Drops)
			next := table.Apply(s.State, s.votes(t, m, voters...))
			if next == s.State {
				t.Fatalf("%v is not carried", m)
			}
			meets(fmt.Sprint(m), next)
		}
		if r > 0 && games[f.states[r].Game] != "nobody left" && f.states[r].Stage != table.Accepting {
			t.Error("a leave has kept the name of the game")
		}
		one := table.Apply(s.State, s.votes(t, feed.Without(2), 0, 1, 3))
		s.State = one
		two := table.Apply(one, s.votes(t, feed.Without(3), 0, 1))
		if at := table.Apply(f.states[r], f.cut(t, r, nil).votes(t, feed.Without(2, 3), 0, 1)); at.Game == two.Game || two.Game == one.Game {
			t.Error("two leaves, and one name")
		}
	}
}

// proofRules are the rules that refuse a body said again after a leave, by kind.
var proofRules = map[move.Kind]table.Rule{
	move.KindKeys: table.RuleKeyProof, move.KindKeyShares: table.RuleKeyShare, move.KindShuffle: table.RuleShuffle,
	move.KindShares: table.RuleShare, move.KindDeny: table.RuleDenial, move.KindShow: table.RuleShowing,
	move.KindGuess: table.RuleGuess, move.KindVerdict: table.RuleVerdict, move.KindDisclose: table.RuleDisclosure,
}

// What proves anything in a round that a leave has dropped proves nothing when the
// round is done again, even where the same is due of the same seat.
func TestNothingProvenIsSaidAgain(t *testing.T) {
	tried := map[move.Kind]int{}
	all := moments(t)
	alone := reel(t, "alone")
	for r, st := range alone.states { // a question goes on from a no to a shown card
		if phase(rules.Answering)(st) && st.Pos.Turns == 1 {
			all = append(all, moment{alone, fmt.Sprint("answer of seat ", st.Pos.Question.Responder), r})
		}
	}
	for _, m := range all {
		for gone := range 4 {
			s := m.cut(t, m.round, nil)
			old := s.round(t, nil)
			s.leave(t, gone)
			s.laid(t)
			e := s.dueAgain(old)
			if e == nil {
				continue
			}
			tried[move.Kind(e.Kind)]++
			t.Run(m.name, func(t *testing.T) {
				s.refusesBody(t, int(e.Seat), move.Kind(e.Kind), e.Body, proofRules[move.Kind(e.Kind)])
			})
			break
		}
	}
	for k := range proofRules {
		if tried[k] == 0 {
			t.Errorf("no %s was said again", k)
		}
	}
}

// dueAgain is an entry whose kind, with its proof, is due of its seat once more.
func (s *scene) dueAgain(entries []*feed.Signed) *feed.Signed {
	for _, d := range s.State.Owed() {
		for _, e := range entries {
			kind := move.Kind(e.Kind)
			if _, proves := proofRules[kind]; proves && int(e.Seat) == d.Seat && slices.Contains(d.Kinds, kind) {
				return e
			}
		}
	}
	return nil
}
