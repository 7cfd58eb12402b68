package session

import (
	"sync"
	"testing"

	"alibi/game/table"
	"alibi/game/view"
)

// What a spectator gets of an update has no seat's secrets in it, and the steps
// account for every proof.
func TestUpdateForSpectators(t *testing.T) {
	p := newParty(t, 3)
	var readers sync.WaitGroup
	for i, s := range p.sessions {
		readers.Go(func() {
			for {
				select {
				case <-s.Changed():
				case <-s.Over():
					return
				}
				u := s.Latest()
				v := u.Public()
				if v.Me != view.Spectator || v.Hand != nil || v.Choices.Any() {
					t.Errorf("seat %d lets a spectator see %+v", i, v)
				}
				for _, l := range v.Lines {
					if l.Kind == table.Showed && l.Card != view.Hidden && !v.Players[l.To].Opened {
						t.Errorf("seat %d lets a spectator see the card of round %d", i, l.Round)
					}
				}
			}
		})
	}
	for i, err := range p.run() {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	readers.Wait()
	u := p.sessions[0].Latest()
	proofs := 0
	for at, s := range u.Steps {
		if int(s.Round) != at || len(s.Seats) == 0 {
			t.Errorf("step %d: %+v", at, s)
		}
		proofs += s.Proofs
	}
	if proofs != u.View.Proofs || proofs == 0 {
		t.Errorf("the steps count %d proofs, the view %d", proofs, u.View.Proofs)
	}
}
