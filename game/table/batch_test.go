package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/move"
	"alibi/game/table"
)

// Proofs verified together and singly agree, in every kind of round, whichever
// byte of an entry is spoilt: or peers that do the one would part from peers
// that do the other.
func TestBatchAndSingleVerificationAgree(t *testing.T) {
	everyRound(t, func(t *testing.T, s *scene) {
		honest := s.round(t, nil)
		proofs, singly, together := table.Judged(s.State, honest)
		if proofs == 0 {
			t.Skip("no proofs in this round")
		}
		if together != nil || len(singly) > 0 {
			t.Fatalf("an honest round: %v, %v", together, singly)
		}
		refused := 0
		for k, e := range honest {
			step := max(1, len(e.Body)/12)
			if testing.Short() {
				step *= 4
			}
			for at := 3; at < len(e.Body); at += step {
				body := slices.Clone(e.Body)
				body[at] ^= 2
				lie := s.sealed(t, int(e.Seat), move.Kind(e.Kind), body)
				round := slices.Clone(honest)
				round[k] = lie
				if _, err := move.Decode(move.Kind(e.Kind), body); err != nil {
					continue
				}
				n, singly, together := table.Judged(s.State, round)
				if n == 0 {
					continue // refused before it came to proofs, and nobody else had any
				}
				if (together == nil) != (len(singly) == 0) {
					t.Fatalf("seat %d, byte %d: together %v, singly %v", e.Seat, at, together, singly)
				}
				if together != nil {
					refused++
				}
			}
		}
		if refused == 0 {
			t.Error("no spoilt byte came as far as the proofs")
		}
	})
}

// Two liars whose errors are opposite: the sum of their equations holds. Only
// the weights of a batch find them out, and both are named.
func TestTwoLiarsWhoseErrorsCancel(t *testing.T) {
	s := at(t, "cancel", stage(table.Dealing))
	const hands = 9 // secrets of a share: x, then a rho for each card handed over
	bent := func(i int, by *group.Scalar) *feed.Signed {
		m := s.honest(t, i).(*move.Shares)
		at := len(m.Share) - 32*(hands+1)
		z, err := group.ParseScalar(m.Share[at : at+32])
		if err != nil {
			t.Fatal(err)
		}
		copy(m.Share[at:], z.Add(by).Bytes())
		kind, body := encoded(t, m)
		return s.sealed(t, i, kind, body)
	}
	one := group.ScalarFromUint64(1)
	lies := map[int]*feed.Signed{0: bent(0, one), 2: bent(2, one.Neg())}
	s.stops(t, s.round(t, lies),
		table.Fault{Seat: 0, Round: s.State.Round, Rule: table.RuleShare},
		table.Fault{Seat: 2, Round: s.State.Round, Rule: table.RuleShare})
}
