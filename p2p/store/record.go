package store

import (
	"crypto/sha256"
	"fmt"

	"alibi/crypto/feed"
)

// A record is a value with the first eight bytes of a SHA-256 over where it
// stands and what it says. It finds a flipped bit or a value under the wrong
// key; it is no protection against somebody who may write to the folder.
const sumSize = 8

// seal makes a record of data for a place named by its bucket and key.
func seal(bucket string, key, data []byte) []byte {
	sum := checksum(bucket, key, data)
	return append(append(make([]byte, 0, len(data)+sumSize), data...), sum[:]...)
}

// unseal returns a copy of the data in a record. The error names the place
// and never the data.
func unseal(bucket string, key, record []byte) ([]byte, error) {
	if len(record) < sumSize {
		return nil, fmt.Errorf("%w: %s record is too short", ErrDamaged, bucket)
	}
	data := record[:len(record)-sumSize]
	if sum := checksum(bucket, key, data); string(sum[:]) != string(record[len(data):]) {
		return nil, fmt.Errorf("%w: %s record has another checksum", ErrDamaged, bucket)
	}
	return append([]byte{}, data...), nil
}

func checksum(bucket string, key, data []byte) (sum [sumSize]byte) {
	h := sha256.New()
	h.Write([]byte{byte(len(bucket)), byte(len(key))}) // both are under 256 bytes
	h.Write([]byte(bucket))
	h.Write(key)
	h.Write(data)
	copy(sum[:], h.Sum(nil))
	return sum
}

// head is the first record of a game. Fields are never added or removed;
// a new format is a new key.
type head struct {
	_       struct{} `cbor:",toarray"`
	Order   uint64   // counts tables begun here
	Seat    uint8
	Seats   uint8
	Charter []byte
}

func (h head) encode() ([]byte, error) { return feed.Marshal(h) }

func decodeHead(b []byte) (h head, err error) {
	if err := feed.Unmarshal(b, &h); err != nil {
		return head{}, fmt.Errorf("%w: game record: %w", ErrDamaged, err)
	}
	c, err := feed.ParseCharter(h.Charter)
	if err != nil {
		return head{}, fmt.Errorf("%w: game record: %w", ErrDamaged, err)
	}
	if int(h.Seats) != len(c.Seats) || h.Seat >= h.Seats {
		return head{}, fmt.Errorf("%w: game record names seat %d of %d", ErrDamaged, h.Seat, h.Seats)
	}
	return h, nil
}

// waiting is a pending secret.
type waiting struct {
	_      struct{} `cbor:",toarray"`
	Order  uint64
	Secret []byte
}

func decodeWaiting(b []byte) (w waiting, err error) {
	if err := feed.Unmarshal(b, &w); err != nil {
		// The decoder's own text may quote what it read, and this is a secret.
		return waiting{}, fmt.Errorf("%w: pending record does not decode", ErrDamaged)
	}
	return w, nil
}
