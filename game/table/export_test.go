package table

import "alibi/crypto/feed"

// Judged is what the proofs of a round say when they are verified together, and
// which of them fail singly.
func Judged(s *State, entries []*feed.Signed) (together error, singly []int, proofs int) {
	f := &fold{State: s, next: s.next()}
	f.stage(f.decode(entries))
	return f.batch.Verify(), f.batch.Culprits(), f.batch.Len()
}
