package dkg

import (
	"testing"

	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Six seats of whom one may leave.
const benchSeats, benchThreshold = 6, 5

func BenchmarkDeal(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	seats, keys := p.others(0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Deal(dealtAt(0), p.dealers[0], seats, keys, p.rand); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck verifies the dealings of all six, in one batch.
func BenchmarkCheck(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	var encoded [][]byte
	for i := range benchSeats {
		encoded = append(encoded, p.deal(i).Bytes())
	}
	b.ReportAllocs()
	for b.Loop() {
		var batch sigma.Batch
		for i, e := range encoded {
			seats, keys := p.others(i)
			d, err := ParseDealing(len(seats), e)
			if err != nil {
				b.Fatal(err)
			}
			c, err := CheckDealing(dealtAt(i), seats, keys, d)
			if err != nil {
				b.Fatal(err)
			}
			batch.Add(c)
		}
		if err := batch.Verify(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is what one seat does with the dealings of the other five.
func BenchmarkOpen(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	var dealings []*Dealing
	for i := range benchSeats - 1 {
		dealings = append(dealings, p.deal(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, d := range dealings {
			share, err := d.Open(dealtAt(i), benchSeats-2, p.y[benchSeats-1])
			if err != nil || !Verify(p.public[i], benchSeats-1, share) {
				b.Fatal("does not fit", err)
			}
		}
	}
}

func BenchmarkCombine(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Combine(p.public, benchSeats, benchThreshold); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkComplain(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	d := p.deal(0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Complain(complainedAt(1), d, 0, p.y[1], p.rand); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheckComplaint is all that it takes to see who is at fault.
func BenchmarkCheckComplaint(b *testing.B) {
	p := newParty(b, benchSeats, benchThreshold)
	d := p.deal(0)
	encoded := p.complain(d, 0, 0).Bytes()
	b.ReportAllocs()
	for b.Loop() {
		c, err := ParseComplaint(encoded)
		if err != nil {
			b.Fatal(err)
		}
		check, err := CheckComplaint(complainedAt(1), d, 0, p.keys[1], c)
		if err != nil || check.Verify() != nil {
			b.Fatal("refused", err)
		}
		var share *group.Scalar
		if share, err = c.Opened(dealtAt(0), d, 0); err != nil || !Verify(p.public[0], 1, share) {
			b.Fatal("does not fit", err)
		}
	}
}
