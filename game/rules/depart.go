package rules

import "slices"

// Depart is the position in which the open phase is done again without some
// seats, which have left for good. Their round counts for nothing: what others
// said in it is said again. Laying comes first, for a hand that nobody can
// answer from any more lies open, unless all is being turned over anyway.
//
// Who leaves while hands are laid has left together with the first: what would
// have come for them in between never was.
//
// It takes any seats: those that are gone already or are none change nothing.
func (p *Position) Depart(seats []int) *Position {
	if p.Phase == Laying {
		return p.Before.Depart(slices.Concat(p.Laid, seats))
	}
	q := p.clone()
	if q.Phase == Over {
		return q
	}
	left := q.leave(seats)
	switch {
	case len(left) == 0:
	case len(q.Present()) == 0:
		q.abandon()
	case q.Phase == Revealing:
		// Who has won has won. But of those who only may have, nobody wins who left.
		if q.Result == nil {
			q.Accusation.Order = slices.DeleteFunc(slices.Clone(q.Accusation.Order), q.gone)
		}
	case q.Phase == Farewell:
	case q.settle():
		q.Question, q.Accusation = nil, nil
	default:
		q.retire(left)
		q.again()
		slices.Sort(left)
		q.Phase, q.Laid, q.After, q.Before = Laying, left, q.Phase, p
	}
	return q
}

// Abandon is the position after all who can still speak agreed to stop. A
// result that stands already stays.
func (p *Position) Abandon() *Position {
	q := p.clone()
	q.abandon()
	return q
}

func (p *Position) abandon() {
	if p.Result == nil {
		p.Result = &Result{Winner: Nobody, Reason: Abandoned}
		p.Question, p.Accusation = nil, nil
	}
	p.Phase, p.Laid, p.After, p.Before = Over, nil, 0, nil
}

// leave notes who is gone and lists those who were not before.
func (p *Position) leave(seats []int) (left []int) {
	if p.Gone == nil {
		p.Gone = make([]bool, p.seats())
	}
	for _, s := range seats {
		if s >= 0 && s < p.seats() && !p.Gone[s] {
			p.Gone[s] = true
			left = append(left, s)
		}
	}
	return left
}

// again is the open phase among those who are left, or what comes of it.
func (p *Position) again() {
	switch p.Phase {
	case Voting:
		p.revote()
	case Turn, Rolling, Moving, Suggesting, Closing:
		if p.gone(p.Active) {
			p.pass()
		}
	case Picking:
		p.nextPick()
	case Answering:
		if p.gone(p.Question.Asker) {
			p.pass()
			return
		}
		p.refer(p.Question.Responder)
	case Sealing, Unsealing:
		if p.gone(p.Accusation.Accuser) {
			p.pass()
		} else if len(p.bystanders()) == 0 {
			p.alone()
		}
	default:
		p.reaccuse()
	}
}

// revote opens the vote on who begins. If it was the opener's alone, who is
// gone, the lot decides.
func (p *Position) revote() {
	p.Phase, p.Active = Voting, p.In(p.Active)[0]
	if p.Options.First == "opener" && p.gone(0) {
		p.begin()
	}
}

// reaccuse goes on with an accusation whose accusers are known.
func (p *Position) reaccuse() {
	a := p.Accusation
	a.Order = slices.DeleteFunc(slices.Clone(a.Order), p.gone)
	if len(a.Order) == 0 {
		p.pass()
		return
	}
	if p.gone(a.Accuser) {
		a.Accuser, p.Active = a.Order[0], a.Order[0]
	}
	if a.Alone() && (p.Phase == Casting || p.Phase == Ordering) {
		p.Phase = Guessing
	}
}
