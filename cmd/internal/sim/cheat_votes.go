package sim

import (
	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/table"
)

// ballot signs a ballot for the round of a state.
func (r *rogue) ballot(at feed.Entry, m feed.Motion, yes bool) *feed.Signed {
	s, err := feed.CastBallot(r.p.key, at, feed.Ballot{Motion: m, Yes: yes})
	if err != nil {
		return nil
	}
	return s
}

// victim draws a present seat other than the cheat's.
func (r *rogue) victim(st *table.State) int {
	o := st.Others(r.p.seat)
	return o[r.dice.below(len(o))]
}

func present(r *rogue, st *table.State) bool { return !st.Gone[r.p.seat] && len(st.Present()) > 2 }

// voting is about ballots.
var voting = []*strategy{
	{
		name: "false vote", says: "votes to go on without somebody who is there", fits: mayLeave,
		then: func(r *rogue, st *table.State) {
			if present(r, st) && r.acts < 8 && r.dice.chance(10) {
				if x := r.ballot(st.Place(r.p.seat), feed.Without(r.victim(st)), true); x != nil {
					r.inject(r.dice.chance(30), x)
				}
			}
		},
	}, {
		name: "yes and no", says: "says yes to a motion before one half, and no before the other", fits: mayLeave,
		rules: []table.Rule{table.RuleFork},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if b, is := e.Ballot(); is {
				r.split(e, r.ballot(e.Entry, b.Motion, !b.Yes))
			}
		},
		then: func(r *rogue, st *table.State) {
			if present(r, st) && r.once(4) {
				m := feed.Without(r.victim(st))
				yes, no := r.ballot(st.Place(r.p.seat), m, true), r.ballot(st.Place(r.p.seat), m, false)
				if yes != nil && no != nil {
					r.inject(false, yes)
					r.inject(true, no)
				}
			}
		},
	}, {
		name: "no to everything", says: "refuses every motion, whatever it has closed", fits: mayLeave, stalls: true,
		set: func(s *setting, d *dice) { s.drawLeavers(d) },
		then: func(r *rogue, st *table.State) {
			if !present(r, st) || r.memory[string(st.Prev[:])] > 0 {
				return
			}
			r.memory[string(st.Prev[:])]++
			for _, i := range st.Others(r.p.seat) {
				if x := r.ballot(st.Place(r.p.seat), feed.Without(i), false); x != nil {
					r.inject(false, x)
				}
			}
		},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if b, is := e.Ballot(); is && b.Yes {
				r.swap(e, r.ballot(e.Entry, b.Motion, false))
			}
		},
	}, {
		name: "no vote", says: "does not vote", fits: mayLeave, stalls: true,
		set: func(s *setting, d *dice) { s.drawLeavers(d) },
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if _, is := e.Ballot(); is {
				r.withhold(e, true)
			}
		},
	}, {
		name: "yes and on", says: "votes to go on without somebody, and goes on with them", fits: mayLeave,
		then: func(r *rogue, st *table.State) {
			if present(r, st) && r.dice.chance(15) && r.acts < 15 {
				if x := r.ballot(st.Place(r.p.seat), feed.Without(r.victim(st)), true); x != nil {
					r.inject(false, x)
				}
			}
		},
	}, {
		name: "unlawful motion", says: "votes for a motion that cannot be made: against itself, or more than may leave",
		rules: []table.Rule{table.RuleTurn},
		then: func(r *rogue, st *table.State) {
			if st.Gone[r.p.seat] || !r.once(5) {
				return
			}
			m := feed.Without(r.p.seat)
			if r.dice.chance(50) {
				for _, i := range st.Others(r.p.seat) {
					m.Without |= 1 << i
				}
			}
			if st.Tolerates(m.Seats()...) && !m.Drops(r.p.seat) {
				return
			}
			if x := r.ballot(st.Place(r.p.seat), m, true); x != nil {
				r.inject(r.dice.chance(40), x)
			}
		},
	}, {
		name: "late votes", says: "votes in rounds that are long closed", fits: mayLeave,
		then: func(r *rogue, st *table.State) {
			if !present(r, st) || r.acts > 8 || !r.dice.chance(8) {
				return
			}
			_, entries := r.p.core.Log()
			old := entries[r.dice.below(len(entries))].Entry
			old.Seat = uint8(r.p.seat)
			if x := r.ballot(old, feed.Without(r.victim(st)), true); x != nil {
				r.inject(r.dice.chance(50), x)
			}
		},
	}, {
		name: "gives up alone", says: "votes to abandon the game, in every round",
		then: func(r *rogue, st *table.State) {
			if !st.Gone[r.p.seat] && r.acts < 20 && r.dice.chance(15) {
				if x := r.ballot(st.Place(r.p.seat), feed.Motion{Abandon: true}, true); x != nil {
					r.inject(false, x)
				}
			}
		},
	},
}

// flooding is about too much of everything.
var flooding = []*strategy{
	{
		name: "flood of ballots", says: "votes for every motion there is", fits: mayLeave,
		then: func(r *rogue, st *table.State) {
			if !present(r, st) || r.acts > 150 || !r.dice.chance(20) {
				return
			}
			var out []*feed.Signed
			for range 20 {
				m := feed.Motion{Without: uint16(r.dice.below(1<<st.Seats())) &^ (1 << r.p.seat), Trial: uint16(r.dice.below(8))}
				if st.Tolerates(m.Seats()...) {
					if x := r.ballot(st.Place(r.p.seat), m, true); x != nil {
						out = append(out, x)
					}
				}
			}
			r.inject(r.dice.chance(50), out...)
		},
	}, {
		name: "flood of early entries", says: "fills the others' memory with entries of rounds to come",
		then: func(r *rogue, st *table.State) {
			if r.acts > 60 || !r.dice.chance(20) {
				return
			}
			var out []*feed.Signed
			for i := range 30 {
				e := st.Place(r.p.seat)
				e.Round += uint32(2 + i)
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				out = append(out, r.seal(e))
			}
			r.inject(false, out...)
		},
	}, {
		name: "flood of disputes", says: "speaks on top of many histories that there never were",
		then: func(r *rogue, st *table.State) {
			if st.Round < 3 || st.Gone[r.p.seat] || r.acts > 60 || !r.dice.chance(10) {
				return
			}
			var out []*feed.Signed
			for i := range 20 {
				e := st.Place(r.p.seat)
				e.Round = 1 + uint32(i)%st.Round
				_, _ = r.dice.Read(e.Prev[:])
				e.Kind, e.Body = uint8(move.KindChecked), []byte{0x80}
				out = append(out, r.seal(e))
			}
			r.inject(r.dice.chance(50), out...)
		},
	},
}
