//go:build race

package sim_test

// underRace is whether the race detector looks on, which makes proofs ten times
// as dear. A run has one goroutine; a few are enough to see that.
const underRace = true
