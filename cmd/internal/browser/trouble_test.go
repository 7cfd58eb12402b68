package browser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Every click is a double click, every Enter is pressed twice, and one page is
// reloaded before each decision: everything is sent once, and nobody is told off.
func TestNervousHands(t *testing.T) {
	tb := gather(t, desktop)
	anh, bahar, chai := tb.players[0], tb.players[1], tb.players[2]
	anh.hands = mouse{window: anh.window, double: true}
	bahar.hands = keys{window: bahar.window, double: true}
	chai.Before = func(s sheet) {
		chai.run("reload", chromedp.Reload())
		if now := chai.read(""); now.ID != s.ID {
			chai.fail("reload", fmt.Errorf("%s is asked for, not %s", now.ID, s.ID))
		}
	}
	tb.open("card")
	tb.deal()
	tb.play()
	for _, p := range []*player{anh, bahar} {
		sent := map[string]int{}
		for _, s := range p.recorded().Sent {
			sent[fmt.Sprintf("%s in round %d", s.To, s.Round)]++
		}
		for what, n := range sent {
			if n != 1 {
				t.Errorf("%s: %s was sent %d times", p.who, what, n)
			}
		}
		if len(sent) < 10 {
			t.Errorf("%s has sent only %v", p.who, sent)
		}
	}
}

// What a player has noted and half chosen outlives whatever happens to the page: a
// reload, a second window, a lid that is closed for a while, a look at the rules.
func TestPagesComeBack(t *testing.T) {
	cables := []*cable{newCable(t), newCable(t), newCable(t)}
	tb := gatherBy(t, func(i int) look { return look{lang: "en", width: 1440, height: 900, cable: cables[i].address} })
	tb.open("card")
	tb.deal()
	me := tb.first()
	if err := caught(func() { comeBack(tb, me, cables[me]) }); err != nil {
		t.Fatal(err)
	}
	tb.play()
}

// withoutLine closes the lid over both windows of a player, twice: before something
// is sent, and while others go on.
func (p *player) withoutLine(second *window, c *cable) {
	p.t.Helper()
	const lost, back = "!document.querySelector('#lost').hidden", "document.querySelector('#lost').hidden"
	s := p.read("")
	c.cut()
	p.until("word that the connection is lost", lost)
	second.until("word that the connection is lost", lost)
	p.ask(s)
	p.until("word that nothing was sent", "document.querySelector('#said').textContent")
	if !p.shows(s.ID) {
		p.fail("without a connection", errors.New("the question is gone"))
	}
	c.mend()
	p.until("the connection, by itself", back)
	second.until("the connection, by itself", back)
	if n := value[int](p.window, "document.querySelectorAll('section.act input:checked').length"); n != 2 || !p.shows(s.ID) {
		p.fail("the connection is back", fmt.Errorf("of two cards %d are chosen", n))
	}
	p.hands.press("form[action='/do/ask'] button.go")
	p.hands.agree()
	p.until("the question sent", exists("#asked .card"))
	second.until("the question in the other window", exists("#asked .card")+" && !"+exists("#"+s.ID))
	c.cut()
	p.until("word that the connection is lost", lost)
}

func comeBack(tb *party, me int, c *cable) {
	t, p := tb.t, tb.players[me]
	marked := p.note()
	p.hands.choose("form[action='/do/ask']", "input[value='plum']")

	second := p.second(t, desktop)
	other := &player{window: second, hands: mouse{window: second}}
	other.keeps(marked)
	marked = append(marked, other.mark())
	p.keeps(marked) // the news of it has come, and the choice is still there
	p.until("the choice, kept", exists("form[action='/do/ask'] input[value='plum']:checked"))

	p.run("reload", chromedp.Reload())
	p.keeps(marked)
	if value[bool](p.window, exists("section.act input:checked")) {
		p.fail("reload", fmt.Errorf("a choice is preset that could be sent by accident"))
	}

	p.withoutLine(second, c)
	next := tb.after(p)
	answer := next.read("")
	next.decide(answer)
	next.until("the answer sent", "!"+exists("#"+answer.ID))
	c.mend()
	p.until("what was answered meanwhile", exists("#asked .answers li"))
	second.until("what was answered meanwhile", exists("#asked .answers li"))
	other.keeps(marked)

	p.hands.press("nav a[href='/rules']")
	p.until("the rules", exists(".view-rules"))
	p.run("back", chromedp.NavigateBack())
	p.until("the table", exists(".view-game #asked"))
	p.keeps(marked)
	marked = append(marked, other.mark())
	p.keeps(marked) // it still hears the news

}

// first is who has the first turn.
func (tb *party) first() int {
	tb.t.Helper()
	const whose = `document.querySelector(".players .active") && (document.querySelector(".players .active.me") ? "mine" : "theirs")`
	turn := make([]string, len(tb.players))
	tb.together(func(i int, p *player) { turn[i] = awaited[string](p.window, "whose turn it is", whose) })
	return slices.Index(turn, "mine")
}

// after is who sits to the left of a player.
func (tb *party) after(p *player) *player {
	seats := value[[]string](p.window, `[...document.querySelectorAll(".players li strong")].map(e => e.innerText)`)
	next := seats[(slices.Index(seats, p.who)+1)%len(seats)]
	return tb.players[slices.Index(names, next)]
}

const note = "Bahar hesitated. <b>Why?</b>"

// note writes into the notebook: a mark and a sentence.
func (p *player) note() []string {
	p.t.Helper()
	marked := []string{p.mark()}
	p.click("#note-text")
	p.run("write a note", typed(note))
	p.until("the note kept", "document.querySelector('.saved').textContent")
	return marked
}

// mark marks the last field of the notebook that is empty, and says which: the first
// ones are asked about next, and filled in then.
func (p *player) mark() string {
	p.t.Helper()
	const empty = "button.mark.own:not(.yes,.no,.maybe,.question)"
	cell := awaited[string](p.window, "an empty field", "[...document.querySelectorAll("+quoted(empty)+")].at(-1).value")
	cell = strings.TrimSuffix(cell, "/yes")
	p.click("button.mark[value='" + cell + "/yes']")
	p.until("the mark", exists("button.mark.own.yes[value='"+cell+"/no']"))
	return cell
}

// keeps waits until all marks are shown, and the note.
func (p *player) keeps(marked []string) {
	p.t.Helper()
	for _, cell := range marked {
		p.until("the mark at "+cell, exists("button.mark.own.yes[value='"+cell+"/no']"))
	}
	p.until("the note", "document.querySelector('#note-text').value === "+quoted(note))
}

func (w *window) shows(id string) bool { return value[bool](w, exists("#"+id)) }
