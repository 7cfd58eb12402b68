package table_test

import (
	"testing"

	"alibi/crypto/feed"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/table"
)

// Judge finds nothing in what honest seats say, in any round of a game, and in a
// spoilt body what the fold would find.
func TestJudgeAgreesWithTheFold(t *testing.T) {
	p, err := parlour.New("judge", "card", 3, rules.Options{First: "vote", Order: "random", Last: "wins", Notebook: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		before, round := p.State, p.State.Round
		if more, err = p.Round(); err != nil {
			t.Fatal(err)
		}
		entries := p.Log.Closed(round)
		for _, e := range entries {
			if faults := table.Judge(before, e); len(faults) > 0 {
				t.Fatalf("round %d: honest entry judged %v", round, faults)
			}
		}
		if len(entries) != 1 || len(entries[0].Body) < 60 {
			continue
		}
		spoilt := entries[0].Entry
		spoilt.Body = append([]byte{}, spoilt.Body...)
		spoilt.Body[len(spoilt.Body)-1] ^= 1
		bad := seal(t, p, spoilt)
		judged, folded := table.Judge(before, bad), table.Apply(before, oneEntry(bad)).Faults
		if len(judged) != 1 || len(folded) != 1 || judged[0] != folded[0] {
			t.Errorf("round %d: judged %v, folded %v", round, judged, folded)
		}
	}
}

func seal(t *testing.T, p *parlour.Table, e feed.Entry) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(p.Keys[e.Seat], e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func oneEntry(e *feed.Signed) []*feed.Signed { return []*feed.Signed{e} }
