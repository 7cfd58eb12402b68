package rules

import "slices"

// Depart is the position in which the open phase is done again without some
// seats, which have left for good. Their round counts for nothing: what others
// said in it is said again. Laying comes first, for a hand that nobody can
// answer from any more lies open, unless all is being turned over anyway.
//
// It takes any seats: those that are gone already or are none change nothing.
func (p *Position) Depart(seats []int) *Position {
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
	default:
		q.goOn(left)
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
	p.Phase, p.Laid, p.After = Over, nil, 0
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

// goOn finds the phase that follows a departure, and has the hands laid first.
func (p *Position) goOn(left []int) {
	if p.Phase == Laying {
		p.Phase = p.After
		left = append(left, p.Laid...)
	}
	p.Laid, p.After = nil, 0
	if p.settle() {
		p.Question, p.Accusation = nil, nil
		return
	}
	p.again()
	slices.Sort(left)
	p.Phase, p.Laid, p.After = Laying, left, p.Phase
}

// again is the open phase among those who are left, or what comes of it.
func (p *Position) again() {
	switch p.Phase {
	case Voting:
		p.revote()
	case Turn:
		if p.gone(p.Active) {
			p.pass()
		}
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
	p.Active = p.In(p.Active)[0]
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
