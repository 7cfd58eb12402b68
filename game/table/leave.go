package table

import (
	"slices"

	"alibi/crypto/feed"
	"alibi/game/rules"
)

// carried reports whether entries are the ballots that carry a motion in the
// open round: yes from every present seat that it does not drop, in seat order.
func (s *State) carried(entries []*feed.Signed) (feed.Motion, bool) {
	if len(entries) == 0 || s.Abandoned {
		return feed.Motion{}, false
	}
	first, is := entries[0].Ballot()
	if !is {
		return feed.Motion{}, false
	}
	voters := slices.DeleteFunc(s.Present(), first.Drops)
	if len(entries) != len(voters) || !s.lawful(first.Motion) {
		return feed.Motion{}, false
	}
	for i, e := range entries {
		b, is := e.Ballot()
		if !is || !b.Yes || b.Motion != first.Motion || int(e.Seat) != voters[i] ||
			e.Round != s.Round || e.Game != s.Game || e.Prev != s.Prev {
			return feed.Motion{}, false
		}
	}
	return first.Motion, true
}

// lawful reports whether a motion drops present seats only, no more than may
// leave, and fewer than stay, or as many if the lowest seat stays, where whoever left
// since all who were there spoke last counts among those who go; the same as feed.Log
// does, from which ballots usually come.
func (s *State) lawful(m feed.Motion) bool {
	staying, going, lowest := 0, 0, true
	for _, seat := range m.Seats() {
		if seat >= s.Seats() || s.Gone[seat] {
			return false
		}
	}
	for seat, sure := range s.Sure {
		switch {
		case sure:
		case s.Gone[seat] || m.Drops(seat):
			lowest = lowest && staying > 0
			going++
		default:
			staying++
		}
	}
	if staying < going || staying == going && !lowest {
		return false
	}
	left := 0
	for seat, gone := range s.Gone {
		if gone || m.Drops(seat) {
			left++
		}
	}
	return m.Abandon || left <= int(s.Charter.Leavers)
}

// Tolerates reports whether the table goes on without seats, by its charter.
func (s *State) Tolerates(seats ...int) bool {
	m := feed.Without(seats...)
	return m.Without != 0 && s.lawful(m)
}

// without is the state in which the open stage or phase is done again without
// the seats that a motion drops. What was said in the round counts for nothing,
// and a fault in it has cost its author the seat.
//
// Before a hand or the Crime is turned over, all who stay speak on top of the
// leave: some of them may have voted for another motion too, and go another way
// with others, in which that hand is still being played.
func (s *State) without(m feed.Motion, ballots []*feed.Signed) *State {
	t := s.next()
	t.Faults = nil
	t.Game = feed.NextGame(s.Game, s.Prev, s.Round, m)
	t.Prev, t.Round = feed.Next(s.Prev, s.Round, ballots), s.Round+1
	for _, seat := range m.Seats() {
		t.Gone[seat] = true
		t.Story = append(t.Story, Event{Kind: Left, Round: s.Round, Seat: seat})
	}
	if m.Abandon {
		t.Abandoned = true
		t.Story = append(t.Story, Event{Kind: Stopped, Round: s.Round})
		if t.Pos != nil {
			t.Pos = t.Pos.Abandon()
		}
		return t
	}
	switch t.Stage {
	case Sorting, Pooling:
		if t.Gone[t.Shuffler] {
			t.shuffledBy(t.Shuffler)
		}
	case Dealing:
		t.Stage = Checking
	case Playing:
		t.Pos = t.Pos.Depart(m.Seats())
		t.Barrier = t.Pos.Phase == rules.Laying || t.Pos.Phase == rules.Revealing
		t.settled(s.Pos)
	}
	return t
}

// settled tells what a departure alone has decided.
func (s *State) settled(before *rules.Position) {
	e := Event{Round: s.Round - 1}
	switch q := before.Question; {
	case s.Pos.Phase == rules.Over && before.Phase != rules.Over:
		e.Kind, e.Result = Ended, s.Pos.Result
	case before.Phase == rules.Answering && !s.Gone[q.Asker] && s.Pos.Phase == rules.Laying && s.Pos.After != rules.Answering:
		e.Kind, e.Seat, e.Cards = Unanswered, q.Asker, q.Cards // the last who could have answered left
	default:
		return
	}
	s.Story = append(s.Story, e)
}
