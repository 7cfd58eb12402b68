package store

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"alibi/crypto/identity"
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

// Many that find no store at once make one between them, and one of them has it.
func TestCreatedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	stores, errs := make([]*Disk, 8), make([]error, 8)
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() {
			stores[i], errs[i] = Open(dir)
			if errs[i] == nil {
				_, errs[i] = stores[i].Identity(pattern(i))
			}
		})
	}
	wg.Wait()
	var key *identity.Key
	for i, d := range stores {
		if d == nil {
			if !errors.Is(errs[i], ErrInUse) {
				t.Error(errs[i])
			}
			continue
		}
		k, err := d.Identity(pattern(99))
		if err != nil || errs[i] != nil || key != nil {
			t.Errorf("%v, %v; another has the store: %t", errs[i], err, key != nil)
		}
		key = &k
		_ = d.Close()
	}
	d := mustOpen(t, dir)
	defer func() { _ = d.Close() }()
	if k, err := d.Identity(pattern(99)); err != nil || key != nil && k.ID() != key.ID() {
		t.Error("another identity:", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Error("left behind:", left)
	}
}

// A process that was killed while it made the store leaves nothing that counts,
// however far it came, and no file of the store's name is ever one of these.
func TestKilledWhileCreating(t *testing.T) {
	whole := t.TempDir()
	_ = mustOpen(t, whole).Close()
	b := bytesOf(t, whole)
	for _, n := range []int{0, 1, 4096, 10000, len(b)} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName+".new-12345"), b[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		d := mustOpen(t, dir)
		if _, err := d.Identity(pattern(7)); err != nil {
			t.Error(err)
		}
		_ = d.Close()
		if left, _ := os.ReadDir(dir); len(left) != 1 || left[0].Name() != FileName {
			t.Error("left behind:", left)
		}
	}
}

// A store whose file is taken away is not replaced by an empty one.
func TestFileTakenAway(t *testing.T) {
	dir := t.TempDir()
	f := newFaulty(t, 0, syscall.EIO)
	f.calm = true
	d, err := open(dir, f.how())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := os.Rename(filepath.Join(dir, FileName), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	f.calm, f.left = false, 1
	if err := d.SavePending(pendingA, nil); err == nil {
		t.Fatal("the step did not fail")
	}
	if _, err := d.Games(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, "elsewhere"), filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	if err := d.SavePending(pendingA, nil); err != nil {
		t.Error("it is back:", err)
	}
}

// The file is cut short while it is open and mapped: an error, no crash.
func TestCutWhileOpen(t *testing.T) {
	dir := folderWith(t, t.TempDir(), written(t).file)
	d := mustOpen(t, dir)
	if err := os.Truncate(filepath.Join(dir, FileName), 2*int64(os.Getpagesize())); err != nil {
		t.Skip("a mapped file cannot be cut here:", err)
	}
	if _, err := d.Games(); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := d.SavePending(pendingA, nil); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrDamaged) {
		t.Error("opened again:", err)
	}
}
