package browser

import (
	"fmt"
	"slices"
)

// sheet is what a player reads off the page: nothing else is known here.
type sheet struct {
	Act   string // the decision that is asked for, "" for none: turn, deny, show, ...
	ID    string // of that decision; another round has another
	Over  bool
	Rows  []row // of the notebook
	Picks []pick
	Seats []seated // to choose from, in their order
}

// seated is a player as forms know them.
type seated struct{ Name, Value string }

// row is a line of the notebook; its marks are yes, no or "" for each player.
type row struct {
	Name  string
	Kind  int
	Mine  bool // in the reader's own column
	Open  bool // lies face up
	Marks []string
}

// pick is a card that can be chosen in a form.
type pick struct{ Field, Value, Name string }

// reading makes a sheet of a page that has something to decide, or is over.
const reading = `(() => {
	const act = document.querySelector("section.act"), over = !!document.querySelector("#end .report");
	if (!act && !over || document.querySelector("#sure[open], [aria-busy]")) return null;
	if (act && act.id.startsWith("act-leave") && !document.querySelector("#end")) return null;
	const text = el => el.querySelector(".name").textContent.trim();
	const columns = [...document.querySelectorAll("#marks thead th")], me = columns.findIndex(th => th.classList.contains("me")) - 1;
	const rows = [...document.querySelectorAll("#marks tbody")].flatMap((body, kind) => [...body.querySelectorAll("tr:not(.kind)")].map(tr => {
		const marks = [...tr.querySelectorAll(".mark")].map(m => !m.matches(".auto") ? "" : m.matches(".yes") ? "yes" : "no");
		return { Name: text(tr), Kind: kind, Mine: marks[me] === "yes", Open: tr.classList.contains("faceup"), Marks: marks };
	}));
	const picks = act ? [...act.querySelectorAll("label.pick")].map(label => {
		const field = label.querySelector("input");
		return { Field: field.name, Value: field.value, Name: text(label) };
	}) : [];
	const seats = !act ? [] : [...act.querySelectorAll("label.chip")].map(l => ({ Name: l.querySelector("bdi").textContent, Value: l.querySelector("input").value }))
		.concat([...act.querySelectorAll("#place-1 option")].filter(o => o.value).map(o => ({ Name: o.textContent, Value: o.value })));
	return { Act: act ? act.id.split("-")[1] : "", ID: act ? act.id : "", Over: over, Rows: rows, Picks: picks, Seats: seats };
})()`

// read waits for something to decide, other than what was decided already.
func (w *window) read(decided string) sheet {
	w.t.Helper()
	return awaited[sheet](w, "something to decide, or the end",
		"(s => s && (s.Over && !s.ID || s.ID && s.ID !== "+quoted(decided)+") ? s : null)("+reading+")")
}

// somewhere reports whether it is known where a card is.
func (r row) somewhere() bool { return r.Open || slices.Contains(r.Marks, "yes") }

// denied is how many players are known not to have it.
func (r row) denied() int {
	n := 0
	for _, m := range r.Marks {
		if m == "no" {
			n++
		}
	}
	return n
}

// wanted lists the cards of a kind that may be the Crime card: one that nobody has
// is, and so is the only one of its kind that is left.
func (s sheet) wanted(kind int) []row {
	var out []row
	for _, r := range s.Rows {
		switch {
		case r.Kind != kind || r.somewhere():
		case r.denied() == len(r.Marks):
			return []row{r}
		default:
			out = append(out, r)
		}
	}
	return out
}

// solved is the solution once the page leaves no other.
func (s sheet) solved() []string {
	var out []string
	for kind := range 3 {
		if left := s.wanted(kind); len(left) == 1 {
			out = append(out, left[0].Name)
		}
	}
	if len(out) < 3 {
		return nil
	}
	return out
}

// wrong is a solution that cannot be right: a card in it is in the reader's hand.
func (s sheet) wrong() []string {
	out := make([]string, 3)
	mine := false
	for _, r := range s.Rows {
		if out[r.Kind] == "" || r.Mine && !mine {
			out[r.Kind] = r.Name
		}
		mine = mine || r.Mine
	}
	return out
}

// best is the likeliest solution for somebody who cannot wait.
func (s sheet) best() []string {
	out := make([]string, 3)
	for kind := range out {
		out[kind] = s.wanted(kind)[0].Name
	}
	return out
}

// question is the two cards that most is to be learned about.
func (s sheet) question() []string {
	var open []row
	for kind := range 3 {
		if left := s.wanted(kind); len(left) > 1 {
			open = append(open, left...)
		}
	}
	slices.SortStableFunc(open, func(a, b row) int { return b.denied() - a.denied() })
	var out []string
	for _, r := range open {
		out = append(out, r.Name)
	}
	for _, r := range s.Rows { // a card in hand asks as well as any
		if r.Mine {
			out = append(out, r.Name)
		}
	}
	return out[:2]
}

// value is what a form calls a card, in one of its fields.
func (s sheet) value(field, name string) string {
	for _, p := range s.Picks {
		if p.Name == name && (p.Field == field || field == "") {
			return p.Value
		}
	}
	return ""
}

// seat is what a form calls a player.
func (s sheet) seat(name string) string {
	for _, p := range s.Seats {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// backwards lists the players to choose from by name, the last one first: an order
// that seldom is what would hold without a word.
func (s sheet) backwards() (out []string) {
	for _, p := range s.Seats {
		out = append(out, p.Name)
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

var fields = []string{"suspect", "weapon", "location"}

// player plays a whole game. Accuse and Join say what to accuse of, and nil for not
// now; what they leave out is played to win.
type player struct {
	*window
	hands  hands
	Accuse func(s sheet) []string
	Join   func(s sheet) []string
	Vote   string        // who shall begin
	Before func(s sheet) // each decision
	Count  map[string]int
}

// finish plays until there is a report, or stop says that it is enough.
func (p *player) finish(stop func(s sheet) bool) {
	if p.Count == nil {
		p.Count = map[string]int{}
	}
	decided := ""
	for {
		s := p.read(decided)
		if s.Over && s.ID == "" || stop != nil && stop(s) {
			return
		}
		if p.Before != nil {
			p.Before(s)
		}
		p.decide(s)
		p.Count[s.Act]++
		decided = s.ID
		p.until("the decision sent: "+s.ID, "!document.querySelector("+quoted("#"+s.ID)+")")
	}
}

// decide does what one decision asks for.
func (p *player) decide(s sheet) {
	switch s.Act {
	case "turn":
		if cards := p.Accuse(s); cards != nil {
			p.solution("accuse", s, cards)
			return
		}
		p.ask(s)
	case "deny":
		p.hands.press("form[action='/do/deny'] button")
	case "show":
		p.hands.press("form[action='/do/show'] button")
	case "choose":
		p.hands.choose("form[action='/do/show']", fmt.Sprintf("input[value='%s']", s.Picks[0].Value))
		p.hands.press("form[action='/do/show'] button.go")
	case "join":
		if cards := p.Join(s); cards != nil {
			p.solution("join-in", s, cards)
			return
		}
		p.hands.press("form[action='/do/pass'] button")
	case "vote":
		p.hands.choose("form[action='/do/vote']", fmt.Sprintf("input[value='%s']", s.seat(p.Vote)))
		p.hands.press("form[action='/do/vote'] button.go")
	case "order":
		for i, name := range s.backwards() {
			p.pick(fmt.Sprintf("place-%d", i+1), s.seat(name))
		}
		p.hands.press("form[action='/do/order'] button.go")
	case "leave":
		p.hands.press("form[action='/do/leave']:has([name=open]) button")
	default:
		p.fail("decide", fmt.Errorf("nobody knows how to %q", s.Act))
	}
}

func (p *player) ask(s sheet) {
	for _, name := range s.question() {
		p.hands.choose("form[action='/do/ask']", fmt.Sprintf("input[value='%s']", s.value("card", name)))
	}
	p.hands.press("form[action='/do/ask'] button.go")
	p.hands.agree()
}

// solution names three cards in a form that is folded away at first.
func (p *player) solution(deed string, s sheet, cards []string) {
	form := fmt.Sprintf("form[action='/do/%s']", deed)
	p.hands.unfold(fmt.Sprintf("details:has(%s) > summary", form))
	p.until("the form of "+deed, "document.querySelector("+quoted("details[open] "+form)+")")
	for i, field := range fields {
		p.hands.choose(form, fmt.Sprintf("input[name='%s'][value='%s']", field, s.value(field, cards[i])))
	}
	p.hands.press(form + " button.go")
	p.hands.agree()
}

func never(sheet) []string { return nil }
