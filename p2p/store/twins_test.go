package store

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

// The two stores cannot be told apart, whatever is done to them in whatever
// order, with the disk closed and opened in between.
func TestTwins(t *testing.T) {
	f := newFixture(t, 3, "evening")
	root := ram(t)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "twin")
		if err != nil {
			rt.Fatal(err)
		}
		d, err := open(dir, quick())
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		m := NewMemory()
		same := func(what string, a, b error) {
			for _, want := range []error{ErrUnknown, ErrExists, ErrFinished, ErrContradiction, ErrBounds} {
				if errors.Is(a, want) != errors.Is(b, want) {
					rt.Fatalf("%s: disk %v, memory %v", what, a, b)
				}
			}
			if (a == nil) != (b == nil) {
				rt.Fatalf("%s: disk %v, memory %v", what, a, b)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": func(rt *rapid.T) {
				_, a := d.Begin(f.charter, 0, []byte("k"))
				_, b := m.Begin(f.charter, 0, []byte("k"))
				same("begin", a, b)
			},
			"append": func(rt *rapid.T) {
				var batch []*feed.Signed
				for range rapid.IntRange(0, 3).Draw(rt, "n") {
					round, seat := rapid.Uint32Range(0, 2).Draw(rt, "round"), rapid.IntRange(0, 2).Draw(rt, "seat")
					e := f.entry(t, round, seat, rapid.SampledFrom([]string{"a", "a", "a", "b", "c", "d", "e"}).Draw(rt, "body"))
					switch rapid.IntRange(0, 9).Draw(rt, "sort") {
					case 0:
						e = again(t, e)
					case 1:
						e = f.vote(t, round, seat, rapid.Bool().Draw(rt, "yes"))
					}
					batch = append(batch, e)
				}
				same("append", d.Append(f.table, batch...), m.Append(f.table, batch...))
			},
			"pending": func(rt *rapid.T) {
				h := feed.Hash{rapid.Byte().Draw(rt, "commitment")}
				same("save", d.SavePending(h, h[:]), m.SavePending(h, h[:]))
			},
			"drop": func(rt *rapid.T) {
				h := feed.Hash{rapid.Byte().Draw(rt, "commitment")}
				same("drop", d.DropPending(h), m.DropPending(h))
			},
			"finish": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "luck") == 0 {
					same("finish", d.Finish(f.table), m.Finish(f.table))
				}
			},
			"reopen": func(rt *rapid.T) {
				if err := d.Close(); err != nil {
					rt.Fatal(err)
				}
				if d, err = open(dir, quick()); err != nil {
					rt.Fatal(err)
				}
			},
			"": func(rt *rapid.T) {
				a, errA := d.Load(f.table)
				b, errB := m.Load(f.table)
				same("load", errA, errB)
				if errA == nil && !sameGame(a, b) {
					rt.Fatalf("disk has %v, memory %v", a, b)
				}
				h := feed.Hash{rapid.Byte().Draw(rt, "look")}
				pa, errA := d.Pending(h)
				pb, errB := m.Pending(h)
				same("pending", errA, errB)
				if !bytes.Equal(pa, pb) {
					rt.Fatal("different secrets")
				}
			},
		})
	})
}

func sameGame(a, b *Game) bool {
	if a.Table != b.Table || a.Seat != b.Seat || a.Entries != b.Entries || a.Finished != b.Finished ||
		!bytes.Equal(a.Charter, b.Charter) || !bytes.Equal(a.Secret, b.Secret) || len(a.Log) != len(b.Log) {
		return false
	}
	for i := range a.Log {
		if !bytes.Equal(a.Log[i].Raw(), b.Log[i].Raw()) {
			return false
		}
	}
	return true
}
