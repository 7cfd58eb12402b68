//go:build race

package node

// raceEnabled says that everything takes more time and memory.
const raceEnabled = true
