package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
	bolterr "go.etcd.io/bbolt/errors"
)

// format is the layout of the file; another one is refused, not guessed at.
const format = "alibi store 2"

// Buckets and keys of the file. In bucketGames is a bucket per game (games.go).
const (
	bucketMeta    = "meta"
	bucketPending = "pending"
	bucketGames   = "games"

	keyFormat   = "format"
	keyIdentity = "identity"
)

// inspect checks a file that nobody writes to, and returns the number of its
// last transaction.
func inspect(path string) (txid uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, ioError("opening "+path, err)
	}
	defer func() { _ = f.Close() }()
	unlock, err := share(path)
	if err != nil {
		return 0, err
	}
	defer unlock()
	info, err := f.Stat()
	if err != nil {
		return 0, ioError("looking at "+path, err)
	}
	var l layout
	txid, err = walk(f, info.Size(), l.visit)
	if err == nil {
		err = l.verdict()
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, path)
	}
	return txid, nil
}

// share keeps writers away from the file until the returned function is called.
// A file that is no bbolt file has none.
func share(path string) (unlock func(), err error) {
	var db *bolt.DB
	err = guard(func() (err error) {
		db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockWait, NoStatistics: true})
		return err
	})
	if errors.Is(err, bolterr.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, filepath.Dir(path))
	}
	return func() {
		if err == nil {
			_ = guard(db.Close)
		}
	}, nil
}

// layout is what must be in a file besides a sound structure.
type layout struct {
	buckets int
	format  []byte
	strange bool // something that this version never writes
}

func (l *layout) visit(path [][]byte, key, value []byte) error {
	switch {
	case len(path) == 0 && value == nil && (string(key) == bucketMeta || string(key) == bucketPending || string(key) == bucketGames):
		l.buckets++
	case len(path) == 0:
		l.strange = true
	case len(path) == 1 && string(path[0]) == bucketMeta:
		switch {
		case value != nil && string(key) == keyFormat:
			l.format = clone(value)
		case value == nil || string(key) != keyIdentity:
			l.strange = true // an identity under another name would be drawn anew
		}
	}
	return nil
}

func (l *layout) verdict() error {
	name, ok := formatName(l.format)
	switch {
	case !ok:
		return damage("no store of alibi")
	case name != format:
		return ErrVersion
	case l.strange || l.buckets != 3:
		return damage("a part of the file is missing")
	}
	return nil
}
