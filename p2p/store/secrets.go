package store

import (
	"bytes"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Identity implements Store.
func (d *Disk) Identity(rand io.Reader) (key identity.Key, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var kept []byte
	err = d.view(func(tx *bolt.Tx) error {
		if b := tx.Bucket([]byte(bucketMeta)).Get([]byte(keyIdentity)); b != nil {
			kept = clone(b)
		}
		return nil
	})
	if err != nil {
		return identity.Key{}, err
	}
	if kept != nil {
		r, err := unseal(kept, kindIdentity, feed.Hash{})
		if err != nil {
			return identity.Key{}, err
		}
		if len(r.data) != identity.SeedSize {
			return identity.Key{}, damage("identity record has %d bytes", len(r.data))
		}
		return identity.KeyFromSeed([identity.SeedSize]byte(r.data)), nil
	}
	if key, err = identity.NewKey(rand); err != nil {
		return identity.Key{}, fmt.Errorf("store: %w", err)
	}
	err = d.update(func(tx *bolt.Tx) error {
		seed := key.Seed()
		r := record{kind: kindIdentity, step: uint64(tx.ID()), data: seed[:]}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyIdentity), r.seal())
	})
	if err != nil {
		return identity.Key{}, err
	}
	return key, nil
}

// SavePending implements Store.
func (d *Disk) SavePending(commitment feed.Hash, secret []byte) error {
	if len(secret) > MaxSecret {
		return ErrBounds
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucketPending))
		if err := b.Delete(commitment[:]); err != nil {
			return err
		}
		if err := makeRoom(b); err != nil {
			return err
		}
		order, err := b.NextSequence()
		if err != nil {
			return err
		}
		r := record{kind: kindPending, name: commitment, number: order, step: uint64(tx.ID()), data: secret}
		return b.Put(commitment[:], r.seal())
	})
}

// makeRoom drops the oldest pending secret, or one that is damaged, once there
// are MaxPending.
func makeRoom(b *bolt.Bucket) error {
	var drop []byte
	var lowest uint64
	n := 0
	err := b.ForEach(func(k, v []byte) error {
		n++
		r, _, _ := cutRecord(v) // a damaged one is as old as can be
		if drop == nil || r.number < lowest {
			drop, lowest = k, r.number
		}
		return nil
	})
	if err != nil || n < MaxPending {
		return err
	}
	return b.Delete(bytes.Clone(drop))
}

// Pending implements Store.
func (d *Disk) Pending(commitment feed.Hash) (secret []byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err = d.view(func(tx *bolt.Tx) error {
		kept := tx.Bucket([]byte(bucketPending)).Get(commitment[:])
		if kept == nil {
			return ErrUnknown
		}
		r, err := unseal(kept, kindPending, commitment)
		secret = r.data
		return err
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// DropPending implements Store.
func (d *Disk) DropPending(commitment feed.Hash) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketPending)).Delete(commitment[:])
	})
}
