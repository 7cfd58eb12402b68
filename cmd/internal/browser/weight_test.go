package browser

import (
	"testing"
)

// weight is what a page is made of, in bytes as sent, and when it was first painted.
type weight struct {
	Page, All   float64
	First       float64 // ms after the click that led there
	Names       []string
	Uncompacted float64
}

const weighing = `(() => {
	const nav = performance.getEntriesByType("navigation")[0], parts = performance.getEntriesByType("resource").filter(r => !r.name.endsWith("/events"));
	const paint = performance.getEntriesByName("first-contentful-paint")[0];
	return paint && { Page: nav.transferSize, All: parts.reduce((n, r) => n + r.transferSize, nav.transferSize), First: paint.startTime,
		Names: parts.map(r => new URL(r.name).pathname + " " + r.transferSize), Uncompacted: nav.decodedBodySize };
})()`

// A page weighs little, and is painted with nothing but what this computer serves:
// every window of these tests checks that nothing else is asked for.
func TestWeight(t *testing.T) {
	browser := chromium(t)
	err := caught(func() {
		w := enter(t, browser, play(t, "Anh"), desktop)
		first := awaited[weight](w, "the first paint", weighing)
		t.Logf("lobby: %.1f KiB of HTML, %.1f KiB with everything: %v", first.Page/1024, first.All/1024, first.Names)
		t.Logf("first paint after %.0f ms, with nothing in the cache", first.First)
		if first.All > 300<<10 {
			t.Errorf("%.0f KiB is a lot", first.All/1024)
		}
		again := awaited[weight](w.second(t, desktop), "the first paint", weighing)
		t.Logf("a second window: %.1f KiB, first paint after %.0f ms", again.All/1024, again.First)
	})
	if err != nil {
		t.Fatal(err)
	}
}
