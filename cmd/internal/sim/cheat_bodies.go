package sim

import (
	"bytes"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/table"
)

// rest is what a cheat is convicted of for contents that do not verify, whatever
// kind of entry it was.
var rest = []table.Rule{
	table.RuleEncoding, table.RuleKeyProof, table.RuleKeyShare, table.RuleComplaint, table.RuleShuffle, table.RuleShare,
	table.RuleDenial, table.RuleShowing, table.RuleGuess, table.RuleVerdict, table.RuleDisclosure, table.RuleCommitment,
	table.RuleKeys, table.RuleSeatKey, table.RuleSeal,
}

// proven finds the byte string in a move that is a proof, or nil.
func proven(m move.Move) *[]byte {
	switch m := m.(type) {
	case *move.Keys:
		return &m.Proof
	case *move.KeyShares:
		return &m.Dealing
	case *move.Shuffle:
		return &m.Decks[0].Proof
	case *move.Shares:
		return &m.Share
	case *move.Deny:
		return &m.Proof
	case *move.Show:
		return &m.Proof
	case *move.Guess:
		return &m.Proof
	case *move.Verdict:
		return &m.Proof
	case *move.Disclose:
		return &m.Proof
	}
	return nil
}

// bendProof changes the proof of an entry that has one, sometime in the game.
func bendProof(percent int, change func(b []byte) []byte) func(*rogue, *table.State, *feed.Signed) {
	return func(r *rogue, _ *table.State, e *feed.Signed) {
		m, err := move.Decode(move.Kind(e.Kind), e.Body)
		if err != nil || proven(m) == nil || !r.once(percent) {
			return
		}
		r.swap(e, r.recast(e, func(m move.Move) {
			at := proven(m)
			*at = change(bytes.Clone(*at))
		}))
	}
}

func first32(with byte) func([]byte) []byte {
	return func(b []byte) []byte {
		copy(b, bytes.Repeat([]byte{with}, 32))
		return b
	}
}

// encodings are bodies that are not in the protocol's encoding, or hold what is
// no element or no scalar.
var encodings = []*strategy{
	{
		name: "trailing byte", says: "puts a byte behind the body of an entry",
		rules: []table.Rule{table.RuleEncoding},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if r.once(15) {
				r.swap(e, r.bend(e, append(bytes.Clone(e.Body), 0)))
			}
		},
	}, {
		name: "half a body", says: "leaves the second half of a body away",
		rules: []table.Rule{table.RuleEncoding},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if r.once(15) {
				r.swap(e, r.bend(e, e.Body[:len(e.Body)/2]))
			}
		},
	}, {
		name: "enormous length", says: "says that a byte string of four gigabytes follows",
		rules: []table.Rule{table.RuleEncoding},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if r.once(15) {
				r.swap(e, r.bend(e, []byte{0x81, 0x5a, 0xff, 0xff, 0xff, 0xff}))
			}
		},
	}, {
		name: "bulk", says: "fills a body up to the largest entry there may be",
		rules: []table.Rule{table.RuleEncoding},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if r.once(15) {
				r.swap(e, r.bend(e, bytes.Repeat([]byte{0x41}, feed.MaxEntry-300)))
			}
		},
	}, {
		name: "identity", says: "puts the identity in the place of a group element",
		rules: rest, made: bendProof(12, first32(0)),
	}, {
		name: "no element", says: "puts bytes in the place of an element that encode none",
		rules: rest, made: bendProof(12, first32(0xff)),
	}, {
		name: "low order", says: "puts a point of order four in the place of an element",
		rules: rest, made: bendProof(12, func(b []byte) []byte {
			copy(b, append([]byte{1}, make([]byte, 31)...))
			return b
		}),
	}, {
		name: "scalar too large", says: "ends a proof with a scalar that is not reduced",
		rules: rest, made: bendProof(12, func(b []byte) []byte {
			copy(b[len(b)-32:], bytes.Repeat([]byte{0xff}, 32))
			return b
		}),
	}, {
		name: "bent response", says: "changes a response of a proof by one",
		rules: rest, made: bendProof(12, func(b []byte) []byte {
			b[len(b)-32]++
			return b
		}),
	}, {
		name: "short proof", says: "leaves the last scalar of a proof away",
		rules: rest, made: bendProof(12, func(b []byte) []byte { return b[:len(b)-32] }),
	}, {
		name: "wrong kind", says: "says something that is not due in the round",
		rules: []table.Rule{table.RuleKind},
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if _, ballot := e.Ballot(); ballot || !r.once(12) {
				return
			}
			var kinds []move.Kind
			for _, d := range st.Owed() {
				kinds = d.Kinds
			}
			k := move.Kind(r.dice.below(move.KindCount + 3))
			for slices.Contains(kinds, k) {
				k = (k + 1) % move.KindCount
			}
			x := e.Entry
			x.Kind = uint8(k)
			r.swap(e, r.seal(x))
		},
	}, {
		name: "noise", says: "sends bytes that are no entry at all",
		then: func(r *rogue, _ *table.State) {
			if !r.once(5) {
				return
			}
			r.did()
			for _, to := range r.w.peers {
				if e := r.p.ends[to.index]; e != nil && e.plan != nil {
					b := make([]byte, 200)
					_, _ = r.dice.Read(b)
					e.sent++
					e.post(message{kind: entry, raw: b})
				}
			}
		},
	},
}
