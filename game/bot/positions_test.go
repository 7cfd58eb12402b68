package bot_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// codes are the cards' names in testdata/positions.txt.
var codes = map[string]string{"sc": "scarlett", "mu": "mustard", "wh": "white", "gr": "green", "pe": "peacock", "pl": "plum",
	"kn": "knife", "ca": "candlestick", "ro": "rope", "w+": "wrench", "bi": "billiard-room", "di": "dining-room", "ki": "kitchen", "r1": "library", "r2": "study"}

// position is a case being read.
type position struct {
	t     *testing.T
	v     *view.View
	seats []string
	wrong [][]rules.Card
	tally tally
}

func (p *position) cards(words string) (out []rules.Card) {
	for w := range strings.FieldsSeq(words) {
		c, ok := p.v.Edition.ByKey(codes[w])
		if !ok {
			p.t.Fatalf("no card %q", w)
		}
		out = append(out, c)
	}
	return out
}

func (p *position) seat(name string) int {
	if name == "ENV" {
		return envelope
	}
	i := slices.Index(p.seats, name)
	if i < 0 {
		p.t.Fatalf("no seat %q", name)
	}
	return i
}

// TestPositions reads cases of deduction. Every expectation was counted by
// others and holds of the twin here; whatever the bot marks must follow.
func TestPositions(t *testing.T) {
	text, err := os.ReadFile("testdata/positions.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(text), "\n## ")
	if len(cases) != 8 {
		t.Errorf("%d cases", len(cases)-1)
	}
	for _, c := range cases[1:] {
		title, lines, _ := strings.Cut(c, "\n")
		t.Run(strings.Fields(title)[0], func(t *testing.T) {
			p := &position{t: t, v: &view.View{Stage: table.Playing, Options: rules.DefaultOptions()}}
			for line := range strings.Lines(lines) {
				if line = strings.TrimSpace(line); line != "" {
					p.read(line)
				}
			}
			t.Logf("%s: the bot finds %d of %d that follow", title, p.tally.found, p.tally.follow)
		})
	}
}

func (p *position) read(line string) {
	word, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	kind, who, _ := strings.Cut(word, " ")
	switch kind {
	case "deck":
		p.v.Edition, _ = rules.Lookup(rest)
	case "seats":
		for s := range strings.FieldsSeq(rest) {
			name, size, _ := strings.Cut(s, "=")
			n, _ := strconv.Atoi(size)
			p.seats = append(p.seats, name)
			p.v.Players = append(p.v.Players, view.Player{Name: name, Size: n})
		}
	case "faceup":
		p.v.FaceUp = p.cards(rest)
	case "hand":
		p.v.Me, p.v.Hand = p.seat(who), p.cards(rest)
	case "lacks":
		p.v.Lines = append(p.v.Lines, view.Line{Kind: table.Denied, Seat: p.seat(who), Cards: p.cards(rest), Card: view.Hidden})
	case "wrong-accusation":
		p.wrong = append(p.wrong, p.cards(rest))
	case "ask":
		p.ask(p.seat(who), rest)
	case "expect":
		p.expect(who, rest)
	default:
		p.t.Fatalf("cannot read %q", line)
	}
}

// ask reads "x y > B=x": everybody between said no, B showed x.
func (p *position) ask(asker int, rest string) {
	question, answer, _ := strings.Cut(rest, ">")
	cards := p.cards(question)
	name, seen, _ := strings.Cut(strings.TrimSpace(answer), "=")
	shower := asker
	if name != "-" {
		shower = p.seat(name)
	}
	for i := (asker + 1) % len(p.seats); i != shower; i = (i + 1) % len(p.seats) {
		p.v.Lines = append(p.v.Lines, view.Line{Kind: table.Denied, Seat: i, Cards: cards, Card: view.Hidden})
	}
	if name == "-" {
		p.v.Lines = append(p.v.Lines, view.Line{Kind: table.Unanswered, Seat: asker, Cards: cards, Card: view.Hidden})
		return
	}
	l := view.Line{Kind: table.Showed, Seat: shower, To: asker, Cards: cards, Card: view.Hidden}
	if seen != "" {
		l.Card = p.cards(seen)[0]
	}
	p.v.Lines = append(p.v.Lines, l)
}

func (p *position) expect(what, rest string) {
	p.t.Helper()
	d := count(p.v, p.wrong...)
	unsound, found := d.against(bot.Solve(p.v))
	for _, m := range unsound {
		p.t.Errorf("the bot marks %+v, which does not follow", m)
	}
	p.tally.follow, p.tally.found = p.tally.follow+found.follow, p.tally.found+found.found
	kind, who, _ := strings.Cut(what, " ")
	all := func(ok func(c rules.Card) bool) {
		p.t.Helper()
		for _, c := range p.cards(rest) {
			if !ok(c) {
				p.t.Errorf("expect %s %s: card %d does not, in %d deals %v", what, rest, c, d.count, d.holders[c])
			}
		}
	}
	switch kind {
	case "deals":
		if n, _ := strconv.Atoi(rest); n != d.count {
			p.t.Errorf("%d deals, want %d", d.count, n)
		}
	case "env":
		all(func(c rules.Card) bool { return d.certain(c, envelope) })
	case "open-env":
		all(func(c rules.Card) bool { return d.possible(c, envelope) && !d.certain(c, envelope) })
	case "holds":
		all(func(c rules.Card) bool { return d.certain(c, p.seat(who)) })
	case "may":
		all(func(c rules.Card) bool { return d.possible(c, p.seat(who)) && !d.certain(c, p.seat(who)) })
	case "never":
		all(func(c rules.Card) bool { return !d.possible(c, p.seat(who)) })
	case "env-candidates":
		var left []rules.Card
		for _, c := range p.v.Edition.Of(map[string]rules.Category{"S": rules.Suspect, "W": rules.Weapon, "R": rules.Location}[who]) {
			if d.possible(c, envelope) {
				left = append(left, c)
			}
		}
		want := p.cards(rest)
		slices.Sort(want)
		if !slices.Equal(left, want) {
			p.t.Errorf("candidates %v, want %v", left, want)
		}
	case "p":
		f := strings.Fields(rest)
		want, _ := strconv.ParseFloat(f[2], 64)
		if got := float64(d.holders[p.cards(f[1])[0]][p.seat(f[0])]) / float64(d.count); math.Abs(got-want) > 0.00005 {
			p.t.Errorf("p %s is %.4f, want %.4f", rest, got, want)
		}
	default:
		p.t.Fatal(fmt.Sprint("cannot read expectation ", what))
	}
}
