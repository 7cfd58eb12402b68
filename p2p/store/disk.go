package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterr "go.etcd.io/bbolt/errors"

	"alibi/crypto/identity"
)

// FileName is the one file in the store's folder.
const FileName = "alibi.db"

// format is the layout of the file; another one is refused, not guessed at.
const format = "alibi store 1"

const (
	bucketMeta    = "meta"
	bucketPending = "pending"
	bucketGames   = "games"
)

var (
	keyFormat   = []byte("format")
	keyIdentity = []byte("identity")
)

// Disk is a Store in a folder: one bbolt file, mode 0600 in a folder of mode
// 0700, locked against a second process. bbolt syncs the file before a
// transaction returns.
type Disk struct {
	db   *bolt.DB
	file *os.File // the same file; closed here only when db is beyond use

	mu     sync.Mutex // guards the two below and orders calls
	closed bool
	broken bool // bbolt stopped in the middle: its locks are in an unknown state
}

var _ Store = (*Disk)(nil)

// lockWait is how long Open waits for a process that is just closing.
const lockWait = 300 * time.Millisecond

// Open opens the store in a folder, which it makes if need be (mode 0700).
// ErrInUse if another process, or this one, has it open.
func Open(dir string) (*Disk, error) { return open(dir, false) }

// open is Open; the tests that write thousands of times leave out the syncing.
func open(dir string, noSync bool) (*Disk, error) {
	path := filepath.Join(dir, FileName)
	if err := prepare(dir, path); err != nil {
		return nil, err
	}
	d := &Disk{}
	err := d.guard(func() (err error) {
		d.db, err = bolt.Open(path, 0o600, &bolt.Options{
			Timeout:      lockWait,
			FreelistType: bolt.FreelistMapType,
			NoStatistics: true,
			NoSync:       noSync,
			OpenFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode)
				d.file = f
				return f, err
			},
		})
		return err
	})
	if err != nil {
		d.abandon()
	}
	switch {
	case errors.Is(err, bolterr.ErrTimeout):
		return nil, fmt.Errorf("%w: %s", ErrInUse, dir)
	case errors.Is(err, bolterr.ErrInvalid), errors.Is(err, bolterr.ErrChecksum), errors.Is(err, bolterr.ErrVersionMismatch):
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
	case err != nil:
		return nil, fmt.Errorf("store: opening %s: %w", path, err)
	}
	if err := d.layout(); err != nil {
		_ = d.Close()
		return nil, err
	}
	syncFolder(dir)
	return d, nil
}

// prepare makes the folder and takes away what others may do with it and
// with the file in it.
func prepare(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for name, mode := range map[string]fs.FileMode{dir: 0o700, path: 0o600} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, mode); err != nil {
			return fmt.Errorf("store: others may read %s: %w", name, err)
		}
	}
	return nil
}

// syncFolder makes the file's name durable. Where a folder cannot be synced
// (Windows) the file system does it by itself.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// layout makes the buckets of a new file and refuses a file of another format.
func (d *Disk) layout() error {
	return d.update(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if meta != nil {
			got, err := unseal(bucketMeta, keyFormat, meta.Get(keyFormat))
			if err != nil {
				return err
			}
			if string(got) != format {
				return fmt.Errorf("%w: written by another version of alibi", ErrDamaged)
			}
			if tx.Bucket([]byte(bucketPending)) == nil || tx.Bucket([]byte(bucketGames)) == nil {
				return fmt.Errorf("%w: a part of the file is missing", ErrDamaged)
			}
			return nil
		}
		for _, name := range []string{bucketMeta, bucketPending, bucketGames} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put(keyFormat, seal(bucketMeta, keyFormat, []byte(format)))
	})
}

// Identity implements Store.
func (d *Disk) Identity(rand io.Reader) (key identity.Key, err error) {
	err = d.update(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if record := meta.Get(keyIdentity); record != nil {
			seed, err := unseal(bucketMeta, keyIdentity, record)
			if err != nil {
				return err
			}
			if len(seed) != identity.SeedSize {
				return fmt.Errorf("%w: identity record has %d bytes", ErrDamaged, len(seed))
			}
			key = identity.KeyFromSeed([identity.SeedSize]byte(seed))
			return nil
		}
		key, err = identity.NewKey(rand)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		seed := key.Seed()
		return meta.Put(keyIdentity, seal(bucketMeta, keyIdentity, seed[:]))
	})
	if err != nil {
		return identity.Key{}, err
	}
	return key, nil
}

// Close implements Store.
func (d *Disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.closed = true
	var err error
	if !d.broken {
		err = d.guard(d.db.Close)
	}
	if d.broken {
		d.abandon()
	}
	return err
}

// abandon closes the file past bbolt. What bbolt has mapped into memory stays
// mapped, and on some systems locked, until the process ends.
func (d *Disk) abandon() {
	if d.file != nil {
		_ = d.file.Close()
	}
}

func (d *Disk) update(fn func(*bolt.Tx) error) error {
	return d.do(func() error { return d.db.Update(fn) })
}

func (d *Disk) view(fn func(*bolt.Tx) error) error {
	return d.do(func() error { return d.db.View(fn) })
}

func (d *Disk) do(fn func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return ErrClosed
	case d.broken:
		return fmt.Errorf("%w: the file's structure does not hold", ErrDamaged)
	}
	return d.guard(fn)
}

// guard runs fn and turns a panic into an error: bbolt panics on pages that do
// not hold together, and a file cut short faults. The panic's text is dropped,
// since it may quote what it stumbled over.
func (d *Disk) guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			d.broken = true
			err = fmt.Errorf("%w: the file's structure does not hold", ErrDamaged)
		}
	}()
	return fn()
}
