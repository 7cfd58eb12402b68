package sim

import "time"

// cut blocks or frees the way from one peer to another; blocks count.
func (w *World) cut(from, to *peer, by int) {
	w.blocked[from.index][to.index] += by
	if e := from.ends[to.index]; e != nil && w.open(from, to) {
		e.flush()
	}
}

// cutBoth does it both ways.
func (w *World) cutBoth(a, b *peer, by int) {
	w.cut(a, b, by)
	w.cut(b, a, by)
}

// often lets a fault happen again and again until faults end.
func (w *World) often(mean time.Duration, fault func()) {
	if mean == 0 {
		return
	}
	var again func()
	again = func() {
		if !w.faulty() {
			return
		}
		fault()
		w.after(w.dice.between(mean/4, 2*mean), again)
	}
	w.after(w.dice.between(0, 2*mean), again)
}

// a while that a fault lasts: short, or long enough to be seen as being away.
func (w *World) while() time.Duration {
	if !w.set.hasty && w.dice.chance(70) {
		return w.dice.between(100*time.Millisecond, 9*time.Second)
	}
	return w.dice.between(10*time.Second, 2*time.Minute)
}

// until is how long something may last that begins now: no fault outlasts them all.
func (w *World) until(d time.Duration) time.Duration { return min(w.now+d, w.set.calm) }

// any draws a peer.
func (w *World) any() *peer { return w.peers[w.dice.below(len(w.peers))] }

// two draws two different peers.
func (w *World) two() (a, b *peer) {
	order := w.dice.perm(len(w.peers))
	return w.peers[order[0]], w.peers[order[1]]
}

// begin starts the faults of this run.
func (w *World) beginFaults() {
	s := &w.set
	w.often(s.breaks, w.breakOne)
	w.often(s.cuts, w.cutOne)
	w.often(s.halves, w.partition)
	w.often(s.crashes, func() {
		if p := w.any(); p.up {
			w.count("crashes", 1)
			p.die("is killed", w.dice.chance(50))
		}
	})
	w.often(s.sleeps, w.sleepOne)
	if s.apart {
		a, b := w.peers[0], w.peers[1+w.dice.below(s.seats-1)]
		w.trace("%s and %s never reach each other", a.name, b.name)
		w.count("two apart for good", 1)
		w.cutBoth(a, b, 1)
		w.apart = []int{a.seat, b.seat}
	}
	for _, i := range s.goes {
		p := w.peers[i]
		w.after(w.dice.between(0, s.calm), func() {
			p.leaves = true
			w.trace("%s leaves for good", p.name)
			if p.up {
				p.die("is gone", w.dice.chance(50))
			}
		})
	}
}

// breakOne ends a connection: both sides notice, or one, or nobody.
func (w *World) breakOne() {
	a, b := w.two()
	e := a.ends[b.index]
	if e == nil {
		return
	}
	w.count("connections broken", 1)
	w.trace("the connection of %s and %s breaks", a.name, b.name)
	o := e.other
	e.silent, o.silent = true, true
	if w.dice.chance(70) {
		a.hangUp(b, false)
	}
	if w.dice.chance(70) && !o.dead {
		b.hangUp(a, false)
	}
}

// cutOne cuts the way between two peers, mostly in both directions.
func (w *World) cutOne() {
	a, b := w.two()
	end := w.until(w.while())
	if w.dice.chance(30) {
		w.count("ways cut", 1)
		w.trace("%s does not reach %s", a.name, b.name)
		w.cut(a, b, 1)
		w.at(end, func() { w.cut(a, b, -1) })
		return
	}
	w.count("cables cut", 1)
	w.trace("%s and %s do not reach each other", a.name, b.name)
	w.cutBoth(a, b, 1)
	w.at(end, func() { w.cutBoth(a, b, -1) })
}

// partition cuts the table in two.
func (w *World) partition() {
	order := w.dice.perm(len(w.peers))
	at := 1 + w.dice.below(len(order)-1)
	end := w.until(w.while())
	w.count("partitions", 1)
	w.trace("the table is in two: %v and %v", order[:at], order[at:])
	each := func(by int) {
		for _, i := range order[:at] {
			for _, j := range order[at:] {
				w.cutBoth(w.peers[i], w.peers[j], by)
			}
		}
	}
	each(1)
	w.at(end, func() { each(-1) })
}

// sleepOne closes the lid of a computer.
func (w *World) sleepOne() {
	p := w.any()
	if !p.up || p.frozen() {
		return
	}
	d := w.while()
	if w.dice.chance(20) {
		d = 10 * time.Minute
	}
	w.count("computers asleep", 1)
	w.trace("%s falls asleep", p.name)
	p.thaw = w.until(d)
	w.at(p.thaw, func() {
		for _, e := range p.ends {
			if e != nil && !e.dead {
				e.other.flush()
			}
		}
	})
}
