package session

import (
	"slices"
	"time"

	"alibi/game/table"
	"alibi/game/view"
	"alibi/p2p/node"
)

// Update is what a face shows.
type Update struct {
	View *view.View
	Away []Absence
	// Words are to be compared and Ready called before the cards are shuffled.
	Compare bool
	// Trouble is why the game stands still, nil when it does not.
	Trouble *Trouble
	// Steps are the rounds folded so far, in order.
	Steps []Step

	state *table.State
}

// Public is the game as somebody without a seat sees it.
func (u *Update) Public() *view.View { return view.For(u.state, nil) }

// Trouble is a dispute: two histories of Round are about, and it is being found
// out who signed both.
type Trouble struct{ Round uint32 }

// Step is one round as it was folded here.
type Step struct {
	Round  uint32
	Stage  table.Stage
	Seats  []int         // who spoke
	Proofs int           // verified in it
	Took   time.Duration // the checks and the fold
}

// Absence is a seat that has not been heard from.
type Absence struct {
	Seat  int
	Shaky bool // a moment only
	Since time.Time
}

// show publishes an update.
func (s *Session) show() {
	u := &Update{View: view.For(s.state, s.seat), Trouble: s.trouble, Steps: slices.Clip(s.steps), state: s.state}
	u.Compare = !s.ready && s.state.Stage >= table.Sorting
	if s.spoken() {
		u.View.Choices = view.Choices{}
	}
	for i := range u.View.Players {
		u.View.Players[i].Owes = u.View.Players[i].Owes && s.log.Owes(i)
	}
	if s.cfg.Link != nil {
		for i, p := range s.cfg.Link.Presence() {
			if i != s.cfg.Me && p.State != node.Connected {
				u.Away = append(u.Away, Absence{Seat: i, Shaky: p.State == node.Shaky, Since: p.Since})
			}
		}
	}
	s.latest.Store(u)
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
