package say

import (
	"alibi/game/audit"
	"alibi/game/table"
	"alibi/game/view"
)

// Conclusion says in one sentence what became of a game and how fair it was.
func (b *Book) Conclusion(r *audit.Report) string {
	st := r.State
	if !r.Sound() {
		return b.Say("report.unfair")
	}
	switch {
	case st.Abandoned && r.Fair():
		return b.Say("report.abandoned", "round", abandoned(r), "names", b.seats(r, st.Present()))
	case st.Abandoned:
		return b.Say("report.sound.abandoned", "round", abandoned(r), "names", b.seats(r, st.Present()))
	case !r.Complete && r.Fair():
		return b.Say("report.incomplete", "round", st.Round, "names", b.seats(r, r.Missing))
	case !r.Complete:
		return b.Say("report.sound.incomplete", "round", st.Round, "names", b.seats(r, r.Missing))
	case r.Fair():
		return b.Say("report.fair")
	}
	return b.Say("report.sound")
}

// abandoned is the round in which a game was.
func abandoned(r *audit.Report) (round uint32) {
	for _, e := range r.State.Story {
		if e.Kind == table.Stopped {
			round = e.Round
		}
	}
	return round
}

// seats names seats by number and player.
func (b *Book) seats(r *audit.Report, seats []int) string {
	v := view.For(r.State, nil)
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = b.Seat(v, s)
	}
	if len(names) == 0 {
		return b.Say("player.nobody")
	}
	return b.list(names)
}
