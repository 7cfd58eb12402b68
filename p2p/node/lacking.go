package node

// Lacking lists the seats that are not known to hold everything that was
// published here: those that are not connected, and those that have not said yet
// that they have taken it in.
func (g *Game) Lacking() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []int
	for i := range g.seats {
		if i == g.me {
			continue
		}
		if x := g.current(i); x == nil || !x.plan.Idle() || x.sent != x.acked {
			out = append(out, i)
		}
	}
	return out
}
