package feed

import "slices"

// Rebase takes, in the open round, the second of two entries of one seat for the
// first, if that is what later builds on: an entry of the next round, signed by
// another than who forked, whose prev tells so. A follower without a seat that was
// shown the other half of a fork first would wait for ever for those who are past
// it. One with a seat votes instead: others may hold the same half.
func (l *Log) Rebase(later *Signed) bool {
	if later.Round != l.Round()+1 || !l.Complete() || int(later.Seat) >= len(l.ids) || l.open.other[later.Seat] != nil {
		return false
	}
	said := slices.Clone(l.open.said)
	swap := func(i int) { said[i], l.open.other[i] = l.open.other[i], said[i] }
	fits := func() bool {
		round := openRound{said: said}
		return Next(l.Prev(), l.Round(), round.list()) == later.Prev
	}
	var forks []int
	for i, o := range l.open.other {
		if o != nil {
			forks = append(forks, i)
		}
	}
	// One of them as a rule; all at once if several went the same way.
	tries := [][]int{forks}
	for _, i := range forks {
		tries = append(tries, []int{i})
	}
	for _, try := range tries {
		for _, i := range try {
			swap(i)
		}
		if len(try) > 0 && fits() && later.Verify(l.ids[later.Seat]) == nil {
			l.open.said = said
			return true
		}
		for _, i := range try {
			swap(i)
		}
	}
	return false
}
