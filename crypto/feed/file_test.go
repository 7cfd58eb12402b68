package feed_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"alibi/crypto/feed"
)

func logFile(t testing.TB, c *circle, rounds uint32) (file []byte, entries []*feed.Signed) {
	t.Helper()
	entries = c.play(t, c.log(), rounds)
	var b bytes.Buffer
	if err := feed.WriteLog(&b, c.encoded, entries); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), entries
}

func TestLogFileRoundTrip(t *testing.T) {
	c := newCircle(t, "file", 3)
	for _, rounds := range []uint32{0, 1, 9} {
		file, entries := logFile(t, c, rounds)
		charter, got, err := feed.ReadLog(iotest.OneByteReader(bytes.NewReader(file)))
		if err != nil || !bytes.Equal(charter, c.encoded) {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, entries, func(a, b *feed.Signed) bool { return bytes.Equal(a.Raw(), b.Raw()) }) {
			t.Errorf("%d rounds: other entries came back", rounds)
		}
	}
}

func TestLogFileRefused(t *testing.T) {
	c := newCircle(t, "refused", 2)
	good, _ := logFile(t, c, 2)
	start := len(feed.Magic)
	head := good[:start]
	item := func(b ...byte) []byte { return append(slices.Clone(head), b...) }
	n := len(c.encoded)
	for name, file := range map[string][]byte{
		"nothing":                      {},
		"no first line":                good[start:],
		"another first line":           append([]byte("alibi log 2\n"), good[start:]...),
		"carriage return":              append([]byte("alibi log 1\r\n"), good[start:]...),
		"no charter":                   head,
		"charter cut short":            good[:start+20],
		"charter head cut short":       item(0x58),
		"longer head cut short":        item(0x59, 1),
		"charter too long, and there":  append(item(0x59, 0x20, 0x01), make([]byte, 0x2001)...),
		"charter as text":              item(0x61, 'x'),
		"charter in pieces":            item(0x5f, 0x41, 0, 0xff),
		"length in a long form of one": item(0x58, 23),
		"length in a long form of two": append(item(0x59, 0, byte(n)), good[start+2:]...),
		"length in a long form of 4":   append(item(0x5a, 0, 0, 0, byte(n)), good[start+2:]...),
		"length in a form of 8":        append(item(0x5b, 0, 0, 0, 0, 0, 0, 0, byte(n)), good[start+2:]...),
		"charter too long":             item(0x5a, 0, 1, 0, 0),
		"4 GiB claimed":                item(0x5a, 0xff, 0xff, 0xff, 0xff),
		"trailing byte":                append(slices.Clone(good), 0x40),
		"trailing zero":                append(slices.Clone(good), 0),
		"last byte missing":            good[:len(good)-1],
		"entry too long":               append(slices.Clone(good), 0x5a, 0, 1, 0, 1),
		"entry that does not decode":   append(append(slices.Clone(good), 0x58, 70), make([]byte, 70)...),
	} {
		t.Run(name, func(t *testing.T) {
			if _, entries, err := feed.ReadLog(bytes.NewReader(file)); !errors.Is(err, feed.ErrNotLog) || entries != nil {
				t.Errorf("%v, %d entries", err, len(entries))
			}
		})
	}
	for _, file := range [][]byte{good[:len(good)-1], good[:start+20], item(0x58), item(0x59, 1)} {
		if _, _, err := feed.ReadLog(bytes.NewReader(file)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", len(file), err)
		}
	}
	if _, _, err := feed.ReadLog(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// Whatever byte an item begins with, only the heads of byte strings are taken:
// here each is followed by as many bytes as a careless reader would make of it.
func TestLogFileHeads(t *testing.T) {
	for h := range 256 {
		n := byte(h) - 0x40
		file := append(append([]byte(feed.Magic), byte(h)), make([]byte, n)...)
		_, _, err := feed.ReadLog(bytes.NewReader(file))
		if short := n <= 0x17; short != (err == nil) {
			t.Errorf("head %02x: %v", h, err)
		}
	}
}

// Truncated anywhere, a file is refused, or is the log of fewer entries.
func TestLogFileTruncated(t *testing.T) {
	c := newCircle(t, "truncated", 2)
	file, entries := logFile(t, c, 3)
	whole := 0
	for n := range len(file) {
		_, got, err := feed.ReadLog(bytes.NewReader(file[:n]))
		switch {
		case err == nil && len(got) == whole && whole < len(entries):
			whole++ // an entry's boundary
		case err == nil || !errors.Is(err, feed.ErrNotLog):
			t.Fatalf("%d bytes: %d entries, %v", n, len(got), err)
		}
	}
	if whole != len(entries) {
		t.Errorf("%d boundaries, want %d", whole, len(entries))
	}
}

// zeros is an endless file that begins like a log.
type zeros struct{ rest []byte }

func (z *zeros) Read(b []byte) (int, error) {
	if len(z.rest) > 0 {
		n := copy(b, z.rest)
		z.rest = z.rest[n:]
		return n, nil
	}
	clear(b)
	return len(b), nil
}

func TestLogFileBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	if _, _, err := feed.ReadLog(&zeros{[]byte(feed.Magic)}); !errors.Is(err, feed.ErrNotLog) || errors.Is(err, feed.ErrEncoding) {
		t.Errorf("64 MiB were parsed before they were found too long: %v", err)
	}
	c := newCircle(t, "many", 2)
	file, entries := logFile(t, c, 1)
	one := file[len(file)-len(entries[1].Raw())-2:]
	many := slices.Concat(file, bytes.Repeat(one, feed.MaxEntries-2))
	if _, got, err := feed.ReadLog(bytes.NewReader(many)); err != nil || len(got) != feed.MaxEntries {
		t.Fatal(len(got), err)
	}
	if _, _, err := feed.ReadLog(bytes.NewReader(append(many, one...))); !errors.Is(err, feed.ErrNotLog) {
		t.Error(err)
	}
}

func TestLogFileHugeLengthAllocatesLittle(t *testing.T) {
	file := append([]byte(feed.Magic), 0x5a, 0xff, 0xff, 0xff, 0xff)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, _, err := feed.ReadLog(bytes.NewReader(file)); !errors.Is(err, feed.ErrNotLog) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 8<<10 {
		t.Errorf("%d bytes allocated", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteLogReportsItsWriter(t *testing.T) {
	c := newCircle(t, "writer", 2)
	if err := feed.WriteLog(broken{}, c.encoded, nil); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

func FuzzReadLog(f *testing.F) {
	c := newCircle(f, "fuzz", 2)
	for _, rounds := range []uint32{0, 1, 4} {
		file, _ := logFile(f, c, rounds)
		f.Add(file)
		f.Add(file[:len(file)-3])
	}
	f.Add([]byte(feed.Magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		charter, entries, err := feed.ReadLog(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, feed.ErrNotLog) {
				t.Fatal(err)
			}
			return
		}
		var again bytes.Buffer
		if err := feed.WriteLog(&again, charter, entries); err != nil || !bytes.Equal(again.Bytes(), b) {
			t.Fatalf("accepted %x, which is written as %x", b, again.Bytes())
		}
	})
}
