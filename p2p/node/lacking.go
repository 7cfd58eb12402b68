package node

// Lacking lists the seats that may lack something that was published here: those
// that have not said yet that they have taken it in, and those that are not
// connected. Who hung up after it had been sent everything does not lack it: a
// program whose game is over does so, while a connection that breaks is noticed
// only after awayAfter.
func (g *Game) Lacking() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []int
	for i, s := range g.seats {
		x := s.current()
		if i == g.me || x == nil && s.had == g.book.Len() || x != nil && x.delivered() {
			continue
		}
		out = append(out, i)
	}
	return out
}
