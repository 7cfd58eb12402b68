package move_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
)

var rewrite = flag.Bool("rewrite", false, "record testdata/golden.txt anew: the protocol has changed; read the diff")

func hash(b byte) (h [32]byte) {
	for i := range h {
		h[i] = b + byte(i)
	}
	return h
}

// samples are moves of every kind, in the order of kinds, some more than once.
var samples = []move.Move{
	&move.Accept{},
	&move.Keys{Nonce: hash(1), Seat: hash(2), Lock: [][32]byte{hash(3)}, Proof: []byte{4, 5}},
	&move.Keys{Nonce: hash(1), Seat: hash(2), Lock: [][32]byte{hash(3), hash(4), hash(5)}, Proof: []byte{}},
	&move.Shuffle{Decks: []move.Shuffled{{Cards: []byte{1, 2}, Proof: []byte{3}}}},
	&move.Shuffle{Decks: []move.Shuffled{{Cards: make([]byte, 300), Proof: []byte{}}, {Cards: []byte{}, Proof: make([]byte, 24)}, {Cards: []byte{}, Proof: []byte{}}}},
	&move.Checked{},
	&move.Shares{Share: []byte{9, 8, 7}},
	&move.Vote{For: 3},
	&move.Vote{For: 255},
	&move.Ask{Cards: []uint8{0, 11}},
	&move.Accuse{},
	&move.Deny{Proof: []byte{1}},
	&move.Show{Proof: []byte{2}},
	&move.Seal{Commitment: hash(6)},
	&move.Unseal{Join: true, Salt: hash(7)},
	&move.Unseal{Join: false, Salt: hash(7)},
	&move.Order{Seats: []uint8{2, 0, 1}},
	&move.Guess{Proof: make([]byte, 256)},
	&move.Verdict{Right: true, Cards: []uint8{0, 6, 9}, Proof: []byte{1}},
	&move.Verdict{Cards: []uint8{}, Proof: []byte{1}},
	&move.Disclose{Cards: []uint8{5, 8, 11}, Proof: []byte{1}},
	&move.Leave{Key: make([]byte, 32)},
	&move.Leave{Key: []byte{}},
	&move.KeyShares{Dealing: []byte{1, 2}},
	&move.Complain{About: []move.Complaint{{Dealer: 2, Proof: []byte{3}}, {Dealer: 4, Proof: []byte{}}}},
	&move.Complain{About: []move.Complaint{}},
	&move.Pick{Suspect: 5},
	&move.Roll{},
	&move.Passage{},
	&move.Go{To: 8},
	&move.Go{To: 608},
	&move.Suggest{Suspect: 3, Weapon: 11},
	&move.Charge{Cards: []uint8{0, 6, 20}},
	&move.End{},
}

// TestGoldenBytes pins the body of every kind, and the terms of every edition.
func TestGoldenBytes(t *testing.T) {
	var b strings.Builder
	for _, m := range samples {
		kind, body, err := move.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d %s: %x\n", kind, kind, body)
	}
	for _, e := range rules.Played() {
		terms, err := move.EncodeTerms(e, rules.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s, deck: %x\n%s, terms: %x\n", e.Name, move.DeckHash(e), e.Name, terms)
	}
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
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Fatalf("line %d\nrecorded: %s\nmade:     %s", i+1, line, got[min(i, len(got)-1)])
		}
	}
}

func TestMovesRoundTrip(t *testing.T) {
	seen := map[move.Kind]bool{}
	for _, m := range samples {
		kind, body, err := move.Encode(m)
		if err != nil || kind != m.Kind() {
			t.Fatal(kind, err)
		}
		seen[kind] = true
		d, err := move.Decode(kind, body)
		if err != nil || d.Kind() != kind {
			t.Fatalf("%s: %v", kind, err)
		}
		if _, again, err := move.Encode(d); err != nil || !bytes.Equal(again, body) {
			t.Errorf("%s: %x came back as %x, %v", kind, body, again, err)
		}
	}
	for k := range move.Kind(move.KindCount) {
		if !seen[k] {
			t.Errorf("no sample of %s", k)
		}
		if strings.HasPrefix(k.String(), "kind") {
			t.Errorf("kind %d has no name", k)
		}
	}
	if got := move.Kind(26).String(); got != "kind 26" {
		t.Error(got)
	}
}

// Lists that are nil and lists that are empty have one encoding.
func TestNoListIsAnEmptyList(t *testing.T) {
	for a, b := range map[move.Move]move.Move{
		&move.Ask{}: &move.Ask{Cards: []uint8{}}, &move.Shuffle{}: &move.Shuffle{Decks: []move.Shuffled{}},
		&move.Keys{}: &move.Keys{Lock: [][32]byte{}, Proof: []byte{}}, &move.Leave{}: &move.Leave{Key: []byte{}},
		&move.Shares{}: &move.Shares{Share: []byte{}}, &move.Charge{}: &move.Charge{Cards: []uint8{}}, &move.Verdict{}: &move.Verdict{Cards: []uint8{}, Proof: []byte{}},
	} {
		_, x, errX := move.Encode(a)
		_, y, errY := move.Encode(b)
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("%s: %x and %x", a.Kind(), x, y)
		}
		if _, err := move.Decode(a.Kind(), x); err != nil {
			t.Error(err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, k := range []move.Kind{26, 27, 100, 255} {
		if m, err := move.Decode(k, []byte{0x80}); !errors.Is(err, move.ErrKind) || m != nil {
			t.Errorf("kind %d: %v", k, err)
		}
	}
	for _, s := range samples {
		kind, body, err := move.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{
			"nothing": nil, "trailing": append(slices.Clone(body), 0), "short": body[:len(body)-1], "null": {0xf6}, "map": {0xa0}, "undefined": {0xf7},
			"more fields":      append(append([]byte{body[0] + 1}, body[1:]...), 0),
			"indefinite array": append(append([]byte{0x9f}, body[1:]...), 0xff),
			"long head":        append([]byte{0x98, body[0] & 0x1f}, body[1:]...),
			"tag":              append([]byte{0xd8, 0x40}, body...),
			"huge array":       {0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
			"huge bytes":       {body[0], 0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		} {
			if m, err := move.Decode(kind, b); !errors.Is(err, feed.ErrEncoding) || m != nil {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
	for name, c := range map[string]struct {
		kind move.Kind
		body []byte
	}{
		"key of 31 bytes":     {move.KindSeal, append([]byte{0x81, 0x58, 31}, make([]byte, 31)...)},
		"key of 33 bytes":     {move.KindSeal, append([]byte{0x81, 0x58, 33}, make([]byte, 33)...)},
		"key as null":         {move.KindSeal, []byte{0x81, 0xf6}},
		"vote for 256":        {move.KindVote, []byte{0x81, 0x19, 1, 0}},
		"vote for -1":         {move.KindVote, []byte{0x81, 0x20}},
		"vote for 3 in long":  {move.KindVote, []byte{0x81, 0x18, 3}},
		"vote for 3.0":        {move.KindVote, []byte{0x81, 0xf9, 0x42, 0x00}},
		"vote for true":       {move.KindVote, []byte{0x81, 0xf5}},
		"pick of 256":         {move.KindPick, []byte{0x81, 0x19, 1, 0}},
		"go to 65536":         {move.KindGo, []byte{0x81, 0x1a, 0, 1, 0, 0}},
		"go to -1":            {move.KindGo, []byte{0x81, 0x20}},
		"go to 8 in long":     {move.KindGo, []byte{0x81, 0x18, 8}},
		"weapon as text":      {move.KindSuggest, []byte{0x82, 0, 0x61, 'a'}},
		"weapon missing":      {move.KindSuggest, []byte{0x81, 0}},
		"charge as an array":  {move.KindCharge, []byte{0x81, 0x83, 0, 6, 12}},
		"cards as an array":   {move.KindAsk, []byte{0x81, 0x82, 0, 1}},
		"cards as text":       {move.KindAsk, []byte{0x81, 0x62, 'a', 'b'}},
		"cards as null":       {move.KindAsk, []byte{0x81, 0xf6}},
		"join as 1":           {move.KindUnseal, append([]byte{0x82, 1, 0x58, 32}, make([]byte, 32)...)},
		"join as simple 0x15": {move.KindUnseal, append([]byte{0x82, 0xf8, 0x15, 0x58, 32}, make([]byte, 32)...)},
		"257 lock keys":       {move.KindKeys, slices.Concat([]byte{0x84}, sealed(32), sealed(32), []byte{0x99, 1, 1}, bytes.Repeat(sealed(32), 257), []byte{0x40})},
	} {
		if m, err := move.Decode(c.kind, c.body); !errors.Is(err, feed.ErrEncoding) || m != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sealed is the encoding of n zero bytes.
func sealed(n byte) []byte { return append([]byte{0x58, n}, make([]byte, n)...) }

func TestDecodeAllocatesLittle(t *testing.T) {
	for _, head := range []byte{0x5b, 0x9b, 0xbb} {
		body := []byte{0x84, head, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			for k := range move.Kind(move.KindCount) {
				if _, err := move.Decode(k, body); err == nil {
					t.Fatal("decoded")
				}
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / (100 * move.KindCount); got > 4<<10 {
			t.Errorf("head %x: %d bytes allocated for each", head, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range samples {
		kind, body, err := move.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(kind), body)
	}
	f.Add(uint8(17), []byte{0x80})
	f.Add(uint8(255), []byte{})
	f.Fuzz(func(t *testing.T, k uint8, body []byte) {
		m, err := move.Decode(move.Kind(k), body)
		if err != nil {
			if m != nil {
				t.Fatal("a move beside an error")
			}
			return
		}
		kind, again, err := move.Encode(m)
		if err != nil || kind != move.Kind(k) || !bytes.Equal(again, body) {
			t.Fatalf("accepted %x, which encodes as %x, %v", body, again, err)
		}
	})
}
