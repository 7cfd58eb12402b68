package session

import (
	"slices"
	"time"

	"alibi/crypto/feed"
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
	// Blamed are faults of seats that the table goes on without, or stopped for;
	// who was blamed once stays in the list.
	Blamed []table.Fault
	// Droppable are the seats that the others may go on without now.
	Droppable []int
	// Spared says that the others could go on without this seat, too.
	Spared bool
	// Motions are what has been moved in the open round.
	Motions []Motion
	// Deadline is when whoever owes an entry is over their time; zero is never.
	Deadline time.Time
	// Late are the seats that are over it.
	Late []int

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

// Motion is a proposal to close the open round without some seats, or to give
// the game up, that somebody has voted for.
type Motion struct {
	Without []int
	Abandon bool
	Yes     []int // who has voted for it
	Need    []int // whose vote it still needs
}

// show publishes an update.
func (c *Core) show() {
	u := &Update{
		View: view.For(c.state, c.seat), Trouble: c.trouble, Steps: slices.Clip(c.steps), state: c.state,
		Deadline: c.timeout(),
	}
	for _, i := range c.droppable() {
		if c.state.Tolerates(append(c.culprits(), i)...) {
			u.Droppable = append(u.Droppable, i)
		}
	}
	u.Spared = c.there() && c.state.Tolerates(append(c.culprits(), c.cfg.Me)...)
	u.Compare = c.seat != nil && !c.ready && c.state.Stage >= table.Sorting
	if c.spoken() || !c.there() {
		u.View.Choices = view.Choices{}
	}
	u.Blamed = slices.Clone(c.past)
	over := !u.Deadline.IsZero() && !c.cfg.Now().Before(u.Deadline)
	for i := range u.View.Players {
		u.View.Players[i].Owes = u.View.Players[i].Owes && c.log.Owes(i)
		if over && u.View.Players[i].Owes {
			u.Late = append(u.Late, i)
		}
		if f, blamed := c.blamed[i]; blamed {
			u.Blamed = append(u.Blamed, f)
		}
	}
	for _, m := range c.log.Motions(c.log.Round()) {
		u.Motions = append(u.Motions, c.motion(m))
	}
	for i, p := range c.live.Presence() {
		if i != c.cfg.Me && p.State != node.Connected && c.log.Present(i) {
			u.Away = append(u.Away, Absence{Seat: i, Shaky: p.State == node.Shaky, Since: p.Since})
		}
	}
	c.latest.Store(u)
	if c.news != nil {
		c.news()
	}
}

// there reports whether this peer has a seat that has not been left out.
func (c *Core) there() bool { return c.log.Present(c.cfg.Me) }

func (c *Core) motion(m feed.Motion) Motion {
	out := Motion{Without: m.Seats(), Abandon: m.Abandon}
	for _, i := range c.state.Present() {
		v := c.log.Vote(c.log.Round(), m, i)
		switch {
		case m.Drops(i):
		case v == nil:
			out.Need = append(out.Need, i)
		default:
			if yes(v) {
				out.Yes = append(out.Yes, i)
			}
		}
	}
	return out
}
