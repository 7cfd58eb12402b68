package group

import "crypto/subtle"

// A fixedTable holds (j+1) 256^i P at [i][j], so that a multiplication by P
// needs 64 additions and four doublings (Bernstein, Duif, Lange, Schwabe,
// Yang, "High-speed high-security signatures", section 4).
type fixedTable [32][8]affine

// Prepared returns e with a table of its multiples (30 kB), which makes
// constant-time multiplication of e, and MultiMul over prepared elements and
// the generator only, about three times faster. The table costs as much as
// three multiplications; prepare what is multiplied more often than that.
func (e *Element) Prepared() *Element {
	if e == base || e.table != nil {
		return e
	}
	r := new(Element)
	r.p.Set(&e.p)
	r.enc.Store(e.enc.Load())
	r.table = newFixedTable(e)
	return r
}

func newFixedTable(e *Element) *fixedTable {
	table := new(fixedTable)
	points := make([]extended, 0, len(table)*len(table[0]))
	var p, q extended
	p.load(&e.p)
	for range table {
		q = p
		points = append(points, q)
		for range len(table[0]) - 1 {
			q.add(&p)
			points = append(points, q)
		}
		for range 5 { // q is 8 times 256^i P
			q.double()
		}
		p = q
	}
	for i, a := range normalise(points) {
		table[i/len(table[0])][i%len(table[0])] = a
	}
	return table
}

// addMultiple makes p = p + s P in constant time.
func (t *fixedTable) addMultiple(p *extended, s *Scalar) {
	digits := radix16(s.s.Bytes())
	var sum extended
	sum.zero()
	for i := 1; i < len(digits); i += 2 {
		sum.addDigit(&t[i/2], digits[i])
	}
	for range 4 {
		sum.double()
	}
	for i := 0; i < len(digits); i += 2 {
		sum.addDigit(&t[i/2], digits[i])
	}
	p.add(&sum)
}

// radix16 writes the little-endian scalar b in base 16 with digits from -8 to
// 7, the last one up to 8.
func radix16(b []byte) [64]int8 {
	var d [64]int8
	for i, v := range b {
		d[2*i], d[2*i+1] = int8(v&15), int8(v>>4)
	}
	for i := range len(d) - 1 {
		carry := (d[i] + 8) >> 4
		d[i] -= carry << 4
		d[i+1] += carry
	}
	return d
}

// addDigit makes p = p + digit P, where row holds P, 2P, ... 8P. It reads the
// whole row whatever the digit is.
func (p *extended) addDigit(row *[8]affine, digit int8) {
	mask := digit >> 7
	size := (digit + mask) ^ mask
	var q affine
	q.sum.One()
	q.diff.One()
	for j := range row {
		hit := subtle.ConstantTimeByteEq(uint8(size), uint8(j+1))
		q.sum.Select(&row[j].sum, &q.sum, hit)
		q.diff.Select(&row[j].diff, &q.diff, hit)
		q.t2d.Select(&row[j].t2d, &q.t2d, hit)
	}
	negative := int(mask & 1)
	q.sum.Swap(&q.diff, negative)
	minus := q.t2d
	minus.Negate(&minus)
	q.t2d.Select(&minus, &q.t2d, negative)
	p.addAffine(&q.sum, &q.diff, &q.t2d)
}
