package table

import "alibi/crypto/feed"

// Judge says which faults the fold would find in one entry of the open round,
// whatever the other seats say in it. A seat judges its own entry before it lets
// it go: a slip of its program or its computer would convict it before all.
func Judge(s *State, e *feed.Signed) []Fault {
	f := &fold{State: s, next: s.next()}
	round := f.decode([]*feed.Signed{e})
	if len(f.next.Faults) == 0 {
		f.stage(round)
	}
	if len(f.next.Faults) == 0 {
		f.settle()
	}
	return f.next.Faults
}
