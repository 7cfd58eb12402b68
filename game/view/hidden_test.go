package view_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// elsewhere is a state that differs from st in everything hidden from me: other
// cards in the other hands, another crime, other guesses, other cards shown to
// others and seen by them alone. What keys were opened has become public.
func elsewhere(t *testing.T, st *table.State, me *seat.Seat, d *draw) *table.State {
	t.Helper()
	mine := view.Spectator
	if me != nil {
		mine = me.Index()
	}
	hidden := func(i int) bool { return i != mine && st.Opened[i] == nil }
	out := *st
	other := func(i int) elgamal.Ciphertext {
		card := st.Deck.Card(d.below(st.Deck.Len()))
		return elgamal.Encrypt(card, st.SeatKeys[i], scalar(t, fmt.Sprint("other ", d.n)))
	}
	out.Hands, out.Peeked, out.Guess = slices.Clone(st.Hands), slices.Clone(st.Peeked), slices.Clone(st.Guess)
	for i := range st.Seats() {
		if !hidden(i) {
			continue
		}
		if st.Hands != nil {
			out.Hands[i] = nil
			for range st.Hands[i] {
				out.Hands[i] = append(out.Hands[i], other(i))
			}
		}
		if st.Peeked[i] != nil {
			out.Peeked[i] = []elgamal.Ciphertext{other(i), other(i), other(i)}
		}
		if st.Guess[i] != nil {
			g, err := deck.MakeGuess(nil, st.SeatKeys[i], st.Choices(), []int{d.below(3), d.below(3), d.below(3)}, parlour.Rand("guess"))
			if err != nil {
				t.Fatal(err)
			}
			out.Guess[i] = g
		}
	}
	out.Crime, out.Pool = slices.Clone(st.Pool[:len(st.Crime)]), slices.Clone(st.Pool)
	slices.Reverse(out.Pool)
	out.Story = slices.Clone(st.Story)
	for k, e := range out.Story {
		if e.Kind == table.Showed && hidden(e.To) {
			out.Story[k].Shown = other(e.To)
		}
	}
	out.Seals = slices.Clone(st.Seals)
	for i := range out.Seals {
		out.Seals[i][0] ^= byte(d.below(256))
	}
	return &out
}

// view.For(a) is equal under any change to what is hidden from a, at every
// round of whole games, for every seat and for a spectator.
func TestViewIsEqualUnderAnyChangeOfSecrets(t *testing.T) {
	eachGame(t, func(t *testing.T, g game) {
		d := drawing("elsewhere " + g.seed)
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			want := view.For(p.State, me)
			got := view.For(elsewhere(t, p.State, me, d), me)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("round %d, seat %d: the view depends on what is hidden", p.State.Round, want.Me)
			}
		})
	})
}

// The change itself is one: it is seen by whoever is allowed to.
func TestElsewhereIsAnotherState(t *testing.T) {
	p := newTable(t, "another state", "card", 3, rules.DefaultOptions())
	if err := p.Until(inPlay); err != nil {
		t.Fatal(err)
	}
	other := elsewhere(t, p.State, p.Seats[0], drawing("another"))
	if reflect.DeepEqual(view.For(other, p.Seats[1]), view.For(p.State, p.Seats[1])) {
		t.Error("nothing was changed")
	}
}

// known is where seat me may know each card to be, and which cards it may know
// at all beyond public talk about them.
func known(p *parlour.Table, me *seat.Seat) map[rules.Card]bool {
	st := p.State
	out := map[rules.Card]bool{}
	add := func(cards []rules.Card) {
		for _, c := range cards {
			out[c] = true
		}
	}
	add(st.FaceUp)
	if st.Pos != nil {
		add(st.Pos.Crime)
	}
	for i, s := range p.Seats {
		add(st.Laid[i])
		if me != nil && i == me.Index() || st.Opened[i] != nil {
			add(s.Hand(st))
			add(s.Peeked(st))
			for _, e := range st.Story {
				if c, ok := s.Shown(st, e); ok {
					out[c] = true
				}
			}
		}
	}
	return out
}

// Whatever card can be reached in a view, by any path through it, was said
// openly, or is one that this seat may know.
func TestViewHoldsNoCardThatIsNotKnown(t *testing.T) {
	var mu sync.Mutex
	paths := map[string]bool{}
	t.Cleanup(func() {
		if len(paths) != 8 && !testing.Short() {
			t.Errorf("cards were seen at %v only", paths)
		}
	})
	eachGame(t, func(t *testing.T, g game) {
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			v := view.For(p.State, me)
			allowed := known(p, me)
			walk(reflect.ValueOf(v), "View", func(path string, x reflect.Value) {
				if x.Type() != reflect.TypeFor[rules.Card]() {
					return
				}
				mu.Lock()
				paths[path] = true
				mu.Unlock()
				c := rules.Card(x.Int())
				switch path {
				case "View.Question.Cards", "View.Lines.Cards": // said aloud by somebody
				case "View.Lines.Card":
					if c != view.Hidden && !allowed[c] {
						t.Fatalf("round %d, seat %d: %s is %d", p.State.Round, v.Me, path, c)
					}
				case "View.FaceUp", "View.Hand", "View.Crime", "View.Players.Hand", "View.Choices.Show":
					if !allowed[c] {
						t.Fatalf("round %d, seat %d: %s is %d", p.State.Round, v.Me, path, c)
					}
				default:
					t.Fatalf("a card at %s, where this test knows of none", path)
				}
			})
			if me == nil && (v.Hand != nil || v.Choices.Any() || v.Me != view.Spectator) {
				t.Fatal("a spectator holds or decides something")
			}
		})
	})
}

// walk visits every value that can be reached.
func walk(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	visit(path, v)
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), path, visit)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			walk(k, path, visit)
			walk(v.MapIndex(k), path, visit)
		}
	}
}

// A view is made of numbers, words and truth values: no key, no ciphertext, no
// function, no byte string fits into its type.
func TestViewIsMadeOfPlainValues(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type, path string) []string
	look = func(typ reflect.Type, path string) (bad []string) {
		if seen[typ] {
			return nil
		}
		seen[typ] = true
		if pkg := typ.PkgPath(); pkg != "" && !slices.Contains([]string{"alibi/game/view", "alibi/game/rules", "alibi/game/table", "alibi/game/board"}, pkg) {
			return []string{path + " is a " + typ.String()}
		}
		switch typ.Kind() {
		case reflect.Bool, reflect.String, reflect.Int, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		case reflect.Pointer, reflect.Array:
			return look(typ.Elem(), path)
		case reflect.Slice:
			if typ.Elem().Kind() == reflect.Uint8 && typ.Elem().PkgPath() == "" {
				return []string{path + " is a byte string"}
			}
			return look(typ.Elem(), path)
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				if !f.IsExported() {
					bad = append(bad, path+"."+f.Name+" is not exported")
				}
				bad = append(bad, look(f.Type, path+"."+f.Name)...)
			}
		default:
			return []string{path + " is a " + typ.String()}
		}
		return bad
	}
	if bad := look(reflect.TypeFor[view.View](), "View"); bad != nil {
		t.Error(strings.Join(bad, "\n"))
	}
}

// A view shares no memory with the state: whoever draws it may sort, cut and
// overwrite what it was given.
func TestViewSharesNothingWithTheState(t *testing.T) {
	eachGame(t, func(t *testing.T, g game) {
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			of := func(root any) map[uintptr]string {
				out := map[uintptr]string{}
				walk(reflect.ValueOf(root), "", func(path string, v reflect.Value) {
					if v.Kind() == reflect.Slice && v.Len() > 0 || v.Kind() == reflect.Pointer && !v.IsNil() {
						out[v.Pointer()] = path
					}
				})
				return out
			}
			v := view.For(p.State, me)
			edition := of(v.Edition)
			mine := of(v)
			st := *p.State
			st.SeatKeys, st.Quorum, st.Deck, st.Decks, st.Pool, st.Crime, st.Guess = nil, nil, nil, nil, nil, nil, nil
			st.Locks, st.KeyShares = nil, nil // no view holds a pointer to these
			for at, path := range of(&st) {
				if where, shared := mine[at]; shared && edition[at] == "" && !strings.HasSuffix(path, ".Edition") {
					t.Fatalf("round %d: state%s is view%s", p.State.Round, path, where)
				}
			}
		})
	})
}
