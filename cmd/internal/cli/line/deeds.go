package line

import (
	"slices"

	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
)

// The verbs that decide something.

func (d *Desk) ask(u *session.Update, typed []string) Reply {
	if !u.View.Choices.Turn {
		return d.notNow(u)
	}
	cards, t := d.index.set(typed, u.View.Edition.QuestionSize, d.index.all())
	if t.key != "" {
		return d.unclear(t)
	}
	return Reply{Do: seat.Ask{Cards: cards}}
}

func (d *Desk) no(u *session.Update, _ []string) Reply {
	c := u.View.Choices
	switch {
	case !c.Answer:
		return d.notNow(u)
	case len(c.Show) > 0:
		return d.wrong("wrong.holding", "hint.prompt", "prompt", d.Prompt(u))
	}
	return Reply{Do: seat.Deny{}}
}

func (d *Desk) show(u *session.Update, typed []string) Reply {
	v := u.View
	c := v.Choices
	switch {
	case !c.Answer:
		return d.notNow(u)
	case len(c.Show) == 0:
		return d.wrong("wrong.nothing", "hint.prompt", "prompt", d.Prompt(u))
	}
	cards, t := d.index.set(typed, 1, c.Show)
	if t.key != "" {
		return d.unclear(t)
	}
	return Reply{Do: seat.Show{Card: cards[0]}, Then: []string{
		d.book.Say("done.show", "who", d.book.Player(v, v.Question.Asker), "card", d.book.Card(v.Edition, cards[0]))}}
}

// named reads three cards of an accusation, or none at all.
func (d *Desk) named(typed []string) ([]rules.Card, *Reply) {
	if len(d.index.strip(typed)) == 0 {
		return nil, nil
	}
	cards, t := d.index.solution(typed)
	if t.key != "" {
		r := d.unclear(t)
		return nil, &r
	}
	return cards, nil
}

func (d *Desk) accuse(u *session.Update, typed []string) Reply {
	switch c := u.View.Choices; {
	case c.Join:
		return d.join(u, typed)
	case c.Guess:
		return d.fix(u, typed)
	case !c.Turn:
		return d.notNow(u)
	}
	cards, bad := d.named(typed)
	switch {
	case bad != nil:
		return *bad
	case cards == nil:
		return d.confirm(Reply{Do: seat.Accuse{}}, "confirm.accuse")
	}
	return d.confirm(Reply{Do: seat.Accuse{}, guess: cards}, "confirm.accuse.named", "cards", d.book.Cards(u.View.Edition, cards))
}

func (d *Desk) join(u *session.Update, typed []string) Reply {
	if !u.View.Choices.Join {
		return d.notNow(u)
	}
	cards, bad := d.named(typed)
	then := []string{d.book.Say("done.sealed")}
	switch {
	case bad != nil:
		return *bad
	case cards == nil:
		return d.confirm(Reply{Do: seat.Join{}, Then: then}, "confirm.join")
	}
	return d.confirm(Reply{Do: seat.Join{}, Then: then, guess: cards}, "confirm.join.named", "cards", d.book.Cards(u.View.Edition, cards))
}

func (d *Desk) pass(u *session.Update, _ []string) Reply {
	if !u.View.Choices.Join {
		return d.notNow(u)
	}
	return Reply{Do: seat.Pass{}, Then: []string{d.book.Say("done.sealed")}}
}

// fix names the guess of an accusation under way.
func (d *Desk) fix(u *session.Update, typed []string) Reply {
	if !u.View.Choices.Guess {
		return d.notNow(u)
	}
	cards, bad := d.named(typed)
	switch {
	case bad != nil:
		return *bad
	case cards == nil:
		return d.wrong("wrong.guess", "hint.guess")
	}
	names := d.book.Cards(u.View.Edition, cards)
	return d.confirm(Reply{Do: seat.Guess{Cards: cards}, Then: []string{d.book.Say("done.guess", "cards", names)}}, "confirm.guess", "cards", names)
}

func (d *Desk) vote(u *session.Update, typed []string) Reply {
	v := u.View
	if !v.Choices.Vote {
		return d.notNow(u)
	}
	if len(typed) == 0 {
		return d.unknownPlayer(v, "")
	}
	s, ok := d.player(v, joined(typed))
	switch {
	case !ok:
		return d.unknownPlayer(v, joined(typed))
	case v.Players[s].Gone:
		return d.gone(v, s)
	}
	return Reply{Do: seat.Vote{For: s}, Then: []string{d.book.Say("done.vote", "who", d.book.Player(v, s))}}
}

func (d *Desk) order(u *session.Update, typed []string) Reply {
	v := u.View
	want := v.Choices.Propose
	if len(want) == 0 {
		return d.notNow(u)
	}
	seats, unknown := d.players(v, typed)
	if unknown != "" {
		return d.unknownPlayer(v, unknown)
	}
	if !slices.Equal(slices.Sorted(slices.Values(seats)), slices.Sorted(slices.Values(want))) {
		return d.wrong("wrong.order", "hint.prompt", "prompt", d.Prompt(u))
	}
	return Reply{Do: seat.Propose{Seats: seats}, Then: []string{d.book.Say("done.order", "names", d.book.Names(v, seats))}}
}

func (d *Desk) open(u *session.Update, _ []string) Reply { return d.leave(u, true) }
func (d *Desk) keep(u *session.Update, _ []string) Reply { return d.leave(u, false) }

func (d *Desk) leave(u *session.Update, open bool) Reply {
	if !u.View.Choices.Leave {
		return d.notNow(u)
	}
	return Reply{Do: seat.Leave{Open: open}, Then: []string{d.book.Say("done.leave")}}
}

func (d *Desk) ready(u *session.Update, _ []string) Reply {
	if !u.Compare {
		return d.notNow(u)
	}
	return Reply{Ready: true, Then: []string{d.book.Say("done.ready")}}
}
