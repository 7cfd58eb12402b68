package say

import (
	"slices"

	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// Told is one line of a story in words. Turn is the number of the turn that
// begins with it, else 0.
type Told struct {
	Turn int
	Seat int  // whose turn begins
	End  bool // says how the game ended
	Text string
}

// Story tells what happened from line number from on, as the reader of the view
// may hear it. Earlier lines count turns only.
func (b *Book) Story(v *view.View, from int) []Told {
	var out []Told
	turn := 0
	shuffled := make([]int, len(v.Players))
	for i, l := range v.Lines {
		t := Told{End: l.Kind == table.Ended}
		switch l.Kind {
		case table.Asked, table.Accused:
			turn++
			t.Turn, t.Seat = turn, l.Seat
		case table.Shuffled:
			shuffled[l.Seat]++
		}
		if i < from {
			continue
		}
		// Each seat shuffles the categories once, and all else after that.
		t.Text = b.line(v, l, l.Kind == table.Shuffled && shuffled[l.Seat] > 1)
		out = append(out, t)
	}
	return out
}

var kindKeys = map[table.EventKind]string{
	table.Shuffled: "story.shuffled", table.Dealt: "story.dealt", table.Began: "story.began",
	table.Voted: "story.voted", table.Asked: "story.asked", table.Denied: "story.denied",
	table.Showed: "story.showed", table.Unanswered: "story.unanswered", table.Accused: "story.accused",
	table.Joined: "story.joined", table.Passed: "story.passed", table.Ordered: "story.ordered",
	table.Guessed: "story.guessed", table.Peeked: "story.peeked", table.Wrong: "story.wrong",
	table.Right: "story.right", table.Disclosed: "story.disclosed", table.Revealed: "story.revealed",
	table.Opened: "story.opened", table.Kept: "story.kept", table.Left: "story.left",
	table.LaidOpen: "story.laid", table.Stopped: "story.stopped",
}

// line chooses the key: by kind, then by whether the reader did it.
func (b *Book) line(v *view.View, l view.Line, pooled bool) string {
	if l.Kind == table.Ended {
		return b.Result(v, l.Result)
	}
	key, cards, seats := kindKeys[l.Kind], l.Cards, l.Seats
	switch l.Kind {
	case table.Shuffled:
		if pooled {
			key = "story.pooled"
		}
	case table.Dealt:
		if len(cards) == 0 {
			key = "story.dealt.even"
		}
		if v.Me != view.Spectator {
			return b.Say(key+".you", "cards", b.Cards(v.Edition, cards), "hand", b.Cards(v.Edition, v.Hand))
		}
	case table.Showed:
		if l.Card != view.Hidden {
			key = "story.showed.open"
		}
		if l.To == v.Me {
			key += ".me"
		}
	case table.Peeked:
		cards = v.Crime
		if l.Seat == v.Me && cards == nil {
			key = "story.peeked.blind"
		}
	case table.Opened:
		cards = v.Players[l.Seat].Hand
	case table.Stopped:
		seats = present(v)
	}
	if l.Seat == v.Me && v.Me != view.Spectator {
		key = b.choose(key+".you", key)
	}
	card := b.Say("card.hidden")
	if l.Card != view.Hidden {
		card = b.Card(v.Edition, l.Card)
	}
	return b.Say(key, "who", b.Player(v, l.Seat), "to", b.Player(v, l.To), "card", card,
		"cards", b.Cards(v.Edition, cards), "names", b.Names(v, seats))
}

func present(v *view.View) []int {
	var out []int
	for i, p := range v.Players {
		if !p.Gone {
			out = append(out, i)
		}
	}
	return out
}

// Result says how a game ended.
func (b *Book) Result(v *view.View, r *rules.Result) string {
	if r == nil {
		return b.Say("result.none")
	}
	key := map[rules.Reason]string{
		rules.RightAlone: "result.right-alone", rules.RightFirst: "result.right-first",
		rules.AllWrong: "result.all-wrong", rules.LastLeft: "result.last-left",
		rules.EveryoneOut: "result.everyone-out", rules.Abandoned: "result.abandoned",
	}[r.Reason]
	if r.Winner == v.Me && v.Me != view.Spectator {
		key = b.choose(key+".you", key)
	}
	return b.Say(key, "who", b.Player(v, r.Winner))
}

// Waiting says what the table waits for, and whom; "" when it waits for nobody.
func (b *Book) Waiting(v *view.View) string {
	var owing []int
	for i, p := range v.Players {
		if p.Owes {
			owing = append(owing, i)
		}
	}
	if len(owing) == 0 {
		return ""
	}
	key := "wait." + v.Stage.String()
	if v.Stage == table.Playing {
		key = "wait." + v.Phase.String()
	}
	if slices.Equal(owing, []int{v.Me}) {
		key = b.choose(key+".you", key)
	}
	return b.Say(key, "names", b.Names(v, owing))
}

// Fault names who broke which rule of the protocol, and when.
func (b *Book) Fault(v *view.View, f table.Fault) string {
	return b.Finding(b.Seat(v, f.Seat), f.Round, string(f.Rule))
}

// Finding is a fault of somebody, or of the log itself when who is "".
func (b *Book) Finding(who string, round uint32, check string) string {
	if b.Has("check." + check) {
		check = b.Say("check." + check)
	}
	if who == "" {
		return b.Say("finding.log", "round", round, "check", check)
	}
	return b.Say("finding.seat", "who", who, "round", round, "check", check)
}

// Seat names a seat by number and player, counted from 1.
func (b *Book) Seat(v *view.View, seat int) string {
	if seat < 0 || seat >= len(v.Players) {
		return ""
	}
	return b.Say("seat", "seat", seat+1, "who", b.name(v.Players[seat].Name))
}
