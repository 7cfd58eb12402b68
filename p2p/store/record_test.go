package store

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

func found(t testing.TB, b []byte) (list []record) {
	t.Helper()
	if err := scan(bytes.NewReader(b), func(r record) { list = append(list, r) }); err != nil {
		t.Fatal(err)
	}
	return list
}

func records(t *rapid.T, label string) record {
	r := record{
		kind: kind(rapid.Uint8().Draw(t, label+" kind")), number: rapid.Uint64().Draw(t, label+" number"), step: rapid.Uint64().Draw(t, label+" step"),
		data: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, label+" data"),
	}
	copy(r.name[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, label+" name"))
	return r
}

func same(a, b record) bool {
	return a.kind == b.kind && a.name == b.name && a.number == b.number && a.step == b.step && bytes.Equal(a.data, b.data)
}

func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := records(t, "a")
		b := r.seal()
		got, n, ok := cutRecord(append(bytes.Clone(b), 1, 2, 3))
		if !ok || n != len(b) || !same(got, r) {
			t.Fatalf("%+v came back as %+v, %t", r, got, ok)
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= rapid.Byte().Filter(func(b byte) bool { return b != 0 }).Draw(t, "flip")
		if _, _, ok := cutRecord(b); ok {
			t.Fatal("a flipped byte was not found")
		}
	})
}

// scan finds every whole record between any noise, and what it finds is one.
func TestScanFindsRecords(t *testing.T) {
	noise := rapid.Custom(func(t *rapid.T) []byte {
		n := rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "bytes")
		return append(n, strings.Repeat(magic[:rapid.IntRange(0, len(magic)).Draw(t, "some")], rapid.IntRange(0, 2).Draw(t, "times"))...)
	})
	rapid.Check(t, func(rt *rapid.T) {
		var file []byte
		var want []record
		for range rapid.IntRange(0, 6).Draw(rt, "records") {
			r := records(rt, "r")
			want = append(want, r)
			file = append(append(file, noise.Draw(rt, "noise")...), r.seal()...)
		}
		if rapid.Bool().Draw(rt, "long") {
			r := record{kind: kindEntry, data: bytes.Repeat([]byte(magic), maxData/len(magic))}
			want = append(want, r)
			file = append(append(file, make([]byte, 17*maxRecord)...), r.seal()...)
		}
		file = append(file, noise.Draw(rt, "noise")...)
		if got := found(t, file); !slices.EqualFunc(got, want, same) {
			rt.Fatalf("%d records of %d", len(got), len(want))
		}
	})
}

// A peer puts a record into its entry, to be found there when the entry's own
// is damaged.
func TestNoRecordWithinARecord(t *testing.T) {
	f := newFixture(t, 3, "evening")
	forged := record{kind: kindEntry, name: f.table, number: 3, step: 1 << 60, data: f.entry(t, 3, 0, "never said").Raw()}
	for pad := range 9 {
		whole := record{kind: kindEntry, name: f.table, number: 7, step: 9, data: f.entry(t, 7, 1, strings.Repeat("x", pad)+string(forged.seal())).Raw()}
		b := whole.seal()
		b[len(b)-1] ^= 1
		if got := found(t, b); len(got) != 0 {
			t.Fatalf("found %d records in a damaged one", len(got))
		}
	}
}

func TestUnsealKnowsItsPlace(t *testing.T) {
	r := record{kind: kindSecret, name: feed.Hash{1}, data: []byte("s3cr3t")}
	b := r.seal()
	if got, err := unseal(b, kindSecret, feed.Hash{1}); err != nil || !same(got, r) {
		t.Fatal(got, err)
	}
	for name, err := range map[string]error{
		"kind":    second(unseal(b, kindPending, feed.Hash{1})),
		"name":    second(unseal(b, kindSecret, feed.Hash{2})),
		"longer":  second(unseal(append(bytes.Clone(b), 0), kindSecret, feed.Hash{1})),
		"shorter": second(unseal(b[:len(b)-1], kindSecret, feed.Hash{1})),
		"nothing": second(unseal(nil, kindSecret, feed.Hash{1})),
	} {
		if !errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if bytes.Contains(b, []byte("s3cr3t")) {
		t.Error("a secret in the clear, where a search in the file finds it")
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzRecord(f *testing.F) {
	h, err := head{Order: 1, Seats: 3, Charter: newFixture(f, 3, "x").charter}.encode()
	if err != nil {
		f.Fatal(err)
	}
	s, err := state{Entries: 3, Finished: true}.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(record{kind: kindHead, data: h}.seal())
	f.Add(append([]byte(magic), record{kind: kindState, data: s}.seal()...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range append(found(t, b), record{data: b}) { // the decoders see everything too
			if r.kind != 0 && !bytes.Contains(b, r.seal()) {
				t.Error("a record has two encodings")
			}
			if h, err := decodeHead(r.data); err == nil {
				if again, err := h.encode(); err != nil || !bytes.Equal(again, r.data) {
					t.Error("a head has two encodings")
				}
			}
			if s, err := decodeState(r.data); err == nil {
				if again, err := s.encode(); err != nil || !bytes.Equal(again, r.data) {
					t.Error("a state has two encodings")
				}
			}
		}
		if name, ok := formatName(b); ok && !bytes.Equal(formatRecord(name), b) {
			t.Error("a format has two encodings")
		}
	})
}
