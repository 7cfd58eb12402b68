package sim

import "time"

// dice are all that a run draws from: splitmix64 (Steele, Lea and Flood 2014).
// The same seed gives the same run on every machine and with every version of Go.
type dice struct{ state uint64 }

func newDice(seed uint64) *dice { return &dice{seed} }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fork makes dice of their own for one part of the world, so that a draw more in
// one place does not change every other.
func (d *dice) fork() *dice { return &dice{d.next()} }

// below draws from 0 to n-1; of nothing it is 0.
func (d *dice) below(n int) int {
	if n <= 0 {
		return 0
	}
	return int(d.next() % uint64(n)) // the bias is far below what a run could notice
}

// chance is true in so many of a hundred cases.
func (d *dice) chance(percent int) bool { return d.below(100) < percent }

// between draws a time.
func (d *dice) between(least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(d.next()%uint64(most-least))
}

// perm draws an order of n things.
func (d *dice) perm(n int) []int {
	out := make([]int, n)
	for i := range out {
		j := d.below(i + 1)
		out[i], out[j] = out[j], i
	}
	return out
}

// Read makes dice the source of a seat's secrets and proofs.
func (d *dice) Read(b []byte) (int, error) {
	for i := 0; i < len(b); {
		for v, n := d.next(), 0; n < 8 && i < len(b); n, i = n+1, i+1 {
			b[i] = byte(v)
			v >>= 8
		}
	}
	return len(b), nil
}

// weighted draws an index by weight.
func (d *dice) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := d.below(sum)
	for i, w := range weights {
		if at < w {
			return i
		}
		at -= w
	}
	return 0
}
