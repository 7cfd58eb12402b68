package browser

import "testing"

// Three people find one another, compare the words, and play a whole normal game
// by clicks alone, each knowing what their own page shows.
func TestNormalGameByClicks(t *testing.T) {
	tb := gather(t, desktop)
	tb.open("card")
	tb.deal()
	r := tb.play()
	if w := r.State.Pos.Result; w == nil {
		t.Error("nobody won")
	}
	for i, p := range tb.players {
		t.Logf("%s: %v", names[i], p.Count)
	}
}
