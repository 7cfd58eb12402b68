package table

import (
	"slices"

	"alibi/crypto/dkg"
	"alibi/crypto/group"
	"alibi/game/move"
)

// shared folds the round in which every seat deals key shares to all others.
// Whether they are good only their receivers can tell.
func (f *fold) shared(round []said) {
	f.next.KeyShares = make([]*KeyShares, f.Seats())
	for _, s := range round {
		to := f.Others(s.seat)
		keys := f.Receivers(to)
		d, err := dkg.ParseDealing(len(to), s.move.(*move.KeyShares).Dealing)
		if err != nil {
			f.fault(s.seat, RuleKeyShare)
			continue
		}
		check, err := dkg.CheckDealing(s.context(0), to, keys, d)
		f.prove(s, check, err, RuleKeyShare)
		f.next.KeyShares[s.seat] = &KeyShares{Context: s.context(0), Receivers: to, Dealing: d}
	}
	f.next.Stage = Vetting
}

// Receivers lists the keys that key shares for seats are sealed to: the constant
// term of each one's own polynomial. It must not be the seat key, which may be
// opened after the game: enough opened seat keys would then open every
// polynomial, and with it the hands of those who kept theirs.
func (s *State) Receivers(seats []int) []*group.Element {
	out := make([]*group.Element, len(seats))
	for i, seat := range seats {
		out[i] = s.Locks[seat][0]
	}
	return out
}

// complaint is one that is still to be judged.
type complaint struct {
	by, dealer, at int
	opened         *dkg.Complaint
}

// vetted folds the round in which every seat accepts the shares it got, or opens
// the bad ones to all. Either the dealer is to blame then, or who complained.
func (f *fold) vetted(round []said) {
	var open []complaint
	for _, s := range round {
		if m, is := s.move.(*move.Complain); is {
			open = append(open, f.complaints(s, m)...)
		}
	}
	f.then = func() {
		for _, c := range open {
			d := f.KeyShares[c.dealer]
			share, err := c.opened.Opened(d.Context, d.Dealing, c.at)
			if err == nil && dkg.Verify(f.Locks[c.dealer], c.by, share) {
				f.fault(c.by, RuleComplaint)
			} else {
				f.fault(c.dealer, RuleKeyShare)
			}
		}
		if len(f.next.Faults) > 0 {
			return
		}
		// Whose shares count is settled only now, and k seats that leave or stay
		// have a choice of 2^k joint keys: docs/protocol.md 4.2 says why that is
		// of no use to them.
		var commitments [][]*group.Element
		f.next.Dealers = f.Present()
		for _, i := range f.next.Dealers {
			commitments = append(commitments, f.Locks[i])
		}
		f.lock(dkg.Combine(commitments, f.Seats(), f.Threshold()))
	}
}

// complaints reads what one seat complains about: at least one dealer, in seat
// order, none twice.
func (f *fold) complaints(s said, m *move.Complain) (out []complaint) {
	if len(m.About) == 0 {
		f.fault(s.seat, RuleComplaint)
	}
	last := -1
	for i, c := range m.About {
		dealer := int(c.Dealer)
		if dealer <= last || dealer == s.seat || dealer >= f.Seats() || f.Gone[dealer] || f.KeyShares[dealer] == nil {
			f.fault(s.seat, RuleComplaint)
			return nil
		}
		last = dealer
		d := f.KeyShares[dealer]
		opened, err := dkg.ParseComplaint(c.Proof)
		if err != nil {
			f.fault(s.seat, RuleComplaint)
			return nil
		}
		at := slices.Index(d.Receivers, s.seat)
		check, err := dkg.CheckComplaint(s.context(i), d.Dealing, at, f.Locks[s.seat][0], opened)
		f.prove(s, check, err, RuleComplaint)
		out = append(out, complaint{by: s.seat, dealer: dealer, at: at, opened: opened})
	}
	return out
}
