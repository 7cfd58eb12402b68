package lan

import "time"

const (
	calmPoll     = 10 * time.Second
	eagerPoll    = time.Second
	crowd        = 6 // peers per further second between polls
	maxEagerPoll = 4 * time.Second
	minRenewGap  = 100 * time.Millisecond
	promptMin    = 20 * time.Millisecond
	promptSpan   = 100 * time.Millisecond // RFC 6762 section 6: 20 to 120 ms
	helloMin     = 10 * time.Second
	helloSpan    = 20 * time.Second
	multicastAsk = 5 // of so many eager queries one asks for answers on the group
)

var (
	firstPolls  = []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond}
	firstHellos = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond}
)

// cadence decides when one interface asks and when it announces. It has no
// clock: the caller says what time it is, and passes a roll in [0,1) where
// chance is wanted.
type cadence struct {
	polls, hellos       int
	nextPoll, nextHello time.Time
	lastHello           time.Time
}

// startCadence begins with one query and one announcement at once.
func startCadence(now time.Time) cadence {
	return cadence{nextPoll: now, nextHello: now}
}

// multicastQuery says whether the next query wants its answers on the group.
// Calm ones do not: entries then live long enough for the announcements that
// come anyway.
func (c *cadence) multicastQuery(eager bool) bool {
	return c.polls < len(firstPolls) || eager && c.polls%multicastAsk == 0
}

// polled notes a query sent now and sets the time of the next.
func (c *cadence) polled(now time.Time, eager bool, peers int) {
	c.nextPoll = now.Add(pollGap(c.polls, eager, peers))
	c.polls++
}

// pollGap is the pause after a query. In a crowd, everybody asks less often: the
// answers grow with the square of the number of players.
func pollGap(polls int, eager bool, peers int) time.Duration {
	switch {
	case polls < len(firstPolls):
		return firstPolls[polls]
	case !eager:
		return calmPoll
	}
	return min(eagerPoll*time.Duration(1+peers/crowd), maxEagerPoll)
}

// announced notes an announcement sent now and sets the time of the next.
func (c *cadence) announced(now time.Time, roll float64) {
	gap := helloMin + time.Duration(roll*float64(helloSpan))
	if c.hellos < len(firstHellos) {
		gap = firstHellos[c.hellos]
	}
	c.hellos++
	c.lastHello = now
	c.nextHello = now.Add(gap)
}

// reason is why an announcement is brought forward.
type reason int32

const (
	noReason reason = iota
	asked           // somebody asked the group
	arrived         // somebody is new
)

// gap is the least time since the previous announcement. RFC 6762 section 6
// wants a second. An arrival is rarer than a question, and the newcomer, if its
// firewall lets in nothing else, hears of us by this announcement only.
func (r reason) gap() time.Duration {
	if r == arrived {
		return 250 * time.Millisecond
	}
	return time.Second
}

// prompt brings the next announcement forward, a little scattered so that all
// who are prompted do not speak at once.
func (c *cadence) prompt(now time.Time, why reason, roll float64) {
	soon := now.Add(promptMin + time.Duration(roll*float64(promptSpan)))
	if allowed := c.lastHello.Add(why.gap()); soon.Before(allowed) {
		soon = allowed
	}
	if soon.Before(c.nextHello) {
		c.nextHello = soon
	}
}

// renew announces again as at the start: what is announced has changed.
func (c *cadence) renew(now time.Time) {
	c.hellos, c.nextHello = 0, now
	if allowed := c.lastHello.Add(minRenewGap); allowed.After(now) {
		c.nextHello = allowed
	}
}

// hurry polls again as at the start.
func (c *cadence) hurry(now time.Time) {
	c.polls, c.nextPoll = 0, now
}

// next is when something is due.
func (c *cadence) next() time.Time {
	if c.nextHello.Before(c.nextPoll) {
		return c.nextHello
	}
	return c.nextPoll
}
