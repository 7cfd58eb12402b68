package session

import "testing"

// A game that has come to its end here, of which others may lack that, is told
// from one that has to be played on and from one that is closed for good.
func TestGamesThatAreOver(t *testing.T) {
	p, last := over(t, 3, 0)
	kept, peer := p.stores[0], &Peer{store: p.stores[0], key: p.keys[0]}
	check := func(what string, finished, over bool) {
		t.Helper()
		games, err := peer.Games()
		if err != nil || len(games) != 1 || games[0].Finished != finished || games[0].Over != over {
			t.Errorf("%s: %+v, %v", what, games, err)
		}
	}
	check("before the first entry", false, false)
	log := p.sessions[0].core.log.Entries()
	table := p.sessions[0].core.state.Table
	for _, e := range log {
		if e.Round < last {
			if err := kept.Append(table, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("before the last round", false, false)
	if err := kept.Append(table, log...); err != nil {
		t.Fatal(err)
	}
	check("with the last round", false, true)
	if err := kept.Finish(table); err != nil {
		t.Fatal(err)
	}
	check("closed", true, false)
}
