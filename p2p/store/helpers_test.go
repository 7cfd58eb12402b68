package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// pattern is an endless reader of one byte.
type pattern byte

func (p pattern) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(p)
	}
	return len(b), nil
}

type fixture struct {
	keys    []identity.Key
	charter []byte
	table   feed.Hash
}

func newFixture(t testing.TB, seats int, name string) fixture {
	t.Helper()
	var f fixture
	c := feed.Charter{Name: name, Terms: []byte("terms")}
	for i := range seats {
		key := identity.KeyFromSeed([32]byte{byte(i + 1)})
		f.keys = append(f.keys, key)
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprintf("p%d", i), ID: key.ID(), Commitment: feed.Hash{byte(i)}})
	}
	charter, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f.charter, f.table = charter, feed.TableHash(charter)
	return f
}

func (f fixture) entry(t testing.TB, round uint32, seat int, body string) *feed.Signed {
	t.Helper()
	e, err := feed.Seal(f.keys[seat], feed.Entry{Game: f.table, Round: round, Seat: uint8(seat), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// both runs a test on either store. reopen closes the disk store and opens it
// again; what memory cannot do it leaves alone.
func both(t *testing.T, test func(t *testing.T, s Store, reopen func() Store)) {
	t.Run("memory", func(t *testing.T) {
		s := NewMemory()
		test(t, s, func() Store { return s })
	})
	t.Run("disk", func(t *testing.T) {
		dir := t.TempDir()
		d := mustOpen(t, dir)
		t.Cleanup(func() { _ = d.Close() })
		test(t, d, func() Store {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			d = mustOpen(t, dir)
			return d
		})
	})
}

func mustOpen(t testing.TB, dir string) *Disk {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// vote is a ballot of a seat on going on without seat 2.
func (f fixture) vote(t testing.TB, round uint32, seat int, yes bool) *feed.Signed {
	t.Helper()
	e, err := feed.CastBallot(f.keys[seat], feed.Entry{Game: f.table, Round: round, Seat: uint8(seat)},
		feed.Ballot{Motion: feed.Without(2), Yes: yes})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// again is e under another signature, which does not verify: nothing here checks.
func again(t testing.TB, e *feed.Signed) *feed.Signed {
	t.Helper()
	raw := bytes.Clone(e.Raw())
	raw[0] ^= 1
	s, err := feed.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick opens stores that write thousands of times and need no power to fail.
func quick() how {
	return how{noSync: true, commit: (*bolt.Tx).Commit, renew: func(*os.File, []byte) error { return nil }}
}

// snapshot is all that a store says, as text. It changes nothing.
func snapshot(t testing.TB, s Store, commitments ...feed.Hash) string {
	t.Helper()
	var out strings.Builder
	key, err := s.Identity(strings.NewReader("")) // draws none
	if err != nil && !strings.Contains(err.Error(), "drawing") {
		t.Fatal(err)
	}
	if err == nil {
		fmt.Fprintf(&out, "identity %v\n", key.ID())
	}
	for _, c := range commitments {
		secret, err := s.Pending(c)
		if err != nil && !errors.Is(err, ErrUnknown) {
			t.Fatal(err)
		}
		if err == nil {
			fmt.Fprintf(&out, "pending %x: %s\n", c[:2], secret)
		}
	}
	games, err := s.Games()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range games {
		g, err := s.Load(info.Table)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "game %x of %d bytes, seat %d, finished %t, %d entries, secret %q\n",
			g.Table[:2], len(g.Charter), g.Seat, g.Finished, g.Entries, g.Secret)
		for _, e := range g.Log {
			sum := feed.TableHash(e.Raw())
			fmt.Fprintf(&out, "  round %d, seat %d: %x\n", e.Round, e.Seat, sum[:4])
		}
	}
	return out.String()
}

// ram is a folder in memory where there is one: for tests that open and sync
// thousands of times, and do not ask what a disk makes of it.
func ram(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "alibi-store")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// folderWith makes a folder with a store file of the given bytes.
func folderWith(t testing.TB, root string, b []byte) string {
	t.Helper()
	dir, err := os.MkdirTemp(root, "store")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func bytesOf(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
