package say

import (
	"strings"

	"alibi/game/view"
)

// Prompt says what the player is asked now and what to type; "" when there is
// nothing to decide.
func (b *Book) Prompt(v *view.View) string {
	c := v.Choices
	switch {
	case c.Turn:
		return b.Say("prompt.turn")
	case c.Answer:
		return b.answer(v)
	case c.Join:
		return b.Say("prompt.join", "who", b.Player(v, v.Active))
	case c.Guess:
		return b.Say("prompt.guess")
	case c.Vote:
		key := "prompt.vote"
		if v.Options.First == "opener" {
			key = "prompt.first"
		}
		return b.Say(key, "who", v.Players[neighbour(v)].Name)
	case len(c.Propose) > 0:
		return b.Say("prompt.order", "names", b.typed(v, c.Propose))
	case c.Leave:
		return b.Say("prompt.leave")
	}
	return ""
}

// Overtime tells a player that their time is over. Where nobody may leave, nobody can
// go on without them either.
func (b *Book) Overtime(spared bool) string {
	if spared {
		return b.Say("late.you")
	}
	return b.Say("late.you.stay")
}

// neighbour is the next player to the left who is still at the table.
func neighbour(v *view.View) int {
	next := (v.Me + 1) % len(v.Players)
	for v.Players[next].Gone {
		next = (next + 1) % len(v.Players)
	}
	return next
}

// typed lists players as one would type them.
func (b *Book) typed(v *view.View, seats []int) string {
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = v.Players[s].Name
		if s == v.Me {
			names[i] = b.Say("player.you")
		}
	}
	return strings.Join(names, ", ")
}

func (b *Book) answer(v *view.View) string {
	e, q, show := v.Edition, v.Question, v.Choices.Show
	asked := b.Cards(e, q.Cards)
	who := b.Player(v, q.Asker)
	switch len(show) {
	case 0:
		return b.Say("prompt.deny", "who", who, "cards", asked)
	case 1:
		return b.Say("prompt.show", "who", who, "cards", asked, "card", b.Card(e, show[0]), "short", b.Short(e, show[0]))
	}
	return b.Say("prompt.choose", "who", who, "cards", asked, "held", b.Cards(e, show),
		"a", b.Short(e, show[0]), "b", b.Short(e, show[1]))
}
