package node

import "time"

// Silence after which a seat is shaky, and away; and the time between signs of
// life, three of which may be lost before anybody worries.
const (
	pingEvery  = 2 * time.Second
	shakyAfter = 6 * time.Second
	awayAfter  = 25 * time.Second
)

// sighting is what is known of one seat.
type sighting struct {
	heard time.Time // last sign of life over any connection, zero if none
	links uint16    // the seats it says it is connected to, while it is connected itself
	live  bool      // a connection is up
}

// fresh reports whether a seat is connected here and talks.
func (s sighting) fresh(now time.Time) bool { return s.live && now.Sub(s.heard) < shakyAfter }

// judge says what each seat's state is, and when it has to be looked at again
// (zero if only news can change it). began is when the game was taken up here.
func judge(seats []sighting, me int, began, now time.Time) (out []Presence, again time.Time) {
	out = make([]Presence, len(seats))
	sooner := func(t time.Time) {
		if again.IsZero() || t.Before(again) {
			again = t
		}
	}
	for i, s := range seats {
		out[i].Via = -1
		if i == me {
			continue
		}
		if via := vouched(seats, me, i, now); via >= 0 && !s.fresh(now) {
			out[i].Via = via
			sooner(seats[via].heard.Add(shakyAfter))
			continue
		}
		heard := s.heard
		if heard.IsZero() {
			heard = began.Add(-shakyAfter) // never connected is shaky from the start
			if now.Sub(began) < awayAfter {
				out[i].State = Shaky
				sooner(began.Add(awayAfter))
				continue
			}
		}
		switch silent := now.Sub(heard); {
		case silent < shakyAfter:
			sooner(heard.Add(shakyAfter))
		case silent < awayAfter:
			out[i].State = Shaky
			sooner(heard.Add(awayAfter))
		default:
			out[i].State = Away
		}
	}
	return out, again
}

// vouched finds a connected seat that says it is connected to another, or -1.
func vouched(seats []sighting, me, of int, now time.Time) int {
	for i, s := range seats {
		if i != me && i != of && s.fresh(now) && s.links&(1<<of) != 0 {
			return i
		}
	}
	return -1
}
