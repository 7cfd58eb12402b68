package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// FileName is the one file in the store's folder.
const FileName = "alibi.db"

// unborn is how files are named that are not the store yet.
const unborn = FileName + ".new-*"

// makeFolder makes the folder and what is above it, durably, and takes away
// what others may do with it.
func makeFolder(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ioError("finding the folder", err)
	}
	var made []string
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(up); !errors.Is(err, fs.ErrNotExist) || up == filepath.Dir(up) {
			break
		}
		made = append(made, filepath.Dir(up))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ioError("making the folder", err)
	}
	for _, parent := range made {
		if err := syncFolder(parent); err != nil {
			return err
		}
	}
	return protect(dir, 0o700)
}

// protect takes away what others may do with a folder or file.
func protect(name string, mode fs.FileMode) error {
	info, err := os.Stat(name)
	if err != nil {
		return ioError("looking at "+name, err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(name, mode); err != nil {
		return ioError("hiding from others "+name, err)
	}
	return nil
}

// syncFolder makes the names in a folder durable. Where folders cannot be
// synced the file system does it by itself, and one that may not be read is
// not ours.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return ioError("opening the folder", err)
	}
	defer func() { _ = f.Close() }()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return ioError("writing the folder", err)
	}
	return nil
}

// create makes an empty store at path. It gets its name when all of it is on
// the disk: so a file of that name that is not whole is a damaged store and
// never one that was just being made, and what it held is not drawn anew.
func create(path string, o bolt.Options) error {
	temp, err := os.CreateTemp(filepath.Dir(path), unborn)
	if err != nil {
		return ioError("making the file", err)
	}
	name := temp.Name()
	_ = temp.Close()
	defer func() { _ = os.Remove(name) }()
	if err := guard(func() error { return fill(name, o) }); err != nil {
		return ioError("making the file", err)
	}
	// A link, unlike a rename, never takes the place of what somebody else made
	// meanwhile. Where there are no links a rename must do.
	err = os.Link(name, path)
	if _, there := os.Lstat(path); err != nil && errors.Is(there, fs.ErrNotExist) {
		err = os.Rename(name, path)
		if err != nil {
			return ioError("naming the file", err)
		}
	}
	return syncFolder(filepath.Dir(path))
}

func fill(name string, o bolt.Options) error {
	db, err := bolt.Open(name, 0o600, &o)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, bucket := range []string{bucketMeta, bucketPending, bucketGames} {
			if _, err := tx.CreateBucket([]byte(bucket)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyFormat), formatRecord(format))
	})
	return errors.Join(err, db.Close())
}

// tidy takes away what was left of stores that were never finished. The caller
// holds the lock on the store.
func tidy(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, unborn))
	for _, name := range names {
		_ = os.Remove(name)
	}
}

// ioError says what could not be done, as an error that callers can tell apart.
func ioError(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDamaged):
		return err
	case isAny(err, noRoom):
		return fmt.Errorf("%w: %s: %w", ErrFull, what, err)
	case errors.Is(err, fs.ErrPermission), isAny(err, noWriting):
		return fmt.Errorf("%w: %s: %w", ErrReadOnly, what, err)
	}
	return fmt.Errorf("store: %s: %w", what, err)
}
