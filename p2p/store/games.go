package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"alibi/crypto/feed"
)

// Keys inside a game's bucket, which is named by the table's hash, and the
// names records are sealed under.
var (
	keyHead   = []byte("head")
	keySecret = []byte("secret")
	keyDone   = []byte("done")
	keyLog    = []byte("log")    // bucket: position -> signed entry
	keyPlaces = []byte("places") // bucket: round and seat -> position
)

// SavePending implements Store.
func (d *Disk) SavePending(commitment feed.Hash, secret []byte) error {
	if len(secret) > MaxSecret {
		return ErrBounds
	}
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
		data, err := feed.Marshal(waiting{Order: order, Secret: clone(secret)})
		if err != nil {
			return errors.New("store: pending secret does not encode")
		}
		return b.Put(commitment[:], seal(bucketPending, commitment[:], data))
	})
}

// makeRoom drops the oldest pending secret, and any that is damaged, once
// there are MaxPending.
func makeRoom(b *bolt.Bucket) error {
	var oldest, damaged []byte
	var lowest uint64
	n := 0
	err := b.ForEach(func(k, v []byte) error {
		n++
		w, err := readWaiting(k, v)
		switch {
		case err != nil:
			damaged = k
		case oldest == nil || w.Order < lowest:
			oldest, lowest = k, w.Order
		}
		return nil
	})
	if err != nil || n < MaxPending {
		return err
	}
	if damaged != nil {
		return b.Delete(bytes.Clone(damaged))
	}
	return b.Delete(bytes.Clone(oldest))
}

func readWaiting(key, record []byte) (waiting, error) {
	data, err := unseal(bucketPending, key, record)
	if err != nil {
		return waiting{}, err
	}
	return decodeWaiting(data)
}

// Pending implements Store.
func (d *Disk) Pending(commitment feed.Hash) (secret []byte, err error) {
	err = d.view(func(tx *bolt.Tx) error {
		record := tx.Bucket([]byte(bucketPending)).Get(commitment[:])
		if record == nil {
			return ErrUnknown
		}
		w, err := readWaiting(commitment[:], record)
		secret = clone(w.Secret)
		return err
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// DropPending implements Store.
func (d *Disk) DropPending(commitment feed.Hash) error {
	return d.update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketPending)).Delete(commitment[:])
	})
}

// Begin implements Store.
func (d *Disk) Begin(charter []byte, seat int, secret []byte) (feed.Hash, error) {
	c, err := checkBegin(charter, seat, secret)
	if err != nil {
		return feed.Hash{}, err
	}
	table := feed.TableHash(charter)
	err = d.update(func(tx *bolt.Tx) error {
		games := tx.Bucket([]byte(bucketGames))
		g, err := games.CreateBucket(table[:])
		if err != nil {
			if games.Bucket(table[:]) != nil {
				return ErrExists
			}
			return err
		}
		order, err := games.NextSequence()
		if err != nil {
			return err
		}
		h, err := head{Order: order, Seat: uint8(seat), Seats: uint8(len(c.Seats)), Charter: clone(charter)}.encode()
		if err != nil {
			return err
		}
		for _, name := range [][]byte{keyLog, keyPlaces} {
			if _, err := g.CreateBucket(name); err != nil {
				return err
			}
		}
		if err := g.Put(keyHead, seal(bucketGames, table[:], h)); err != nil {
			return err
		}
		if err := g.Put(keySecret, seal("secret", table[:], secret)); err != nil {
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

// opened is a game's bucket with what every access to it checks.
type opened struct {
	bucket, log, places *bolt.Bucket
	head                head
}

func openGame(tx *bolt.Tx, table feed.Hash) (opened, error) {
	g := tx.Bucket([]byte(bucketGames)).Bucket(table[:])
	if g == nil {
		return opened{}, ErrUnknown
	}
	data, err := unseal(bucketGames, table[:], g.Get(keyHead))
	if err != nil {
		return opened{}, err
	}
	h, err := decodeHead(data)
	if err != nil {
		return opened{}, err
	}
	if feed.TableHash(h.Charter) != table {
		return opened{}, fmt.Errorf("%w: game record has the charter of another table", ErrDamaged)
	}
	o := opened{bucket: g, log: g.Bucket(keyLog), places: g.Bucket(keyPlaces), head: h}
	if o.log == nil || o.places == nil || o.length() > feed.MaxEntries {
		return opened{}, fmt.Errorf("%w: game without a log", ErrDamaged)
	}
	return o, nil
}

func (o opened) info(table feed.Hash) Info {
	return Info{
		Table:    table,
		Charter:  o.head.Charter,
		Seat:     int(o.head.Seat),
		Entries:  int(o.length()),
		Finished: o.bucket.Get(keyDone) != nil,
	}
}

// length is the number of entries: one more than the last position.
func (o opened) length() uint64 {
	k, _ := o.log.Cursor().Last()
	if len(k) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(k) + 1
}

// Append implements Store.
func (d *Disk) Append(table feed.Hash, entries ...*feed.Signed) error {
	return d.update(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if err != nil {
			return err
		}
		if o.bucket.Get(keyDone) != nil {
			return ErrFinished
		}
		if err := checkEntries(entries, int(o.head.Seats)); err != nil {
			return err
		}
		for _, e := range entries {
			if err := o.append(table, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// append keeps one entry, or finds that it is kept. The transaction it runs in
// takes back earlier ones when a later one is refused.
func (o opened) append(table feed.Hash, e *feed.Signed) error {
	at := binary.BigEndian.AppendUint32(nil, e.Round)
	at = append(at, e.Seat)
	if position := o.places.Get(at); position != nil {
		held, err := o.entry(table, position)
		if err != nil {
			return err
		}
		if held.Round != e.Round || held.Seat != e.Seat {
			return fmt.Errorf("%w: entry stands in another's place", ErrDamaged)
		}
		if !bytes.Equal(held.Content(), e.Content()) {
			return ErrContradiction
		}
		return nil
	}
	n := o.length()
	if n >= feed.MaxEntries {
		return ErrBounds
	}
	position := binary.BigEndian.AppendUint64(nil, n)
	if err := o.log.Put(position, seal(entryPlace(table), position, e.Raw())); err != nil {
		return err
	}
	return o.places.Put(at, position)
}

// entryPlace ties an entry's checksum to its table.
func entryPlace(table feed.Hash) string { return "entry " + string(table[:]) }

func (o opened) entry(table feed.Hash, position []byte) (*feed.Signed, error) {
	raw, err := unseal(entryPlace(table), position, o.log.Get(position))
	if err != nil {
		return nil, fmt.Errorf("%w: an entry of the log", ErrDamaged)
	}
	e, err := feed.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: an entry of the log: %w", ErrDamaged, err)
	}
	if e.Seat >= o.head.Seats {
		return nil, fmt.Errorf("%w: an entry of seat %d at a table of %d", ErrDamaged, e.Seat, o.head.Seats)
	}
	return e, nil
}

// Load implements Store.
func (d *Disk) Load(table feed.Hash) (game *Game, err error) {
	err = d.view(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if err != nil {
			return err
		}
		game = &Game{Info: o.info(table)}
		if !game.Finished {
			if game.Secret, err = unseal("secret", table[:], o.bucket.Get(keySecret)); err != nil {
				return err
			}
		}
		for n := range uint64(game.Entries) {
			e, err := o.entry(table, binary.BigEndian.AppendUint64(nil, n))
			if err != nil {
				return err
			}
			game.Log = append(game.Log, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return game, nil
}

// Games implements Store.
func (d *Disk) Games() ([]Info, error) {
	type ordered struct {
		Info
		order uint64
	}
	var list []ordered
	var damaged error
	err := d.view(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketGames)).ForEachBucket(func(k []byte) error {
			if len(k) != len(feed.Hash{}) {
				damaged = fmt.Errorf("%w: a game without a name", ErrDamaged)
				return nil
			}
			o, err := openGame(tx, feed.Hash(k))
			if err != nil {
				damaged = err
				return nil
			}
			list = append(list, ordered{o.info(feed.Hash(k)), o.head.Order})
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b ordered) int { return int(int64(b.order) - int64(a.order)) })
	var out []Info
	for _, g := range list {
		out = append(out, g.Info)
	}
	return out, damaged
}

// Finish implements Store.
func (d *Disk) Finish(table feed.Hash) error {
	return d.update(func(tx *bolt.Tx) error {
		o, err := openGame(tx, table)
		if err != nil {
			return err
		}
		if err := o.bucket.Put(keyDone, []byte{1}); err != nil {
			return err
		}
		return o.bucket.Delete(keySecret)
	})
}
