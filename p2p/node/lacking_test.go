package node

import (
	"slices"
	"testing"
	"time"
)

// awaitLacking waits until exactly these seats may lack something.
func awaitLacking(t *testing.T, g *Game, want ...int) {
	t.Helper()
	ctx := within(t)
	for !slices.Equal(g.Lacking(), want) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%v may lack something, want %v", g.Lacking(), want)
		}
	}
}

// What a program took in is lost if it is killed before it has kept it. So it
// counts as served once it has said that its game is over, and stays so when it
// hangs up.
func TestLackingUntilOver(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	ctx := within(t)
	a.Publish(a.entry(t, 0, 0, "the end"))
	b.Publish(awaitArrival(t, ctx, b).Entry)
	a.Over(true)
	if err := a.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if got := a.Lacking(); !slices.Equal(got, []int{1}) {
		t.Errorf("%v may lack something", got)
	}
	b.cutAll()
	awaitPresence(t, a, func(p []Presence) bool { return p[1].State == Connected })
	if got := a.Lacking(); !slices.Equal(got, []int{1}) {
		t.Errorf("%v may lack something after a connection was lost", got)
	}
	b.Over(true)
	awaitLacking(t, b)
	b.Close()
	awaitLacking(t, a)
}

// A program that was killed and is back has to hear again that it is over here,
// whatever it knew before.
func TestLackingComesBack(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	a.Over(true)
	b.Over(true)
	awaitLacking(t, a)
	awaitLacking(t, b)
	b.Close()
	awaitLacking(t, a)
	b = peers[1].play(charter, 1)
	b.Over(true)
	awaitLacking(t, b)
	awaitLacking(t, a)
}

// A program whose game goes on after all may lack the end again; one that is back
// after it was killed has kept the end that it once had.
func TestLackingGoesOn(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	a.Over(true)
	b.Over(true)
	awaitLacking(t, a)
	b.Over(false)
	awaitLacking(t, a, 1)
	b.Over(true)
	awaitLacking(t, a)
	awaitLacking(t, b)
	b.Close()
	awaitPresence(t, a, func(p []Presence) bool { return p[1].State != Connected })
	peers[1].play(charter, 1)
	awaitPresence(t, a, func(p []Presence) bool { return p[1].State == Connected })
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.seats[1].over {
		t.Error("what it has kept counts no more")
	}
}

// Two that cannot reach each other leave each other to the third.
func TestLackingElsewhere(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, func(i, j int) bool { return i+j == 1 })
	var games []*Game
	for i, p := range peers {
		games = append(games, p.play(charter, i))
	}
	awaitPresence(t, games[0], func(p []Presence) bool { return p[1].Via == 2 })
	for i, g := range games {
		if i != 1 {
			g.Over(true)
		}
	}
	awaitLacking(t, games[0])
	awaitLacking(t, games[2], 1)
}
