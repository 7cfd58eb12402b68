package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// seen lists what walk shows.
func seen(t testing.TB, image []byte) (list []string, txid uint64) {
	t.Helper()
	txid, err := walk(bytes.NewReader(image), int64(len(image)), func(path [][]byte, key, value []byte) error {
		list = append(list, line(path, key, value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, txid
}

func line(path [][]byte, key, value []byte) string {
	return fmt.Sprintf("%q %q %t %d", path, key, value == nil, len(value))
}

// told lists what bbolt shows.
func told(path [][]byte, b *bolt.Bucket, list *[]string) {
	_ = b.ForEach(func(k, v []byte) error {
		*list = append(*list, line(path, k, v))
		if v == nil {
			told(append(slices.Clone(path), k), b.Bucket(k), list)
		}
		return nil
	})
}

// walk sees what bbolt sees, in any file that bbolt makes: with branches, long
// values, buckets in values and out of them, and pages that are free again.
func TestWalkAgreesWithBolt(t *testing.T) {
	root := ram(t)
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(root, fmt.Sprint(rapid.Uint64().Draw(rt, "name")))
		defer func() { _ = os.Remove(path) }()
		db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true, PageSize: rapid.SampledFrom([]int{1024, 4096}).Draw(rt, "page")})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			err := db.Update(func(tx *bolt.Tx) error {
				outer, err := tx.CreateBucketIfNotExists([]byte{byte(rapid.IntRange(1, 3).Draw(rt, "outer"))})
				if err != nil {
					return err
				}
				inner, err := outer.CreateBucketIfNotExists([]byte{byte(rapid.IntRange(1, 3).Draw(rt, "inner")), 0})
				if err != nil {
					return err
				}
				first, count, size := rapid.IntRange(0, 300).Draw(rt, "first"), rapid.IntRange(0, 200).Draw(rt, "count"), rapid.IntRange(0, 5000).Draw(rt, "size")
				put := rapid.Bool().Draw(rt, "put")
				for i := range count {
					key := fmt.Appendf(nil, "key %05d", first+i)
					if put {
						err = errors.Join(err, inner.Put(key, make([]byte, size/(1+i%7))))
					} else {
						err = errors.Join(err, inner.Delete(key))
					}
				}
				return err
			})
			if err != nil {
				rt.Fatal(err)
			}
			image, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			got, txid := seen(t, image)
			var want []string
			now := 0
			_ = db.View(func(tx *bolt.Tx) error {
				now = tx.ID()
				told(nil, tx.Cursor().Bucket(), &want)
				return nil
			})
			if !slices.Equal(got, want) || txid != uint64(now) {
				rt.Fatalf("step %d of %d: walk sees %d values, bbolt %d", txid, now, len(got), len(want))
			}
		}
	})
}

// A file that bbolt would go round in for ever, or fall into.
func TestWalkRefusesCircles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: 1024})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := range 500 {
			err = errors.Join(err, b.Put(fmt.Appendf(nil, "%05d", i), make([]byte, 100)))
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen(t, image) // it is sound
	branches := 0
	for page := 0; page+1024 <= len(image); page += 1024 {
		if native.Uint16(image[page+8:]) != flagBranch {
			continue
		}
		branches++
		for name, child := range map[string]uint64{"itself": uint64(page / 1024), "a meta page": 1, "nowhere": 1 << 40, "the end": uint64(len(image) / 1024)} {
			b := bytes.Clone(image)
			native.PutUint64(b[page+pageHead+8:], child)
			if _, err := walk(bytes.NewReader(b), int64(len(b)), func([][]byte, []byte, []byte) error { return nil }); !errors.Is(err, ErrDamaged) {
				t.Errorf("a branch to %s: %v", name, err)
			}
		}
	}
	if branches == 0 {
		t.Error("there is no branch")
	}
}

// A page that is free and used would be written over, one that is neither is
// lost, and one that is free twice would be used twice.
func TestWalkRefusesFreePages(t *testing.T) {
	whole := written(t).file
	size := os.Getpagesize()
	seen(t, whole)
	var metas [2]meta
	tr := &tree{r: bytes.NewReader(whole)}
	for i := range metas {
		var err error
		if metas[i], err = tr.readMeta(uint64(i), int64(i*size)); err != nil {
			t.Fatal(err)
		}
	}
	now := metas[0]
	if metas[1].txid > now.txid {
		now = metas[1]
	}
	for name, change := range map[string]func(count, ids []byte, n int){
		"used": func(count, ids []byte, n int) {
			native.PutUint16(count, uint16(n+1))
			native.PutUint64(ids[8*n:], now.root)
		},
		"the list": func(count, ids []byte, n int) {
			native.PutUint16(count, uint16(n+1))
			native.PutUint64(ids[8*n:], now.free)
		},
		"twice": func(count, ids []byte, n int) { native.PutUint16(count, uint16(n+1)); copy(ids[8*n:], ids[:8]) },
		"nowhere": func(count, ids []byte, n int) {
			native.PutUint16(count, uint16(n+1))
			native.PutUint64(ids[8*n:], now.pages)
		},
		"a meta":    func(count, ids []byte, n int) { native.PutUint16(count, uint16(n+1)); native.PutUint64(ids[8*n:], 1) },
		"lost":      func(count, ids []byte, n int) { native.PutUint16(count, uint16(n-1)) },
		"very long": func(count, ids []byte, n int) { native.PutUint16(count, 0xFFFE) },
		"endless":   func(count, ids []byte, n int) { native.PutUint16(count, 0xFFFF); native.PutUint64(ids, 1<<61) },
		"all pages": func(count, ids []byte, n int) { native.PutUint16(count, 0xFFFF); native.PutUint64(ids, ^uint64(0)) },
		"no pages":  func(count, ids []byte, n int) { native.PutUint16(count, 0) },
	} {
		b := bytes.Clone(whole)
		page := b[int(now.free)*size:]
		n := int(native.Uint16(page[10:]))
		if n == 0 {
			t.Fatal("no page is free")
		}
		change(page[10:12], page[pageHead:], n)
		if _, err := walk(bytes.NewReader(b), int64(len(b)), new(layout).visit); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One meta page alone is no store: if it is the older one, the last step would
// be forgotten, and an own entry with it that others have.
func TestForgottenStep(t *testing.T) {
	whole := written(t).file
	for page := range 2 {
		for name, change := range map[string]func(meta []byte){
			"flipped": func(meta []byte) { meta[pageHead+48] ^= 1 },
			"zeroed":  func(meta []byte) { clear(meta) },
			"another": func(meta []byte) { copy(meta[pageHead:], whole[(1-page)*os.Getpagesize()+pageHead:]) },
			"from elsewhere": func(meta []byte) {
				native.PutUint64(meta[pageHead+48:], native.Uint64(meta[pageHead+48:])+4)
				h := fnv.New64a()
				_, _ = h.Write(meta[pageHead : pageHead+metaSize-8])
				native.PutUint64(meta[pageHead+56:], h.Sum64())
			},
		} {
			b := bytes.Clone(whole)
			change(b[page*os.Getpagesize():][:pageHead+metaSize])
			if d, err := Open(folderWith(t, ram(t), b)); !errors.Is(err, ErrDamaged) {
				_ = d.Close()
				t.Errorf("meta page %d %s: %v", page, name, err)
			}
		}
	}
}

func FuzzWalk(f *testing.F) {
	whole := written(f).file
	f.Add(uint32(0), []byte{0})
	f.Add(uint32(4096+16), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(2*4096+10), []byte{4, 0, 1})
	root := ram(f)
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		b := bytes.Clone(whole)
		copy(b[int(at)%len(b):], patch)
		_, err := walk(bytes.NewReader(b), int64(len(b)), new(layout).visit)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		dir := folderWith(t, root, b)
		defer func() { _ = os.RemoveAll(dir) }()
		db, err := bolt.Open(filepath.Join(dir, FileName), 0o600, &bolt.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		_ = db.View(func(tx *bolt.Tx) error {
			for err := range tx.Check() {
				t.Error(err)
			}
			return nil
		})
	})
}
