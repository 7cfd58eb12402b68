package store

import (
	"io/fs"
	"os"
	"reflect"
	"syscall"
	"testing"
	"unsafe"

	bolt "go.etcd.io/bbolt"
)

// bbolt takes an *os.File and nothing else, so faults are put behind its back:
// these are the places in a bolt.DB through which a commit reaches the disk. A
// bbolt without them makes hold fail, which is better than tests that test nothing.
type insides struct {
	writeAt *func([]byte, int64) (int, error)
	file    **os.File
}

func hold(t testing.TB, db *bolt.DB) (in insides) {
	t.Helper()
	v := reflect.ValueOf(db).Elem()
	ops, file := v.FieldByName("ops"), v.FieldByName("file")
	if ops.Kind() != reflect.Struct || !file.IsValid() || file.Type() != reflect.TypeFor[*os.File]() {
		t.Fatal("bbolt has changed: its file is elsewhere")
	}
	write := ops.FieldByName("writeAt")
	if !write.IsValid() || write.Type() != reflect.TypeFor[func([]byte, int64) (int, error)]() {
		t.Fatal("bbolt has changed: it writes elsewhere")
	}
	in.writeAt = (*func([]byte, int64) (int, error))(unsafe.Pointer(write.UnsafeAddr()))
	in.file = (**os.File)(unsafe.Pointer(file.UnsafeAddr()))
	return in
}

// A faulty disk does one thing wrong, and nothing right after it until it is
// calm. Which one is chosen by number: every way in which every call of a test
// can go wrong has one, so a test goes through all of them.
type faulty struct {
	t     testing.TB
	cause error // what writes fail with
	left  int   // faults to pass over before one happens
	calm  bool
	fired string
	pipe  *os.File // cannot be synced
}

func newFaulty(t testing.TB, fault int, cause error) *faulty {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return &faulty{t: t, cause: cause, left: fault, pipe: r}
}

// choose lets one of the ways happen, or none.
func (f *faulty) choose(ways ...string) string {
	switch {
	case f.calm || f.fired != "":
		return ""
	case f.left >= len(ways):
		f.left -= len(ways)
		return ""
	}
	f.fired = ways[f.left]
	return f.fired
}

func (f *faulty) how() how {
	return how{commit: f.commit, renew: f.renew}
}

// renew is a fault-prone renew.
func (f *faulty) renew(file *os.File, b []byte) error {
	switch f.choose("renew lost", "renew torn", "renew kept") {
	case "renew lost":
		return f.cause
	case "renew torn":
		_, _ = file.WriteAt(b[:len(b)/2], 0)
		return f.cause
	case "renew kept":
		_, _ = file.WriteAt(b, 0)
		return f.cause
	}
	return renew(file, b)
}

// commit is a commit on a disk that may fail: while the file grows, in a write,
// of which nothing, half or all is kept, or while it is synced; then what was
// written since the last time may be kept or lost.
func (f *faulty) commit(tx *bolt.Tx) error {
	db := tx.DB()
	in := hold(f.t, db)
	write, file, metas := *in.writeAt, *in.file, int64(2*db.Info().PageSize)
	type old struct {
		at int64
		b  []byte
	}
	var undo []old
	var syncing, wrote = "", false
	if f.choose("grow") != "" {
		ro, err := os.Open(file.Name())
		if err != nil {
			f.t.Fatal(err)
		}
		defer func() { _ = ro.Close() }()
		*in.file = ro // has a size and cannot be given another
	}
	*in.writeAt = func(b []byte, at int64) (int, error) {
		*in.file = file // past growing, or past syncing the pages
		if (at < metas || !wrote) && !db.NoSync {
			wrote = true
			syncing = f.choose("sync kept", "sync lost")
		}
		if syncing != "" {
			*in.file = f.pipe
			before := make([]byte, len(b))
			if _, err := file.ReadAt(before, at); err != nil {
				f.t.Fatal(err)
			}
			undo = append(undo, old{at, before})
			return write(b, at)
		}
		switch f.choose("write lost", "write torn", "write kept") {
		case "write lost":
			return 0, f.fail("write", file.Name())
		case "write torn":
			n, _ := write(b[:len(b)/2], at)
			return n, f.fail("write", file.Name())
		case "write kept":
			n, _ := write(b, at)
			return n, f.fail("write", file.Name())
		}
		return write(b, at)
	}
	err := tx.Commit()
	*in.writeAt, *in.file = write, file
	if syncing == "sync lost" {
		for _, o := range undo {
			if _, err := file.WriteAt(o.b, o.at); err != nil {
				f.t.Fatal(err)
			}
		}
	}
	return err
}

func (f *faulty) fail(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: f.cause}
}

var causes = map[string]error{"broken disk": syscall.EIO, "full disk": syscall.ENOSPC}

// write is a write that reached the kernel; a barrier before it means that all
// earlier ones were synced first.
type write struct {
	at      int64
	b       []byte
	barrier bool
	meta    bool // it makes a step count
}

// recorder keeps what is written, in order.
type recorder struct {
	t      testing.TB
	writes []write
	fail   bool // the next step's last sync fails
}

func (r *recorder) how() how { return how{commit: r.commit, renew: r.renew} }

func (r *recorder) renew(_ *os.File, b []byte) error {
	r.writes = append(r.writes, write{at: 0, b: append([]byte{}, b...), barrier: true})
	return nil
}

func (r *recorder) commit(tx *bolt.Tx) error {
	db := tx.DB()
	in := hold(r.t, db)
	real, file, metas := *in.writeAt, *in.file, int64(2*db.Info().PageSize)
	defer func() { *in.writeAt, *in.file = real, file }()
	first := true
	*in.writeAt = func(b []byte, at int64) (int, error) {
		meta := at < metas
		r.writes = append(r.writes, write{at, append([]byte{}, b...), first || meta, meta})
		first = false
		n, err := real(b, at)
		if meta && r.fail {
			r.fail = false
			return n, syscall.EIO
		}
		return n, err
	}
	return tx.Commit()
}

// apply writes to an image of the file, and makes it longer if need be.
func (w write) apply(image []byte) []byte {
	if need := int(w.at) + len(w.b) - len(image); need > 0 {
		image = append(image, make([]byte, need)...)
	}
	copy(image[w.at:], w.b)
	return image
}
