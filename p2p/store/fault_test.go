package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

// step is something that a store does, in a folder that was prepared for it.
type step struct {
	name string
	do   func(s Store) error
	// again is what the step may say when it is done a second time.
	again error
}

var (
	pendingA = feed.Hash{0xa}
	pendingB = feed.Hash{0xb}
)

// steps are all that write. prepared is what is there before.
func steps(t testing.TB) (prepared []byte, all []step) {
	t.Helper()
	f, g := newFixture(t, 3, "evening"), newFixture(t, 3, "another")
	dir := ram(t)
	d := mustOpen(t, dir)
	for i := range 40 { // so that steps free pages and use free ones
		if err := d.SavePending(feed.Hash{0xc0, byte(i)}, []byte(strings.Repeat("old", 300))); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.SavePending(pendingA, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Begin(f.charter, 0, []byte("k")); err != nil {
		t.Fatal(err)
	}
	for r := range uint32(3) {
		if err := d.Append(f.table, f.entry(t, r, 0, "own"), f.entry(t, r, 1, strings.Repeat("b", 3000))); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	small := []*feed.Signed{f.entry(t, 3, 0, "own")}
	large := []*feed.Signed{f.entry(t, 3, 0, "own")}
	for seat := 1; seat < 3; seat++ {
		for i := range 2 {
			large = append(large, f.entry(t, 3, seat, strings.Repeat(fmt.Sprint(i), 60000)))
		}
	}
	return bytesOf(t, dir), []step{
		{"identity", func(s Store) error { _, err := s.Identity(pattern(7)); return err }, nil},
		{"save", func(s Store) error { return s.SavePending(pendingB, []byte(strings.Repeat("s", 5000))) }, nil},
		{"replace", func(s Store) error { return s.SavePending(pendingA, []byte("other")) }, nil},
		{"drop", func(s Store) error { return s.DropPending(pendingA) }, nil},
		{"begin", func(s Store) error { _, err := s.Begin(g.charter, 1, []byte("k")); return err }, ErrExists},
		{"append", func(s Store) error { return s.Append(f.table, small...) }, nil},
		{"append much", func(s Store) error { return s.Append(f.table, large...) }, nil}, // the file grows
		{"finish", func(s Store) error { return s.Finish(f.table) }, nil},
	}
}

func look(t testing.TB, s Store) string {
	return snapshot(t, s, pendingA, pendingB, feed.Hash{0xc0, 3})
}

// Every step, failing in every way there is: what returned nil is there, what
// returned an error is there wholly or not at all, and what the store says is
// what it finds when it is opened again, whether it was closed or killed.
func TestEveryStepFailing(t *testing.T) {
	prepared, all := steps(t)
	for name, cause := range causes {
		for _, s := range all {
			t.Run(name+"/"+s.name, func(t *testing.T) {
				root := ram(t)
				before, after := outcomes(t, root, prepared, s)
				lost, kept := 0, 0
				for fault := 0; ; fault++ {
					f := newFaulty(t, fault, cause)
					now := failing(t, root, prepared, f, s, before, after)
					if f.fired == "" {
						break
					}
					switch now {
					case before:
						lost++
					case after:
						kept++
					}
				}
				if lost < 5 || kept < 2 {
					t.Errorf("%d times lost, %d times kept: most ways to fail were not tried", lost, kept)
				}
			})
		}
	}
}

// outcomes are the states before and after a step that goes well.
func outcomes(t *testing.T, root string, prepared []byte, s step) (before, after string) {
	t.Helper()
	d := mustOpen(t, folderWith(t, root, prepared))
	before = look(t, d)
	if err := s.do(d); err != nil {
		t.Fatal(err)
	}
	after = look(t, d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Fatal("the step changes nothing")
	}
	return before, after
}

// failing does a step on a faulty disk and returns the state that came of it.
func failing(t *testing.T, root string, prepared []byte, f *faulty, s step, before, after string) string {
	t.Helper()
	dir := folderWith(t, root, prepared)
	f.calm = true
	d, err := open(dir, f.how())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	f.calm = false
	err = s.do(d)
	f.calm = true
	killed := folderWith(t, root, bytesOf(t, dir)) // what a new process would find
	now := look(t, d)
	switch {
	case err == nil && now != after:
		t.Errorf("%s: no error, but the step is not there:\n%s", f.fired, now)
	case err != nil && now != before && now != after:
		t.Errorf("%s: half a step:\n%s", f.fired, now)
	case errors.Is(err, ErrDamaged):
		t.Errorf("%s: called damaged: %v", f.fired, err)
	case errors.Is(f.cause, syscall.ENOSPC) && strings.HasPrefix(f.fired, "write") && !errors.Is(err, ErrFull):
		t.Errorf("%s: not called full: %v", f.fired, err)
	case strings.HasSuffix(f.fired, "lost") && now != before, f.fired == "" && err != nil:
		t.Errorf("%s: %v, and then:\n%s", f.fired, err, now)
	}
	other := mustOpen(t, killed)
	if found := look(t, other); found != now {
		t.Errorf("%s: the store says\n%s\nand a new process finds\n%s", f.fired, now, found)
	}
	_ = other.Close()
	if again := s.do(d); again != nil && (now == before || !errors.Is(again, s.again)) {
		t.Errorf("%s: a second time: %v", f.fired, again)
	}
	if done := look(t, d); done != after {
		t.Errorf("%s: a second time the step led to\n%s", f.fired, done)
	}
	_ = os.RemoveAll(killed)
	return now
}

// Opening a store writes, too, and when that fails nothing is changed.
func TestOpenFailing(t *testing.T) {
	prepared, _ := steps(t)
	root := ram(t)
	for fault := 0; ; fault++ {
		f := newFaulty(t, fault, syscall.EIO)
		dir := folderWith(t, root, prepared)
		d, err := open(dir, f.how())
		if err == nil {
			_ = d.Close()
			if fault < 3 {
				t.Errorf("fault %d went unnoticed", fault)
			}
			break
		}
		if string(bytesOf(t, dir)) != string(prepared) {
			t.Errorf("%s: the file was changed", f.fired)
		}
		if d, err = Open(dir); err != nil {
			t.Fatalf("%s: %v", f.fired, err)
		}
		_ = d.Close()
	}
}

// Any number of steps and faults, against the twin in memory: after an error the
// twin has either done the step or not, and from then on they agree again.
func TestFaultsInAnyOrder(t *testing.T) {
	f := newFixture(t, 3, "evening")
	root := ram(t)
	rapid.Check(t, func(rt *rapid.T) {
		disk := newFaulty(t, 0, syscall.EIO)
		disk.calm = true
		dir, err := os.MkdirTemp(root, "faults")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		h := disk.how()
		h.noSync = rapid.IntRange(0, 7).Draw(rt, "synced") > 0
		d, err := open(dir, h)
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		var done []func(Store) error
		twin := func() *Memory {
			m := NewMemory()
			for _, do := range done {
				_ = do(m)
			}
			return m
		}
		do := func(what string, op func(Store) error) {
			disk.calm, disk.fired, disk.left = false, "", rapid.IntRange(0, 60).Draw(rt, "fault")
			err := op(d)
			disk.calm = true
			m := twin()
			before, wantErr := look(t, m), op(m)
			if disk.fired == "" && (err == nil) != (wantErr == nil) {
				rt.Fatalf("%s: disk %v, memory %v", what, err, wantErr)
			}
			got, want := look(t, d), look(t, m)
			if got == want {
				done = append(done, op)
			}
			if got != want && (err == nil || got != before) {
				rt.Fatalf("%s (%s, %v): disk has\n%s\nmemory\n%s", what, disk.fired, err, got, want)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"identity": func(rt *rapid.T) {
				do("identity", func(s Store) error { _, err := s.Identity(pattern(7)); return err })
			},
			"save": func(rt *rapid.T) {
				secret := []byte(strings.Repeat("s", rapid.IntRange(0, 9000).Draw(rt, "length")))
				do("save", func(s Store) error { return s.SavePending(pendingA, secret) })
			},
			"begin": func(rt *rapid.T) {
				do("begin", func(s Store) error { _, err := s.Begin(f.charter, 0, []byte("k")); return err })
			},
			"append": func(rt *rapid.T) {
				e := f.entry(t, rapid.Uint32Range(0, 9).Draw(rt, "round"), rapid.IntRange(0, 2).Draw(rt, "seat"),
					strings.Repeat("b", rapid.IntRange(0, 9000).Draw(rt, "body")))
				do("append", func(s Store) error { return s.Append(f.table, e) })
			},
			"finish": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "luck") == 0 {
					do("finish", func(s Store) error { return s.Finish(f.table) })
				}
			},
			"reopen": func(rt *rapid.T) {
				_ = d.Close()
				if d, err = open(dir, h); err != nil {
					rt.Fatal(err)
				}
			},
		})
	})
}
