package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Magic is the first line of a log file. What follows is a CBOR sequence
// (RFC 8742) of byte strings: the charter, then every signed entry, rounds in
// order and seats in order within a round.
const Magic = "alibi log 1\n"

// Bounds of a log file: far above any game, far below what would hurt.
const (
	MaxLogFile = 64 << 20
	MaxEntries = 100_000
)

// ErrNotLog refuses a file that is not a log at all.
var ErrNotLog = errors.New("feed: not a log")

// WriteLog writes a log file.
func WriteLog(w io.Writer, charter []byte, entries []*Signed) error {
	var buf bytes.Buffer
	buf.WriteString(Magic)
	if err := appendItem(&buf, charter); err != nil {
		return err
	}
	for _, e := range entries {
		if err := appendItem(&buf, e.raw); err != nil {
			return err
		}
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func appendItem(buf *bytes.Buffer, b []byte) error {
	item, err := encoder.Marshal(b)
	if err != nil {
		return err
	}
	buf.Write(item)
	return nil
}

// ReadLog reads a log file strictly. ErrNotLog is wrapped when the bytes are
// not a log's; nothing about signatures or rules is checked here.
func ReadLog(r io.Reader) (charter []byte, entries []*Signed, err error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxLogFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("feed: reading a log: %w", err)
	}
	if len(b) > MaxLogFile {
		return nil, nil, fmt.Errorf("%w: longer than %d bytes", ErrNotLog, MaxLogFile)
	}
	rest, ok := bytes.CutPrefix(b, []byte(Magic))
	if !ok {
		return nil, nil, fmt.Errorf("%w: it does not begin with %q", ErrNotLog, Magic[:len(Magic)-1])
	}
	charter, rest, err = cutItem(rest, MaxCharter)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: charter: %w", ErrNotLog, err)
	}
	for n := 0; len(rest) > 0; n++ {
		if n == MaxEntries {
			return nil, nil, fmt.Errorf("%w: more than %d entries", ErrNotLog, MaxEntries)
		}
		var raw []byte
		raw, rest, err = cutItem(rest, MaxEntry)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: entry %d: %w", ErrNotLog, n, err)
		}
		s, err := Decode(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: entry %d: %w", ErrNotLog, n, err)
		}
		entries = append(entries, s)
	}
	return charter, entries, nil
}

// cutItem takes one canonical CBOR byte string of at most limit bytes off b
// (RFC 8949, section 3: major type 2).
func cutItem(b []byte, limit int) (item, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	head := 1
	var n uint64
	switch b[0] {
	case 0x58:
		head = 2
	case 0x59:
		head = 3
	case 0x5a:
		head = 5
	default:
		if b[0] < 0x40 || b[0] > 0x57 {
			return nil, nil, ErrEncoding
		}
		n = uint64(b[0] - 0x40)
	}
	if len(b) < head {
		return nil, nil, io.ErrUnexpectedEOF
	}
	for _, c := range b[1:head] {
		n = n<<8 | uint64(c)
	}
	if n < [...]uint64{1: 0, 2: 24, 3: 1 << 8, 5: 1 << 16}[head] {
		return nil, nil, ErrEncoding // a shorter head would do
	}
	if n > uint64(limit) {
		return nil, nil, ErrTooLong
	}
	if uint64(len(b)-head) < n {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return b[head : head+int(n)], b[head+int(n):], nil
}
