package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

func TestNobodyElseCanRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps permissions elsewhere")
	}
	dir := filepath.Join(t.TempDir(), "new", "store")
	if err := mustOpen(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	modes := func() (folder, file os.FileMode) {
		for name, mode := range map[string]*os.FileMode{dir: &folder, path: &file} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			*mode = info.Mode().Perm()
		}
		return
	}
	if folder, file := modes(); folder != 0o700 || file != 0o600 {
		t.Fatalf("new: folder %o, file %o", folder, file)
	}
	for name, mode := range map[string]os.FileMode{dir: 0o755, path: 0o644} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := mustOpen(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if folder, file := modes(); folder != 0o700 || file != 0o600 {
		t.Fatalf("after opening again: folder %o, file %o", folder, file)
	}
}

// One identity in two processes would look like one peer to everybody else.
func TestSecondProcessIsRefused(t *testing.T) {
	if dir := os.Getenv("ALIBI_STORE_HELD"); dir != "" {
		if _, err := Open(dir); errors.Is(err, ErrInUse) {
			os.Exit(7)
		}
		os.Exit(0)
	}
	dir := t.TempDir()
	d := mustOpen(t, dir)
	child := func() int {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSecondProcessIsRefused$")
		cmd.Env = append(os.Environ(), "ALIBI_STORE_HELD="+dir)
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	if code := child(); code != 7 {
		t.Errorf("a second process opened the store (exit %d)", code)
	}
	if _, err := Open(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "alibi uses this folder") {
		t.Errorf("opened twice in one process: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if code := child(); code != 0 {
		t.Errorf("still refused after Close (exit %d)", code)
	}
}

// written makes a store with one game in dir and returns the file's bytes.
func written(t testing.TB, dir string, f fixture) []byte {
	d := mustOpen(t, dir)
	if _, err := d.Identity(pattern(7)); err != nil {
		t.Fatal(err)
	}
	if err := d.SavePending(feed.Hash{42}, []byte("s3cr3t-pending")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Begin(f.charter, 0, []byte("s3cr3t-seat")); err != nil {
		t.Fatal(err)
	}
	for r := range uint32(4) {
		if err := d.Append(f.table, f.entry(t, r, 0, "a"), f.entry(t, r, 1, strings.Repeat("b", 3000))); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readAll opens whatever is in dir and reads everything. It returns what came
// out; everything that went wrong must be an error without the secrets in it.
func readAll(t testing.TB, dir string, f fixture) (g *Game) {
	var errs []error
	defer func() {
		for _, err := range errs {
			if err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("a secret in an error: %v", err)
			}
		}
	}()
	d, err := open(dir, true)
	errs = append(errs, err)
	if err != nil {
		return nil
	}
	defer d.Close()
	_, err = d.Games()
	errs = append(errs, err)
	_, err = d.Pending(feed.Hash{42})
	errs = append(errs, err)
	_, err = d.Identity(pattern(7))
	errs = append(errs, err)
	g, err = d.Load(f.table)
	errs = append(errs, err)
	errs = append(errs, d.Append(f.table, f.entry(t, 9, 2, "more")))
	return g
}

// folderWith makes a folder with a store file of the given bytes.
func folderWith(t testing.TB, root string, b []byte) string {
	t.Helper()
	dir, err := os.MkdirTemp(root, "store")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A flipped byte anywhere is either found or harmless: what loads is exactly
// what was kept.
func TestFlippedByteIsFound(t *testing.T) {
	f := newFixture(t, 3, "evening")
	whole := written(t, t.TempDir(), f)
	root := t.TempDir()
	step := 97
	if testing.Short() {
		step = 997
	}
	for at := 0; at < len(whole); at += step {
		b := bytes.Clone(whole)
		b[at] ^= 0x15
		dir := folderWith(t, root, b)
		g := readAll(t, dir, f)
		if g == nil {
			continue
		}
		if !bytes.Equal(g.Charter, f.charter) || string(g.Secret) != "s3cr3t-seat" {
			t.Fatalf("byte %d: another charter or secret was loaded", at)
		}
		for i, e := range g.Log {
			if want := f.entry(t, uint32(i/2), i%2, [2]string{"a", strings.Repeat("b", 3000)}[i%2]); !bytes.Equal(e.Raw(), want.Raw()) {
				t.Fatalf("byte %d: entry %d is another one", at, i)
			}
		}
	}
}

func TestCutFileIsAnError(t *testing.T) {
	f := newFixture(t, 3, "evening")
	whole := written(t, t.TempDir(), f)
	root := t.TempDir()
	for _, n := range []int{1, 100, 4096, 8192, 12288, 16384, len(whole) / 2, len(whole) - 4096} {
		readAll(t, folderWith(t, root, whole[:n]), f)
	}
	if _, err := Open(folderWith(t, root, bytes.Repeat([]byte("not a store at all\n"), 1000))); !errors.Is(err, ErrDamaged) {
		t.Errorf("another file: %v", err)
	}
}

func FuzzDamagedFile(f *testing.F) {
	fix := newFixture(f, 3, "evening")
	whole := written(f, f.TempDir(), fix)
	f.Add(uint32(0), []byte{0})
	f.Add(uint32(4096), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(16), []byte{4, 0, 1})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		b := bytes.Clone(whole)
		copy(b[int(at)%len(b):], patch)
		readAll(t, folderWith(t, t.TempDir(), b), fix)
	})
}

func FuzzRecord(f *testing.F) {
	h, err := head{Order: 1, Seats: 3, Charter: newFixture(f, 3, "x").charter}.encode()
	if err != nil {
		f.Fatal(err)
	}
	w, err := feed.Marshal(waiting{Order: 3, Secret: []byte("x")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seal("games", []byte("k"), h))
	f.Add(seal("games", []byte("k"), w))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, record []byte) {
		data, err := unseal("games", []byte("k"), record)
		if err != nil {
			data = record // past the checksum, so that the decoders see everything too
		} else if !bytes.Equal(seal("games", []byte("k"), data), record) {
			t.Error("unseal and seal disagree")
		}
		if h, err := decodeHead(data); err == nil {
			if again, err := h.encode(); err != nil || !bytes.Equal(again, data) {
				t.Error("a head has two encodings")
			}
		}
		_, _ = decodeWaiting(data)
	})
}

// The two stores cannot be told apart, whatever is done to them in whatever
// order, with the disk closed and opened in between.
func TestTwins(t *testing.T) {
	f := newFixture(t, 3, "evening")
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "twin")
		if err != nil {
			rt.Fatal(err)
		}
		d, err := open(dir, true)
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
					batch = append(batch, f.entry(t, rapid.Uint32Range(0, 2).Draw(rt, "round"),
						rapid.IntRange(0, 2).Draw(rt, "seat"), rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(rt, "body")))
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
				if d, err = open(dir, true); err != nil {
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

// What Append has returned for is there after kill -9, whenever that comes,
// and what is there is a beginning of what was appended.
func TestKilledInTheMiddle(t *testing.T) {
	f := newFixture(t, 3, "evening")
	if dir := os.Getenv("ALIBI_STORE_APPENDER"); dir != "" {
		d := mustOpen(t, dir)
		if _, err := d.Begin(f.charter, 0, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		for round := uint32(0); ; round++ {
			if err := d.Append(f.table, f.entry(t, round, 0, "a"), f.entry(t, round, 1, strings.Repeat("b", 5000))); err != nil {
				t.Fatal(err)
			}
			_, _ = os.Stdout.Write([]byte{'.'})
		}
	}
	for _, after := range []int{0, 1, 7, 20} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInTheMiddle$")
		cmd.Env = append(os.Environ(), "ALIBI_STORE_APPENDER="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, after)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait()
		returned := after + len(rest)

		d := mustOpen(t, dir)
		g, err := d.Load(f.table)
		if errors.Is(err, ErrUnknown) && returned == 0 {
			_ = d.Close()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Log)%2 != 0 || len(g.Log) < 2*returned {
			t.Errorf("killed after %d appends of two: %d entries", returned, len(g.Log))
		}
		for i, e := range g.Log {
			if e.Round != uint32(i/2) || int(e.Seat) != i%2 {
				t.Fatalf("entry %d is of round %d, seat %d", i, e.Round, e.Seat)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
