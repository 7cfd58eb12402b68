package seat

import (
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/game/move"
	"alibi/game/table"
)

// ErrKeyShare means that a key share which counts cannot be read any more: the
// secret is another than the one it was vetted with.
var ErrKeyShare = errors.New("seat: a key share does not fit its commitments")

func (p *Seat) keys(st *table.State) (move.Move, error) {
	k := p.secret.keep()
	seat, lock := p.secret.public(lockSize(st.Seats(), int(st.Charter.Leavers)))
	claim := table.Possession(seat, lock[0])
	proof, err := sigma.Prove(p.context(st, move.KindKeys, 0), claim, []sigma.Known{{Secrets: []*group.Scalar{k.seat, k.lock}}}, p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: proving the keys: %w", err)
	}
	return &move.Keys{Nonce: k.nonce, Seat: seat.Encoding(), Lock: encodings(lock), Proof: proof.Bytes()}, nil
}

// keyShares deals to every other seat its share of this one's part in the joint key.
func (p *Seat) keyShares(st *table.State) (move.Move, error) {
	to := st.Others(p.index)
	d, err := dkg.Deal(p.context(st, move.KindKeyShares, 0), p.secret.polynomial(st.Threshold()), to, st.Receivers(to), p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: dealing key shares: %w", err)
	}
	return &move.KeyShares{Dealing: d.Bytes()}, nil
}

// vet accepts the key shares that this seat got, or opens the bad ones to all.
func (p *Seat) vet(st *table.State) (move.Move, error) {
	var about []move.Complaint
	for _, dealer := range st.Others(p.index) {
		if _, err := p.keyShare(st, dealer); err == nil {
			continue
		}
		d := st.KeyShares[dealer]
		c, err := dkg.Complain(p.context(st, move.KindComplain, len(about)), d.Dealing, slices.Index(d.Receivers, p.index), p.secret.keep().lock, p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: proving that a key share is bad: %w", err)
		}
		about = append(about, move.Complaint{Dealer: uint8(dealer), Proof: c.Bytes()})
	}
	if len(about) > 0 {
		return &move.Complain{About: about}, nil
	}
	return new(move.Checked), nil
}

// keyShare is the share of a dealer's polynomial that belongs to this seat.
func (p *Seat) keyShare(st *table.State, dealer int) (*group.Scalar, error) {
	if dealer == p.index {
		return p.secret.polynomial(st.Threshold()).Share(p.index), nil
	}
	d := st.KeyShares[dealer]
	share, err := d.Dealing.Open(d.Context, slices.Index(d.Receivers, p.index), p.secret.keep().lock)
	if err != nil {
		return nil, fmt.Errorf("seat: %w", err)
	}
	if !dkg.Verify(st.Locks[dealer], p.index, share) {
		return nil, ErrKeyShare
	}
	return share, nil
}

// lock is what this seat unlocks with: its own key when all must help, else the
// sum of the shares that it got of everybody's polynomial.
func (p *Seat) lock(st *table.State) (*group.Scalar, error) {
	if st.Charter.Leavers == 0 {
		return p.secret.keep().lock, nil
	}
	sum := group.ScalarFromUint64(0)
	for _, dealer := range st.Dealers {
		share, err := p.keyShare(st, dealer)
		if err != nil {
			return nil, err
		}
		sum = sum.Add(share)
	}
	return sum, nil
}

// shares unlocks exactly what the state says is due. That the decks verify is
// part of having reached this state: Apply checked every shuffle.
func (p *Seat) shares(st *table.State) (move.Move, error) {
	x, err := p.lock(st)
	if err != nil {
		return nil, err
	}
	share, err := deck.Unlock(p.context(st, move.KindShares, 0), x, st.Tasks(), p.rand)
	if err != nil {
		return nil, fmt.Errorf("seat: unlocking: %w", err)
	}
	return &move.Shares{Share: share.Bytes()}, nil
}
