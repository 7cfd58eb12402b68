package table_test

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// script says what players do where they have a choice; what it leaves out is
// the bots'. Without ask the active player accuses.
type script struct {
	ask   func(i int) []rules.Card
	join  func(i int) bool
	guess func(i int) []rules.Card
}

func (s *scene) follow(x script) {
	s.plan = func(i int) seat.Action {
		if s.State.Stage != table.Playing {
			return nil
		}
		switch s.State.Phase() {
		case rules.Turn:
			if x.ask == nil {
				return seat.Accuse{}
			}
			return seat.Ask{Cards: x.ask(i)}
		case rules.Sealing:
			if x.join != nil && x.join(i) {
				return seat.Join{}
			}
			return seat.Pass{}
		case rules.Guessing:
			return seat.Guess{Cards: x.guess(i)}
		}
		return nil
	}
}

// wrong is a solution that differs from the crime in one category.
func (s *scene) wrong(t rapid.TB, category int) []rules.Card {
	t.Helper()
	g := s.crime(t)
	of := s.State.Edition.Of(rules.Category(category))
	g[category] = of[(slices.Index(of, g[category])+1)%len(of)]
	return g
}

// asking is a scene in which the responder to the first question, if holding is
// true, holds asked[0] but not asked[1], and else neither.
func asking(t testing.TB, seed string, holding bool) *scene {
	t.Helper()
	s := newScene(t, seed, "card", 3, rules.DefaultOptions())
	s.until(t, phase(rules.Turn))
	crime := s.crime(t)
	responder := (s.State.Pos.Active + 1) % 3
	s.follow(script{ask: func(int) []rules.Card {
		if holding {
			return []rules.Card{s.hand(responder)[1], crime[0]}
		}
		return []rules.Card{crime[0], crime[1]}
	}})
	s.until(t, phase(rules.Answering))
	return s
}

// accusing is a scene in which the first player accuses with a right or wrong
// guess, alone or joined by everybody, played to a phase.
func accusing(t testing.TB, seed string, o rules.Options, right, alone bool, to rules.Phase) *scene {
	t.Helper()
	s := newScene(t, seed, "card", 3, o)
	s.follow(script{
		join: func(int) bool { return !alone },
		guess: func(int) []rules.Card {
			if right {
				return s.crime(t)
			}
			return s.wrong(t, 1)
		},
	})
	s.until(t, phase(to))
	return s
}

func options(order string) rules.Options {
	o := rules.DefaultOptions()
	o.Order = order
	return o
}

// place is a scene at a round that some kind of proof belongs to.
type place struct {
	name string
	at   func(t testing.TB) *scene
	rule table.Rule
}

// scenes holds what scene has made, by name. Nobody plays them on.
var scenes sync.Map

func (p place) scene(t testing.TB) *scene {
	t.Helper()
	if s, ok := scenes.Load(p.name); ok {
		return s.(*scene)
	}
	s := p.at(t)
	scenes.Store(p.name, s)
	return s
}

// places lists one scene for each kind of proof, in the order of a game.
func places() []place {
	stages := func(want table.Stage) func(t testing.TB) *scene {
		return func(t testing.TB) *scene { return at(t, "places", stage(want)) }
	}
	accuse := func(o rules.Options, right, alone bool, to rules.Phase) func(t testing.TB) *scene {
		return func(t testing.TB) *scene { return accusing(t, "places", o, right, alone, to) }
	}
	left := options("left")
	leave := func(to func(*table.State) bool) func(t testing.TB) *scene {
		return func(t testing.TB) *scene { return leavable(t, to) }
	}
	return []place{
		{"keys", stages(table.Keying), table.RuleKeyProof},
		{"keys of polynomials", leave(stage(table.Keying)), table.RuleKeyProof},
		{"sharing", leave(stage(table.Sharing)), table.RuleKeyShare},
		{"sorting", stages(table.Sorting), table.RuleShuffle},
		{"pooling", stages(table.Pooling), table.RuleShuffle},
		{"dealing", stages(table.Dealing), table.RuleShare},
		{"denying", func(t testing.TB) *scene { return asking(t, "places", false) }, table.RuleDenial},
		{"showing", func(t testing.TB) *scene { return asking(t, "places", true) }, table.RuleShowing},
		{"casting", accuse(options("random"), true, false, rules.Casting), table.RuleShare},
		{"guessing", accuse(left, true, true, rules.Guessing), table.RuleGuess},
		{"peeking", accuse(left, true, true, rules.Peeking), table.RuleShare},
		{"judging right", accuse(left, true, true, rules.Judging), table.RuleVerdict},
		{"judging wrong", accuse(left, false, true, rules.Judging), table.RuleVerdict},
		{"disclosing", accuse(left, true, false, rules.Disclosing), table.RuleDisclosure},
		{"revealing", accuse(left, true, true, rules.Revealing), table.RuleShare},
		{"laying", leave(phase(rules.Laying)), table.RuleShare},
	}
}

// leavable is a table of three that one may leave, played to a place. Seat 0
// leaves it on the first turn.
func leavable(t testing.TB, to func(*table.State) bool) *scene {
	t.Helper()
	s := leavingScene(t, "places", "card", 3, 1, rules.DefaultOptions(), nil)
	s.until(t, func(st *table.State) bool { return to(st) || phase(rules.Turn)(st) })
	if !to(s.State) {
		s.leave(t, 0)
		s.until(t, to)
	}
	return s
}

// A proof made for another game, another history or another round, by the right
// seat about the right things, is refused.
func TestProofsAreBoundToTheirPlace(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := p.scene(t)
			s.accepts(t)
			i := s.State.Speakers()[0]
			var want seat.Action
			if _, decide := s.Seats[i].Due(s.State); decide {
				want = s.action(i)
			}
			for name, change := range map[string]func(st *table.State){
				"game":        func(st *table.State) { st.Game[7] ^= 1 },
				"history":     func(st *table.State) { st.Prev[31] ^= 1 },
				"later round": func(st *table.State) { st.Round++ },
				"high round":  func(st *table.State) { st.Round |= 1 << 24 },
			} {
				elsewhere := *s.State
				change(&elsewhere)
				m, err := s.Seats[i].Answer(&elsewhere, want)
				if err != nil {
					t.Fatal(err)
				}
				t.Run(name, func(t *testing.T) { s.refuses(t, i, m, p.rule) })
			}
		})
	}
}

// The words of one seat in the mouth of another: in every round in which
// several speak, each says what its neighbour says.
func TestProofsAreBoundToTheirSeat(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := p.scene(t)
			speakers := s.State.Speakers()
			if len(speakers) == 1 {
				t.Skip("one seat speaks; Context binds it")
			}
			rule := p.rule
			if rule == table.RuleKeyProof {
				rule = table.RuleCommitment // the commitment names the identity
			}
			for k, i := range speakers {
				s.refuses(t, i, s.honest(t, speakers[(k+1)%len(speakers)]), rule)
			}
		})
	}
}

// Whatever names the place of an entry changes the context of its proofs.
func TestContextCoversThePlace(t *testing.T) {
	st := at(t, "context", stage(table.Sorting)).State
	e := st.Place(1)
	seen := map[string]string{}
	add := func(name string, ctx []byte) {
		if other, twice := seen[string(ctx)]; twice {
			t.Errorf("%s and %s have one context", name, other)
		}
		seen[string(ctx)] = name
	}
	add("itself", table.Context(e, move.KindShuffle, 0))
	for k := range move.Kind(move.KindCount) {
		if k != move.KindShuffle {
			add("kind "+k.String(), table.Context(e, k, 0))
		}
	}
	add("part 1", table.Context(e, move.KindShuffle, 1))
	add("part 2", table.Context(e, move.KindShuffle, 2))
	for bit := range 32 {
		o := e
		o.Round ^= 1 << bit
		add("round", table.Context(o, move.KindShuffle, 0))
	}
	for i := range 32 {
		o := e
		o.Game[i] ^= 1
		add("game", table.Context(o, move.KindShuffle, 0))
		o = e
		o.Prev[i] ^= 1
		add("prev", table.Context(o, move.KindShuffle, 0))
	}
	for i := range 8 {
		o := e
		o.Seat ^= 1 << i
		add("seat", table.Context(o, move.KindShuffle, 0))
	}
}
