package table_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/move"
	"alibi/game/table"
)

var rewrite = flag.Bool("rewrite", false, "record testdata/golden.txt anew: the protocol has changed; read the diff")

// TestGoldenHashes pins what proofs, commitments and seals are bound to. A change
// here is another version of the protocol.
func TestGoldenHashes(t *testing.T) {
	fill := func(b byte) (h feed.Hash) {
		for i := range h {
			h[i] = b + byte(i)
		}
		return h
	}
	e := feed.Entry{Game: fill(1), Prev: fill(2), Round: 0x01020304, Seat: 5}
	id := identity.KeyFromSeed(fill(3)).ID()
	st := &table.State{Game: fill(1), Round: 7}
	var b strings.Builder
	line := func(name string, bytes []byte) { fmt.Fprintf(&b, "%s: %x\n", name, bytes) }
	line("context of shares", table.Context(e, move.KindShares, 0))
	line("context of the third deck", table.Context(e, move.KindShuffle, 2))
	commitment := table.Commitment(id, fill(4), fill(5), [][32]byte{fill(6)})
	line("commitment", commitment[:])
	two := table.Commitment(id, fill(4), fill(5), [][32]byte{fill(6), fill(7)})
	line("commitment to two coefficients", two[:])
	join, pass := table.SealOf(fill(1), 0x01020304, 5, true, fill(8)), table.SealOf(fill(1), 0x01020304, 5, false, fill(8))
	line("seal, join", join[:])
	line("seal, pass", pass[:])
	line("beacon point of round 7", st.Point().Bytes())
	const file = "testdata/golden.txt"
	if *rewrite {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("recorded:\n%smade:\n%s", want, &b)
	}
}

// A commitment counts everything that it is to.
func TestCommitmentCoversItsParts(t *testing.T) {
	id := identity.KeyFromSeed([32]byte{1}).ID()
	seen := map[feed.Hash]string{}
	for name, h := range map[string]feed.Hash{
		"base":             table.Commitment(id, [32]byte{1}, [32]byte{2}, [][32]byte{{3}}),
		"identity":         table.Commitment(identity.KeyFromSeed([32]byte{2}).ID(), [32]byte{1}, [32]byte{2}, [][32]byte{{3}}),
		"nonce":            table.Commitment(id, [32]byte{9}, [32]byte{2}, [][32]byte{{3}}),
		"seat key":         table.Commitment(id, [32]byte{1}, [32]byte{9}, [][32]byte{{3}}),
		"lock key":         table.Commitment(id, [32]byte{1}, [32]byte{2}, [][32]byte{{9}}),
		"no lock key":      table.Commitment(id, [32]byte{1}, [32]byte{2}, nil),
		"two lock keys":    table.Commitment(id, [32]byte{1}, [32]byte{2}, [][32]byte{{3}, {4}}),
		"keys exchanged":   table.Commitment(id, [32]byte{1}, [32]byte{3}, [][32]byte{{2}}),
		"nonce for a key":  table.Commitment(id, [32]byte{2}, [32]byte{1}, [][32]byte{{3}}),
		"a key as a nonce": table.Commitment(id, [32]byte{3}, [32]byte{2}, [][32]byte{{1}}),
	} {
		if other, twice := seen[h]; twice {
			t.Errorf("%s and %s have one commitment", name, other)
		}
		seen[h] = name
	}
}
