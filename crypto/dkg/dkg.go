// Package dkg makes a joint key that a threshold of its seats can unlock with,
// without anybody ever holding its secret: the distributed key generation of
// Pedersen (EUROCRYPT 1991) out of the verifiable secret sharing of Feldman
// (FOCS 1987). All of it happens in public; there are no private channels.
//
//  1. Every seat is a dealer of a Polynomial and publishes its Commitments.
//  2. With Deal it seals a share, the value at the point of the receiver, to
//     the key of every other seat. All check the Dealing with CheckDealing.
//  3. Every seat opens what it was dealt and compares it with Verify. For a
//     share that does not fit, Complain opens this one share to everybody, and
//     Complaint.Opened shows who is at fault: the dealer when it does not fit
//     the commitments, the complainer when it does.
//  4. Combine makes an elgamal.Quorum of the commitments of the dealers who
//     count, and the secret lock key of a seat is the sum of the shares it has
//     from them, its own included.
//
// The Example does all four. Seat j is at the point j+1, as in package elgamal,
// and at 0 lies the secret: threshold-1 seats together know nothing of it.
// Whoever wants all seats to help adds up keys (elgamal.NewQuorum) and needs
// none of this.
//
// The keys that shares are sealed to must stay closed, after the game as well:
// with the secret of one everybody can read the shares dealt to it, and with
// those of threshold+1 work out every polynomial and so the joint secret. A key
// that players open to each other in the end will not do. The constant of a
// dealer's own polynomial will: it is committed to and stays with the dealer,
// and what hides a share is a hash, so that keys and shares may depend on each
// other.
//
// Who deals after having seen the commitments of others can bias the joint key
// (Gennaro, Jarecki, Krawczyk and Rabin, J. Cryptology 20, 2007). The caller
// therefore has every dealer commit to its commitments by a hash before the
// first are opened. What remains is the choice not to count after all, by a
// fault that all see or by leaving: k such dealers together choose one of 2^k
// joint keys. Each of these is uniform as long as one honest dealer counts, so
// this tells nothing of a secret, and makes whatever could be done to a key
// chosen by nobody at most 2^k times as likely.
//
// A share may be zero. An honest one is with probability 1/l; a dealer who
// makes it so shows it to all in the commitments and takes nothing away from
// the receiver, whose lock key is a sum. Only a lock key that is zero is
// refused, by Combine.
//
// Secret scalars are passed in; only a Polynomial keeps any. Randomness is an
// io.Reader, in programs crypto/rand.Reader. Values parsed from a peer never
// make this package panic; a seat that cannot be one does.
package dkg

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

var errNil = errors.New("element is missing")

// Polynomial is what a dealer must never show: f of degree below the threshold,
// with the dealer's part of the joint secret at 0.
//
// It never prints, neither itself nor inside another value, where fmt may not
// ask its methods: what a function would return, no verb shows.
type Polynomial struct{ keep func() []*group.Scalar }

// New makes the polynomial
//
//	f(z) = constant + sum of coefficient(k) z^k  for k = 1 .. threshold-1
//
// and asks for each coefficient once, in order. They must be secret, uniform
// and independent of each other; to be there again after a crash they are
// derived. It panics when threshold is outside 1..elgamal.MaxKeys, a number
// that no peer supplies.
func New(constant *group.Scalar, threshold int, coefficient func(k int) *group.Scalar) *Polynomial {
	if threshold < 1 || threshold > elgamal.MaxKeys {
		panic(fmt.Sprintf("dkg: threshold %d, allowed are 1 to %d", threshold, elgamal.MaxKeys))
	}
	coefficients := []*group.Scalar{constant}
	for k := 1; k < threshold; k++ {
		coefficients = append(coefficients, coefficient(k))
	}
	return &Polynomial{keep: func() []*group.Scalar { return coefficients }}
}

// String keeps a polynomial out of logs and error texts.
func (p Polynomial) String() string { return "dkg.Polynomial" }

// Format does the same for every verb and flag.
func (p Polynomial) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// Commitments returns A_k = a_k G for every coefficient a_k, the constant first.
// It takes constant time.
func (p *Polynomial) Commitments() []*group.Element {
	coefficients := p.keep()
	out := make([]*group.Element, len(coefficients))
	for k, a := range coefficients {
		out[k] = group.BaseMul(a)
	}
	return out
}

// Share returns f(seat+1), in constant time. It panics when seat is outside
// 0..elgamal.MaxKeys-1: one below lies the secret.
func (p *Polynomial) Share(seat int) *group.Scalar {
	z := point(seat)
	coefficients := p.keep()
	sum := group.ScalarFromUint64(0)
	for k := len(coefficients) - 1; k >= 0; k-- {
		sum = sum.MulAdd(z, coefficients[k])
	}
	return sum
}

// point returns where the share of a seat lies.
func point(seat int) *group.Scalar {
	if seat < 0 || seat >= elgamal.MaxKeys {
		panic(fmt.Sprintf("dkg: seat %d, allowed are 0 to %d", seat, elgamal.MaxKeys-1))
	}
	return group.ScalarFromUint64(uint64(seat) + 1)
}

// ParseCommitments reads the commitments to a polynomial of the threshold. It
// refuses more or fewer of them, encodings that are not canonical, the identity
// and two that are equal; honest ones are neither.
func ParseCommitments(encoded [][group.ElementSize]byte, threshold int) ([]*group.Element, error) {
	if threshold < 1 || threshold > elgamal.MaxKeys || len(encoded) != threshold {
		return nil, fmt.Errorf("%d commitments for a threshold of %d", len(encoded), threshold)
	}
	out := make([]*group.Element, threshold)
	seen := make(map[[group.ElementSize]byte]int, threshold)
	for k, b := range encoded {
		var err error
		if out[k], err = group.ParseNonIdentity(b[:]); err != nil {
			return nil, fmt.Errorf("commitment %d: %w", k, err)
		}
		if i, twice := seen[b]; twice {
			return nil, fmt.Errorf("commitments %d and %d are equal", i, k)
		}
		seen[b] = k
	}
	return out, nil
}

// Expected returns f(seat+1) G for the polynomial behind commitments, in
// variable time. It panics for the seats that Share does.
func Expected(commitments []*group.Element, seat int) *group.Element {
	z, power := point(seat), group.ScalarFromUint64(1)
	powers := make([]*group.Scalar, len(commitments))
	for k := range powers {
		powers[k] = power
		power = power.Mul(z)
	}
	return group.VarTimeMultiMul(powers, commitments)
}

// Verify reports whether share is the value at the seat's point of the
// polynomial behind commitments. It takes constant time in the share.
func Verify(commitments []*group.Element, seat int, share *group.Scalar) bool {
	return share != nil && len(commitments) > 0 && group.BaseMul(share).Equal(Expected(commitments, seat))
}

// Combine makes the quorum of the dealers who count, given by their
// commitments: the key share of seat j is the sum of all f_i(j+1) G, the joint
// key that of all f_i(0) G. One honest dealer among them is enough to keep the
// joint secret from everybody.
//
// It refuses to combine nothing, commitments to polynomials of another degree,
// and whatever NewQuorum refuses: a key share or a joint key that is the
// identity, and two equal key shares. For these nobody can be blamed, and with
// dealers who had to commit beforehand nobody can bring them about. It refuses
// a threshold of all seats as well, since such a quorum adds its shares up
// without weights (see elgamal.Quorum).
func Combine(dealers [][]*group.Element, seats, threshold int) (*elgamal.Quorum, error) {
	if seats > elgamal.MaxKeys || threshold < 1 || threshold >= seats {
		return nil, fmt.Errorf("no sharing among %d seats has threshold %d", seats, threshold)
	}
	if len(dealers) == 0 {
		return nil, errors.New("no dealer counts")
	}
	sums := make([]*group.Element, threshold)
	for k := range sums {
		sums[k] = group.Identity()
	}
	for i, commitments := range dealers {
		if len(commitments) != threshold {
			return nil, fmt.Errorf("dealer %d has %d commitments, not %d", i, len(commitments), threshold)
		}
		for k, a := range commitments {
			if a == nil {
				return nil, fmt.Errorf("dealer %d: commitment %d: %w", i, k, errNil)
			}
			sums[k] = sums[k].Add(a)
		}
	}
	keys := make([]*group.Element, seats)
	for j := range keys {
		keys[j] = Expected(sums, j) // the sum of values is the value of the sum
	}
	return elgamal.NewQuorum(keys, threshold)
}
