package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// tablet is between the two layouts: it is looked at by eye, and adds no rule.
const tablet = 768

// looks are what each screen is looked at in.
var looks = []look{
	{width: 1440, height: 900}, {width: 1440, height: 900, dark: true},
	{width: tablet, height: 1024}, {width: tablet, height: 1024, dark: true},
	{width: 360, height: 740}, {width: 360, height: 740, dark: true},
}

// tour leads through every screen that a game passes. Two players read English, one
// Persian; all screens of each language are visited once.
type tour struct {
	*party
	axe string // the source of axe-core, "" to look without it

	mu   sync.Mutex
	been map[string]bool
}

// Every screen of a game is in order for those who see, hear or work it differently:
// axe-core finds nothing serious in any.
func TestScreens(t *testing.T) {
	source := axe(t)
	tr := &tour{axe: source, been: map[string]bool{}}
	tr.party = gatherBy(t, func(i int) look {
		l := desktop
		if i == 2 {
			l.lang = "fa"
		}
		return l
	})
	tr.name = "Friday evening"
	if err := caught(tr.hello); err != nil {
		t.Fatal(err)
	}
	tr.sitDown()
	for i, p := range tr.players {
		p.hands = guided{mouse{window: p.window}, tr}
		p.Join = sheet.wrong
		p.Accuse = func(s sheet) []string {
			if p.Count["turn"] < 2 {
				return nil
			}
			return s.wrong()
		}
		p.Before = func(s sheet) {
			tr.visit(s.Act, p.window)
			if s.Act == "turn" && p.Count["turn"] == 1 {
				p.picture([]string{"play", "phone", "persian"}[i], []look{broad, narrow, broad}[i])
			}
		}
	}
	tr.play()
	tr.together(func(i int, p *player) {
		tr.visit("end", p.window)
		if i == 0 {
			p.picture("end", broad)
		}
		p.click("a[href^='/replay']:not(nav a)")
		p.until("the replay", exists(".view-replay"))
		tr.visit("replay", p.window)
		p.click("nav a[href='/rules']")
		p.until("the rules", exists(".view-rules"))
		tr.visit("rules", p.window)
	})
	t.Logf("%d screens", len(tr.been))
}

// hello is what somebody sees who has no name yet.
func (tr *tour) hello() { tr.visit("hello", enter(tr.t, tr.browser, play(tr.t, ""), desktop)) }

// sitDown leads from the lobby to the first hand.
func (tr *tour) sitDown() {
	tr.t.Helper()
	tr.together(func(i int, p *player) {
		tr.visit("lobby", p.window)
		p.click("#open details > summary")
		tr.visit("offer", p.window)
		p.click("#open details > summary")
	})
	tr.host("card-advanced")
	tr.together(func(i int, p *player) {
		if i > 0 {
			p.until("the table", exists(tr.seat()))
			tr.visit("tables", p.window)
			if i == 1 {
				p.picture("lobby", look{width: broad.width, height: 730})
			}
		} else {
			tr.visit("room", p.window)
		}
	})
	tr.join()
	tr.together(func(_ int, p *player) {
		p.until("a full table", "document.querySelectorAll('.seats li:not(.free)').length === 3")
		tr.visit("full", p.window)
	})
	tr.words()
	for i, p := range tr.players {
		tr.together(func(j int, q *player) {
			if i != j {
				return
			}
			tr.visit("compare", p.window)
			p.click("form[action='/do/same'] button")
			if i < len(tr.players)-1 {
				p.until("the deal", exists("#deal")+" && !"+exists("#compare"))
				tr.visit("deal", p.window)
			}
		})
	}
}

// guided stops at what is seen only between two clicks.
type guided struct {
	mouse
	*tour
}

func (g guided) unfold(selector string) {
	g.mouse.unfold(selector)
	g.until("what was folded", exists("section.act details[open]"))
	g.visit("solution", g.window)
}

func (g guided) agree() {
	g.until("the dialog", exists("#sure[open]"))
	g.visit("sure", g.window)
	g.mouse.agree()
}

// visit looks at a screen in every look, once for each language.
func (tr *tour) visit(screen string, w *window) {
	w.t.Helper()
	lang := value[string](w, "document.documentElement.lang")
	tr.mu.Lock()
	known := tr.been[screen+"-"+lang]
	tr.been[screen+"-"+lang] = true
	tr.mu.Unlock()
	if known {
		return
	}
	for _, l := range looks {
		if l.width == tablet && *gallery == "" {
			continue
		}
		w.wear(l)
		name, rules := l.name(screen, lang), everyRule
		if l.dark {
			rules = contrast
		}
		w.hang(name)
		if tr.axe != "" {
			w.inspect(name, tr.axe, rules)
		}
	}
	w.wear(desktop)
}

// hang checks that a screen does not run out of its window at a side, and keeps a
// picture of it for the gallery, if there is one.
func (w *window) hang(name string) {
	w.t.Helper()
	if wide := value[int](w, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		w.t.Errorf("%s: %d pixels too wide", name, wide)
	}
	if *gallery != "" {
		w.shoot(filepath.Join(*gallery, name+".png"), asItIs)
	}
}

// hangs does so in every look, for a screen that the tour does not pass.
func (w *window) hangs(screen string) {
	w.t.Helper()
	for _, l := range looks {
		w.wear(l)
		w.hang(l.name(screen, "en"))
	}
	w.wear(desktop)
}

// name is what a picture is called.
func (l look) name(screen, lang string) string {
	name := fmt.Sprintf("%s-%s-%d", screen, lang, l.width)
	if l.dark {
		name += "-dark"
	}
	return name
}

// finding is one rule of axe-core that is broken, and where.
type finding struct {
	ID, Impact, Help string
	Where            []string
}

// findings are what it found, of how many rules that it could judge.
type findings struct {
	Rules int
	Found []finding
}

// In the dark only colours differ.
const (
	everyRule = `{}`
	contrast  = `{ runOnly: ["color-contrast"] }`
)

const examine = `axe.run(document, %s).then(r => ({ Rules: r.passes.length + r.violations.length, Found: r.violations
	.map(v => ({ ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.map(n => n.html.slice(0, 160) + " " + (n.any[0] ? n.any[0].message : "")) })) }))`

// inspect has axe-core look at the page as it is.
func (w *window) inspect(name, axe, rules string) {
	w.t.Helper()
	if value[bool](w, "!window.axe") {
		w.run("axe-core", chromedp.Evaluate[chromedp.Void](axe))
	}
	f := value[findings](w, fmt.Sprintf(examine, rules))
	if rules == everyRule && f.Rules < 15 {
		w.t.Errorf("%s: only %d rules could be judged", name, f.Rules)
	}
	for _, f := range f.Found {
		say := w.t.Logf
		if f.Impact == "serious" || f.Impact == "critical" {
			say = w.t.Errorf
		}
		say("%s: %s, %s: %s: %q", name, f.Impact, f.ID, f.Help, f.Where)
	}
}

// axe is the source of axe-core, which CI installs from npm.
func axe(t *testing.T) string {
	t.Helper()
	path := os.Getenv("AXE_CORE")
	if path == "" {
		if *gallery != "" || *pictures != "" {
			return ""
		}
		t.Skip("AXE_CORE does not say where axe.min.js of axe-core is")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
