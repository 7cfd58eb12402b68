package sim

import (
	"strings"
	"time"

	"alibi/game/rules"
)

// setting is what a run is about, drawn from its seed.
type setting struct {
	edition    string
	seats      int
	leavers    int // the charter's
	options    rules.Options
	spectators int

	goes     []int // seats that leave for good, sooner or later
	cheats   []int // seats that cheat
	strategy *strategy
	reckless bool // everybody accuses at random
	hasty    bool // everybody moves soon to go on without who is away, and who is away is so for long

	calm time.Duration // faults end then

	latency   time.Duration // the longest usual one
	repeated  int           // of a hundred entries, how many come twice
	breaks    time.Duration // mean time between broken connections; 0 is never
	cuts      time.Duration // between cuts of one way, or of both
	halves    time.Duration // between partitions
	crashes   time.Duration
	sleeps    time.Duration
	downLeast time.Duration
	downMost  time.Duration
	apart     bool // two seats can never reach each other

	// Of a thousand writes.
	diskLost, diskKept, crashBefore, crashAfter int
}

// draw draws a setting. kind says what the run is to be about.
func draw(d *dice, kind string) setting {
	s := setting{
		edition: rules.Editions()[d.weighted(88, 12)].Name,
		seats:   2 + d.weighted(15, 47, 30, 5, 3),
		options: rules.DefaultOptions(),
		calm:    d.between(30*time.Second, 8*time.Minute),
		latency: d.between(2*time.Millisecond, 400*time.Millisecond),
	}
	if d.chance(60) && s.seats > 2 {
		s.leavers = 1 + d.below(s.seats-2)
	}
	s.options.First = rules.FirstChoices[d.below(len(rules.FirstChoices))]
	s.options.Order = rules.OrderChoices[d.below(len(rules.OrderChoices))]
	s.options.Last = rules.LastChoices[d.below(len(rules.LastChoices))]
	if d.chance(25) {
		s.options.Timer = uint16(rules.TimerMin + d.below(110))
	}
	if d.chance(20) {
		s.spectators, s.options.Watch = 1, true
	}
	s.drawFaults(d)
	kind, how, _ := strings.Cut(kind, ":")
	switch kind {
	case kindLeaver:
		s.drawLeavers(d)
	case kindReturner:
		s.drawReturners(d)
	case kindCheat:
		s.drawCheat(d, how)
	}
	return s
}

// Kinds of runs. That of cheats can name a strategy: "cheat:two answers".
const (
	kindHonest   = "honest"
	kindLeaver   = "leaver"
	kindReturner = "returner"
	kindCheat    = "cheat"
)

var kinds = []string{kindHonest, kindLeaver, kindReturner, kindCheat}

func (s *setting) drawFaults(d *dice) {
	s.downLeast, s.downMost = 200*time.Millisecond, d.between(time.Second, 2*time.Minute)
	if d.chance(15) {
		return // a quiet network
	}
	mean := func(percent int) time.Duration {
		if !d.chance(percent) {
			return 0
		}
		return d.between(5*time.Second, 90*time.Second)
	}
	s.breaks, s.cuts, s.halves = mean(60), mean(50), mean(35)
	s.crashes, s.sleeps = mean(60), mean(25)
	s.repeated = d.weighted(50, 10, 10, 10, 10, 10)
	s.apart = s.seats > 2 && d.chance(15)
	if d.chance(60) {
		for _, x := range []*int{&s.diskLost, &s.diskKept, &s.crashBefore, &s.crashAfter} {
			*x = d.below(25)
		}
	}
}

// drawLeavers has as many leave as the table tolerates, or fewer, or more.
func (s *setting) drawLeavers(d *dice) {
	if s.seats > 2 && s.leavers == 0 && d.chance(75) {
		s.leavers = 1
	}
	n := 1 + d.below(max(s.leavers, 1))
	if d.chance(10) {
		n++
	}
	s.goes = d.perm(s.seats)[:min(n, s.seats-1)]
}

// drawReturners has seats be away for long enough to be voted out, and come back:
// some before the vote is carried, some after.
func (s *setting) drawReturners(d *dice) {
	s.seats = max(s.seats, 3)
	s.leavers = 1 + d.below(s.seats-2)
	s.hasty, s.calm = true, d.between(3*time.Minute, 8*time.Minute)
	for _, x := range []*time.Duration{&s.cuts, &s.halves, &s.crashes, &s.sleeps} {
		if *x = 0; d.chance(60) {
			*x = d.between(20*time.Second, time.Minute)
		}
	}
	s.downLeast, s.downMost = 20*time.Second, d.between(40*time.Second, 2*time.Minute)
	if d.chance(30) {
		s.goes = d.perm(s.seats)[:1]
	}
}

// drawCheat has one seat cheat, in the way that is named if any is. A table at
// which that cannot be done is drawn larger.
func (s *setting) drawCheat(d *dice, how string) {
	var may []*strategy
	for _, x := range strategies {
		if x.name == how && x.fits != nil && !x.fits(s) {
			s.seats = max(s.seats, 3)
			s.leavers = max(s.leavers, 1)
		}
		if (x.fits == nil || x.fits(s)) && (how == "" || x.name == how) {
			may = append(may, x)
		}
	}
	if len(may) == 0 {
		return
	}
	s.strategy = may[d.below(len(may))]
	if s.strategy.set != nil {
		s.strategy.set(s, d)
	}
	s.cheats = []int{d.below(s.seats)}
	s.apart = s.apart && s.seats > 3 // or the cheat would be all that connects two
}

// habit draws how somebody plays.
func (s *setting) habit(d *dice) habits {
	h := habits{
		bot:   d.chance(65),
		pause: d.between(0, 6*time.Second),
		late:  d.weighted(70, 10, 10, 10) * 3, reckless: 3 + d.below(30),
		patience: d.between(20*time.Second, 2*time.Minute),
	}
	if s.reckless {
		h.bot, h.reckless = false, 35+d.below(40)
	}
	if d.chance(50) {
		h.floor = d.between(0, 2*time.Second)
	}
	if d.chance(40) {
		h.slow = d.between(0, 300*time.Millisecond)
	}
	if d.chance(35) {
		h.patience, h.drops = 0, d.between(20*time.Second, 2*time.Minute)
	}
	if s.hasty {
		h.patience, h.drops = d.between(time.Second, 40*time.Second), 0
	}
	return h
}
