package session

import "alibi/game/table"

// Keep makes all that was accepted durable, as before the last words are seen off.
func (c *Core) Keep() error { return c.keep() }

// Blamed lists the faults of seats that this peer holds against them now: the
// table goes on without them, or has stopped.
func (c *Core) Blamed() []table.Fault {
	var out []table.Fault
	for i := range c.state.Seats() {
		if f, blamed := c.blamed[i]; blamed {
			out = append(out, f)
		}
	}
	return out
}
