//go:build !race

package table_test

// raceEnabled tells tests that bound a running time to leave it alone.
const raceEnabled = false
