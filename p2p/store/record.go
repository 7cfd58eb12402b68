package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"alibi/crypto/feed"
)

// A record is how every value is kept. It says what it is and where it belongs,
// so that it can be found in a file whose structure is lost, and ends with a
// checksum over all of it, which finds a flipped bit, a record under another's
// key and an old one in the place of a new one. It is no protection against
// somebody who may write to the folder.
//
// On the disk: magic 8, mask 4, kind 1, name 32, number 8, step 8, length 4,
// the data under the mask, 16 bytes of SHA-256 over everything before. Numbers
// are big-endian.
//
// The mask is there because peers choose most of the data: one could put a
// record of its own making into an entry, and Salvage might come upon it. It is
// drawn from the data and changed until the magic is nowhere but in front.
type record struct {
	kind   kind
	name   feed.Hash // table or commitment
	number uint64    // position in a log, or order of arrival
	step   uint64    // of two records for one place the later one is the true one
	data   []byte
}

type kind uint8

const (
	kindIdentity kind = iota + 1
	kindPending
	kindHead
	kindState
	kindSecret
	kindEntry
)

func (k kind) String() string {
	if k < kindIdentity || k > kindEntry {
		return "unknown"
	}
	return [...]string{"identity", "pending", "game", "state", "secret", "entry"}[k-1]
}

const (
	magic      = "\x9ealibi\xf1\x02"
	maskAt     = len(magic)
	kindAt     = maskAt + 4
	nameAt     = kindAt + 1
	numberAt   = nameAt + 32
	stepAt     = numberAt + 8
	lengthAt   = stepAt + 8
	dataAt     = lengthAt + 4
	sumSize    = 16
	maxData    = max(MaxSecret, feed.MaxEntry) // a head is smaller
	maxRecord  = dataAt + maxData + sumSize
	noiseBlock = 4096
)

// seal encodes a record.
func (r record) seal() []byte {
	b := make([]byte, dataAt, dataAt+len(r.data)+sumSize)
	copy(b, magic)
	b[kindAt] = byte(r.kind)
	copy(b[nameAt:], r.name[:])
	binary.BigEndian.PutUint64(b[numberAt:], r.number)
	binary.BigEndian.PutUint64(b[stepAt:], r.step)
	binary.BigEndian.PutUint32(b[lengthAt:], uint32(len(r.data)))
	b = append(b, r.data...)
	digest := sha256.Sum256(r.data)
	for mask := binary.BigEndian.Uint32(digest[:]); ; mask++ {
		binary.BigEndian.PutUint32(b[maskAt:], mask)
		copy(b[dataAt:], r.data)
		cover(b[dataAt:], mask)
		sum := sha256.Sum256(b)
		if out := append(b, sum[:sumSize]...); !bytes.Contains(out[1:], []byte(magic)) {
			return out
		}
	}
}

// cover puts data under a mask, or takes it off.
func cover(data []byte, mask uint32) {
	m := binary.BigEndian.AppendUint32(nil, mask)
	subtle.XORBytes(data, data, bytes.Repeat(m, len(data)/len(m)+1))
}

// cutRecord reads the record at the beginning of b and returns its length too.
// The record shares nothing with b.
func cutRecord(b []byte) (r record, n int, ok bool) {
	if len(b) < dataAt+sumSize || string(b[:len(magic)]) != magic {
		return record{}, 0, false
	}
	length := binary.BigEndian.Uint32(b[lengthAt:])
	if length > maxData || len(b) < dataAt+int(length)+sumSize {
		return record{}, 0, false
	}
	end := dataAt + int(length)
	if sum := sha256.Sum256(b[:end]); string(sum[:sumSize]) != string(b[end:end+sumSize]) {
		return record{}, 0, false
	}
	r = record{
		kind:   kind(b[kindAt]),
		name:   feed.Hash(b[nameAt:numberAt]),
		number: binary.BigEndian.Uint64(b[numberAt:]),
		step:   binary.BigEndian.Uint64(b[stepAt:]),
		data:   clone(b[dataAt:end]),
	}
	cover(r.data, binary.BigEndian.Uint32(b[maskAt:]))
	return r, end + sumSize, true
}

// unseal reads the record b as the one of a kind under a name. The error names
// the kind and never the data.
func unseal(b []byte, k kind, name feed.Hash) (record, error) {
	r, n, ok := cutRecord(b)
	if !ok || n != len(b) {
		return record{}, fmt.Errorf("%w: %v record does not fit its checksum", ErrDamaged, k)
	}
	if r.kind != k || r.name != name {
		return record{}, fmt.Errorf("%w: %v record is another one's", ErrDamaged, k)
	}
	return r, nil
}

// scan calls found for every whole record in r, wherever it stands.
func scan(r io.Reader, found func(record)) error {
	br := bufio.NewReaderSize(r, 16*maxRecord)
	for {
		b, err := br.Peek(maxRecord)
		if len(b) < len(magic) {
			if err == io.EOF {
				return nil
			}
			return err
		}
		skip := bytes.Index(b, []byte(magic))
		switch {
		case skip < 0:
			skip = len(b) - len(magic) + 1
		case skip == 0:
			skip = 1
			if rec, n, ok := cutRecord(b); ok {
				found(rec)
				skip = n
			}
		}
		if _, err := br.Discard(skip); err != nil {
			return err
		}
	}
}

// patient reads a file and puts zeros where the disk cannot be read.
type patient struct {
	r    io.ReaderAt
	size int64
	at   int64
}

func (p *patient) Read(b []byte) (int, error) {
	left := p.size - p.at
	if left <= 0 {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), left)]
	n, err := p.r.ReadAt(b, p.at)
	if n == 0 {
		if errors.Is(err, io.EOF) {
			return 0, io.EOF // cut short meanwhile
		}
		n = min(len(b), noiseBlock)
		clear(b[:n])
	}
	p.at += int64(n)
	return n, nil
}

// formatRecord encodes the layout's name. Every version of alibi writes and
// reads this one alike, so that each can say of another's folder what it is.
func formatRecord(name string) []byte {
	h := sha256.New()
	h.Write([]byte{byte(len(bucketMeta)), byte(len(keyFormat))})
	h.Write([]byte(bucketMeta + keyFormat + name))
	return append([]byte(name), h.Sum(nil)[:formatSum]...)
}

const formatSum = 8

// formatName reads what formatRecord has made.
func formatName(b []byte) (string, bool) {
	if len(b) < formatSum {
		return "", false
	}
	name := string(b[:len(b)-formatSum])
	return name, bytes.Equal(formatRecord(name), b)
}
