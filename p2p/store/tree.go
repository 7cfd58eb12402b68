package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

// bbolt trusts its file: a page that does not hold together makes it panic,
// read past its end, run out of memory or go round in circles, and the last two
// cannot be recovered from. So the structure is checked by its bytes before
// bbolt sees it. What is checked is what bbolt relies on: both meta pages,
// every page that can be reached from them, and that every other one is on the
// list of free pages.
//
// The layout of a file (all numbers in the machine's byte order):
//
//	page     id 8, flags 2, count 2, overflow 4; then the elements
//	meta     magic 4, version 4, page size 4, flags 4, root 8, sequence 8,
//	         list of free pages 8, pages 8, transaction 8, FNV-1a 8
//	branch   per element: offset 4, key size 4, page 8
//	leaf     per element: flags 4, offset 4, key size 4, value size 4
//	bucket   a leaf's value: root 8, sequence 8; root 0: a leaf page follows
//
// Offsets count from the element itself.
const (
	pageHead    = 16
	elementSize = 16
	bucketHead  = 16
	metaSize    = 64

	flagBranch = 0x01
	flagLeaf   = 0x02
	flagMeta   = 0x04
	flagFree   = 0x10

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	maxDepth   = 32      // branches above a leaf; ten would hold more than a disk
	maxBuckets = 4       // buckets in buckets
	maxRun     = 8 << 20 // bytes of one page with its overflow
)

var native = binary.NativeEndian

// visitor is told every value: the buckets it is in, its key, and the value,
// nil for a bucket. The slices are good for the call.
type visitor func(path [][]byte, key, value []byte) error

// meta is what a meta page says.
type meta struct {
	pageSize                uint32
	root, free, pages, txid uint64
}

// tree is a file being checked.
type tree struct {
	r     io.ReaderAt
	meta  meta
	used  []bool // by page
	visit visitor
	spare [][]byte // buffers that no page is in
}

// walk checks a file of size bytes and shows its values to visit. It returns
// the number of the last transaction.
func walk(r io.ReaderAt, size int64, visit visitor) (txid uint64, err error) {
	t := &tree{r: r, visit: visit}
	if err := t.readMetas(size); err != nil {
		return 0, err
	}
	t.used = make([]bool, t.meta.pages) // no more than the file is long
	t.used[0], t.used[1] = true, true
	if err := t.page(nil, t.meta.root, span{}, 0); err != nil {
		return 0, err
	}
	return t.meta.txid, t.freePages()
}

func damage(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// readMetas reads both meta pages and takes the later one. bbolt would make do
// with one of them: but if that is the older one, the last step would be
// forgotten without a word, and an own entry that others have got with it. A
// meta page lies within one sector, so a write that was cut short leaves none
// that is half old and half new.
func (t *tree) readMetas(size int64) error {
	first, err := t.readMeta(0, 0)
	if err != nil {
		return err
	}
	second, err := t.readMeta(1, int64(first.pageSize))
	if err != nil {
		return err
	}
	older, later := first, second
	if first.txid > second.txid {
		older, later = second, first
	}
	switch {
	case older.pageSize != later.pageSize || later.txid != older.txid+1 || first.txid%2 != 0:
		return damage("the two meta pages do not belong together")
	case later.pages < 4 || later.pages > uint64(size)/uint64(later.pageSize):
		return damage("the file is cut short")
	}
	t.meta = later
	return nil
}

func (t *tree) readMeta(id uint64, at int64) (meta, error) {
	b := make([]byte, pageHead+metaSize)
	if _, err := t.r.ReadAt(b, at); err != nil {
		return meta{}, unread(err)
	}
	body := b[pageHead:]
	h := fnv.New64a()
	_, _ = h.Write(body[:metaSize-8])
	m := meta{
		pageSize: native.Uint32(body[8:]),
		root:     native.Uint64(body[16:]),
		free:     native.Uint64(body[32:]),
		pages:    native.Uint64(body[40:]),
		txid:     native.Uint64(body[48:]),
	}
	switch {
	case native.Uint64(b) != id || native.Uint16(b[8:]) != flagMeta,
		native.Uint32(body) != boltMagic, native.Uint32(body[4:]) != boltVersion, native.Uint64(body[56:]) != h.Sum64():
		return meta{}, damage("meta page %d does not hold", id)
	case m.pageSize < 1<<10 || m.pageSize > 1<<16 || m.pageSize&(m.pageSize-1) != 0:
		return meta{}, damage("pages of %d bytes", m.pageSize)
	}
	return m, nil
}

func unread(err error) error {
	if errors.Is(err, io.EOF) {
		return damage("the file is cut short")
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// run reads a page with its overflow and takes note that it is used. The caller
// gives the buffer back (t.spare) when it is done with the page.
func (t *tree) run(id uint64) ([]byte, error) {
	if id < 2 || id >= t.meta.pages {
		return nil, damage("page %d of %d", id, t.meta.pages)
	}
	size := int64(t.meta.pageSize)
	var b []byte
	if last := len(t.spare) - 1; last >= 0 {
		b, t.spare = t.spare[last][:size], t.spare[:last]
	} else {
		b = make([]byte, size)
	}
	if _, err := t.r.ReadAt(b, int64(id)*size); err != nil {
		return nil, unread(err)
	}
	n := uint64(native.Uint32(b[12:])) + 1
	switch {
	case native.Uint64(b) != id:
		return nil, damage("page %d says that it is another", id)
	case n > t.meta.pages-id || int64(n)*size > maxRun:
		return nil, damage("page %d goes on for %d pages", id, n)
	}
	for i := id; i < id+n; i++ {
		if t.used[i] {
			return nil, damage("page %d is used twice", i)
		}
		t.used[i] = true
	}
	if n > 1 {
		b = slices.Grow(b, int(int64(n-1)*size))[:int64(n)*size]
		if _, err := t.r.ReadAt(b[size:], int64(id+1)*size); err != nil {
			return nil, unread(err)
		}
	}
	return b, nil
}

// span is the keys that may stand below a branch: from low on, and before high.
// A nil high is no bound.
type span struct{ low, high []byte }

func (s span) holds(key []byte) bool {
	return bytes.Compare(s.low, key) <= 0 && (s.high == nil || bytes.Compare(key, s.high) < 0)
}

func (t *tree) page(path [][]byte, id uint64, keys span, depth int) error {
	b, err := t.run(id)
	if err != nil {
		return err
	}
	defer func() { t.spare = append(t.spare, b) }()
	switch flags := native.Uint16(b[8:]); {
	case flags == flagLeaf:
		return t.leaf(path, b, id, keys)
	case flags != flagBranch || depth == maxDepth:
		return damage("page %d is no part of a tree", id)
	}
	n := int(native.Uint16(b[10:]))
	if n == 0 || pageHead+n*elementSize > len(b) {
		return damage("page %d has %d elements", id, n)
	}
	branch := make([][]byte, n+1) // the key after the last is the end of the span
	branch[n] = keys.high
	for i := range n {
		at := pageHead + i*elementSize
		key, ok := cut(b, at+int(native.Uint32(b[at:])), native.Uint32(b[at+4:]))
		if !ok || !keys.holds(key) || i > 0 && bytes.Compare(branch[i-1], key) >= 0 {
			return damage("page %d: key %d", id, i)
		}
		branch[i] = key
	}
	for i := range n {
		child := native.Uint64(b[pageHead+i*elementSize+8:])
		if err := t.page(path, child, span{branch[i], branch[i+1]}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// cut takes size bytes of b from at on, if that many are there.
func cut(b []byte, at int, size uint32) ([]byte, bool) {
	if at > len(b) || uint64(size) > uint64(len(b)-at) {
		return nil, false
	}
	return b[at : at+int(size)], true
}

// leaf checks a leaf page, or what stands for one within a value (id 0).
func (t *tree) leaf(path [][]byte, b []byte, id uint64, keys span) error {
	n := int(native.Uint16(b[10:]))
	if pageHead+n*elementSize > len(b) {
		return damage("page %d has %d elements", id, n)
	}
	var last []byte
	for i := range n {
		at := pageHead + i*elementSize
		flags, from := native.Uint32(b[at:]), at+int(native.Uint32(b[at+4:]))
		key, whole := cut(b, from, native.Uint32(b[at+8:]))
		value, also := cut(b, from+len(key), native.Uint32(b[at+12:]))
		if !whole || !also || len(key) == 0 || flags > 1 {
			return damage("page %d: element %d", id, i)
		}
		if !keys.holds(key) || i > 0 && bytes.Compare(last, key) >= 0 {
			return damage("page %d: key %d", id, i)
		}
		last = key
		if flags == 0 {
			if err := t.visit(path, key, value); err != nil {
				return err
			}
			continue
		}
		if id == 0 {
			return damage("a bucket within a bucket's page")
		}
		if err := t.bucket(path, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) bucket(path [][]byte, key, value []byte) error {
	if len(value) < bucketHead || len(path) == maxBuckets {
		return damage("a bucket of %d bytes in %d others", len(value), len(path))
	}
	if err := t.visit(path, key, nil); err != nil {
		return err
	}
	inside := append(path[:len(path):len(path)], key)
	root, inline := native.Uint64(value), value[bucketHead:]
	switch {
	case root != 0 && len(inline) == 0:
		return t.page(inside, root, span{}, 0)
	case root == 0 && len(inline) >= pageHead && native.Uint16(inline[8:]) == flagLeaf:
		return t.leaf(inside, inline, 0, span{})
	}
	return damage("a bucket that is nowhere")
}

// freePages checks the list of free pages: what is on it is not used, and what
// is not used is on it.
func (t *tree) freePages() error {
	b, err := t.run(t.meta.free)
	if err != nil {
		return err
	}
	n, list := uint64(native.Uint16(b[10:])), b[pageHead:]
	if n == 0xFFFF { // more than the field holds: the first element counts
		n, list = native.Uint64(list), list[8:]
	}
	if native.Uint16(b[8:]) != flagFree || n > uint64(len(list)/8) {
		return damage("page %d is no list of free pages", t.meta.free)
	}
	for i := range n {
		id := native.Uint64(list[i*8:])
		if id < 2 || id >= t.meta.pages || t.used[id] {
			return damage("page %d is called free", id)
		}
		t.used[id] = true
	}
	for id, used := range t.used {
		if !used {
			return damage("page %d is lost", id)
		}
	}
	return nil
}
