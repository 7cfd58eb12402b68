package feed

import (
	"bytes"
	"math/bits"
	"slices"
)

// ballot takes a ballot that is signed, new, and on top of this history.
func (l *Log) ballot(s *Signed) (Verdict, error) {
	at := l.at(s.Round)
	if at.gone&(1<<s.Seat) != 0 || !l.lawful(at, s.ballot.Motion) || s.ballot.Drops(int(s.Seat)) {
		return 0, &Misplaced{Entry: s, Reason: ErrTurn}
	}
	cast, most := &l.cast[s.Seat].no, maxNo
	if s.ballot.Yes {
		cast, most = &l.cast[s.Seat].yes, maxYes
	}
	if *cast == most {
		return 0, ErrMany
	}
	*cast++
	name := roundName{s.Game, s.Round}
	moved := l.moved[name]
	if i, known := slices.BinarySearchFunc(moved, s.ballot.Motion, func(a, b Motion) int { return b.Compare(a) }); !known {
		l.moved[name] = slices.Insert(moved, i, s.ballot.Motion)
	}
	l.ballots[s.Place()] = s
	return Added, nil
}

// lawful reports whether a motion can be made in a round: it drops seats that are there,
// not more than may leave, and more stay than go. So two halves of a table that lost sight
// of each other cannot both go on; of halves that are equal, the one with the lowest seat
// can. Nor can they seat by seat: whoever left since all who were there spoke last is
// counted to those who go, since they may have gone on in another way.
func (l *Log) lawful(at *openRound, m Motion) bool {
	present, before := l.all()&^at.gone, l.all()&^at.sure
	stay := present &^ m.Without
	staying, going := bits.OnesCount16(stay), bits.OnesCount16(before&^stay)
	return m.Without&^present == 0 && (staying > going || staying == going && stay&-stay == before&-before) &&
		(m.Abandon || bits.OnesCount16(at.gone|m.Without) <= l.leavers)
}

// Lawful reports whether a motion can be made in the open round.
func (l *Log) Lawful(m Motion) bool { return !m.Normal() && l.lawful(&l.open, m) }

// Vote returns seat's ballot on a motion for a round of the history, or nil.
func (l *Log) Vote(round uint32, m Motion, seat int) *Signed {
	return l.ballots[Place{Game: l.at(round).game, Round: round, Seat: uint8(seat), Motion: m}]
}

// voters lists the seats whose word a motion needs in a round.
func (l *Log) voters(round uint32, m Motion) []int {
	var out []int
	gone := l.at(round).gone
	for s := range l.ids {
		if gone&(1<<s) == 0 && !m.Drops(s) {
			out = append(out, s)
		}
	}
	return out
}

// Votes lists the ballots on a motion in the open round, in seat order: those
// that CloseBy closes it with.
func (l *Log) Votes(m Motion) []*Signed { return l.votes(l.Round(), m) }

// votes lists the ballots on a motion in seat order.
func (l *Log) votes(round uint32, m Motion) []*Signed {
	var out []*Signed
	for _, s := range l.voters(round, m) {
		if v := l.Vote(round, m, s); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// carried reports whether all whose word a motion needs said yes. A no to what this
// log has closed the round by already, of somebody who had said yes, comes too late:
// others may have built on that, as this log did.
func (l *Log) carried(round uint32, m Motion) bool {
	return len(l.votes(round, m)) == len(l.voters(round, m)) && (!l.Refused(round, m) || m == l.at(round).was)
}

// Out lists the seats that a carried motion of the open round drops. They take that
// over and have no other word in it, whatever it is closed by in the end.
func (l *Log) Out() []int {
	var without uint16
	for _, m := range l.Motions(l.Round()) {
		if l.carried(l.Round(), m) {
			without |= m.Without
		}
	}
	return Motion{Without: without}.Seats()
}

// Refused reports whether somebody whose word a motion needs said no, be it that
// they said yes as well.
func (l *Log) Refused(round uint32, m Motion) bool {
	return slices.ContainsFunc(l.votes(round, m), func(v *Signed) bool { return !v.ballot.Yes || l.both[v.Place()] })
}

// Motions lists what has been moved in a round of the history, highest first.
func (l *Log) Motions(round uint32) []Motion {
	return slices.Clone(l.moved[roundName{l.at(round).game, round}])
}

// Closes says how a seat that keeps its word may close the open round: by the highest
// motion that is carried or, if all have spoken and normal allows it, the normal way.
// What it has voted for stands in the way of anything lower, until somebody whose word
// that motion needs has said no, or all of them have gone on otherwise: then it can
// never be carried. So two seats that stay can close a round differently only if a
// third signed both yes and no. A seat that is dropped, be it in this round or before,
// and a follower without a seat (-1), promised nothing that would bind others: it takes
// over what drops it, and something higher when that is carried after all (Overruled).
func (l *Log) Closes(seat int, normal bool) (Motion, bool) {
	m, ok, bound := l.takes(l.Round(), seat)
	return m, ok || !bound && normal && l.Complete()
}

// takes finds the highest motion that a seat may close a round by, and whether
// its own word stands in the way of anything else.
func (l *Log) takes(round uint32, seat int) (m Motion, ok, bound bool) {
	gone := seat < 0 || l.at(round).gone&(1<<seat) != 0
	for _, m := range l.Motions(round) {
		out := gone || m.Drops(seat)
		if l.carried(round, m) && (out || !bound) {
			return m, true, bound
		}
		if !out {
			v := l.Vote(round, m, seat)
			bound = bound || v != nil && v.ballot.Yes && !l.Refused(round, m) && !l.void(round, m, seat)
		}
	}
	return Motion{}, false, bound
}

// void reports whether nobody but a seat itself can still close the open round by a
// motion that it has voted for: every other whose word that needs has signed on top
// of another closing, one that this log could make too. They need not be there any
// more to say no. At a higher trial they might open the round again.
func (l *Log) void(round uint32, m Motion, seat int) bool {
	if round != l.Round() || m.Trial > 0 {
		return false
	}
	heads := []Hash{}
	if l.Complete() {
		heads = append(heads, Next(l.Prev(), round, l.Open()))
	}
	for _, o := range l.Motions(round) {
		if o != m && l.carried(round, o) {
			heads = append(heads, Next(l.Prev(), round, l.votes(round, o)))
		}
	}
	return slices.ContainsFunc(heads, func(h Hash) bool {
		return !slices.ContainsFunc(l.voters(round, m), func(v int) bool {
			return v != seat && (l.open.ahead[v] == nil || l.open.ahead[v].Prev != h)
		})
	})
}

// Overruled finds the first closed round that a seat has to close by a higher
// motion than it did: one that drops it or, since it stood outside already when it
// closed the round, any that it may take.
func (l *Log) Overruled(seat int) (uint32, bool) {
	for r, c := range l.closed {
		m, ok, _ := l.takes(uint32(r), seat)
		outside := seat < 0 || c.gone&(1<<seat) != 0 || c.motion.Drops(seat)
		if ok && m.Compare(c.motion) > 0 && (outside || m.Drops(seat)) {
			return uint32(r), true
		}
	}
	return 0, false
}

// BuiltOn reports whether every present seat but some has signed something on
// top of a closed round: then none of them can have closed it differently.
func (l *Log) BuiltOn(round uint32, but ...int) bool {
	var signed uint16
	for r := round + 1; r <= l.Round(); r++ {
		for _, s := range l.at(r).list() {
			signed |= 1 << s.Seat
		}
	}
	for at, s := range l.ballots {
		if at.Round > round && at.Round <= l.Round() && at.Game == l.at(at.Round).game && s.Prev == l.heads[at.Round] {
			signed |= 1 << at.Seat
		}
	}
	return signed|l.open.gone|Without(but...).Without == l.all()
}

// Ballots lists, in one order, the ballots of this history: what a seat has to show
// once more when it comes back. Those of others are among them, also for rounds that
// are closed here: somebody may still wait for a no of one who has left since.
func (l *Log) Ballots() []*Signed {
	var out []*Signed
	for at, s := range l.ballots {
		if at.Round <= l.Round() && at.Game == l.at(at.Round).game {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *Signed) int { return bytes.Compare(a.Content(), b.Content()) })
	return out
}
