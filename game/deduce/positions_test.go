package deduce

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alibi/game/rules"
)

// decks are the decks of testdata/positions.md, by the codes of their cards.
var decks = map[string]string{
	"classic":       "sc mu wh gr pe pl/kn ca re ro pi wr/ki ba co di bi li lo ha st",
	"card":          "sc mu wh gr pe pl/kn ca ro/bi di ki",
	"card-advanced": "sc mu wh gr pe pl/kn ca ro w+/bi di ki r1 r2",
}

// position is a case being read.
type position struct {
	t     *testing.T
	codes []string
	e     *rules.Edition
	seats []string
	sizes []int
	up    []rules.Card
	k     *Knowledge
}

// TestPositions reads cases of deduction in which every expectation was counted by
// others. In one the sizes of the hands are unknown, which does not happen here.
func TestPositions(t *testing.T) {
	text, err := os.ReadFile("testdata/positions.md")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, c := range strings.Split(string(text), "\n## ")[1:] {
		title, lines, _ := strings.Cut(c, "\n")
		name := strings.Fields(title)[0]
		if name == "P03" {
			continue
		}
		read++
		t.Run(name, func(t *testing.T) {
			p := &position{t: t}
			for line := range strings.Lines(lines) {
				if line = strings.TrimSpace(line); line != "" {
					p.read(line)
				}
			}
		})
	}
	if read != 20 {
		t.Errorf("%d cases", read)
	}
}

func (p *position) cards(words string) (out []rules.Card) {
	for w := range strings.FieldsSeq(words) {
		i := slices.Index(p.codes, w)
		if i < 0 {
			p.t.Fatalf("no card %q", w)
		}
		out = append(out, rules.Card(i))
	}
	return out
}

func (p *position) seat(name string) int {
	i := slices.Index(p.seats, name)
	if i < 0 && name != "ENV" {
		p.t.Fatalf("no seat %q", name)
	}
	return i // Crime of ENV
}

// known is the knowledge, begun once deck, seats and open cards are read.
func (p *position) known() *Knowledge {
	if p.k == nil {
		p.k = New(p.e, p.sizes, p.up)
	}
	return p.k
}

func (p *position) deck(name string) {
	p.e = &rules.Edition{}
	for i, group := range strings.Split(decks[name], "/") {
		for code := range strings.FieldsSeq(group) {
			p.codes = append(p.codes, code)
			p.e.Cards = append(p.e.Cards, rules.Face{Key: code, Category: rules.Category(i)})
		}
		p.e.CategoryCount++
	}
}

func (p *position) read(line string) {
	word, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	kind, who, _ := strings.Cut(word, " ")
	switch kind {
	case "deck":
		p.deck(rest)
	case "seats":
		for s := range strings.FieldsSeq(rest) {
			name, size, _ := strings.Cut(s, "=")
			n, err := strconv.Atoi(size)
			if err != nil {
				p.t.Fatal(err)
			}
			p.seats, p.sizes = append(p.seats, name), append(p.sizes, n)
		}
	case "faceup":
		p.up = p.cards(rest)
	case "hand", "has":
		p.known().Holds(p.seat(who), p.cards(rest)...)
	case "lacks":
		p.known().Lacks(p.seat(who), p.cards(rest)...)
	case "one-of":
		p.known().OneOf(p.seat(who), p.cards(rest)...)
	case "wrong-accusation":
		p.known().Wrong(p.cards(rest)...)
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
		p.known().Lacks(i, cards...)
	}
	switch {
	case name == "-":
	case seen != "":
		p.known().Holds(shower, p.cards(seen)...)
	default:
		p.known().OneOf(shower, cards...)
	}
}

func (p *position) expect(what, rest string) {
	p.t.Helper()
	o := p.known().Odds()
	kind, who, _ := strings.Cut(what, " ")
	at := func() int { return p.seat(who) }
	all := func(ok func(c rules.Card) bool) {
		p.t.Helper()
		for _, c := range p.cards(rest) {
			if !ok(c) {
				p.t.Errorf("expect %s: %s: %s does not, in %d deals", what, rest, p.codes[c], o.Deals)
			}
		}
	}
	open := func(at int) func(rules.Card) bool {
		return func(c rules.Card) bool { return o.Possible(c, at) && !o.Certain(c, at) }
	}
	switch kind {
	case "deals":
		if n, _ := strconv.ParseUint(rest, 10, 64); n != o.Deals {
			p.t.Errorf("%d deals, want %d", o.Deals, n)
		}
	case "env":
		all(func(c rules.Card) bool { return o.Certain(c, Crime) })
	case "open-env":
		all(open(Crime))
	case "holds":
		all(func(c rules.Card) bool { return o.Certain(c, at()) })
	case "may":
		all(open(at()))
	case "never":
		all(func(c rules.Card) bool { return !o.Possible(c, at()) })
	case "env-candidates":
		p.candidates(o, strings.Index("SWR", who), rest)
	case "p":
		f := strings.Fields(rest)
		want, _ := strconv.ParseFloat(f[2], 64)
		if got := float64(o.In(p.cards(f[1])[0], p.seat(f[0]))) / float64(o.Deals); math.Abs(got-want) > 0.00005 {
			p.t.Errorf("p %s is %.4f", rest, got)
		}
	default:
		p.t.Fatalf("cannot read expectation %s", what)
	}
}

func (p *position) candidates(o *Odds, category int, rest string) {
	p.t.Helper()
	var left []rules.Card
	for _, c := range p.e.Of(rules.Category(category)) {
		if o.Possible(c, Crime) {
			left = append(left, c)
		}
	}
	want := p.cards(rest)
	slices.Sort(want)
	if !slices.Equal(left, want) {
		p.t.Errorf("candidates %v, want %v", left, want)
	}
}
