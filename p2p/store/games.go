package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"alibi/crypto/feed"
)

// Keys in a game's bucket, which is named by the table's hash.
const (
	keyHead   = "head"
	keyState  = "state"
	keySecret = "secret" // until the game is finished
	keyLog    = "log"    // bucket: position -> signed entry
)

// Begin implements Store.
func (d *Disk) Begin(charter []byte, seat int, secret []byte) (feed.Hash, error) {
	c, err := checkBegin(charter, seat, secret)
	if err != nil {
		return feed.Hash{}, err
	}
	table := feed.TableHash(charter)
	d.mu.Lock()
	defer d.mu.Unlock()
	err = d.update(func(tx *bolt.Tx) error {
		games := tx.Bucket([]byte(bucketGames))
		if games.Bucket(table[:]) != nil {
			return ErrExists
		}
		g, err := games.CreateBucket(table[:])
		if err != nil {
			return err
		}
		if _, err := g.CreateBucket([]byte(keyLog)); err != nil {
			return err
		}
		order, err := games.NextSequence()
		if err != nil {
			return err
		}
		h, err := head{Order: order, Seat: uint8(seat), Seats: uint8(len(c.Seats)), Charter: charter}.encode()
		if err != nil {
			return err
		}
		step := uint64(tx.ID())
		if err := g.Put([]byte(keyHead), record{kind: kindHead, name: table, step: step, data: h}.seal()); err != nil {
			return err
		}
		if err := g.Put([]byte(keySecret), record{kind: kindSecret, name: table, step: step, data: secret}.seal()); err != nil {
			return err
		}
		if err := putState(g, table, state{}, step); err != nil {
			return err
		}
		commitment := c.Seats[seat].Commitment
		return tx.Bucket([]byte(bucketPending)).Delete(commitment[:])
	})
	if err != nil {
		return feed.Hash{}, err
	}
	return table, nil
}

func putState(g *bolt.Bucket, table feed.Hash, s state, step uint64) error {
	b, err := s.encode()
	if err != nil {
		return err
	}
	return g.Put([]byte(keyState), record{kind: kindState, name: table, step: step, data: b}.seal())
}

// opened is a game's bucket and what was read of it.
type opened struct {
	table    feed.Hash
	bucket   *bolt.Bucket
	head     head
	state    state
	readable bool // head and state are what was written
}

// openGame finds a game. Of a damaged one it returns what it could read and the
// first thing that is wrong with it.
func openGame(tx *bolt.Tx, table feed.Hash) (o opened, err error) {
	o.table = table
	if o.bucket = tx.Bucket([]byte(bucketGames)).Bucket(table[:]); o.bucket == nil {
		return o, ErrUnknown
	}
	var errHead, errState error
	if r, err := unseal(o.bucket.Get([]byte(keyHead)), kindHead, table); err != nil {
		errHead = err
	} else if o.head, errHead = decodeHead(r.data); errHead == nil && feed.TableHash(o.head.Charter) != table {
		o.head, errHead = head{}, damage("game record has the charter of another table")
	}
	if r, err := unseal(o.bucket.Get([]byte(keyState)), kindState, table); err != nil {
		errState = err
	} else {
		o.state, errState = decodeState(r.data)
	}
	if err := errors.Join(errHead, errState); err != nil {
		return o, err
	}
	o.readable = true
	_, err = o.secret()
	return o, errors.Join(err, o.parts())
}

// parts refuses a game with a part that is missing or has another name.
func (o opened) parts() error {
	want := []string{keyHead, keyLog, keySecret, keyState}
	if o.state.Finished {
		want = []string{keyHead, keyLog, keyState}
	}
	var got []string
	err := o.bucket.ForEach(func(k, _ []byte) error {
		got = append(got, string(k))
		return nil
	})
	if err != nil || !slices.Equal(got, want) || o.bucket.Bucket([]byte(keyLog)) == nil {
		return damage("a game lacks a part")
	}
	return nil
}

// secret returns the seat's secret, nil of a finished game.
func (o opened) secret() ([]byte, error) {
	if o.state.Finished {
		return nil, nil
	}
	r, err := unseal(o.bucket.Get([]byte(keySecret)), kindSecret, o.table)
	return r.data, err
}

func (o opened) info(err error) Info {
	return Info{
		Table:    o.table,
		Charter:  o.head.Charter,
		Seat:     int(o.head.Seat),
		Entries:  int(o.state.Entries),
		Finished: o.state.Finished,
		Damaged:  err != nil,
	}
}

// log reads the entries that can be read, in order, and says whether they are
// all that was kept.
func (o opened) log() ([]*feed.Signed, error) {
	b := o.bucket.Bucket([]byte(keyLog))
	if b == nil {
		return nil, damage("a game without a log")
	}
	var out []*feed.Signed
	var wrong error
	next := uint64(0)
	err := b.ForEach(func(k, v []byte) error {
		e, position, err := o.entry(k, v)
		if err != nil {
			wrong = err
			return nil
		}
		if position != next && wrong == nil {
			wrong = damage("the log has no entry %d", next)
		}
		next = position + 1
		out = append(out, e)
		return nil
	})
	if err == nil && wrong == nil && len(out) != int(o.state.Entries) {
		wrong = damage("the log has %d entries of %d", len(out), o.state.Entries)
	}
	return out, errors.Join(err, wrong)
}

func (o opened) entry(key, kept []byte) (*feed.Signed, uint64, error) {
	r, err := unseal(kept, kindEntry, o.table)
	if err != nil {
		return nil, 0, err
	}
	if !bytes.Equal(key, positionKey(r.number)) {
		return nil, 0, damage("an entry stands in another's place")
	}
	e, err := feed.Decode(r.data)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: an entry of the log: %w", ErrDamaged, err)
	}
	if e.Seat >= o.head.Seats {
		return nil, 0, damage("an entry of seat %d at a table of %d", e.Seat, o.head.Seats)
	}
	return e, r.number, nil
}

func positionKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Append implements Store.
func (d *Disk) Append(table feed.Hash, entries ...*feed.Signed) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.ledger(table)
	if err != nil {
		return err
	}
	fresh, err := l.fresh(entries)
	if err != nil || len(fresh) == 0 {
		return err
	}
	err = d.update(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if err != nil {
			return err
		}
		b, step := o.bucket.Bucket([]byte(keyLog)), uint64(tx.ID())
		b.FillPercent = 1 // entries only ever come at the end
		for i, e := range fresh {
			r := record{kind: kindEntry, name: table, number: uint64(len(l.log) + i), step: step, data: e.Raw()}
			if err := b.Put(positionKey(r.number), r.seal()); err != nil {
				return err
			}
		}
		o.state.Entries = uint32(len(l.log) + len(fresh))
		return putState(o.bucket, table, o.state, step)
	})
	if err != nil {
		return err
	}
	l.add(fresh)
	return nil
}

// ledger returns what is kept of a table, and keeps it in memory for the next
// time: one table at a time, since one is played at a time.
func (d *Disk) ledger(table feed.Hash) (*ledger, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if d.current != nil && d.current.Table == table {
		return d.current, nil
	}
	g, seats, err := d.load(table)
	if err != nil {
		return nil, err
	}
	l := newLedger(table, g.Charter, g.Seat, seats)
	l.Finished = g.Finished
	l.add(g.Log)
	d.current = l
	return l, nil
}

// Load implements Store.
func (d *Disk) Load(table feed.Hash) (*Game, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, _, err := d.load(table)
	return g, err
}

func (d *Disk) load(table feed.Hash) (g *Game, seats int, err error) {
	err = d.view(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if err != nil {
			return err
		}
		g, seats = &Game{Info: o.info(nil)}, int(o.head.Seats)
		if g.Secret, err = o.secret(); err != nil {
			return err
		}
		g.Log, err = o.log()
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return g, seats, nil
}

// LoadLog implements Store.
func (d *Disk) LoadLog(table feed.Hash) (g *Game, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err = d.view(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if o.head.Charter == nil {
			return err
		}
		log, errLog := o.log()
		err = errors.Join(err, errLog)
		g = &Game{Info: o.info(err), Log: log}
		g.Entries = len(log)
		return err
	})
	return g, err
}

// Games implements Store.
func (d *Disk) Games() ([]Info, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []opened
	infos := make(map[feed.Hash]Info)
	err := d.view(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketGames)).ForEachBucket(func(k []byte) error {
			var table feed.Hash
			copy(table[:], k) // of a key of another length openGame finds nothing
			o, err := openGame(tx, table)
			list, infos[table] = append(list, o), o.info(err)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b opened) int { return cmp.Compare(b.head.Order, a.head.Order) })
	var out []Info
	for _, o := range list {
		out = append(out, infos[o.table])
	}
	return out, nil
}

// Finish implements Store.
func (d *Disk) Finish(table feed.Hash) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.update(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if !o.readable {
			return err // a game whose secret is damaged may be given up
		}
		o.state.Finished = true
		if err := putState(o.bucket, table, o.state, uint64(tx.ID())); err != nil {
			return err
		}
		return o.bucket.Delete([]byte(keySecret))
	})
	if err == nil && d.current != nil && d.current.Table == table {
		d.current = nil
	}
	return err
}
