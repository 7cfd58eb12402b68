package rules_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alibi/game/rules"
)

func edition(t testing.TB, name string) *rules.Edition {
	t.Helper()
	if name == "classic" {
		return rules.Classic()
	}
	e, ok := rules.Lookup(name)
	if !ok {
		t.Fatalf("no edition %q", name)
	}
	return e
}

func TestDecks(t *testing.T) {
	for _, tc := range []struct {
		edition string
		decks   [3]string
	}{
		{"card", [3]string{
			"scarlett mustard white green peacock plum",
			"knife candlestick rope",
			"billiard-room dining-room kitchen",
		}},
		{"card-advanced", [3]string{
			"scarlett mustard white green peacock plum",
			"knife candlestick rope wrench",
			"billiard-room dining-room kitchen library study",
		}},
		{"classic", [3]string{
			"scarlett mustard white green peacock plum",
			"candlestick knife lead-pipe revolver rope wrench",
			"kitchen ballroom conservatory dining-room billiard-room library lounge hall study",
		}},
	} {
		e := edition(t, tc.edition)
		for c, want := range tc.decks {
			var keys []string
			for _, card := range e.Of(rules.Category(c)) {
				keys = append(keys, e.Cards[card].Key)
			}
			if got := strings.Join(keys, " "); got != want {
				t.Errorf("%s, category %d: %s, want %s", e.Name, c, got, want)
			}
		}
		for i, f := range e.Cards {
			if got, ok := e.ByKey(f.Key); !ok || int(got) != i {
				t.Errorf("%s: key %s finds card %d, want %d", e.Name, f.Key, got, i)
			}
			if i > 0 && f.Category < e.Cards[i-1].Category {
				t.Errorf("%s: card %s stands before its category", e.Name, e.Cards[i].Key)
			}
		}
		if box := map[bool]int{false: 4, true: 6}[e.Board]; e.BoxMin != 3 || e.BoxMax != box || e.MinSeats != 2 || e.MaxSeats != 6 {
			t.Errorf("%s: seats %d-%d, box %d-%d", e.Name, e.MinSeats, e.MaxSeats, e.BoxMin, e.BoxMax)
		}
	}
	if _, ok := rules.Lookup("chess"); ok {
		t.Error("found an edition nobody wrote")
	}
	if _, ok := edition(t, "card").ByKey("wrench"); ok {
		t.Error("the normal card game has a wrench")
	}
}

// TestClassicIsNotOffered guards the tables: nothing above can play it yet.
func TestClassicIsNotOffered(t *testing.T) {
	if _, ok := rules.Lookup("classic"); ok {
		t.Error("a charter could name the classic game")
	}
	if e := rules.Classic(); e.Name != "classic" || e.QuestionSize != 3 || e.FaceUpRest || e.JoinAccusation || e.CategoryCount != 3 || !e.Board {
		t.Errorf("the classic game is %+v", e)
	}
}

// TestEditionsAreACopy guards the list that every caller shares.
func TestEditionsAreACopy(t *testing.T) {
	rules.Editions()[0] = nil
	if rules.Editions()[0] == nil {
		t.Error("a caller changed the list of editions")
	}
}

// TestDealSizes checks rules.md 2.2. Sizes outside three and four seats are the
// same rule carried on: equal hands, the rest face up.
func TestDealSizes(t *testing.T) {
	for _, tc := range []struct {
		edition             string
		seats, hand, faceUp int
	}{
		{"card", 2, 4, 1}, {"card", 3, 3, 0}, {"card", 4, 2, 1}, {"card", 5, 1, 4}, {"card", 6, 1, 3},
		{"card-advanced", 2, 6, 0}, {"card-advanced", 3, 4, 0}, {"card-advanced", 4, 3, 0},
		{"card-advanced", 5, 2, 2}, {"card-advanced", 6, 2, 0},
	} {
		e := edition(t, tc.edition)
		owners := e.Deal(tc.seats)
		if len(owners) != e.PoolSize() {
			t.Errorf("%s for %d: %d cards dealt of %d", e.Name, tc.seats, len(owners), e.PoolSize())
		}
		count := map[int]int{}
		for _, o := range owners {
			count[o]++
		}
		for s := range tc.seats {
			if count[s] != tc.hand {
				t.Errorf("%s for %d: seat %d holds %d, want %d", e.Name, tc.seats, s, count[s], tc.hand)
			}
		}
		if count[rules.FaceUp] != tc.faceUp {
			t.Errorf("%s for %d: %d face up, want %d", e.Name, tc.seats, count[rules.FaceUp], tc.faceUp)
		}
	}
}

// TestDealWithoutFaceUp checks the other way an edition may deal, that of rules.md
// 3.1: all cards go round and hands differ by one at most.
func TestDealWithoutFaceUp(t *testing.T) {
	for seats, want := range map[int]string{2: "9 9", 3: "6 6 6", 4: "5 5 4 4", 5: "4 4 4 3 3", 6: "3 3 3 3 3 3"} {
		count := make([]int, seats)
		for _, o := range edition(t, "classic").Deal(seats) {
			if o == rules.FaceUp {
				t.Fatalf("%d seats: a card lies face up", seats)
			}
			count[o]++
		}
		if got := list(count); got != want {
			t.Errorf("%d seats: hands of %s, want %s", seats, got, want)
		}
	}
}

// TestDealAmong deals round those who are there: a seat that left before gets
// nothing, and what cannot be dealt evenly among the others lies face up.
func TestDealAmong(t *testing.T) {
	for _, tc := range []struct {
		edition string
		present []int
		want    []int
	}{
		{"card", []int{0, 1, 2}, []int{0, 1, 2, 0, 1, 2, 0, 1, 2}},
		{"card", []int{1, 3}, []int{1, 3, 1, 3, 1, 3, 1, 3, -1}},
		{"card", []int{0, 2, 3, 5}, []int{0, 2, 3, 5, 0, 2, 3, 5, -1}},
		{"card", []int{4}, []int{4, 4, 4, 4, 4, 4, 4, 4, 4}},
		{"card", nil, []int{-1, -1, -1, -1, -1, -1, -1, -1, -1}},
		{"card-advanced", []int{0, 2, 3, 4, 5}, []int{0, 2, 3, 4, 5, 0, 2, 3, 4, 5, -1, -1}},
	} {
		e := edition(t, tc.edition)
		if got := e.DealAmong(tc.present); !slices.Equal(got, tc.want) {
			t.Errorf("%s among %v: %v, want %v", e.Name, tc.present, got, tc.want)
		}
		all := *e
		all.FaceUpRest = false
		for i, o := range all.DealAmong(tc.present) {
			if len(tc.present) > 0 && o != tc.present[i%len(tc.present)] {
				t.Errorf("%s among %v, all dealt: position %d is for %d", e.Name, tc.present, i, o)
			}
		}
	}
}

func TestSolution(t *testing.T) {
	e := edition(t, "card")
	for _, tc := range []struct {
		cards string
		want  bool
	}{
		{"plum rope kitchen", true},
		{"scarlett knife billiard-room", true},
		{"rope plum kitchen", false},
		{"plum rope", false},
		{"plum rope kitchen kitchen", false},
		{"plum plum kitchen", false},
		{"", false},
	} {
		if got := e.Solution(cards(t, e, strings.Fields(tc.cards))); got != tc.want {
			t.Errorf("solution %q: %v", tc.cards, got)
		}
	}
	for _, c := range []rules.Card{-1, 12, 1 << 40} {
		if e.Solution([]rules.Card{c, 6, 9}) {
			t.Errorf("card %d is no card", c)
		}
	}
}

func TestOptions(t *testing.T) {
	if err := rules.DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	if o := rules.DefaultOptions(); o != (rules.Options{First: "random", Order: "left", Last: "wins", Notebook: "auto"}) {
		t.Errorf("defaults are %+v", o)
	}
	if o := (rules.Options{}); o.Dice() != 1 || o.FreeDoors {
		t.Errorf("on the board the defaults are %d dice, doors free %v", o.Dice(), o.FreeDoors)
	}
	if o := (rules.Options{TwoDice: true}); o.Dice() != 2 {
		t.Errorf("two dice are %d", o.Dice())
	}
	for option, set := range map[string]func(*rules.Options){
		"first":       func(o *rules.Options) { o.First = "" },
		"order":       func(o *rules.Options) { o.Order = "right" },
		"last-player": func(o *rules.Options) { o.Last = "Wins" },
		"notebook":    func(o *rules.Options) { o.Notebook = "all" },
		"timer":       func(o *rules.Options) { o.Timer = 9 },
	} {
		o := rules.DefaultOptions()
		set(&o)
		var bad *rules.OptionError
		if err := o.Validate(); !errors.As(err, &bad) || bad.Option != option {
			t.Errorf("%s: %v", option, err)
		} else if !strings.Contains(err.Error(), option) {
			t.Errorf("%s is not named in %q", option, err)
		}
	}
}

func TestTimerBounds(t *testing.T) {
	for seconds, ok := range map[uint16]bool{0: true, 1: false, 9: false, 10: true, 90: true, 3600: true, 3601: false, 65535: false} {
		o := rules.DefaultOptions()
		o.Timer, o.Watch = seconds, true
		if err := o.Validate(); (err == nil) != ok {
			t.Errorf("a timer of %d s: %v", seconds, err)
		} else if want := fmt.Sprintf(`rules: timer cannot be "%d", only one of 0, 10 to 3600`, seconds); !ok && err.Error() != want {
			t.Errorf("refused with %q, want %q", err, want)
		}
	}
}
