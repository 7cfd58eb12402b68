package sim

import (
	"slices"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// placing is about where entries stand.
var placing = []*strategy{
	{
		name: "out of turn", says: "speaks in a round in which it owes nothing", rules: []table.Rule{table.RuleTurn},
		then: func(r *rogue, st *table.State) {
			if !slices.Contains(st.Speakers(), r.p.seat) && len(st.Speakers()) > 0 && !st.Gone[r.p.seat] && r.once(5) {
				r.inject(r.dice.chance(50), r.say(st, new(move.Accuse)))
			}
		},
	}, {
		name: "made-up history", says: "speaks, besides the truth, on top of a history that there never was",
		then: func(r *rogue, st *table.State) {
			if st.Round > 2 && !st.Gone[r.p.seat] && r.once(5) {
				e := st.Place(r.p.seat)
				e.Prev[3] ^= 0x40
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				r.inject(r.dice.chance(50), r.seal(e))
			}
		},
	}, {
		name: "only made-up history", says: "speaks on top of a history that there never was, and not on top of the true one", stalls: true,
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if e.Round > 0 && r.once(8) {
				x := e.Entry
				x.Prev[7] ^= 1
				r.swap(e, r.seal(x))
			}
		},
	}, {
		name: "stale history", says: "says once more, in an earlier round, what it says now", rules: []table.Rule{table.RuleFork, table.RuleTurn},
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if len(r.stored) > 2 && r.once(20) {
				old := r.stored[r.dice.below(len(r.stored))]
				x := old.Entry
				if x.Game == e.Game { // or it does not count any more
					x.Kind, x.Body = e.Kind, append(slices.Clone(e.Body), 1)
					r.add(e, r.seal(x))
				}
			}
			r.stored = append(r.stored, e)
		},
	}, {
		name: "another seat's words", says: "signs an entry that names another seat",
		then: func(r *rogue, st *table.State) {
			if r.once(5) {
				e := st.Place((r.p.seat + 1) % st.Seats())
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				r.inject(false, r.seal(e))
			}
		},
	}, {
		name: "reflection", says: "sends everybody's entries back to them, again and again",
		then: func(r *rogue, _ *table.State) {
			if r.dice.chance(10) && r.acts < 20 {
				_, entries := r.p.core.Log()
				for _, x := range entries[max(0, len(entries)-6):] {
					if int(x.Seat) != r.p.seat {
						r.inject(false, x)
					}
				}
			}
		},
	}, {
		name: "another game", says: "sends entries that it signed for another game",
		then: func(r *rogue, st *table.State) {
			if r.dice.chance(10) && r.acts < 10 {
				e := st.Place(r.p.seat)
				e.Game[0] ^= 1
				e.Round = uint32(r.dice.below(int(st.Round) + 5))
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				r.inject(false, r.seal(e))
			}
		},
	}, {
		name: "from the future", says: "signs entries for rounds that are far away",
		then: func(r *rogue, st *table.State) {
			if r.dice.chance(10) && r.acts < 10 {
				e := st.Place(r.p.seat)
				e.Round += uint32(1 + r.dice.below(1000))
				_, _ = r.dice.Read(e.Prev[:])
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				r.inject(r.dice.chance(50), r.seal(e))
			}
		},
	}, {
		name: "after the end", says: "goes on to speak when the game is over",
		then: func(r *rogue, st *table.State) {
			if playing(st, rules.Over) && r.acts < 2 {
				r.inject(false, r.say(st, new(move.Accuse)))
			}
		},
	}, {
		name: "after it left", says: "goes on to speak when the others have gone on without it", fits: mayLeave, rules: []table.Rule{table.RuleTurn},
		then: func(r *rogue, st *table.State) {
			switch {
			case st.Gone[r.p.seat] && r.acts < 5 && len(st.Speakers()) > 0:
				r.inject(false, r.say(st, new(move.Checked)))
			case r.once(5) && !slices.Contains(st.Speakers(), r.p.seat) && len(st.Speakers()) > 0:
				r.inject(false, r.say(st, new(move.Checked)))
			}
		},
	},
}

// forks splits an entry of one of some kinds, once.
func forks(name, says string, percent int, when func(st *table.State) bool, kinds ...move.Kind) *strategy {
	return &strategy{
		name: name, says: says, rules: []table.Rule{table.RuleFork}, fits: hasHalves,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if slices.Contains(kinds, move.Kind(e.Kind)) && (when == nil || when(st)) && r.once(percent) {
				r.split(e, r.second(st, e))
			}
		},
	}
}

// splitting is about showing two halves of the table different things.
var splitting = []*strategy{
	forks("two shuffles", "shows two halves of the table different shuffles", 50, nil, move.KindShuffle),
	forks("two last shuffles", "is the last to shuffle and shows two halves different decks", 100, func(st *table.State) bool {
		return st.Stage == table.Pooling && st.Shuffler == slices.Max(st.Present())
	}, move.KindShuffle),
	forks("two questions", "asks two halves of the table different questions", 30, nil, move.KindAsk, move.KindAccuse),
	forks("two answers", "gives two halves of the table different answers", 30, nil, move.KindDeny, move.KindShow),
	forks("two seals", "seals two choices", 60, nil, move.KindSeal),
	forks("two key shares", "deals key shares twice", 100, nil, move.KindKeyShares),
	forks("two farewells", "leaves twice", 100, nil, move.KindLeave),
	{
		name: "good and bad", says: "shows one half a good entry and the other a bad one", fits: hasHalves,
		rules: append(slices.Clone(rest), table.RuleFork),
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if _, ballot := e.Ballot(); !ballot && r.once(10) {
				r.split(e, r.bend(e, append(slices.Clone(e.Body), 0)))
			}
		},
	}, {
		name: "second thoughts", says: "says something else in a round that all have closed", rules: []table.Rule{table.RuleFork},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if _, ballot := e.Ballot(); !ballot {
				r.stored = append(r.stored, e)
			}
		},
		then: func(r *rogue, st *table.State) {
			if len(r.stored) > 3 && r.once(4) {
				old := r.stored[r.dice.below(len(r.stored))]
				if old.Game == st.Game && old.Round+1 < st.Round {
					r.inject(r.dice.chance(50), r.bend(old, append(slices.Clone(old.Body), 0)))
				}
			}
		},
	}, {
		name: "silence for a half", says: "tells one half of the table nothing at all", fits: hasHalves, halves: true,
		passes: func(r *rogue, to *peer, _ *feed.Signed) bool { return !r.half[to.index] },
		made:   func(r *rogue, _ *table.State, e *feed.Signed) { r.withhold(e, false) },
	}, {
		name: "silence", says: "says nothing any more, from some moment on", stalls: true,
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if r.acts > 0 || r.dice.chance(10) {
				r.withhold(e, true)
			}
		},
	}, {
		name: "passes nothing on", says: "keeps to itself what others say",
		passes: func(*rogue, *peer, *feed.Signed) bool { return false },
	},
}
