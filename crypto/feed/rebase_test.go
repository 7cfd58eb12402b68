package feed_test

import (
	"testing"

	"alibi/crypto/feed"
)

// Whoever holds the other half of a fork takes the one that others have built on;
// nothing else makes it change an entry.
func TestRebase(t *testing.T) {
	c := newCircle(t, "rebase", 4)
	others, mine := c.log(), c.log()
	c.play(t, others, 5)
	c.play(t, mine, 5)
	changed := func(e feed.Entry, change func(*feed.Entry)) feed.Entry {
		change(&e)
		return e
	}
	var said []*feed.Signed
	for i := range 4 {
		said = append(said, c.say(t, others, i, "word"))
		if _, err := others.Offer(said[i]); err != nil {
			t.Fatal(err)
		}
	}
	right := said[1]
	said[1] = c.say(t, mine, 1, "other word")
	for _, e := range said {
		if _, err := mine.Offer(e); err != nil {
			t.Fatal(err)
		}
	}
	c.close(t, others)
	later := c.say(t, others, 2, "later") // whose turn it is
	if mine.Rebase(later) {
		t.Fatal("it changed an entry that it has no other for")
	}
	if _, err := mine.Offer(right); err == nil {
		t.Fatal("no fork")
	}
	for name, e := range map[string]*feed.Signed{
		"of who forked":                       c.seal(t, 1, changed(later.Entry, func(e *feed.Entry) { e.Seat = 1 })),
		"signed by another than it says":      c.seal(t, 3, later.Entry),
		"on top of something else":            c.seal(t, 2, changed(later.Entry, func(e *feed.Entry) { e.Prev[1] ^= 1 })),
		"of a later round":                    c.seal(t, 2, changed(later.Entry, func(e *feed.Entry) { e.Round++ })),
		"of a seat that there is not":         c.seal(t, 2, changed(later.Entry, func(e *feed.Entry) { e.Seat = 9 })),
		"on top of what is held here already": c.seal(t, 2, changed(later.Entry, func(e *feed.Entry) { e.Prev = feed.Next(mine.Prev(), 5, mine.Open()) })),
	} {
		if mine.Rebase(e) || mine.Entry(5, 1) != said[1] {
			t.Fatalf("it goes by an entry %s", name)
		}
	}
	if !mine.Rebase(later) || mine.Entry(5, 1) != right || mine.Rebase(later) {
		t.Fatal("it does not follow the others")
	}
	c.close(t, mine)
	if verdict, err := mine.Offer(later); verdict != feed.Added || err != nil || mine.Prev() != others.Prev() {
		t.Error(verdict, err)
	}
}
