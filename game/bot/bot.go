// Package bot plays a seat by reading its View and nothing else. The bot is a
// plain one: it plays legally, eliminates by what it saw, asks about what it
// does not know, and accuses only when one solution is left. On a board it walks
// to the rooms that it has to ask about.
package bot

import (
	"slices"

	"alibi/crypto/beacon"
	"alibi/crypto/transcript"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/view"
)

// Bot plays one seat. Seed makes its choices differ from other bots'; equal
// seeds and views give equal choices.
type Bot struct {
	Seed [32]byte
}

// Decide returns what the bot does, or nil when there is nothing to decide.
func (b Bot) Decide(v *view.View) seat.Action {
	c := v.Choices
	switch {
	case c.Turn:
		return b.turn(v)
	case len(c.Pick) > 0:
		return seat.Pick{Suspect: c.Pick[b.pick(v, "suspect", len(c.Pick))]}
	case c.Roll || c.End || !c.Go.None():
		return b.onBoard(v)
	case c.Answer && len(c.Show) == 0:
		return seat.Deny{}
	case c.Answer:
		return seat.Show{Card: b.show(v)}
	case c.Join:
		if Solve(v).Solution() != nil {
			return seat.Join{}
		}
		return seat.Pass{}
	case c.Guess:
		return seat.Guess{Cards: b.guess(v)}
	case c.Vote:
		return seat.Vote{For: b.vote(v)}
	case len(c.Propose) > 0:
		return seat.Propose{Seats: c.Propose}
	case c.Leave:
		return seat.Leave{Open: true}
	}
	return nil
}

// vote names somebody who has not left.
func (b Bot) vote(v *view.View) int {
	var there []int
	for i, p := range v.Players {
		if !p.Gone || i == v.Me {
			there = append(there, i)
		}
	}
	return there[b.pick(v, "vote", len(there))]
}

// pick draws below n, anew in each round.
func (b Bot) pick(v *view.View, what string, n int) int {
	h := transcript.Hash("bot", b.Seed[:], []byte{byte(v.Round >> 8), byte(v.Round)})
	return beacon.Value(h).Int(what, n)
}

func (b Bot) turn(v *view.View) seat.Action {
	k := Solve(v)
	if k.Solution() != nil {
		return seat.Accuse{}
	}
	return seat.Ask{Cards: b.question(v, k)}
}

// question asks about cards whose place is unknown, of different categories
// where it can, since each "no" of everybody then settles a category; when
// fewer than two are left it fills up with an own or open card, which nobody
// else can show.
func (b Bot) question(v *view.View, k *Knowledge) []rules.Card {
	unknown := b.shuffled(v, k.Unplaced())
	var ask []rules.Card
	for _, c := range unknown {
		if len(ask) < v.Edition.QuestionSize && !sharesCategory(v, ask, c) {
			ask = append(ask, c)
		}
	}
	for _, c := range append(unknown, b.shuffled(v, b.harmless(v))...) {
		if len(ask) < v.Edition.QuestionSize && !slices.Contains(ask, c) {
			ask = append(ask, c)
		}
	}
	for c := range v.Edition.Cards { // a deck with no harmless card at all
		if len(ask) < v.Edition.QuestionSize && !slices.Contains(ask, rules.Card(c)) {
			ask = append(ask, rules.Card(c))
		}
	}
	return ask
}

func sharesCategory(v *view.View, ask []rules.Card, c rules.Card) bool {
	return slices.ContainsFunc(ask, func(a rules.Card) bool {
		return v.Edition.Cards[a].Category == v.Edition.Cards[c].Category
	})
}

func (b Bot) harmless(v *view.View) []rules.Card { return append(slices.Clone(v.Hand), v.FaceUp...) }

func (b Bot) shuffled(v *view.View, in []rules.Card) []rules.Card {
	h := transcript.Hash("bot", b.Seed[:], []byte{byte(v.Round >> 8), byte(v.Round)})
	out := make([]rules.Card, len(in))
	for i, at := range beacon.Value(h).Perm("question", len(in)) {
		out[i] = in[at]
	}
	return out
}

// show prefers a card that this asker has been shown before, which tells it
// nothing new.
func (b Bot) show(v *view.View) rules.Card {
	may := v.Choices.Show
	for _, c := range may {
		if shownBefore(v, c) {
			return c
		}
	}
	return may[b.pick(v, "show", len(may))]
}

// guess is the solution, or, should a bot be made to guess without one, the
// first possible card of each category.
func (b Bot) guess(v *view.View) []rules.Card {
	k := Solve(v)
	if s := k.Solution(); s != nil {
		return s
	}
	var out []rules.Card
	for c := range v.Edition.CategoryCount {
		left := k.Candidates(rules.Category(c))
		if len(left) == 0 { // what it saw contradicts itself; any card will do
			left = v.Edition.Of(rules.Category(c))
		}
		out = append(out, left[0])
	}
	return out
}
