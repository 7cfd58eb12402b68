package group

import "filippo.io/edwards25519"

// The bucket method (Pippenger) with signed windows of c bits: in every window
// each point is added to the bucket of its digit's size, once, whatever the
// digit; then bucket j is counted j times by two running sums. It beats Straus
// where the points outnumber the buckets.

// scalarBits bounds the length of a scalar: l < 2^253.
const scalarBits = 253

// buckets returns the sum of s[i] e[i] by windows of c bits. Variable time.
// c is at most 15, the slices are of one length.
func buckets(p *edwards25519.Point, s []*Scalar, e []*Element, c int) {
	points := normalise(coordinates(e))
	windows := scalarBits/c + 1 // one bit more than needed holds the last carry
	digits := make([]int16, 0, windows*len(s))
	for _, k := range s {
		digits = appendDigits(digits, k.s.Bytes(), c, windows)
	}
	table := make([]extended, 1<<(c-1))
	used := make([]bool, len(table))

	var acc extended
	acc.zero()
	for w := windows - 1; w >= 0; w-- {
		for range c {
			acc.double()
		}
		clear(used)
		for i := range points {
			d := digits[i*windows+w]
			if d == 0 {
				continue
			}
			j := max(d, -d) - 1
			switch {
			case !used[j]:
				table[j].set(&points[i], d < 0)
				used[j] = true
			case d > 0:
				table[j].addAffine(&points[i].sum, &points[i].diff, &points[i].t2d)
			default:
				table[j].subAffine(&points[i])
			}
		}
		acc.addWeighted(table, used)
	}
	acc.store(p)
}

// appendDigits appends the windows signed digits of the little-endian scalar
// b in base 2^c, each from -2^(c-1)+1 to 2^(c-1).
func appendDigits(digits []int16, b []byte, c, windows int) []int16 {
	carry := 0
	for w := range windows {
		bit := w * c
		v := 0
		for i := range 3 { // c + 7 bits fit three bytes
			if at := bit/8 + i; at < len(b) {
				v |= int(b[at]) << (8 * i)
			}
		}
		d := v>>(bit%8)&(1<<c-1) + carry
		carry = 0
		if d > 1<<(c-1) {
			d -= 1 << c
			carry = 1
		}
		digits = append(digits, int16(d))
	}
	return digits
}

func coordinates(e []*Element) []extended {
	out := make([]extended, len(e))
	for i := range e {
		out[i].load(&e[i].p)
	}
	return out
}

// addWeighted adds the sum of (j+1) table[j] over the used buckets.
func (p *extended) addWeighted(table []extended, used []bool) {
	var running, total extended
	running.zero()
	total.zero()
	started := false
	for j := len(table) - 1; j >= 0; j-- {
		if used[j] {
			running.add(&table[j])
			started = true
		}
		if started {
			total.add(&running)
		}
	}
	if started {
		p.add(&total)
	}
}
