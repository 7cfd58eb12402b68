package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"alibi/cmd/internal/say"
	"alibi/game/table"
)

// Players vote for who begins, two accuse and agree on their order, somebody watches
// without a seat; then the log is saved, opened from its file, and replayed.
func TestAgreedOrderWatchedAndReplayed(t *testing.T) {
	tb := gather(t, desktop)
	tb.house = func(p *player) {
		p.hands.choose("#open", "input[name=first][value=vote]")
		p.hands.choose("#open", "input[name=order][value=agreed]")
		p.hands.choose("#open", "input[name=watch]")
	}
	tb.open("card-advanced")
	tb.deal()
	err := caught(func() {
		for _, p := range tb.players {
			p.Vote = names[2]
		}
		tb.players[0].read("")
		tb.players[0].hangs("vote")
		tb.together(func(_ int, p *player) {
			p.decide(p.read(""))
			p.goesOn("a vote")
		})
		first := tb.players[tb.first()]
		if first.who != names[2] {
			t.Fatalf("%s begins", first.who)
		}
		second := tb.after(first)
		third := tb.after(second)
		first.Accuse = func(s sheet) []string { return nil }
		second.Accuse, third.Join = sheet.wrong, sheet.wrong
		third.Before = func(s sheet) {
			if s.Act == "order" {
				third.hangs("order")
			}
		}
		guest := tb.watched()
		tb.asked(first, third, guest)
		r := tb.play()
		i := slices.IndexFunc(r.State.Story, func(e table.Event) bool { return e.Kind == table.Ordered })
		if i < 0 {
			t.Fatal("no order was agreed on")
		}
		var order []string
		for _, s := range r.State.Story[i].Seats {
			order = append(order, r.State.Charter.Seats[s].Name)
		}
		if want := (sheet{Seats: []seated{{Name: second.who}, {Name: third.who}}}).backwards(); !slices.Equal(order, want) {
			t.Errorf("the order is %v, not %v", order, want)
		}
		guest.until("the end", exists("#end .report .verdict:not(.bad)"))
		guest.checks("the spectator's page")
		first.replays()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goesOn waits until what was decided is gone, and checks that the focus is at what
// happens now.
func (w *window) goesOn(after string) {
	w.t.Helper()
	w.until("the focus after "+after, `document.activeElement.matches("main h2[tabindex], main .state") && document.activeElement.checkVisibility()`)
}

// watched has somebody follow the game who comes from the lobby.
func (tb *party) watched() *window {
	w := enter(tb.t, tb.browser, play(tb.t, "Dorota"), desktop)
	w.click(fmt.Sprintf("form[action='/do/watch']:has(input[value='%s']) button", tb.name))
	w.until("the game", exists(".view-game .players .active"))
	return w
}

// asked has the first player ask. Somebody else is writing a note meanwhile, and the
// news does not disturb that; the spectator sees what all may see, and no more.
func (tb *party) asked(first, writer *player, guest *window) {
	tb.t.Helper()
	writer.note()
	s := first.read("")
	first.ask(s)
	first.goesOn("a question")
	writer.until("the question", exists("#asked .card"))
	writer.run("write on", typed(" No."))
	writer.until("the whole note", "document.activeElement.id === 'note-text' && document.activeElement.value === "+quoted(note+" No."))
	guest.until("the question", exists("#asked .card"))
	guest.hangs("watching")
	if value[bool](guest, exists("section.act, .hand:not(.open), form[action='/do/abandon'], form[action='/do/drop']")) {
		guest.fail("watching", errors.New("the page has what only a seat may see or do"))
	}
}

// checks fails the test for what a page broke, or complained of.
func (w *window) checks(what string) {
	w.t.Helper()
	if r := w.recorded(); len(r.Broken)+len(r.Told) > 0 {
		w.t.Errorf("%s: %s: broken: %q, told: %q", w.who, what, r.Broken, r.Told)
	}
}

// replays saves the log, and opens it again: once chosen, once dropped on the page.
func (p *player) replays() {
	p.t.Helper()
	folder := p.t.TempDir()
	saved, junk := filepath.Join(folder, "game.alibi"), filepath.Join(folder, "holiday.jpg")
	for name, data := range map[string][]byte{saved: p.log(), junk: []byte("no log at all")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, take := range []func(file string){p.chooseFile, p.dropFile} {
		p.shelf()
		take(junk)
		p.click("form[action='/replay'] button")
		p.until("word that it is no log", "document.querySelector('main').textContent.includes("+quoted(say.English().Say("web.wrong.notlog"))+")")
		p.shelf()
		take(saved)
		p.click("form[action='/replay'] button")
		p.until("the replay", "document.readyState === 'complete' && "+exists(".view-replay .turns"))
	}
	turns := value[int](p.window, "document.querySelectorAll('.turnlist a').length")
	for i := range turns {
		p.until(fmt.Sprintf("turn %d", i), fmt.Sprintf("document.querySelectorAll('.turnlist a')[%d].matches('[aria-current=true]')", i))
		if i < turns-1 {
			p.click(".turns a[rel=next]")
		}
	}
	if value[bool](p.window, exists(".turns a[rel=next], .verdict.bad")) || turns < 3 || !value[bool](p.window, exists(".felt .card")) {
		p.fail("the replay", fmt.Errorf("it does not end after %d turns with the Crime cards", turns))
	}
	p.hangs("replayed")
	p.checks("the replay")
}

// shelf leads to where a log is opened; a replay has that form, too.
func (p *player) shelf() {
	p.t.Helper()
	p.click("nav a[href='/replay']")
	p.until("the form", exists(".view-replay #load-file")+" && location.search === ''")
}

// chooseFile clicks on the field and takes a file in what the browser opens.
func (p *player) chooseFile(file string) {
	p.t.Helper()
	p.run("choose "+file,
		command(page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}))
	p.click("#load-file")
	p.run("take "+file, chromedp.SetUploadFiles("#load-file", []string{file}),
		command(page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: false}))
}

// dropFile drags a file from elsewhere onto the field.
func (p *player) dropFile(file string) {
	p.t.Helper()
	at := p.spot("#load-file")
	for _, kind := range []input.DispatchDragEventType{"dragEnter", "dragOver", "drop"} {
		p.run("drag", command(input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: kind, X: at.X, Y: at.Y, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{file}, DragOperationsMask: 1}}))
	}
	p.until("the file", "document.querySelector('#load-file').files.length === 1")
}
