package sim

import (
	"bytes"
	"slices"

	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/transcript"
	"alibi/game/move"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/p2p/node"
)

// another draws a secret that is not the committed one.
func (r *rogue) another() *seat.Seat {
	s, err := seat.Draw(r.dice)
	if err != nil {
		return r.key
	}
	return seat.New(s, r.p.seat, r.dice)
}

// ofKind answers an entry of a kind, once, with what make makes of it.
func ofKind(k move.Kind, percent int, make func(r *rogue, st *table.State, e *feed.Signed) *feed.Signed) func(*rogue, *table.State, *feed.Signed) {
	return func(r *rogue, st *table.State, e *feed.Signed) {
		if is(e, k) && r.once(percent) {
			r.swap(e, make(r, st, e))
		}
	}
}

// badKeys is a puppet that commits itself to keys, and opens them.
func badKeys(name, says string, keys func(r *rogue) move.Keys) *strategy {
	opened := func(r *rogue) *move.Keys {
		d := *r.dice // the same each time
		k := keys(&rogue{p: r.p, w: r.w, dice: &d})
		return &k
	}
	return &strategy{
		name: name, says: says, rules: []table.Rule{table.RuleKeys, table.RuleCommitment},
		puppet: func(r *rogue) feed.Hash {
			k := opened(r)
			return table.Commitment(r.p.key.ID(), k.Nonce, k.Seat, k.Lock)
		},
		then: func(r *rogue, st *table.State) {
			var x *feed.Signed
			if st.Gone[r.p.seat] || r.memory[string(st.Prev[:])] > 0 {
				return
			}
			switch {
			case st.Stage == table.Accepting && !r.spoke(st.Round):
				x = r.say(st, new(move.Accept))
			case st.Stage == table.Keying && !r.spoke(st.Round):
				if x = r.say(st, opened(r)); x != nil {
					r.forge(x)
				}
			}
			if x != nil {
				r.memory[string(st.Prev[:])]++
				r.p.step("puppet", func() error { return r.p.core.Arrive(node.Arrival{From: r.p.seat, Entry: x}) })
			}
		},
	}
}

// spoke reports whether the cheat has said something in a round.
func (r *rogue) spoke(round uint32) bool {
	_, entries := r.p.core.Log()
	return slices.ContainsFunc(entries, func(e *feed.Signed) bool { return e.Round == round && int(e.Seat) == r.p.seat })
}

// lock is a list of commitments as long as the table wants it.
func (r *rogue) lock(n int) (out [][32]byte) {
	for range n {
		x, err := group.RandomScalar(r.dice)
		if err == nil {
			out = append(out, group.BaseMul(x).Encoding())
		}
	}
	return out
}

// crooked is the cheat's polynomial, with another value for one of the receivers:
// p(z) + c times the product of (z - point) over all the others.
func (r *rogue) crooked(st *table.State, to []int) *dkg.Polynomial {
	b, t := r.p.secret.Bytes(), st.Threshold()
	lock, err := group.ParseScalar(b[96:])
	if err != nil {
		lock = group.ScalarFromUint64(1)
	}
	zero, one := group.ScalarFromUint64(0), group.ScalarFromUint64(1)
	all := []*group.Scalar{lock}
	for i := 1; i < t; i++ {
		all = append(all, transcript.HashToScalar("coefficient", b[32:64], []byte{byte(t), byte(i)}))
	}
	product := []*group.Scalar{one}
	bad := r.dice.below(len(to))
	for i, j := range to {
		if i == bad {
			continue
		}
		next := make([]*group.Scalar, len(product)+1)
		for k := range next {
			next[k] = zero
		}
		for k, c := range product {
			next[k+1] = next[k+1].Add(c)
			next[k] = next[k].Sub(c.Mul(group.ScalarFromUint64(uint64(j + 1))))
		}
		product = next
	}
	for len(all) < len(product) {
		all = append(all, zero)
	}
	for k, c := range product {
		all[k] = all[k].Add(c)
	}
	return dkg.New(all[0], len(all), func(k int) *group.Scalar { return all[k] })
}

func (s *setting) coefficients() int {
	if s.leavers == 0 {
		return 1
	}
	return s.seats - s.leavers
}

// keying is about keys and key shares.
var keying = []*strategy{
	badKeys("equal keys", "commits itself to one key for both purposes", func(r *rogue) move.Keys {
		l := r.lock(r.w.set.coefficients())
		return move.Keys{Seat: l[0], Lock: l, Proof: []byte{}}
	}),
	badKeys("identity as key", "commits itself to the identity as its key", func(r *rogue) move.Keys {
		return move.Keys{Lock: r.lock(r.w.set.coefficients()), Proof: []byte{}}
	}),
	badKeys("key that is none", "commits itself to a key that is no element", func(r *rogue) move.Keys {
		return move.Keys{Seat: [32]byte(bytes.Repeat([]byte{0xff}, 32)), Lock: r.lock(r.w.set.coefficients()), Proof: []byte{}}
	}),
	badKeys("one coefficient too many", "commits itself to a polynomial of a higher degree", func(r *rogue) move.Keys {
		l := r.lock(r.w.set.coefficients() + 2)
		return move.Keys{Seat: l[0], Lock: l[1:], Proof: []byte{}}
	}),
	{
		name: "other keys", says: "opens other keys than it is committed to", rules: []table.Rule{table.RuleCommitment},
		made: ofKind(move.KindKeys, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			m, err := r.another().Answer(st, nil)
			if err != nil {
				return nil
			}
			return r.say(st, m)
		}),
	}, {
		name: "copied keys", says: "opens the keys of another seat, with their proof", rules: []table.Rule{table.RuleCommitment, table.RuleFork},
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if !is(e, move.KindKeys) || r.acts > 0 {
				return
			}
			r.did()
			at := sumOf(e)
			r.instead[at] = func(*peer) []*feed.Signed { // waits until there is something to copy
				_, entries := r.p.core.Log()
				for _, x := range entries {
					if is(x, move.KindKeys) && int(x.Seat) != r.p.seat {
						r.swap(e, r.bend(e, x.Body))
						return r.instead[at](nil)
					}
				}
				return []*feed.Signed{e}
			}
		},
	}, {
		name: "proof of another place", says: "proves its keys, or a shuffle, for another round", rules: rest,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if (is(e, move.KindKeys) || is(e, move.KindShuffle) || is(e, move.KindShares)) && r.once(25) {
				r.swap(e, r.pretend(st, func(lie *table.State) { lie.Round++ }, nil))
			}
		},
	}, {
		name: "shares of another polynomial", says: "deals shares that do not fit its commitments", rules: []table.Rule{table.RuleKeyShare},
		fits: mayLeave,
		made: ofKind(move.KindKeyShares, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			m, err := r.another().Answer(st, nil)
			if err != nil {
				return nil
			}
			return r.say(st, m)
		}),
	}, {
		name: "one bad share", says: "deals good shares to all but one", rules: []table.Rule{table.RuleKeyShare},
		fits: mayLeave,
		made: ofKind(move.KindKeyShares, 100, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			to := st.Others(r.p.seat)
			d, err := dkg.Deal(table.Context(st.Place(r.p.seat), move.KindKeyShares, 0), r.crooked(st, to), to, st.Receivers(to), r.dice)
			if err != nil {
				return nil
			}
			return r.say(st, &move.KeyShares{Dealing: d.Bytes()})
		}),
	}, {
		name: "false complaint", says: "complains about key shares that are good", rules: []table.Rule{table.RuleComplaint},
		fits: mayLeave,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if st.Stage == table.Vetting && is(e, move.KindChecked) {
				r.swap(e, r.pretend(st, func(lie *table.State) {
					lie.Locks = slices.Clone(lie.Locks)
					at := st.Others(r.p.seat)[0]
					lie.Locks[at] = st.Locks[r.p.seat]
				}, nil))
			}
		},
	}, {
		name: "complaint without proof", says: "complains and proves nothing", rules: []table.Rule{table.RuleComplaint},
		fits: mayLeave,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if st.Stage == table.Vetting && is(e, move.KindChecked) {
				b := make([]byte, dkg.ComplaintSize())
				_, _ = r.dice.Read(b)
				m := &move.Complain{About: []move.Complaint{{Dealer: uint8(st.Others(r.p.seat)[0]), Proof: b}}}
				if r.dice.chance(30) {
					m.About = []move.Complaint{}
				}
				r.swap(e, r.say(st, m))
			}
		},
	},
}

// bendDeck changes the cards of a shuffle and keeps its proof.
func bendDeck(change func(r *rogue, st *table.State, cards []byte) []byte) func(*rogue, *table.State, *feed.Signed) {
	return ofKind(move.KindShuffle, 50, func(r *rogue, st *table.State, e *feed.Signed) *feed.Signed {
		return r.recast(e, func(m move.Move) {
			d := &m.(*move.Shuffle).Decks[0]
			d.Cards = change(r, st, bytes.Clone(d.Cards))
		})
	})
}

var onlyShuffle = []table.Rule{table.RuleShuffle}

// shuffling is about the deck.
var shuffling = []*strategy{
	{
		name: "duplicated card", says: "has a card twice in its shuffle, and another not at all", rules: onlyShuffle,
		made: bendDeck(func(_ *rogue, _ *table.State, b []byte) []byte {
			copy(b[:64], b[64:128])
			return b
		}),
	}, {
		name: "replaced card", says: "puts a card of its choice in the place of one", rules: onlyShuffle,
		made: bendDeck(func(r *rogue, st *table.State, b []byte) []byte {
			x, err := group.RandomScalar(r.dice)
			if err == nil {
				copy(b, elgamal.Encrypt(st.Deck.Card(0), st.Quorum.Joint(), x).Bytes())
			}
			return b
		}),
	}, {
		name: "dropped card", says: "leaves a card away", rules: onlyShuffle,
		made: bendDeck(func(_ *rogue, _ *table.State, b []byte) []byte { return b[64:] }),
	}, {
		name: "added card", says: "adds a card", rules: onlyShuffle,
		made: bendDeck(func(_ *rogue, _ *table.State, b []byte) []byte { return append(b, b[:64]...) }),
	}, {
		name: "deck as it was", says: "passes the deck on as it got it", rules: onlyShuffle,
		made: bendDeck(func(r *rogue, st *table.State, b []byte) []byte {
			if st.Stage == table.Pooling {
				return elgamal.EncodeAll(st.Pool)
			}
			return elgamal.EncodeAll(st.Decks[0])
		}),
	}, {
		name: "another deck", says: "shuffles and proves another deck", rules: onlyShuffle,
		made: ofKind(move.KindShuffle, 50, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.Pool = slices.Clone(lie.Pool)
				slices.Reverse(lie.Pool)
				lie.Decks = slices.Clone(lie.Decks)
				lie.Decks[0] = slices.Clone(lie.Decks[0])
				slices.Reverse(lie.Decks[0])
				if st.Stage == table.Pooling { // one that says the same must not verify either
					lie.Pool[0] = lie.Pool[1]
				} else {
					lie.Decks[0][0] = lie.Decks[0][1]
				}
			}, nil)
		}),
	}, {
		name: "another joint key", says: "shuffles under another joint key", rules: onlyShuffle,
		made: ofKind(move.KindShuffle, 50, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			q, err := elgamal.NewQuorum([]*group.Element{st.SeatKeys[0], st.SeatKeys[1]}, 2)
			if err != nil {
				return nil
			}
			return r.pretend(st, func(lie *table.State) { lie.Quorum = q }, nil)
		}),
	}, {
		name: "one deck for three", says: "sends fewer decks than are due", rules: onlyShuffle,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if is(e, move.KindShuffle) && st.Stage == table.Sorting && r.once(100) {
				r.swap(e, r.recast(e, func(m move.Move) { m.(*move.Shuffle).Decks = m.(*move.Shuffle).Decks[:1] }))
			}
		},
	},
}

var onlyShare = []table.Rule{table.RuleShare}

// sharing is about the shares that unlock cards.
var sharing = []*strategy{
	{
		name: "share of another card", says: "unlocks other cards than are due", rules: onlyShare,
		made: ofKind(move.KindShares, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.Pool, lie.Crime = slices.Clone(lie.Crime), slices.Clone(lie.Crime)
				for len(lie.Pool) < len(st.Pool) {
					lie.Pool = append(lie.Pool, st.Crime...)
				}
				lie.Pool = lie.Pool[:len(st.Pool)]
				slices.Reverse(lie.Crime)
				lie.Game[0] ^= 1 // another beacon
			}, nil)
		}),
	}, {
		name: "share for itself", says: "hands cards over to itself that others are due", rules: onlyShare,
		made: ofKind(move.KindShares, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			return r.pretend(st, func(lie *table.State) {
				lie.SeatKeys = make([]*group.Element, len(st.SeatKeys))
				for i := range lie.SeatKeys {
					lie.SeatKeys[i] = st.SeatKeys[(i+1)%len(st.SeatKeys)]
				}
				lie.Game[0] ^= 1
			}, nil)
		}),
	}, {
		name: "share of another key", says: "unlocks with a key that is not its own", rules: onlyShare,
		made: ofKind(move.KindShares, 40, func(r *rogue, st *table.State, _ *feed.Signed) *feed.Signed {
			x, err := group.RandomScalar(r.dice)
			if err != nil {
				return nil
			}
			s, err := deck.Unlock(table.Context(st.Place(r.p.seat), move.KindShares, 0), x, st.Tasks(), r.dice)
			if err != nil {
				return nil
			}
			return r.say(st, &move.Shares{Share: s.Bytes()})
		}),
	}, {
		name: "shares in another order", says: "exchanges two shares", rules: onlyShare,
		made: ofKind(move.KindShares, 40, func(r *rogue, _ *table.State, e *feed.Signed) *feed.Signed {
			return r.recast(e, func(m move.Move) {
				s := m.(*move.Shares)
				s.Share = slices.Concat(s.Share[32:64], s.Share[:32], s.Share[64:])
			})
		}),
	}, {
		name: "doubled share", says: "makes its shares of a round twice, for two halves of the table", rules: []table.Rule{table.RuleFork},
		fits: hasHalves,
		made: func(r *rogue, st *table.State, e *feed.Signed) {
			if is(e, move.KindShares) && r.once(40) {
				r.split(e, r.second(st, e))
			}
		},
	}, {
		name: "withheld share", says: "gives its shares to one half of the table only", fits: hasHalves,
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if is(e, move.KindShares) && r.dice.chance(60) {
				r.withhold(e, false)
			}
		},
	}, {
		name: "no share at all", says: "waits with its shares for ever, once it is asked to give any", stalls: true,
		made: func(r *rogue, _ *table.State, e *feed.Signed) {
			if is(e, move.KindShares) && r.dice.chance(40) {
				r.withhold(e, true)
			}
		},
	},
}
