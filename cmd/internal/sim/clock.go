package sim

import (
	"container/heap"
	"time"
)

// epoch is when every run begins.
var epoch = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// event is something that happens at a time. Of several at one time, the one
// that was planned first happens first.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

// agenda is a heap of events.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() any {
	old := *a
	e := old[len(old)-1]
	old[len(old)-1] = event{}
	*a = old[:len(old)-1]
	return e
}

// clock is virtual time and what is going to happen in it.
type clock struct {
	now    time.Duration
	seq    uint64
	agenda agenda
}

// at plans something for a time; what is past happens now.
func (c *clock) at(t time.Duration, do func()) {
	c.seq++
	heap.Push(&c.agenda, event{max(t, c.now), c.seq, do})
}

// after plans something for a while from now.
func (c *clock) after(d time.Duration, do func()) { c.at(c.now+d, do) }

// tick lets the next thing happen; it reports false when nothing is left to.
func (c *clock) tick() bool {
	if len(c.agenda) == 0 {
		return false
	}
	e := heap.Pop(&c.agenda).(event)
	c.now = e.at
	e.do()
	return true
}
