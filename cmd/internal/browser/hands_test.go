package browser

import (
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hands are how a player works the page. Selectors are of CSS; where several
// elements fit, the first is meant.
type hands interface {
	press(selector string)     // a button or a link
	unfold(selector string)    // the head of something folded
	choose(form, field string) // a card or the like, by its field in a form
	write(field, text string)  // instead of what stands in a field
	agree()                    // in the dialog that asks once more
}

// mouse works the page by clicks.
type mouse struct {
	*window
	double bool // nervously
}

func (m mouse) press(selector string) {
	m.t.Helper()
	if m.double {
		m.clicks(selector, 2)
	} else {
		m.click(selector)
	}
}

func (m mouse) unfold(selector string) { m.t.Helper(); m.press(selector) }

func (m mouse) choose(form, field string) {
	m.t.Helper()
	m.click(fmt.Sprintf("%s label:has(%s)", form, field))
	m.until(field+" chosen", exists(form+" "+field+":checked"))
}

func (m mouse) write(field, text string) {
	m.t.Helper()
	m.clicks(field, 3) // marks what stands there
	m.run("write into "+field, typed(text))
}

func (m mouse) agree() { m.t.Helper(); m.press("#sure[open] button[value=yes]") }

// keys work the page with Tab, arrows, Space and Enter.
type keys struct {
	*window
	double bool // nervously
}

func (k keys) press(selector string) {
	k.t.Helper()
	k.reach(selector)
	k.enter()
}

// unfold presses Enter once: a second time folds it again, as everywhere.
func (k keys) unfold(selector string) {
	k.t.Helper()
	k.reach(selector)
	k.run("Enter", chromedp.KeyEvent(kb.Enter))
}

func (k keys) enter() {
	k.t.Helper()
	steps := []step{chromedp.KeyEvent(kb.Enter)}
	if k.double {
		steps = append(steps, steps[0])
	}
	k.run("Enter", steps...)
}

// choose walks through a group with arrows, as Tab enters it at one place only.
func (k keys) choose(form, field string) {
	k.t.Helper()
	chosen := form + " " + field
	k.until(chosen, exists(chosen))
	group := value[string](k.window, fmt.Sprintf(`(f => f.type === "radio" ? f.name : "")(document.querySelector(%s))`, quoted(chosen)))
	if group == "" {
		k.reach(chosen)
		k.run("Space", chromedp.KeyEvent(" "))
	} else {
		k.reach(fmt.Sprintf("%s input[name='%s']", form, group))
		for range 12 {
			if value[bool](k.window, "document.activeElement.matches("+quoted(chosen)+")") {
				break
			}
			k.run("an arrow", chromedp.KeyEvent(kb.ArrowDown))
		}
		if !value[bool](k.window, exists(chosen+":checked")) {
			k.run("Space", chromedp.KeyEvent(" "))
		}
	}
	k.until(field+" chosen", exists(chosen+":checked"))
}

func (k keys) write(field, text string) {
	k.t.Helper()
	k.reach(field) // by which all of it is marked
	k.run("write into "+field, typed(text))
}

func (k keys) agree() { k.t.Helper(); k.press("#sure[open] button[value=yes]") }

// reach presses Tab until something that the selector finds has the focus, the
// shorter way round.
func (k keys) reach(selector string) {
	k.t.Helper()
	k.until(selector, exists(selector))
	const most = 150
	for range most {
		way := value[int](k.window, fmt.Sprintf(`(() => {
			const at = document.activeElement, to = document.querySelector(%s);
			if (!to || at.matches(%[1]s)) return 0;
			return at !== document.body && at.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1;
		})()`, quoted(selector)))
		switch way {
		case 0:
			k.until("a focus that can be seen at "+selector, `document.activeElement.matches(":focus-visible")`)
			return
		case 1:
			k.run("Tab", chromedp.KeyEvent(kb.Tab))
		default:
			k.run("Tab back", chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		}
	}
	k.fail("reach "+selector, fmt.Errorf("not with %d Tabs", most))
}

// pick chooses in a list that opens, from its label and with arrows: what opens is the
// browser's own, and no page.
func (w *window) pick(id, choice string) {
	w.t.Helper()
	w.click("label[for='" + id + "']")
	w.until("the focus at "+id, "document.activeElement.id === "+quoted(id))
	at := "document.querySelector(" + quoted("#"+id) + ").value === " + quoted(choice)
	for range 12 {
		if value[bool](w, at) {
			return
		}
		w.run("an arrow", chromedp.KeyEvent(kb.ArrowDown))
	}
	w.fail("pick "+choice, fmt.Errorf("it is not in the list"))
}

func typed(text string) step {
	return command(input.InsertText, input.InsertTextParams{Text: text})
}

func exists(selector string) string { return "!!document.querySelector(" + quoted(selector) + ")" }
