package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"alibi/crypto/feed"
)

// inChild runs the rest of a test in a process of its own, prepared by attr, and
// returns true there. Where such a process cannot be had the test is skipped.
func inChild(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const name = "ALIBI_STORE_CHILD"
	if os.Getenv(name) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), name+"="+t.Name())
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skip("no namespaces to be had:", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// ownMounts is a process that may mount what nobody else sees.
func ownMounts() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

func mount(t *testing.T, dir string, flags uintptr, pages int) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", flags, fmt.Sprintf("size=%d", pages*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if flags&syscall.MS_REMOUNT == 0 {
		t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	}
}

// A disk with every size that is too small. Whatever there is no room for is
// ErrFull and changes nothing; when there is room it goes on.
func TestFullDisk(t *testing.T) {
	if !inChild(t, ownMounts()) {
		return
	}
	f := newFixture(t, 3, "evening")
	where := map[string]int{}
	for pages := 1; where["nowhere"] == 0; pages++ {
		if pages > 200 {
			t.Fatal("never enough room")
		}
		dir := t.TempDir()
		mount(t, dir, 0, pages)
		where[useUp(t, dir, f)]++
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	if where["open"] == 0 || where["append"] == 0 || len(where) < 5 {
		t.Errorf("full %v", where)
	}
	t.Log("full", where)
}

// uses are what a peer does to its store.
func uses(t *testing.T, f fixture) (names []string, do map[string]func(Store) error) {
	do = map[string]func(Store) error{
		"identity": func(s Store) error { _, err := s.Identity(pattern(7)); return err },
		"save":     func(s Store) error { return s.SavePending(pendingA, []byte(strings.Repeat("s", 9000))) },
		"begin":    func(s Store) error { _, err := s.Begin(f.charter, 0, []byte("k")); return err },
	}
	names = []string{"identity", "save", "begin"}
	for i := range 3 {
		e := []*feed.Signed{f.entry(t, uint32(i), 0, "own"), f.entry(t, uint32(i), 1, strings.Repeat("b", 30000))}
		name := fmt.Sprint("append ", i)
		do[name] = func(s Store) error { return s.Append(f.table, e...) }
		names = append(names, name)
	}
	return names, do
}

// useUp uses a store until the disk is full, then on a larger one, and returns
// where it was full first.
func useUp(t *testing.T, dir string, f fixture) (full string) {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Fatalf("left behind: %v", left)
		}
		return "open"
	}
	names, do := uses(t, f)
	full = "nowhere"
	for _, name := range names {
		before := look(t, d)
		err := do[name](d)
		if err == nil {
			continue
		}
		full, _, _ = strings.Cut(name, " ")
		again := do[name](d)
		if !errors.Is(err, ErrFull) || !errors.Is(again, ErrFull) {
			t.Fatalf("%s: %v, then %v", name, err, again)
		}
		if now := look(t, d); now != before {
			t.Fatalf("%s changed something:\n%s\n%s", name, before, now)
		}
		mount(t, dir, syscall.MS_REMOUNT, 1000)
		if err := do[name](d); err != nil {
			t.Fatalf("%s with room: %v", name, err)
		}
	}
	m := NewMemory()
	for _, name := range names {
		if err := do[name](m); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := look(t, d), look(t, m); got != want {
		t.Fatalf("full in %s, then:\n%s", full, got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return full
}

// A file system that is mounted read-only.
func TestReadOnlyDisk(t *testing.T) {
	if !inChild(t, ownMounts()) {
		return
	}
	dir := t.TempDir()
	mount(t, dir, 0, 1000)
	kept := filepath.Join(dir, "kept")
	d := mustOpen(t, kept)
	if _, err := d.Identity(pattern(7)); err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	before := bytesOf(t, kept)
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	mount(t, dir, syscall.MS_REMOUNT|syscall.MS_RDONLY, 1000)
	for _, name := range []string{"kept", "empty", "none"} {
		if _, err := Open(filepath.Join(dir, name)); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := Salvage(kept); err != nil || len(found) != 0 {
		t.Error("salvaged:", found, err)
	}
	mount(t, dir, syscall.MS_REMOUNT, 1000)
	if string(bytesOf(t, kept)) != string(before) {
		t.Error("the file was changed")
	}
	d = mustOpen(t, kept)
	if key, err := d.Identity(pattern(9)); err != nil || key.Seed()[0] != 7 {
		t.Error("another identity:", err)
	}
	_ = d.Close()
}

// A folder or file without the right to write. Root writes everywhere, so it is
// nobody who tries.
func TestReadOnlyRights(t *testing.T) {
	const nobody = 65534
	if dir := os.Getenv("ALIBI_STORE_RIGHTS"); dir != "" {
		if os.Getuid() == 0 {
			if err := syscall.Setuid(nobody); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"file", "folder", "parent/none"} {
			if _, err := Open(filepath.Join(dir, name)); !errors.Is(err, ErrReadOnly) {
				t.Errorf("%s: %v", name, err)
			}
		}
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = mustOpen(t, filepath.Join(dir, "file")).Close()
	before := bytesOf(t, filepath.Join(dir, "file"))
	for _, name := range []string{"folder", "parent"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"file/" + FileName: 0o400, "file": 0o700, "folder": 0o500, "parent": 0o500} {
		path := filepath.Join(dir, name)
		if os.Getuid() == 0 {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, name := range []string{"folder", "parent"} {
			_ = os.Chmod(filepath.Join(dir, name), 0o700)
		}
	})
	cmd := exec.Command(os.Args[0], "-test.run=^TestReadOnlyRights$", "-test.v")
	cmd.Env = append(os.Environ(), "ALIBI_STORE_RIGHTS="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	if string(bytesOf(t, filepath.Join(dir, "file"))) != string(before) {
		t.Error("the file was changed")
	}
	for _, name := range []string{"folder", "parent"} {
		if left, _ := os.ReadDir(filepath.Join(dir, name)); len(left) > 0 {
			t.Errorf("left behind in %s: %v", name, left)
		}
	}
}

// However often a disk fails, nothing stays open or mapped behind it.
func TestNothingIsLeftOpen(t *testing.T) {
	disk := newFaulty(t, 0, syscall.EIO)
	disk.calm = true
	d, err := open(ram(t), disk.how())
	if err != nil {
		t.Fatal(err)
	}
	count := func() (files, maps int) {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		b, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		return len(list), strings.Count(string(b), FileName)
	}
	files, maps := count()
	for i := range 50 {
		disk.calm, disk.fired, disk.left = false, "", 1+i%6
		if err := d.SavePending(pendingA, []byte{byte(i)}); err == nil {
			t.Fatal("the step did not fail")
		}
		disk.calm = true
		_ = look(t, d)
	}
	if f, m := count(); f != files || m != maps {
		t.Errorf("%d files and %d mappings, before %d and %d", f, m, files, maps)
	}
	_ = d.Close()
	if f, m := count(); f != files-1 || m != maps-1 {
		t.Errorf("closed: %d files and %d mappings, open %d and %d", f, m, files, maps)
	}
}
