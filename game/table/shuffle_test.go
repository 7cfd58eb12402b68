package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/shuffle"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// mixed is one proven shuffle, as the culprit would make it honestly.
func mixed(t *testing.T, st *table.State, at, part int, in []elgamal.Ciphertext) ([]elgamal.Ciphertext, []byte) {
	t.Helper()
	rand := parlour.Rand("mixed")
	out, w, err := shuffle.Shuffle(st.Quorum.Joint(), in, rand)
	if err != nil {
		t.Fatal(err)
	}
	p, err := shuffle.Prove(table.Context(st.Place(at), move.KindShuffle, part), st.Quorum.Joint(), in, out, w, rand)
	if err != nil {
		t.Fatal(err)
	}
	return out, p.Bytes()
}

func scalar(t testing.TB, seed string) *group.Scalar {
	t.Helper()
	s, err := group.RandomScalar(parlour.Rand(seed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// again is the same card in another ciphertext.
func again(t testing.TB, st *table.State, c elgamal.Ciphertext, seed string) elgamal.Ciphertext {
	return c.Rerandomise(st.Quorum.Joint(), scalar(t, seed))
}

// dishonest turns the culprit's honest shuffle of one deck into a false one.
var dishonest = map[string]func(t *testing.T, st *table.State, in, out []elgamal.Ciphertext) []elgamal.Ciphertext{
	"duplicated card": func(t *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[1] = again(t, st, out[0], "dup")
		return out
	},
	"duplicated ciphertext": func(_ *testing.T, _ *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[1] = out[0]
		return out
	},
	"replaced card": func(t *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0] = elgamal.Encrypt(st.Deck.Card(11), st.Quorum.Joint(), scalar(t, "rep"))
		return out
	},
	"card of no deck": func(t *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0] = elgamal.Encrypt(group.Base(), st.Quorum.Joint(), scalar(t, "none"))
		return out
	},
	"dropped card": func(_ *testing.T, _ *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		return out[:len(out)-1]
	},
	"extra card": func(t *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		return append(out, again(t, st, out[0], "extra"))
	},
	"no card": func(*testing.T, *table.State, []elgamal.Ciphertext, []elgamal.Ciphertext) []elgamal.Ciphertext {
		return nil
	},
	"card passed on untouched": func(_ *testing.T, _ *table.State, in, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0] = in[0]
		return out
	},
	"open card": func(_ *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0] = elgamal.Plain(st.Deck.Card(0))
		return out
	},
	"order changed after the proof": func(_ *testing.T, _ *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0], out[1] = out[1], out[0]
		return out
	},
	"re-randomised after the proof": func(t *testing.T, st *table.State, _, out []elgamal.Ciphertext) []elgamal.Ciphertext {
		out[0] = again(t, st, out[0], "later")
		return out
	},
}

func TestFalseShuffleOfTheCategories(t *testing.T) {
	s := at(t, "sorting", func(st *table.State) bool { return st.Stage == table.Sorting && st.Shuffler == 1 })
	s.accepts(t)
	for name, lie := range dishonest {
		for d := range s.State.Decks {
			t.Run(name, func(t *testing.T) {
				m := s.honest(t, 1).(*move.Shuffle)
				in := s.State.Decks[d]
				out, proof := mixed(t, s.State, 1, d, in)
				m.Decks[d] = move.Shuffled{Cards: elgamal.EncodeAll(lie(t, s.State, in, out)), Proof: proof}
				s.refuses(t, 1, m, table.RuleShuffle)
			})
		}
	}
}

func TestFalseShuffleOfThePool(t *testing.T) {
	s := at(t, "pooling", func(st *table.State) bool { return st.Stage == table.Pooling && st.Shuffler == 2 })
	s.accepts(t)
	for name, lie := range dishonest {
		t.Run(name, func(t *testing.T) {
			out, proof := mixed(t, s.State, 2, 0, s.State.Pool)
			m := &move.Shuffle{Decks: []move.Shuffled{{Cards: elgamal.EncodeAll(lie(t, s.State, s.State.Pool, out)), Proof: proof}}}
			s.refuses(t, 2, m, table.RuleShuffle)
		})
	}
}

// A proof is for its deck, its place among the decks of an entry, and its input.
func TestShuffleOfAnotherDeck(t *testing.T) {
	s := at(t, "another deck", func(st *table.State) bool { return st.Stage == table.Sorting && st.Shuffler == 1 })
	start, err := table.New(s.Charter)
	if err != nil {
		t.Fatal(err)
	}
	shuffled := func(part int, in []elgamal.Ciphertext) move.Shuffled {
		out, proof := mixed(t, s.State, 1, part, in)
		return move.Shuffled{Cards: elgamal.EncodeAll(out), Proof: proof}
	}
	for name, change := range map[string]func(m *move.Shuffle){
		"two decks of three": func(m *move.Shuffle) { m.Decks = m.Decks[:2] },
		"no deck":            func(m *move.Shuffle) { m.Decks = []move.Shuffled{} },
		"one deck too many":  func(m *move.Shuffle) { m.Decks = append(m.Decks, m.Decks[0]) },
		"decks exchanged":    func(m *move.Shuffle) { m.Decks[1], m.Decks[2] = m.Decks[2], m.Decks[1] },
		// Weapons and locations are three cards each, so all lengths fit.
		"locations for weapons":        func(m *move.Shuffle) { m.Decks[1] = shuffled(1, s.State.Decks[2]) },
		"proof of another part":        func(m *move.Shuffle) { m.Decks[1] = shuffled(2, s.State.Decks[1]) },
		"proofs exchanged":             func(m *move.Shuffle) { m.Decks[1].Proof, m.Decks[2].Proof = m.Decks[2].Proof, m.Decks[1].Proof },
		"the deck before the last one": func(m *move.Shuffle) { m.Decks[1] = shuffled(1, start.Decks[1]) },
		"proof cut short":              func(m *move.Shuffle) { m.Decks[0].Proof = m.Decks[0].Proof[:len(m.Decks[0].Proof)-32] },
		"no proof":                     func(m *move.Shuffle) { m.Decks[0].Proof = []byte{} },
		"proof of zeros":               func(m *move.Shuffle) { clear(m.Decks[0].Proof) },
		"huge proof":                   func(m *move.Shuffle) { m.Decks[0].Proof = make([]byte, 50<<10) },
		"huge deck":                    func(m *move.Shuffle) { m.Decks[0].Cards = make([]byte, 50<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			m := s.honest(t, 1).(*move.Shuffle)
			change(m)
			s.refuses(t, 1, m, table.RuleShuffle)
		})
	}
}

// The whole honest entry of another seat, another game, and another round.
func TestShuffleReplayed(t *testing.T) {
	s := at(t, "replayed", func(st *table.State) bool { return st.Stage == table.Sorting && st.Shuffler == 1 })
	decode := func(s *scene, round uint32, i int) move.Move {
		e := s.Log.Entry(round, i)
		m, err := move.Decode(move.Kind(e.Kind), e.Body)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	t.Run("of the seat before", func(t *testing.T) {
		s.refuses(t, 1, decode(s, s.State.Round-1, 0), table.RuleShuffle)
	})
	t.Run("of another game", func(t *testing.T) {
		other := at(t, "replayed elsewhere", func(st *table.State) bool { return st.Stage == table.Sorting && st.Shuffler == 1 })
		s.refuses(t, 1, other.honest(t, 1), table.RuleShuffle)
	})
	t.Run("made for another seat", func(t *testing.T) {
		out, proof := mixed(t, s.State, 2, 0, s.State.Decks[0])
		m := s.honest(t, 1).(*move.Shuffle)
		m.Decks[0] = move.Shuffled{Cards: elgamal.EncodeAll(out), Proof: proof}
		s.refuses(t, 1, m, table.RuleShuffle)
	})
	t.Run("of the round before in the pool", func(t *testing.T) {
		s := newScene(t, "pool replayed", "card", 3, rules.DefaultOptions())
		s.until(t, func(st *table.State) bool { return st.Stage == table.Pooling && st.Shuffler == 1 })
		s.refuses(t, 1, decode(s, s.State.Round-1, 0), table.RuleShuffle)
	})
	t.Run("with the input as output", func(t *testing.T) {
		_, proof := mixed(t, s.State, 1, 0, s.State.Decks[0])
		m := s.honest(t, 1).(*move.Shuffle)
		m.Decks[0] = move.Shuffled{Cards: elgamal.EncodeAll(slices.Clone(s.State.Decks[0])), Proof: proof}
		s.refuses(t, 1, m, table.RuleShuffle)
	})
}
