package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"alibi/cmd/internal/session"
	"alibi/game/audit"
)

var names = []string{"Anh", "Bahar", "Chai"}

// party is three players in front of their own windows.
type party struct {
	t       *testing.T
	browser context.Context
	name    string
	players []*player
	house   func(p *player) // changes what the table agrees on, in the form that opens it
}

// gather starts three programs and opens a window for each.
func gather(t *testing.T, l look) *party {
	t.Helper()
	return gatherBy(t, func(int) look { return l })
}

func gatherBy(t *testing.T, of func(i int) look) *party {
	t.Helper()
	browser := chromium(t)
	tb := &party{t: t, browser: browser, name: strings.TrimPrefix(t.Name(), "Test")}
	err := caught(func() {
		for i, name := range names {
			w := enter(t, browser, play(t, name), of(i))
			tb.players = append(tb.players, &player{window: w, hands: mouse{window: w}, Join: never, Accuse: sheet.solved})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// together lets all players do something at once.
func (tb *party) together(do func(i int, p *player)) {
	tb.t.Helper()
	over, stop := context.WithCancel(tb.t.Context())
	defer stop()
	errs := make(chan error, len(tb.players))
	var all sync.WaitGroup
	for i, p := range tb.players {
		p.over = over
		all.Go(func() {
			if err := caught(func() { do(i, p) }); err != nil {
				stop() // the others would wait in vain
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		tb.t.Error(err)
	}
	if tb.t.Failed() {
		tb.t.FailNow()
	}
	for _, p := range tb.players {
		p.over = tb.t.Context()
	}
}

// caught turns a halt into an error.
func caught(do func()) (err error) {
	defer func() {
		switch h := recover().(type) {
		case nil:
		case halt:
			err = h.error
		default:
			panic(h)
		}
	}()
	do()
	return nil
}

// open has the first player open a table, and the others join it from their lobbies.
func (tb *party) open(edition string) {
	tb.t.Helper()
	tb.host(edition)
	tb.join()
}

func (tb *party) host(edition string) {
	tb.t.Helper()
	tb.together(func(i int, p *player) {
		if i > 0 {
			return
		}
		p.hands.write("#open-table", tb.name)
		p.hands.choose("#open", fmt.Sprintf("input[name=edition][value='%s']", edition))
		p.hands.choose("#open", "input[name=seats][value='3']")
		if tb.house != nil {
			p.hands.unfold("#open details > summary")
			tb.house(p)
		}
		p.hands.press("#open button.go")
		p.until("the waiting room", exists(".view-room"))
	})
}

// seat is the button in a lobby that leads to this table.
func (tb *party) seat() string {
	return fmt.Sprintf("form[action='/do/join']:has(input[name=table][value='%s']) button", tb.name)
}

func (tb *party) join() {
	tb.t.Helper()
	tb.together(func(i int, p *player) {
		if i > 0 {
			p.hands.press(tb.seat())
		}
		p.until("the waiting room", exists(".view-room"))
	})
}

// words has all say that they are ready, and compares what they are to read aloud.
func (tb *party) words() {
	tb.t.Helper()
	words := make([]string, len(tb.players))
	tb.together(func(i int, p *player) {
		p.until("a full table", "document.querySelectorAll('.seats li:not(.free)').length === 3")
		p.hands.press("form[action='/do/ready'] button[name=yes]")
		words[i] = awaited[string](p.window, "the words", "document.querySelector('.big-words').innerText")
	})
	if len(slices.Compact(slices.Clone(words))) != 1 || len(strings.Fields(words[0])) != 4 {
		tb.t.Fatalf("the words to compare: %q", words)
	}
}

// deal waits for the hands.
func (tb *party) deal() {
	tb.t.Helper()
	tb.words()
	tb.together(func(_ int, p *player) {
		p.hands.press("form[action='/do/same'] button")
		p.until("a hand", exists(".mine .hand .card"))
	})
}

// play plays to the end, and checks that all are told that the game was fair, and
// that each has kept a log that proves it, the same for all.
func (tb *party) play() *audit.Report {
	tb.t.Helper()
	tb.together(func(_ int, p *player) { p.finish(nil) })
	logs := make([][]byte, len(tb.players))
	tb.together(func(i int, p *player) {
		if bad := value[bool](p.window, "!!document.querySelector('.verdict.bad, .findings, .notice.bad')"); bad {
			p.fail("the report", errors.New("it is not fair"))
		}
		logs[i] = p.log()
		if r := p.recorded(); len(r.Broken)+len(r.Told) > 0 {
			tb.t.Errorf("%s: broken: %q, told: %q", p.who, r.Broken, r.Told)
		}
	})
	for i, log := range logs {
		if !bytes.Equal(log, logs[0]) {
			tb.t.Errorf("%s has another log than %s", names[i], names[0])
		}
	}
	r, err := session.Verify(bytes.NewReader(logs[0]))
	if err != nil || !r.Fair() || !r.Complete {
		tb.t.Fatalf("the log: %v, %+v", err, r)
	}
	return r
}

// log is what the button at the end saves.
func (w *window) log() []byte {
	w.t.Helper()
	text := value[string](w, `fetch(document.querySelector("a[download]").href).then(r => r.bytes()).then(b => b.toBase64())`)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		w.fail("the log", err)
	}
	return b
}
