package browser

import (
	"fmt"
	"testing"

	"alibi/game/rules"
	"alibi/game/table"
)

// Three people find one another, compare the words, and play a whole normal game
// by clicks alone, each knowing what their own page shows.
func TestNormalGameByClicks(t *testing.T) {
	tb := gather(t, desktop)
	tb.open("card")
	tb.deal()
	r := tb.play()
	if w := r.State.Pos.Result.Winner; w == rules.Nobody {
		t.Error("nobody won")
	}
	tb.figures()
}

// The advanced game, in which others join whoever accuses, with their best guess.
func TestAdvancedGameWithJoinedAccusation(t *testing.T) {
	tb := gather(t, desktop)
	for _, p := range tb.players {
		p.Join = sheet.best
	}
	tb.open("card-advanced")
	tb.deal()
	r := tb.play()
	told := map[table.EventKind]int{}
	for _, e := range r.State.Story {
		told[e.Kind]++
	}
	if told[table.Joined] == 0 || told[table.Guessed] != told[table.Joined]+told[table.Accused] {
		t.Errorf("the story: %v", told)
	}
}

// Everybody accuses at once, of what cannot be: nobody wins, and all are told so.
func TestAllWrong(t *testing.T) {
	tb := gather(t, desktop)
	for _, p := range tb.players {
		p.Accuse, p.Join = sheet.wrong, sheet.wrong
	}
	tb.open("card")
	tb.deal()
	r := tb.play()
	if got := r.State.Pos.Result; got.Winner != rules.Nobody {
		t.Errorf("%+v", got)
	}
	tb.together(func(_ int, p *player) {
		if n := value[int](p.window, "document.querySelectorAll('.crime .card').length"); n != 3 {
			p.fail("the Crime cards", fmt.Errorf("%d are shown", n))
		}
	})
}

// A whole game without a mouse, from right to left.
func TestKeyboardOnlyInPersian(t *testing.T) {
	l := desktop
	l.lang = "fa"
	tb := gather(t, l)
	for _, p := range tb.players {
		p.hands = keys{window: p.window}
		p.Before = func(s sheet) {
			at := value[string](p.window, `document.dir + " " + document.documentElement.lang + " " +
				(document.querySelector(".side").getBoundingClientRect().right < document.querySelector(".desk").getBoundingClientRect().left)`)
			if at != "rtl fa true" {
				p.fail("a page from right to left", fmt.Errorf("%s", at))
			}
		}
	}
	tb.open("card")
	tb.deal()
	tb.play()
}
