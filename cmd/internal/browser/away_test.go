package browser

import (
	"testing"

	"alibi/cmd/internal/say"
)

// A player leaves the table, takes the game up again from the lobby, and leaves it
// for good: the others go on, as was agreed on, and in the end give the game up. All
// of it is done by clicks.
func TestLeftResumedDroppedAbandoned(t *testing.T) {
	tb := gather(t, desktop)
	tb.house = func(p *player) { p.pick("open-leavers", "1") }
	tb.open("card")
	tb.deal()
	err := caught(func() {
		gone, rest := tb.players[2], tb.players[:2]
		gone.quits()
		gone.resumes()
		gone.until("the hand", exists(".mine .hand .card"))
		gone.checks("the game taken up again")
		gone.quits()
		tb.drops(gone.who, rest)
		gone.resumes()
		gone.until("word that the others have gone on", says("web.left"))
		tb.abandons(rest)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// says is whether a page has a sentence of the catalogue.
func says(key string) string {
	return "document.querySelector('main').textContent.includes(" + quoted(say.English().Say(key)) + ")"
}

// quits leaves the table for the lobby.
func (p *player) quits() {
	p.t.Helper()
	p.hands.press("form[action='/do/quit'] button")
	p.hands.agree()
	p.until("the lobby", exists(".view-lobby form[action='/do/resume']"))
}

// resumes takes up the only game that was left.
func (p *player) resumes() {
	p.t.Helper()
	p.hangs("left")
	p.hands.press("form[action='/do/resume'] button")
	p.until("the game", exists(".view-game .players"))
}

// drops has the others go on without somebody, once that seat is away.
func (tb *party) drops(who string, rest []*player) {
	tb.t.Helper()
	tb.of(rest, func(p *player) {
		p.until("the button to go on without "+who, exists("#notices form[action='/do/drop'] button"))
		if p == rest[0] {
			p.hangs("away")
		}
		p.hands.press("#notices form[action='/do/drop'] button")
		p.hands.agree()
		p.until("that the others go on", `[...document.querySelectorAll(".players li.dim bdi")].some(e => e.textContent === `+quoted(who)+`)`)
		p.checks("the vote to go on")
	})
}

// abandons has one move to give the game up, and the rest agree.
func (tb *party) abandons(rest []*player) {
	tb.t.Helper()
	tb.of(rest, func(p *player) {
		if p == rest[0] {
			p.hands.press(".foot form[action='/do/abandon'] button")
		} else {
			p.hands.press("#notices form[action='/do/abandon'] button")
		}
		p.hands.agree()
		p.until("the end", exists("#end .report .verdict:not(.bad)"))
		p.checks("the vote to give up")
	})
}

// of lets some players do something at once.
func (tb *party) of(some []*player, do func(p *player)) {
	tb.t.Helper()
	all := tb.players
	tb.players = some
	defer func() { tb.players = all }()
	tb.together(func(_ int, p *player) { do(p) })
}
