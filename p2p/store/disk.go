package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterr "go.etcd.io/bbolt/errors"
)

// Disk is a Store in a folder: one bbolt file, mode 0600 in a folder of mode
// 0700, locked against a second process.
//
// A step (one transaction) is written in two parts: its pages into free space,
// then, when these are on the disk, the meta page that makes them count. When a
// step fails nobody knows which parts of it the disk has, and bbolt's memory of
// the file may be wrong in either direction. So it is closed, and the next call
// opens it, checks it and reads what is there.
type Disk struct {
	path string
	how  how

	mu      sync.Mutex // guards what follows and orders calls
	db      *bolt.DB   // nil after a step that failed
	file    *os.File   // the same file
	stepped bool       // a step was made since db was opened
	current *ledger    // of the game appended to last
	closed  bool
	broken  bool // bbolt stopped in the middle: its locks are in an unknown state
}

// how is what the tests do differently.
type how struct {
	noSync bool                             // they write thousands of times
	commit func(*bolt.Tx) error             // ends a step
	renew  func(f *os.File, b []byte) error // writes the beginning of the file anew
}

var _ Store = (*Disk)(nil)

// lockWait is how long Open waits for a process that is just closing.
const lockWait = 300 * time.Millisecond

// Open opens the store in a folder, which it makes if need be (mode 0700).
// ErrInUse if another process, or this one, has it open; ErrDamaged if the file
// does not hold together (then see Salvage); ErrVersion, ErrReadOnly, ErrFull.
func Open(dir string) (*Disk, error) {
	return open(dir, how{commit: (*bolt.Tx).Commit, renew: renew})
}

func open(dir string, h how) (*Disk, error) {
	d := &Disk{path: filepath.Join(dir, FileName), how: h}
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		if err := create(d.path, d.options()); err != nil {
			return nil, err
		}
	}
	if err := protect(d.path, 0o600); err != nil {
		return nil, err
	}
	if err := d.attach(); err != nil {
		return nil, err
	}
	tidy(dir)
	if err := syncFolder(dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Disk) options() bolt.Options {
	return bolt.Options{
		Timeout:      lockWait,
		FreelistType: bolt.FreelistMapType,
		NoStatistics: true,
		NoSync:       d.how.noSync,
	}
}

// attach opens the file and makes sure of it.
func (d *Disk) attach() error {
	txid, err := inspect(d.path)
	if err != nil {
		return err
	}
	var file *os.File
	o := d.options()
	o.OpenFile = func(name string, flag int, mode fs.FileMode) (f *os.File, err error) {
		file, err = os.OpenFile(name, flag&^os.O_CREATE, mode) // a lost store is not replaced by an empty one
		return file, err
	}
	var db *bolt.DB
	err = guard(func() (err error) {
		db, err = bolt.Open(d.path, 0o600, &o)
		return err
	})
	if errors.Is(err, bolterr.ErrTimeout) {
		return fmt.Errorf("%w: %s", ErrInUse, filepath.Dir(d.path))
	}
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		return ioError("opening "+d.path, err)
	}
	d.db, d.file, d.stepped = db, file, false
	if err := d.settle(txid); err != nil {
		_ = d.detach()
		return err
	}
	return nil
}

// settle makes what was read durable, before anybody builds on it. It may not
// be: the process that wrote it may have been killed, or failed, before the
// last meta page was on the disk. Whoever got an own entry from here would send
// it, and after a loss of power sign another one for its place. The pages that
// the meta page stands on are on the disk, or it had not been written. It is
// written anew since a disk that has failed once forgets what it owes.
func (d *Disk) settle(txid uint64) error {
	var now, size int
	err := d.view(func(tx *bolt.Tx) error {
		now, size = tx.ID(), tx.DB().Info().PageSize
		return nil
	})
	if err != nil {
		return ioError("reading "+d.path, err)
	}
	if uint64(now) != txid {
		return fmt.Errorf("%w: %s", ErrInUse, filepath.Dir(d.path)) // it was, a moment ago
	}
	metas := make([]byte, 2*size)
	if _, err := d.file.ReadAt(metas, 0); err != nil {
		return ioError("reading "+d.path, err)
	}
	return ioError("writing "+d.path, d.how.renew(d.file, metas))
}

func renew(f *os.File, b []byte) error {
	if _, err := f.WriteAt(b, 0); err != nil {
		return err
	}
	return f.Sync()
}

// Close implements Store.
func (d *Disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.closed = true
	return d.detach()
}

// detach lets go of the file, and of all that is known of it.
func (d *Disk) detach() error {
	db, file := d.db, d.file
	d.db, d.file, d.current = nil, nil, nil
	if db == nil {
		return nil
	}
	if !d.broken {
		err := guard(db.Close)
		if d.broken = err == errStopped; !d.broken {
			return ioError("closing "+d.path, err)
		}
	}
	// What bbolt has mapped into memory stays mapped, and on some systems
	// locked, until the process ends.
	_ = file.Close()
	return nil
}

// ready makes the file usable. d.mu is held, here and below.
func (d *Disk) ready() error {
	switch {
	case d.closed:
		return ErrClosed
	case d.broken:
		return errStopped
	case d.db == nil:
		return d.attach()
	}
	return nil
}

// view reads.
func (d *Disk) view(fn func(*bolt.Tx) error) error {
	if err := d.ready(); err != nil {
		return err
	}
	over, err := transact(d.db, false, fn)
	if err == errStopped {
		d.stop(over)
	}
	return err
}

// stop gives up a file that bbolt stopped on. If the transaction was not over
// then, bbolt's locks are in an unknown state and its Close would wait for them.
func (d *Disk) stop(over bool) {
	d.broken = !over
	_ = d.detach()
}

// update writes: one step, which an error of fn takes back.
//
// The first step after opening is an empty one. A step that failed before may
// have left its records in free space with the number that the next step gets;
// now that one gets a higher number, and Salvage can tell them apart.
func (d *Disk) update(fn func(*bolt.Tx) error) error {
	if err := d.ready(); err != nil {
		return err
	}
	if !d.stepped {
		if err := d.step(func(*bolt.Tx) error { return nil }); err != nil {
			return err
		}
		d.stepped = true
	}
	return d.step(fn)
}

func (d *Disk) step(fn func(*bolt.Tx) error) error {
	refused := false
	over, err := transact(d.db, true, func(tx *bolt.Tx) error {
		if err := fn(tx); err != nil {
			refused = true
			return err
		}
		return d.how.commit(tx)
	})
	switch {
	case err == nil || refused:
		return err
	case err == errStopped:
		d.stop(over)
		return err
	}
	_ = d.detach()
	return ioError("writing "+d.path, err)
}

// transact runs fn in a transaction, which it takes back unless fn has committed
// it, and says whether bbolt is done with it.
func transact(db *bolt.DB, writes bool, fn func(*bolt.Tx) error) (over bool, err error) {
	err = guard(func() error {
		tx, err := db.Begin(writes)
		if err != nil {
			return err
		}
		defer func() { _, over = tx.Rollback(), true }()
		return fn(tx)
	})
	return over, err
}

// errStopped means that bbolt panicked or the file faulted.
var errStopped = fmt.Errorf("%w: the file's structure does not hold", ErrDamaged)

// guard runs fn and turns a panic into errStopped: the file was checked, but
// may be cut short or go bad while it is open, and it is mapped into memory.
// The panic's text is dropped, since it may quote what it stumbled over.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errStopped
		}
	}()
	return fn()
}
