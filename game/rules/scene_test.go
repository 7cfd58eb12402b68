package rules_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"alibi/game/rules"
)

var rewrite = flag.Bool("rewrite", false, "record the transcripts in testdata anew; read the diff")

// TestScenes plays the transcripts in testdata. A line is a round, what each
// seat says parted by semicolons and, after =>, what the round brought to light.
// Or it begins with a dash: seats are gone, those who are there abandon, or a
// token is put somewhere so that the scene is short.
// Lines that begin with | are recorded: the position after it, or the refusal, and
// on a second line what lies on the board when that has changed.
func TestScenes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			played := playScene(t, string(recorded), "card")
			if *rewrite {
				if err := os.WriteFile(file, []byte(played), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, string(recorded), played)
		})
	}
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "nothing", "nothing"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			t.Fatalf("line %d\nrecorded: %s\nplayed:   %s", i+1, a, b)
		}
	}
}

// TestScenesOfOtherEditions plays the transcripts of leaving in every edition.
// Since the rulings are the same, so is all that is recorded.
func TestScenesOfOtherEditions(t *testing.T) {
	files, err := filepath.Glob("testdata/leaving-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, e := range rules.Editions() {
		for _, file := range files {
			t.Run(e.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				recorded, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, string(recorded), playScene(t, string(recorded), e.Name))
			})
		}
	}
}

// playScene plays a script with its game "card" replaced by another.
func playScene(t *testing.T, script, card string) string {
	var out strings.Builder
	var p *rules.Position
	var lies string // on the board, as was said last
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "|") {
			continue
		}
		out.WriteString(line + "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "game "):
			p, lies = startScene(t, strings.Fields(line)[1:], card), ""
		default:
			before := snapshot(p)
			q, err := playLine(t, p, line)
			if after := snapshot(p); after != before {
				t.Fatalf("%s: the position it was said in changed\nfrom %s\nto   %s", line, before, after)
			}
			if err != nil {
				out.WriteString("| refused: " + err.Error() + "\n")
				continue
			}
			p = q
		}
		out.WriteString("| " + describe(p) + "\n")
		if p.Board == nil {
			continue
		}
		if now := describeBoard(p); now != lies {
			out.WriteString("|   " + now + "\n")
			lies = now
		}
	}
	return out.String()
}

func playLine(t *testing.T, p *rules.Position, line string) (*rules.Position, error) {
	t.Helper()
	if words := strings.Fields(line); words[0] == "-" {
		if line == "- abandon" {
			return p.Abandon(), nil
		}
		if words[1] == "place" {
			return place(t, p, words[2], words[3]), nil
		}
		if words[1] != "gone" {
			t.Fatalf("neither gone nor abandon nor place: %s", line)
		}
		return p.Depart(numbers(t, words[2:])), nil
	}
	r := readRound(t, p, line)
	return p.Play(r.said, r.facts)
}

// startScene reads: edition seats=3 gone=0,2 lot=0 first=vote order=left last=wins;
// on the board also weapons=hall,study picks=plum,white dice=2 doors=free.
func startScene(t *testing.T, words []string, card string) *rules.Position {
	t.Helper()
	if words[0] == "card" {
		words[0] = card
	}
	e := edition(t, words[0])
	o, seats, lot := rules.DefaultOptions(), 3, 0
	var gone []bool
	var rooms, picks []string
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "seats":
			seats = number(t, value)
		case "lot":
			lot = number(t, value)
		case "gone":
			gone = make([]bool, seats)
			for _, s := range numbers(t, strings.Split(value, ",")) {
				gone[s] = true
			}
		case "first":
			o.First = value
		case "order":
			o.Order = value
		case "last":
			o.Last = value
		case "weapons":
			rooms = strings.Split(value, ",")
		case "picks":
			picks = strings.Split(value, ",")
		case "dice":
			o.TwoDice = value == "2"
		case "doors":
			o.FreeDoors = value == "free"
		default:
			t.Fatalf("unknown setting %q", w)
		}
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	if e.Board {
		return startBoardScene(t, e, o, seats, gone, rooms, picks)
	}
	return rules.Start(e, o, seats, gone, lot)
}

func readRound(t *testing.T, p *rules.Position, line string) (r round) {
	t.Helper()
	speech, light, _ := strings.Cut(line, "=>")
	for part := range strings.SplitSeq(speech, ";") {
		words := strings.Fields(part)
		if len(words) < 2 {
			t.Fatalf("%q: want a seat and what it says", part)
		}
		a := readAct(t, p.Edition, words[1], words[2:])
		if words[0] == "all" {
			for _, s := range p.Present() {
				r.said = append(r.said, rules.Said{Seat: s, Act: a})
			}
			continue
		}
		r.said = append(r.said, rules.Said{Seat: number(t, words[0]), Act: a})
	}
	words := strings.Fields(light)
	if len(words) == 0 {
		return r
	}
	switch words[0] {
	case "crime":
		r.facts.Crime = cards(t, p.Edition, words[1:])
	case "lot":
		r.facts.Lot = numbers(t, words[1:])
	case "dice":
		r.facts.Dice = numbers(t, words[1:])
	default:
		t.Fatalf("unknown fact %q", words[0])
	}
	return r
}

func readAct(t *testing.T, e *rules.Edition, verb string, args []string) rules.Act {
	t.Helper()
	switch verb {
	case "votes":
		return rules.Vote{For: number(t, args[0])}
	case "asks":
		return rules.Ask{Cards: cards(t, e, args)}
	case "accuses":
		return rules.Accuse{}
	case "no":
		return rules.Deny{}
	case "shows":
		return rules.Show{}
	case "seals":
		return rules.Seal{}
	case "joins", "passes":
		return rules.Unseal{Join: verb == "joins"}
	case "orders":
		return rules.Order{Seats: numbers(t, args)}
	case "guesses":
		return rules.Guess{}
	case "helps", "help":
		return rules.Help{}
	case "right", "wrong":
		return rules.Verdict{Right: verb == "right", Cards: cards(t, e, args)}
	case "opens":
		return rules.Disclose{Cards: cards(t, e, args)}
	case "leaves", "leave":
		return rules.Leave{Opened: true}
	}
	return readBoardAct(t, e, verb, args)
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func numbers(t testing.TB, words []string) (out []int) {
	t.Helper()
	for _, w := range words {
		out = append(out, number(t, w))
	}
	return out
}

// cards reads keys; a number stands for itself, so that scenes can name cards
// that are none.
func cards(t testing.TB, e *rules.Edition, keys []string) (out []rules.Card) {
	t.Helper()
	for _, k := range keys {
		c, ok := e.ByKey(k)
		if !ok {
			c = rules.Card(number(t, k))
		}
		out = append(out, c)
	}
	return out
}

var reasons = map[rules.Reason]string{
	rules.RightAlone: "right alone", rules.RightFirst: "first to be right", rules.AllWrong: "no accusation that counts was right",
	rules.LastLeft: "last one left", rules.EveryoneOut: "everyone is out", rules.Abandoned: "abandoned",
}

// describe says all of a public position in a line.
func describe(p *rules.Position) string {
	out := []string{p.Phase.String()}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if who := p.Speakers(); len(who) > 0 {
		out[0] += ": " + list(who)
	}
	if p.Phase == rules.Laying {
		add("hands of %s, then %s", list(p.Laid), p.After)
	}
	if p.Turns > 0 {
		add("turn %d, seat %d", p.Turns, p.Active)
	}
	if p.Board != nil {
		out = append(out, describeTurn(p)...)
	}
	if q := p.Question; q != nil {
		add("%d asked %s", q.Asker, keys(p.Edition, q.Cards))
	}
	if a := p.Accusation; a != nil {
		add("%d accused", a.Accuser)
		if a.Turn != a.Accuser {
			out[len(out)-1] += fmt.Sprintf(" in place of %d", a.Turn)
		}
		if a.Order != nil {
			out[len(out)-1] += ", order " + list(a.Order)
		}
		for s := range p.Out {
			if g := a.Guesses[s]; g != nil {
				add("%d guessed %s", s, keys(p.Edition, g))
			}
		}
	}
	for s, out := range p.Out {
		if out {
			add("%d out", s)
		}
	}
	for s, gone := range p.Gone {
		if gone {
			add("%d gone", s)
		}
	}
	if p.Crime != nil {
		add("crime %s", keys(p.Edition, p.Crime))
	}
	if r := p.Result; r != nil && r.Winner == rules.Nobody {
		add("nobody won: %s", reasons[r.Reason])
	} else if r != nil {
		add("%d won: %s", r.Winner, reasons[r.Reason])
	}
	return strings.Join(out, "; ")
}

func list(seats []int) string { return strings.Trim(fmt.Sprint(seats), "[]") }

func keys(e *rules.Edition, cs []rules.Card) string {
	var out []string
	for _, c := range cs {
		out = append(out, e.Cards[c].Key)
	}
	return strings.Join(out, " ")
}

// snapshot is everything a position holds, as text.
func snapshot(p *rules.Position) string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(b)
}
