package line

import (
	"slices"
	"strings"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/view"
)

// observer notices what has changed about who is there, and says it once.
type observer struct {
	book   *say.Book
	plays  bool // somebody types, and can be told what to
	away   map[int]bool
	late   map[int]bool
	caught map[int]bool
	left   bool // this seat was left out
	moved  map[string]string
	round  uint32
	over   map[string]bool // what was said of giving up, be it in earlier rounds
	until  uint32          // the last round in which somebody wanted to
}

func newObserver(b *say.Book, plays bool) *observer {
	return &observer{book: b, plays: plays, away: map[int]bool{}, late: map[int]bool{}, caught: map[int]bool{}, moved: map[string]string{}, over: map[string]bool{}}
}

// see lists what there is to say of an update, blame aside.
func (o *observer) see(u *session.Update) []string {
	if u.View.Round != o.round {
		o.round, o.late, o.moved = u.View.Round, map[int]bool{}, map[string]string{}
	}
	var out []string
	out = append(out, o.absence(u)...)
	out = append(out, o.overtime(u)...)
	if u.View.Round > o.until+1 {
		clear(o.over)
	}
	for _, m := range u.Motions {
		key, text := o.motion(u, m)
		if m.Abandon {
			// Who wants to give up wants it in every round, until all do.
			if o.until = u.View.Round; !o.over[text] {
				o.over[text] = true
				out = append(out, text)
			}
			continue
		}
		if o.moved[key] != text {
			o.moved[key] = text
			out = append(out, text)
		}
	}
	if v := u.View; v.Me >= 0 && v.Players[v.Me].Gone && !o.left {
		o.left = true
		if o.plays {
			out = append(out, o.book.Say("left.you"))
		}
	}
	return out
}

// can reports whether this player can be told to drop a seat.
func (o *observer) can(u *session.Update, seat int) bool {
	return o.plays && slices.Contains(u.Droppable, seat) && !watching(u.View)
}

// short is a player's name as one would type it.
func short(v *view.View, seat int) string { return strings.Join(words(v.Players[seat].Name), " ") }

func (o *observer) absence(u *session.Update) (out []string) {
	away := map[int]bool{}
	for _, a := range u.Away {
		if a.Shaky {
			continue
		}
		away[a.Seat] = true
		if o.away[a.Seat] {
			continue
		}
		who, since := o.book.Player(u.View, a.Seat), o.book.Clock(a.Since)
		if o.can(u, a.Seat) {
			out = append(out, o.book.Say("away.drop", "who", who, "time", since, "short", short(u.View, a.Seat)))
			continue
		}
		key := "away"
		if u.View.Players[a.Seat].Owes {
			key = "away.wait"
		}
		out = append(out, o.book.Say(key, "who", who, "time", since))
	}
	for i, p := range u.View.Players {
		if o.away[i] && !away[i] && !p.Gone {
			out = append(out, o.book.Say("away.back", "who", o.book.Player(u.View, i)))
		}
	}
	o.away = away
	return out
}

// overtime names who owes an entry after the time for it is over.
func (o *observer) overtime(u *session.Update) (out []string) {
	for _, i := range u.Late {
		if o.late[i] || o.away[i] {
			continue
		}
		o.late[i] = true
		who := o.book.Player(u.View, i)
		switch {
		case i == u.View.Me:
			out = append(out, o.book.Overtime(u.Spared))
		case o.can(u, i):
			out = append(out, o.book.Say("late.drop", "who", who, "short", short(u.View, i)))
		default:
			out = append(out, o.book.Say("late", "who", who))
		}
	}
	return out
}

// blame names who was caught while the table goes on; whether it stops for
// somebody is said at the end.
func (o *observer) blame(u *session.Update) (out []string) {
	for _, f := range u.Blamed {
		if o.caught[f.Seat] || len(u.View.Faults) > 0 {
			continue
		}
		o.caught[f.Seat] = true
		key := "caught"
		if f.Seat == u.View.Me {
			key = "caught.you"
		}
		out = append(out, o.book.Say(key, "fault", o.book.Fault(u.View, f)))
	}
	return out
}

// motion says what has been moved; key tells it from other motions.
func (o *observer) motion(u *session.Update, m session.Motion) (key, text string) {
	v := u.View
	yes, need := o.book.Names(v, m.Yes), o.book.Names(v, m.Need)
	mine := o.plays && slices.Contains(m.Need, v.Me)
	if m.Abandon {
		key = "abandon " + o.book.Names(v, m.Without)
		if mine {
			return key, o.book.Say("moved.abandon.mine", "yes", yes)
		}
		return key, o.book.Say("moved.abandon", "yes", yes, "need", need)
	}
	who := o.book.Names(v, m.Without)
	switch {
	case slices.Contains(m.Without, v.Me):
		return who, o.book.Say("moved.drop.me", "yes", yes)
	case !mine:
		return who, o.book.Say("moved.drop", "who", who, "yes", yes, "need", need)
	}
	var typed []string
	for _, s := range m.Without {
		if !o.can(u, s) {
			return who, o.book.Say("moved.drop.there", "who", who, "yes", yes)
		}
		typed = append(typed, short(v, s))
	}
	return who, o.book.Say("moved.drop.mine", "who", who, "yes", yes, "short", strings.Join(typed, " "))
}
