package table

import "alibi/crypto/feed"

// Judged is what the proofs of a round say when they are verified together, and
// which of them fail singly.
func Judged(s *State, entries []*feed.Signed) (proofs int, singly []int, together error) {
	f := &fold{State: s, next: s.next()}
	f.stage(f.decode(entries))
	return f.batch.Len(), f.batch.Culprits(), f.batch.Verify()
}
