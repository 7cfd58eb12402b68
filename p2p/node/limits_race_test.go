//go:build race

package node

// raceEnabled says that everything takes more time and memory; speeches is how
// much is said in a test of much.
const (
	raceEnabled = true
	speeches    = 50
)
