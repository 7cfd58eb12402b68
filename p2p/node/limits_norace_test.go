//go:build !race

package node

// See limits_race_test.go.
const (
	raceEnabled = false
	speeches    = 200
)
