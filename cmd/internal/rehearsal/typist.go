package rehearsal

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Typist plays a seat in English line mode as a script would: it reads what is
// printed, types what a prompt suggests, and on its turn looks into the notebook
// to ask about cards whose place is open or to accuse when one solution is left.
type Typist struct {
	// Record, when set, gets every line read and, after "> ", every line typed.
	Record io.Writer
	// Agree types what a line suggests that asks for this player's word, too.
	Agree bool

	rows    []row // of the notebook being read
	reading bool
	turns   int
	guess   string
}

type row struct {
	category string
	card     string
	marks    []string
}

// Play reads until out ends.
func (t *Typist) Play(out io.Reader, in io.Writer) error {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		t.record(lines.Text())
		say := t.Answer(lines.Text())
		if say == "" {
			continue
		}
		t.record("> " + say)
		if _, err := fmt.Fprintln(in, say); err != nil {
			return fmt.Errorf("rehearsal: typing %q: %w", say, err)
		}
	}
	return lines.Err()
}

func (t *Typist) record(line string) {
	if t.Record != nil {
		_, _ = fmt.Fprintln(t.Record, line)
	}
}

var columns = regexp.MustCompile(`\s{2,}`)

// Answer is what to type after a line, "" for nothing.
func (t *Typist) Answer(line string) string {
	switch {
	case strings.HasPrefix(line, "? Your turn."):
		t.rows, t.reading = nil, true
		return "notes"
	case t.reading && strings.HasPrefix(line, "Own marks"):
		t.reading = false
		t.turns++
		return t.turn()
	case t.reading:
		t.read(line)
	case strings.HasPrefix(line, "? Fix your guess."):
		return "guess " + t.guess
	case strings.HasPrefix(line, "? "), t.Agree && strings.Contains(line, "yours is needed. "):
		return suggested(line)
	}
	return ""
}

// suggested is the first thing that a prompt says to type.
func suggested(prompt string) string {
	for _, lead := range []string{"Type: ", "Type for example: "} {
		if _, say, ok := strings.Cut(prompt, lead); ok {
			first, _, _ := strings.Cut(say, ", or: ")
			return first
		}
	}
	return ""
}

// read takes a line of the notebook; news may come in between.
func (t *Typist) read(line string) {
	cells := columns.Split(strings.TrimSpace(line), -1)
	if !strings.HasPrefix(line, "  ") {
		if !strings.Contains(cells[0], " ") {
			t.rows = append(t.rows, row{category: cells[0]})
		}
		return
	}
	if n := len(t.rows); n > 0 && len(cells) > 1 {
		t.rows = append(t.rows, row{category: t.rows[n-1].category, card: cells[0], marks: cells[1:]})
	}
}

// turn decides from the notebook.
func (t *Typist) turn() string {
	open := map[string][]string{}
	var categories, harmless, solution, ask []string
	for _, r := range t.rows {
		switch {
		case r.card == "":
			categories = append(categories, r.category)
		case slices.Contains(r.marks, "yes") || slices.Contains(r.marks, "face up"):
			if r.marks[0] == "yes" || slices.Contains(r.marks, "face up") {
				harmless = append(harmless, r.card)
			}
		case !slices.ContainsFunc(r.marks, func(m string) bool { return m != "no" }):
			open[r.category] = []string{r.card}
			solution = append(solution, r.card)
		case len(open[r.category]) == 0 || !slices.Contains(solution, open[r.category][0]):
			open[r.category] = append(open[r.category], r.card)
		}
	}
	t.guess = ""
	known := 0
	for _, c := range categories {
		if len(open[c]) == 1 {
			known++
			t.guess += strings.ToLower(open[c][0]) + " "
			continue
		}
		ask = append(ask, open[c][t.turns%len(open[c])])
	}
	if known == len(categories) {
		return "accuse " + strings.TrimSpace(t.guess)
	}
	ask = append(ask, harmless...)
	// With one card in doubt and none harmless, any second card will do.
	for _, r := range t.rows {
		if r.card != "" && !slices.Contains(ask, r.card) {
			ask = append(ask, r.card)
		}
	}
	return "ask " + strings.ToLower(ask[0]) + ", " + strings.ToLower(ask[1])
}
