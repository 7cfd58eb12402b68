package move_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
)

// everyTerms calls f with every edition and combination of options that it has.
func everyTerms(f func(e *rules.Edition, o rules.Options)) {
	for _, e := range rules.Played() {
		for _, first := range rules.FirstChoices {
			for _, order := range rules.OrderChoices {
				for _, last := range rules.LastChoices {
					for _, book := range rules.NotebookChoices {
						o := rules.Options{First: first, Order: order, Last: last, Notebook: book}
						everyNumber(o, func(o rules.Options) {
							if o.Suit(e) == nil {
								f(e, o)
							}
						})
					}
				}
			}
		}
	}
}

// everyNumber goes through the options that are no choice of words.
func everyNumber(o rules.Options, f func(o rules.Options)) {
	for i := range 4 {
		o.TwoDice, o.FreeDoors = i&1 != 0, i&2 != 0
		for j, timer := range []uint16{0, 10, 3600} {
			o.Timer, o.Watch = timer, j == 1
			f(o)
		}
		o.Timer, o.Watch = 0, true
		f(o)
	}
}

func TestTermsRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	everyTerms(func(e *rules.Edition, o rules.Options) {
		b, err := move.EncodeTerms(e, o)
		if err != nil || len(b) > feed.MaxTerms {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		if seen[string(b)] {
			t.Fatalf("%s %+v: terms of another table", e.Name, o)
		}
		seen[string(b)] = true
		gotE, gotO, err := move.DecodeTerms(b)
		if err != nil || gotE != e || gotO != o {
			t.Fatalf("%+v came back as %+v, %v", o, gotO, err)
		}
	})
}

func TestTermsRefused(t *testing.T) {
	e := rules.Editions()[0]
	good := move.Terms{Edition: e.Name, Deck: move.DeckHash(e), First: "random", Order: "left", Last: "wins", Book: "auto"}
	var option *rules.OptionError
	for name, tt := range map[string]struct {
		change func(*move.Terms)
		want   error
	}{
		"unknown edition":    {func(x *move.Terms) { x.Edition = "chess" }, move.ErrEdition},
		"no edition":         {func(x *move.Terms) { x.Edition = "" }, move.ErrEdition},
		"another deck":       {func(x *move.Terms) { x.Deck[0] ^= 1 }, move.ErrDeck},
		"of another edition": {func(x *move.Terms) { x.Edition = rules.Editions()[1].Name }, move.ErrDeck},
		"a short timer":      {func(x *move.Terms) { x.Timer = 9 }, nil},
		"a long timer":       {func(x *move.Terms) { x.Timer = 3601 }, nil},
		"unknown first":      {func(x *move.Terms) { x.First = "last" }, nil},
		"no order":           {func(x *move.Terms) { x.Order = "" }, nil},
		"unknown last":       {func(x *move.Terms) { x.Last = "WINS" }, nil},
		"unknown notebook":   {func(x *move.Terms) { x.Book = "auto " }, nil},
	} {
		x := good
		tt.change(&x)
		b, err := feed.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = move.DecodeTerms(b)
		if tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && !errors.As(err, &option) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := feed.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "trailing": append(slices.Clone(b), 0), "short": b[:len(b)-1], "five fields": append([]byte{0x85}, b[1:]...),
		"text that is none": bytes.Replace(b, []byte("random"), []byte("rand\xffm"), 1), "null": {0xf6},
	} {
		if _, _, err := move.DecodeTerms(b); !errors.Is(err, feed.ErrEncoding) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := move.EncodeTerms(e, rules.Options{}); !errors.As(err, &option) {
		t.Errorf("encoded: %v", err)
	}
}

// Terms with a board are for a board alone, and its options for it.
func TestBoardTermsRefused(t *testing.T) {
	classic := rules.Classic()
	good := move.BoardTerms{Dice: 2, DoorCost: 0, Terms: move.Terms{
		Edition: classic.Name, Deck: move.DeckHash(classic), First: "random", Order: "left", Last: "wins", Book: "auto"}}
	card := rules.Editions()[0]
	var option *rules.OptionError
	for name, tt := range map[string]struct {
		change func(*move.BoardTerms)
		want   error
	}{
		"no dice":             {func(x *move.BoardTerms) { x.Dice = 0 }, move.ErrDice},
		"three dice":          {func(x *move.BoardTerms) { x.Dice = 3 }, move.ErrDice},
		"a dear door":         {func(x *move.BoardTerms) { x.DoorCost = 2 }, move.ErrDice},
		"first by vote":       {func(x *move.BoardTerms) { x.Terms.First = "vote" }, nil},
		"order by lot":        {func(x *move.BoardTerms) { x.Terms.Order = "random" }, nil},
		"a card game's":       {func(x *move.BoardTerms) { x.Terms.Edition, x.Terms.Deck = card.Name, move.DeckHash(card) }, move.ErrBoard},
		"a card game's cards": {func(x *move.BoardTerms) { x.Terms.Deck = move.DeckHash(card) }, move.ErrDeck},
	} {
		x := good
		tt.change(&x)
		b, err := feed.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = move.DecodeTerms(b)
		if tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && !errors.As(err, &option) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := feed.Marshal(good.Terms)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := move.DecodeTerms(b); !errors.Is(err, move.ErrBoard) {
		t.Errorf("without a board: %v", err)
	}
	o := rules.DefaultOptions()
	o.TwoDice = true
	if _, err := move.EncodeTerms(card, o); !errors.As(err, &option) {
		t.Errorf("a card game with dice: %v", err)
	}
}

// Editions that differ in a name or a card have other decks.
func TestDeckHashesDiffer(t *testing.T) {
	seen := map[[32]byte]bool{}
	e := *rules.Editions()[0]
	seen[move.DeckHash(&e)] = true
	renamed := e
	renamed.Name = "cards"
	swapped := e
	swapped.Cards = slices.Clone(e.Cards)
	swapped.Cards[0], swapped.Cards[1] = swapped.Cards[1], swapped.Cards[0]
	fewer := e
	fewer.Cards = e.Cards[:len(e.Cards)-1]
	for _, o := range []*rules.Edition{&renamed, &swapped, &fewer, rules.Editions()[1]} {
		seen[move.DeckHash(o)] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d different decks, want 5", len(seen))
	}
}

func FuzzDecodeTerms(f *testing.F) {
	everyTerms(func(e *rules.Edition, o rules.Options) {
		b, err := move.EncodeTerms(e, o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, o, err := move.DecodeTerms(b)
		if err != nil {
			return
		}
		again, err := move.EncodeTerms(e, o)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("accepted %x, which encodes as %x, %v", b, again, err)
		}
	})
}
