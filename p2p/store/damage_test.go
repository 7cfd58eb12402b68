package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"alibi/crypto/feed"
)

// estate is what a store holds that is going to be damaged: a game under way,
// one that is finished, and secrets.
type estate struct {
	fixture // of the game under way
	over    fixture
	logs    map[feed.Hash][]*feed.Signed
	file    []byte
}

func written(t testing.TB) estate {
	t.Helper()
	e := estate{fixture: newFixture(t, 3, "evening"), over: newFixture(t, 3, "night"), logs: make(map[feed.Hash][]*feed.Signed)}
	dir := ram(t)
	d, err := open(dir, quick())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Identity(pattern(7)); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := d.SavePending(feed.Hash{42, byte(i)}, []byte("s3cr3t-pending")); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []fixture{e.fixture, e.over} {
		if _, err := d.Begin(x.charter, 0, []byte("s3cr3t-seat")); err != nil {
			t.Fatal(err)
		}
		for r := range uint32(15) {
			batch := []*feed.Signed{x.entry(t, r, 0, "a"), x.entry(t, r, 1, strings.Repeat("b", 700))}
			if r == 9 {
				batch = append(batch, x.entry(t, r, 2, strings.Repeat("c", 20000)))
			}
			e.logs[x.table] = append(e.logs[x.table], batch...)
			if err := d.Append(x.table, batch...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(d.Finish(e.over.table), d.Close()); err != nil {
		t.Fatal(err)
	}
	e.file = bytesOf(t, dir)
	return e
}

// trial is what became of a damaged file.
type trial struct {
	t testing.TB
	estate
	root    string
	refused int // by Open
	lost    int // entries that Salvage did not find
	dropped int // games that Salvage did not find
}

// try opens an image and reads everything. Whatever comes out is what was
// written; whatever does not is an error that says so, without a secret.
func (tr *trial) try(image []byte) {
	t := tr.t
	t.Helper()
	dir := folderWith(t, tr.root, image)
	defer func() { _ = os.RemoveAll(dir) }()
	sure := func(err error) bool {
		t.Helper()
		if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrUnknown) {
			t.Errorf("not called damaged: %v", err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("a secret in an error: %v", err)
		}
		return err == nil
	}
	found, err := Salvage(dir)
	sure(err)
	tr.dropped += 2 - len(found)
	for _, s := range found {
		tr.lost += s.Lost
		if feed.TableHash(s.Charter) != s.Table || s.Seat != 0 {
			t.Errorf("salvaged another charter or seat")
		}
		tr.inOrder(s.Table, s.Log)
	}
	d, err := open(dir, quick())
	if sure(err) {
		tr.read(d, sure)
		_ = d.Close()
	} else {
		tr.refused++
	}
}

func (tr *trial) read(d *Disk, sure func(error) bool) {
	t := tr.t
	t.Helper()
	sure(d.view(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt finds what the store has not: %v", err)
		}
		return nil
	}))
	games, err := d.Games()
	if sure(err) && len(games) != 2 {
		t.Errorf("%d games are listed", len(games))
	}
	if secret, err := d.Pending(feed.Hash{42}); sure(err) && string(secret) != "s3cr3t-pending" {
		t.Error("another pending secret")
	}
	if key, err := d.Identity(pattern(9)); sure(err) && key.Seed() != [32]byte(bytes.Repeat([]byte{7}, 32)) {
		t.Error("another identity")
	}
	for _, x := range []fixture{tr.fixture, tr.over} {
		g, err := d.Load(x.table)
		if sure(err) {
			if !bytes.Equal(g.Charter, x.charter) || !g.Finished && string(g.Secret) != "s3cr3t-seat" || g.Finished != (x.table == tr.over.table) {
				t.Error("another game was loaded")
			}
			if len(g.Log) != len(tr.logs[x.table]) {
				t.Errorf("%d entries of %d", len(g.Log), len(tr.logs[x.table]))
			}
			tr.inOrder(x.table, g.Log)
		}
		part, err := d.LoadLog(x.table)
		if !sure(err) && part == nil {
			continue
		}
		tr.inOrder(x.table, part.Log)
	}
	sure(d.Append(tr.table, tr.entry(t, 41, 2, "more")))
	sure(d.SavePending(feed.Hash{43}, nil))
}

// inOrder checks that a log is the one that was written, but for entries that
// are missing.
func (tr *trial) inOrder(table feed.Hash, log []*feed.Signed) {
	tr.t.Helper()
	rest := tr.logs[table]
	for _, e := range log {
		i := slices.IndexFunc(rest, func(k *feed.Signed) bool { return bytes.Equal(k.Raw(), e.Raw()) })
		if i < 0 {
			tr.t.Fatalf("an entry that was not kept, or not here: round %d, seat %d", e.Round, e.Seat)
		}
		rest = rest[i+1:]
	}
}

// A flipped byte anywhere is found or does no harm.
func TestFlippedByteIsFound(t *testing.T) {
	tr := &trial{t: t, estate: written(t), root: ram(t)}
	whole := tr.file
	n, step := 0, len(whole)/200
	if testing.Short() {
		step *= 10
	}
	for at := 0; at < len(whole); at += step {
		b := bytes.Clone(whole)
		b[at] ^= 0x15
		tr.try(b)
		n++
	}
	t.Logf("%d bytes flipped: refused by Open %d times; by Salvage %d entries of %d lost, %d games of %d", n, tr.refused, tr.lost, n*62, tr.dropped, n*2)
	if tr.lost > n/2 || tr.dropped > n/50 {
		t.Error("too little was saved")
	}
}

// The heads of pages, where everything else hangs on, byte by byte.
func TestFlippedStructureIsFound(t *testing.T) {
	tr := &trial{t: t, estate: written(t), root: ram(t)}
	whole := tr.file
	n := 0
	for page := 0; page < len(whole); page += os.Getpagesize() {
		for at := page + page/os.Getpagesize()%11; at < page+48; at += 11 {
			if n++; testing.Short() && n%8 != 0 {
				continue
			}
			b := bytes.Clone(whole)
			b[at] ^= []byte{0x01, 0x80, 0xff, 0x04}[n%4]
			tr.try(b)
		}
	}
	t.Logf("%d bytes flipped: refused by Open %d times; by Salvage %d entries lost, %d games", n, tr.refused, tr.lost, tr.dropped)
	if tr.refused < n/5 {
		t.Error("too little was found")
	}
}

func TestCutFileIsAnError(t *testing.T) {
	tr := &trial{t: t, estate: written(t), root: ram(t)}
	whole := tr.file
	for _, n := range []int{0, 1, 79, 80, 100, 4095, 4096, 4175, 8192, 12288, 16384, 16385, len(whole) / 3, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		refused := tr.refused
		tr.try(whole[:n])
		if n < len(whole)/2 && tr.refused == refused {
			t.Errorf("a file cut to %d bytes is no damage", n)
		}
	}
	for name, b := range map[string][]byte{"text": bytes.Repeat([]byte("not a store at all\n"), 1000), "zeros": make([]byte, 1<<16)} {
		dir := folderWith(t, t.TempDir(), b)
		if _, err := Open(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(bytesOf(t, dir), b) {
			t.Errorf("%s: changed", name)
		}
	}
}

// Pages that were swapped, doubled or are those of yesterday.
func TestMisplacedPages(t *testing.T) {
	tr := &trial{t: t, estate: written(t), root: ram(t)}
	whole := tr.file
	size, n := os.Getpagesize(), len(whole)/os.Getpagesize()
	for from := range n {
		for _, to := range []int{0, 1, (from * 7) % n, n - 1 - from} {
			if from == to {
				continue
			}
			b := bytes.Clone(whole)
			copy(b[to*size:(to+1)*size], whole[from*size:])
			tr.try(b)
		}
	}
	if tr.refused == 0 {
		t.Error("nothing was refused")
	}
}

// The end of a log that the disk has forgotten, or brought back.
func TestLogThatLostItsEnd(t *testing.T) {
	f := newFixture(t, 3, "evening")
	dir := t.TempDir()
	d := mustOpen(t, dir)
	if _, err := d.Begin(f.charter, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Append(f.table, f.entry(t, 0, 0, "a"), f.entry(t, 0, 1, "b"), f.entry(t, 1, 0, "c")); err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	for name, damage := range map[string]func(g *bolt.Bucket) error{
		"end":   func(g *bolt.Bucket) error { return g.Bucket([]byte(keyLog)).Delete(positionKey(2)) },
		"start": func(g *bolt.Bucket) error { return g.Bucket([]byte(keyLog)).Delete(positionKey(0)) },
		"start and count": func(g *bolt.Bucket) error {
			return errors.Join(g.Bucket([]byte(keyLog)).Delete(positionKey(0)), putState(g, f.table, state{Entries: 2}, 99))
		},
		"all": func(g *bolt.Bucket) error {
			return errors.Join(g.DeleteBucket([]byte(keyLog)), func() error { _, err := g.CreateBucket([]byte(keyLog)); return err }())
		},
		"state":  func(g *bolt.Bucket) error { return putState(g, f.table, state{Entries: 2}, 99) },
		"key":    func(g *bolt.Bucket) error { return rename(g, keySecret, "secres") },
		"secret": func(g *bolt.Bucket) error { return g.Put([]byte(keySecret), bytes.Clone(g.Get([]byte(keyHead)))) },
		"head":   func(g *bolt.Bucket) error { return g.Delete([]byte(keyHead)) },
		"more":   func(g *bolt.Bucket) error { return g.Put([]byte("secret2"), bytes.Clone(g.Get([]byte(keySecret)))) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderWith(t, t.TempDir(), bytesOf(t, dir))
			change(t, dir, func(tx *bolt.Tx) error { return damage(tx.Bucket([]byte(bucketGames)).Bucket(f.table[:])) })
			d := mustOpen(t, dir)
			defer func() { _ = d.Close() }()
			if _, err := d.Load(f.table); !errors.Is(err, ErrDamaged) {
				t.Error("loaded:", err)
			}
			if err := d.Append(f.table, f.entry(t, 1, 0, "other")); !errors.Is(err, ErrDamaged) {
				t.Error("appended:", err)
			}
			if _, err := d.Begin(f.charter, 0, nil); !errors.Is(err, ErrExists) {
				t.Error("begun again:", err)
			}
			g, err := d.LoadLog(f.table)
			if !errors.Is(err, ErrDamaged) || (g == nil) != (name == "head") || g != nil && (!g.Damaged || g.Secret != nil || len(g.Log) != g.Entries) {
				t.Errorf("the rest: %+v, %v", g, err)
			}
			games, err := d.Games()
			marked := name == "key" || name == "secret" || name == "more" || name == "head" // the others are seen by reading the log
			if err != nil || len(games) != 1 || marked && !games[0].Damaged || games[0].Table != f.table {
				t.Errorf("listed: %+v, %v", games, err)
			}
			if err := d.Finish(f.table); (err == nil) != (name != "head") {
				t.Error("given up:", err)
			}
		})
	}
}

func rename(b *bolt.Bucket, from, to string) error {
	return errors.Join(b.Put([]byte(to), bytes.Clone(b.Get([]byte(from)))), b.Delete([]byte(from)))
}

// change changes a file past the store.
func change(t testing.TB, dir string, fn func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(dir, FileName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// An identity that is not sure is refused, and never drawn anew.
func TestDamagedIdentity(t *testing.T) {
	whole := written(t).file
	for name, damage := range map[string]func(meta *bolt.Bucket) error{
		"bit": func(meta *bolt.Bucket) error {
			r := bytes.Clone(meta.Get([]byte(keyIdentity)))
			r[dataAt+3] ^= 4
			return meta.Put([]byte(keyIdentity), r)
		},
		"short": func(meta *bolt.Bucket) error {
			return meta.Put([]byte(keyIdentity), record{kind: kindIdentity, data: []byte("short")}.seal())
		},
		"a secret": func(meta *bolt.Bucket) error {
			return meta.Put([]byte(keyIdentity), record{kind: kindSecret, data: make([]byte, 32)}.seal())
		},
		"name":     func(meta *bolt.Bucket) error { return rename(meta, keyIdentity, "identitx") },
		"one byte": func(meta *bolt.Bucket) error { return meta.Put([]byte(keyIdentity), []byte{1}) },
		"empty":    func(meta *bolt.Bucket) error { return meta.Put([]byte(keyIdentity), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderWith(t, t.TempDir(), whole)
			change(t, dir, func(tx *bolt.Tx) error { return damage(tx.Bucket([]byte(bucketMeta))) })
			for range 2 {
				d, err := Open(dir)
				if err == nil {
					_, err = d.Identity(pattern(9))
					_ = d.Close()
				}
				if !errors.Is(err, ErrDamaged) {
					t.Fatal("not refused:", err)
				}
			}
		})
	}
}

// A folder of another version says so: no format of ours is ever called damaged.
func TestOtherVersion(t *testing.T) {
	for _, name := range []string{"alibi store 1", "alibi store 3"} {
		dir := t.TempDir()
		_ = mustOpen(t, dir).Close()
		change(t, dir, func(tx *bolt.Tx) error {
			return errors.Join(tx.Bucket([]byte(bucketMeta)).Put([]byte(keyFormat), formatRecord(name)),
				tx.Bucket([]byte(bucketMeta)).Put([]byte("strange"), []byte("x")))
		})
		if _, err := Open(dir); !errors.Is(err, ErrVersion) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Salvage(dir); !errors.Is(err, ErrVersion) {
			t.Errorf("%s, salvaged: %v", name, err)
		}
	}
	// The format record of version 1, as version 1 wrote it.
	old := fmt.Sprintf("%x", formatRecord("alibi store 1"))
	if want := "616c6962692073746f72652031" + "088bf0f102d6457c"; old != want {
		t.Errorf("%s, want %s", old, want)
	}
}
