package bot_test

import (
	"slices"

	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// envelope stands beside the seats as a place where a card can be.
const envelope = -2

// deals is the dumb twin of bot.Solve: it goes through every deal that fits what
// a view knows, one by one.
type deals struct {
	v       *view.View
	sizes   []int
	wrong   [][]rules.Card // solutions that are known to be wrong
	at      []int          // place of each card in the deal being made
	count   int
	holders []map[int]int // by card: in how many deals it is where
}

func count(v *view.View, wrong ...[]rules.Card) *deals {
	d := &deals{v: v, wrong: wrong, at: make([]int, len(v.Edition.Cards)), holders: make([]map[int]int, len(v.Edition.Cards))}
	for c := range d.holders {
		d.holders[c] = map[int]int{}
	}
	for _, p := range v.Players {
		d.sizes = append(d.sizes, p.Size)
	}
	d.place(0, make([]int, len(v.Players)), make([]bool, v.Edition.CategoryCount))
	return d
}

// place puts card c and all after it wherever they can be.
func (d *deals) place(c int, dealt []int, solved []bool) {
	if c == len(d.at) {
		if !slices.Equal(dealt, d.sizes) || slices.Contains(solved, false) || !d.fits() {
			return
		}
		d.count++
		for card, p := range d.at {
			d.holders[card][p]++
		}
		return
	}
	card := rules.Card(c)
	if slices.Contains(d.v.FaceUp, card) {
		d.at[c] = rules.FaceUp
		d.place(c+1, dealt, solved)
		return
	}
	cat := d.v.Edition.Cards[c].Category
	known := d.v.Crime != nil && !slices.Contains(d.v.Crime, card)
	if !solved[cat] && !known {
		solved[cat] = true
		d.at[c] = envelope
		d.place(c+1, dealt, solved)
		solved[cat] = false
	}
	for p := range dealt {
		if dealt[p] == d.sizes[p] || d.v.Me != view.Spectator && (p == d.v.Me) != slices.Contains(d.v.Hand, card) || !d.mayHold(p, card) {
			continue
		}
		dealt[p]++
		d.at[c] = p
		d.place(c+1, dealt, solved)
		dealt[p]--
	}
}

// mayHold looks at what can be said of one card alone, to save time.
func (d *deals) mayHold(p int, c rules.Card) bool {
	for _, l := range d.v.Lines {
		if l.Kind == table.Denied && l.Seat == p && slices.Contains(l.Cards, c) || l.Kind == table.Showed && l.Card == c && l.Seat != p {
			return false
		}
	}
	return true
}

func (d *deals) fits() bool {
	holds := func(p int) func(rules.Card) bool { return func(c rules.Card) bool { return d.at[c] == p } }
	for _, l := range d.v.Lines {
		if l.Kind != table.Showed {
			continue
		}
		if l.Card != view.Hidden && d.at[l.Card] != l.Seat || !slices.ContainsFunc(l.Cards, holds(l.Seat)) {
			return false
		}
	}
	for _, w := range d.wrong {
		if !slices.ContainsFunc(w, func(c rules.Card) bool { return d.at[c] != envelope }) {
			return false
		}
	}
	return true
}

// certain and possible say where a card is in all deals, and in any.
func (d *deals) certain(c rules.Card, at int) bool { return d.count > 0 && d.holders[c][at] == d.count }

func (d *deals) possible(c rules.Card, at int) bool { return d.holders[c][at] > 0 }

// tally compares what the bot marks with what follows.
type tally struct{ follow, found int }

// against says which of the bot's marks do not follow.
func (d *deals) against(k *bot.Knowledge) (unsound []mark, t tally) {
	places := []int{envelope}
	for p := range d.v.Players {
		places = append(places, p)
	}
	for c := range d.at {
		for _, at := range places {
			m := k.Mark(rules.Card(c), at)
			yes, no := d.certain(rules.Card(c), at), !d.possible(rules.Card(c), at)
			if m == view.Yes && !yes || m == view.No && !no {
				unsound = append(unsound, mark{rules.Card(c), at, m})
			}
			if yes || no {
				t.follow++
				if m != view.Unknown {
					t.found++
				}
			}
		}
	}
	return unsound, t
}

type mark struct {
	card rules.Card
	at   int
	mark view.Mark
}
