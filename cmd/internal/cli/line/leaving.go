package line

import (
	"slices"
	"strings"

	"alibi/cmd/internal/session"
	"alibi/game/view"
)

// The verbs by which a table goes on without somebody, and what is told of it.

// drop gives a word to go on without players, usually one.
func (d *Desk) drop(u *session.Update, typed []string) Reply {
	v := u.View
	if len(typed) == 0 {
		return d.wrong("wrong.drop", "hint.drop", "short", strings.ToLower(v.Players[len(v.Players)-1].Name))
	}
	seats, unknown := d.dropped(v, typed)
	if unknown != "" {
		return d.unknownPlayer(v, unknown)
	}
	for _, s := range seats {
		switch {
		case s == v.Me:
			return d.wrong("wrong.drop.me", "hint.quit.me")
		case v.Players[s].Gone:
			return d.gone(v, s)
		case !slices.Contains(u.Droppable, s) && missed(u, s):
			return d.refused(session.ErrLeavers)
		case !slices.Contains(u.Droppable, s):
			return d.wrong("wrong.there", "hint.there", "who", d.book.Player(v, s))
		}
	}
	who := d.book.Names(v, seats)
	return d.confirm(Reply{Drop: seats, Then: []string{d.book.Say("done.drop", "who", who)}}, "confirm.drop", "who", who)
}

// missed reports whether a seat is away, or over its time.
func missed(u *session.Update, seat int) bool {
	return slices.Contains(u.Late, seat) || slices.ContainsFunc(u.Away, func(a session.Absence) bool { return a.Seat == seat && !a.Shaky })
}

// dropped reads one player, whose name may have several words, or several.
func (d *Desk) dropped(v *view.View, typed []string) ([]int, string) {
	if s, ok := d.player(v, joined(typed)); ok {
		return []int{s}, ""
	}
	seats, unknown := d.players(v, typed)
	slices.Sort(seats)
	return slices.Compact(seats), unknown
}

func (d *Desk) gone(v *view.View, s int) Reply {
	return d.wrong("wrong.gone", "hint.players", "who", d.book.Player(v, s), "names", d.book.Names(v, here(v)))
}

// here lists the seats that have not left.
func here(v *view.View) []int {
	var out []int
	for i, p := range v.Players {
		if !p.Gone {
			out = append(out, i)
		}
	}
	return out
}

// watching reports whether nothing is expected of this seat any more.
func watching(v *view.View) bool {
	return v.Result != nil && !v.Choices.Any() || v.Me == view.Spectator || v.Players[v.Me].Gone
}

func (d *Desk) abandon(u *session.Update, _ []string) Reply {
	if watching(u.View) {
		return d.notNow(u)
	}
	return d.confirm(Reply{Abandon: true, Then: []string{d.book.Say("done.abandon")}}, "confirm.abandon")
}

func (d *Desk) quit(u *session.Update, _ []string) Reply {
	if watching(u.View) {
		return Reply{Quit: true}
	}
	return d.confirm(Reply{Quit: true}, "confirm.quit")
}
