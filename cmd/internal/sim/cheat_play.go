package sim

import (
	"slices"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// sealed encrypts cards under a key, as a hand or a guess holds them.
func (r *rogue) sealed(st *table.State, key *group.Element, cards []rules.Card) (out []elgamal.Ciphertext) {
	for _, c := range cards {
		x, err := group.RandomScalar(r.dice)
		if err != nil {
			return nil
		}
		out = append(out, elgamal.Encrypt(st.Deck.Card(int(c)), key, x))
	}
	return out
}

// holding lets a lie hold other cards.
func (r *rogue) holding(st, lie *table.State, cards []rules.Card) {
	lie.Hands = slices.Clone(st.Hands)
	lie.Hands[r.p.seat] = r.sealed(st, st.SeatKeys[r.p.seat], cards)
}

// others lists so many cards that are none of those.
func others(st *table.State, n int, not ...rules.Card) (out []rules.Card) {
	for c := range st.Edition.Cards {
		if len(out) < n && !slices.Contains(not, rules.Card(c)) {
			out = append(out, rules.Card(c))
		}
	}
	return out
}

// asked lets a lie be asked about other cards.
func asked(st, lie *table.State, cards []rules.Card) {
	pos, q := *st.Pos, *st.Pos.Question
	q.Cards, pos.Question = cards, &q
	lie.Pos = &pos
}

// answering is about questions.
var answering = []*strategy{
	{
		name: "no while holding", says: "says no although it holds a card asked about", rules: []table.Rule{table.RuleDenial},
		made: ofKind(move.KindShow, 60, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				r.holding(st, lie, others(st, len(st.Hands[r.p.seat]), st.Pos.Question.Cards...))
			}, seat.Deny{})
		}),
	}, {
		name: "show of a card not held", says: "shows a card that it does not hold", rules: []table.Rule{table.RuleShowing},
		made: ofKind(move.KindDeny, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			c := st.Pos.Question.Cards[0]
			return r.pretend(st, func(lie *table.State) {
				r.holding(st, lie, append(others(st, len(st.Hands[r.p.seat])-1, c), c))
			}, seat.Show{Card: c})
		}),
	}, {
		name: "show of a card not asked", says: "shows a card that it was not asked about", rules: []table.Rule{table.RuleShowing},
		made: ofKind(move.KindDeny, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			c := r.key.Hand(st)[0]
			return r.pretend(st, func(lie *table.State) { asked(st, lie, []rules.Card{c, st.Pos.Question.Cards[1]}) }, seat.Show{Card: c})
		}),
	}, {
		name: "show to somebody else", says: "shows the card to another than who asked", rules: []table.Rule{table.RuleShowing},
		made: ofKind(move.KindShow, 60, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			hand := r.key.Hand(st)
			at := slices.IndexFunc(hand, func(c rules.Card) bool { return slices.Contains(st.Pos.Question.Cards, c) })
			return r.pretend(st, func(lie *table.State) {
				lie.SeatKeys = slices.Clone(st.SeatKeys)
				lie.SeatKeys[st.Pos.Question.Asker] = st.SeatKeys[r.p.seat]
			}, seat.Show{Card: hand[at]})
		}),
	}, {
		name: "answer to another question", says: "answers as if it had been asked about something else", rules: []table.Rule{table.RuleDenial},
		made: ofKind(move.KindDeny, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				asked(st, lie, others(st, 2, append(r.key.Hand(st), st.Pos.Question.Cards...)...))
			}, seat.Deny{})
		}),
	}, {
		name: "answer of before", says: "answers with an answer that it gave before", rules: []table.Rule{table.RuleDenial, table.RuleShowing},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if !is(e, move.KindDeny) && !is(e, move.KindShow) {
				return
			}
			for _, old := range r.stored {
				if old.Kind == e.Kind && r.once(70) {
					r.swap(e, r.bend(e, old.Body))
					return
				}
			}
			r.stored = append(r.stored, e)
		},
	}, {
		name: "unlawful question", says: "asks about a card twice, three cards, or one that is not in the deck", rules: []table.Rule{table.RuleLegal},
		made: ofKind(move.KindAsk, 40, func(r *rogue, _ *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) {
				q := m.(*move.Ask)
				switch r.dice.below(3) {
				case 0:
					q.Cards[1] = q.Cards[0]
				case 1:
					q.Cards = append(q.Cards, 0)
				default:
					q.Cards[0] = 200
				}
			})
		}),
	}, {
		name: "vote for nobody", says: "votes for a seat that there is none of", rules: []table.Rule{table.RuleLegal},
		set: func(s *setting, _ *dice) { s.options.First = "vote" },
		made: ofKind(move.KindVote, 100, func(r *rogue, st *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) { m.(*move.Vote).For = uint8(st.Seats()) })
		}),
	}, {
		name: "opened key of another", says: "opens another key than its own in the end", rules: []table.Rule{table.RuleSeatKey},
		made: ofKind(move.KindLeave, 100, func(r *rogue, _ *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) { m.(*move.Leave).Key = group.ScalarFromUint64(7).Bytes() })
		}),
	},
}

// accusing is about accusations.
var accusing = []*strategy{
	{
		name: "copied guess", says: "takes over the guess that somebody else has fixed", rules: []table.Rule{table.RuleGuess}, set: reckless,
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if is(e, move.KindGuess) && r.once(100) {
				for _, x := range r.said(e.Round, move.KindGuess) {
					if int(x.Seat) != r.p.seat {
						r.swap(e, r.bend(e, x.Body))
						return
					}
				}
				r.swap(e, r.recast(e, func(m move.Move) { // nobody has yet: one of nowhere
					g := m.(*move.Guess)
					copy(g.Proof[:64], g.Proof[64:128])
				}))
			}
		},
	}, {
		name: "guess of no card", says: "fixes a guess that holds no card of the deck", rules: []table.Rule{table.RuleGuess}, set: reckless,
		made: ofKind(move.KindGuess, 80, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) { lie.Deck = deck.New("no deck", len(st.Edition.Cards)) },
				seat.Guess{Cards: []rules.Card{st.Edition.Of(0)[0], st.Edition.Of(1)[0], st.Edition.Of(2)[0]}})
		}),
	}, {
		name: "guess for another key", says: "fixes its guess under somebody else's key", rules: []table.Rule{table.RuleGuess}, set: reckless,
		made: ofKind(move.KindGuess, 80, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.SeatKeys = slices.Clone(st.SeatKeys)
				lie.SeatKeys[r.p.seat] = st.SeatKeys[(r.p.seat+1)%st.Seats()]
			}, seat.Guess{Cards: []rules.Card{st.Edition.Of(0)[0], st.Edition.Of(1)[0], st.Edition.Of(2)[0]}})
		}),
	}, {
		name: "right when wrong", says: "says that its guess is right when it is not", rules: []table.Rule{table.RuleVerdict}, set: reckless,
		made: ofKind(move.KindVerdict, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.Peeked = slices.Clone(st.Peeked)
				lie.Peeked[r.p.seat] = r.sealed(st, st.SeatKeys[r.p.seat], r.key.Guessed(st))
			}, nil)
		}),
	}, {
		name: "right with other cards", says: "says right, and names the Crime cards instead of its guess", rules: []table.Rule{table.RuleVerdict}, set: reckless,
		made: ofKind(move.KindVerdict, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			crime := r.key.Peeked(st)
			return r.pretend(st, func(lie *table.State) {
				g, err := deck.MakeGuess([]byte("x"), st.SeatKeys[r.p.seat], st.Choices(), picks(st, crime), r.dice)
				if err == nil {
					lie.Guess = slices.Clone(st.Guess)
					lie.Guess[r.p.seat] = g
				}
			}, nil)
		}),
	}, {
		name: "wrong whatever it is", says: "says that its guess is wrong, by a proof about other Crime cards", rules: []table.Rule{table.RuleVerdict}, set: reckless,
		made: ofKind(move.KindVerdict, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.Peeked = slices.Clone(st.Peeked)
				guess := r.key.Guessed(st)
				lie.Peeked[r.p.seat] = r.sealed(st, st.SeatKeys[r.p.seat], []rules.Card{
					others(st, 1, guess[0])[0], guess[1], guess[2]})
			}, nil)
		}),
	}, {
		name: "another guess opened", says: "opens another guess than it had fixed", rules: []table.Rule{table.RuleDisclosure}, set: reckless,
		made: ofKind(move.KindDisclose, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			guess := r.key.Guessed(st)
			guess[0] = st.Edition.Of(0)[(slices.Index(st.Edition.Of(0), guess[0])+1)%len(st.Edition.Of(0))]
			return r.pretend(st, func(lie *table.State) {
				g, err := deck.MakeGuess([]byte("x"), st.SeatKeys[r.p.seat], st.Choices(), picks(st, guess), r.dice)
				if err == nil {
					lie.Guess = slices.Clone(st.Guess)
					lie.Guess[r.p.seat] = g
				}
			}, nil)
		}),
	}, {
		name: "seal opened differently", says: "opens another choice than it had sealed", rules: []table.Rule{table.RuleSeal}, set: reckless,
		made: ofKind(move.KindUnseal, 80, func(r *rogue, _ *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) { m.(*move.Unseal).Join = !m.(*move.Unseal).Join })
		}),
	}, {
		name: "order with a gap", says: "proposes an accusing order in which it comes twice", rules: []table.Rule{table.RuleLegal},
		set: func(s *setting, d *dice) {
			reckless(s, d)
			s.options.Order = "agreed"
		},
		made: ofKind(move.KindOrder, 100, func(r *rogue, _ *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) {
				o := m.(*move.Order)
				o.Seats[0] = uint8(r.p.seat)
				o.Seats[1] = uint8(r.p.seat)
			})
		}),
	}, {
		name: "two guesses", says: "fixes one guess before one half of the table, and another before the other", rules: []table.Rule{table.RuleFork},
		set: reckless, fits: hasHalves,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if is(e, move.KindGuess) && r.once(100) {
				r.split(e, r.second(st, e))
			}
		},
	},
}

// picks is a guess as places in its categories.
func picks(st *table.State, cards []rules.Card) []int {
	out := make([]int, len(cards))
	for i, c := range cards {
		out[i] = max(slices.Index(st.Edition.Of(rules.Category(i)), c), 0)
	}
	return out
}
