package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

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

func TestIdentityIsDrawnOnce(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		if _, err := s.Identity(bytes.NewReader([]byte("short"))); err == nil {
			t.Fatal("a short random source made an identity")
		}
		first, err := s.Identity(pattern(7))
		if err != nil {
			t.Fatal(err)
		}
		again, err := reopen().Identity(pattern(8))
		if err != nil || again.ID() != first.ID() {
			t.Fatalf("another identity the second time (%v)", err)
		}
	})
}

func TestGameSurvives(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		commitment := feed.Hash{1}
		if err := s.SavePending(commitment, []byte("pending")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Pending(commitment); err != nil || string(got) != "pending" {
			t.Fatalf("pending: %q, %v", got, err)
		}
		table, err := s.Begin(f.charter, 1, []byte("secret"))
		if err != nil || table != f.table {
			t.Fatal(err)
		}
		if _, err := s.Pending(commitment); !errors.Is(err, ErrUnknown) {
			t.Fatalf("the pending secret outlived Begin: %v", err)
		}
		a, b := f.entry(t, 0, 0, "a"), f.entry(t, 0, 1, "b")
		for _, add := range [][]*feed.Signed{{a}, {a, b}, {b}} {
			if err := s.Append(table, add...); err != nil {
				t.Fatal(err)
			}
		}
		s = reopen()
		g, err := s.Load(table)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Log) != 2 || !bytes.Equal(g.Log[0].Raw(), a.Raw()) || !bytes.Equal(g.Log[1].Raw(), b.Raw()) {
			t.Fatalf("log of %d entries is not the one appended", len(g.Log))
		}
		if g.Seat != 1 || g.Finished || g.Entries != 2 || string(g.Secret) != "secret" || !bytes.Equal(g.Charter, f.charter) {
			t.Fatalf("loaded %+v", g.Info)
		}
		if err := s.Finish(table); err != nil {
			t.Fatal(err)
		}
		s = reopen()
		g, err = s.Load(table)
		if err != nil || !g.Finished || g.Secret != nil || len(g.Log) != 2 {
			t.Fatalf("finished: %v, %v", g, err)
		}
		if err := s.Append(table, f.entry(t, 1, 0, "late")); !errors.Is(err, ErrFinished) {
			t.Fatalf("append to a finished game: %v", err)
		}
	})
}

func TestRefusals(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		for name, begin := range map[string]func() error{
			"charter": func() error { _, err := s.Begin([]byte("x"), 0, nil); return err },
			"seat":    func() error { _, err := s.Begin(f.charter, 3, nil); return err },
			"secret":  func() error { _, err := s.Begin(f.charter, 0, make([]byte, MaxSecret+1)); return err },
		} {
			if begin() == nil {
				t.Errorf("bad %s was accepted", name)
			}
		}
		if _, err := s.Begin(f.charter, 0, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Begin(f.charter, 0, []byte("other")); !errors.Is(err, ErrExists) {
			t.Errorf("begun twice: %v", err)
		}
		if err := s.Append(feed.Hash{9}, f.entry(t, 0, 0, "")); !errors.Is(err, ErrUnknown) {
			t.Errorf("append to no game: %v", err)
		}
		if err := s.Append(f.table, nil); err == nil {
			t.Error("a nil entry was accepted")
		}
		stranger, err := feed.Seal(f.keys[0], feed.Entry{Game: f.table, Seat: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Append(f.table, stranger); err == nil {
			t.Error("an entry of seat 3 of 3 was accepted")
		}
	})
}

// A batch with a contradiction anywhere leaves nothing behind, so a session
// that is stopped by it has sent nothing either.
func TestContradictionKeepsNothing(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		if _, err := s.Begin(f.charter, 0, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(f.table, f.entry(t, 0, 0, "one")); err != nil {
			t.Fatal(err)
		}
		for _, batch := range [][]*feed.Signed{
			{f.entry(t, 0, 1, "x"), f.entry(t, 0, 0, "two")},
			{f.entry(t, 0, 1, "x"), f.entry(t, 0, 1, "y")},
		} {
			if err := s.Append(f.table, batch...); !errors.Is(err, ErrContradiction) {
				t.Errorf("contradiction: %v", err)
			}
		}
		g, err := reopen().Load(f.table)
		if err != nil || len(g.Log) != 1 {
			t.Fatalf("%d entries kept, %v", len(g.Log), err)
		}
	})
}

func TestPendingIsBounded(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		for i := range MaxPending + 3 {
			if err := s.SavePending(feed.Hash{byte(i), 1}, []byte{byte(i)}); err != nil {
				t.Fatal(err)
			}
		}
		s = reopen()
		for i := range MaxPending + 3 {
			got, err := s.Pending(feed.Hash{byte(i), 1})
			if gone := i < 3; gone != errors.Is(err, ErrUnknown) || !gone && !bytes.Equal(got, []byte{byte(i)}) {
				t.Errorf("secret %d: %v, %v", i, got, err)
			}
		}
		if err := s.SavePending(feed.Hash{}, make([]byte, MaxSecret+1)); !errors.Is(err, ErrBounds) {
			t.Errorf("over-long secret: %v", err)
		}
	})
}

func TestGamesNewestFirst(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		for _, name := range []string{"one", "two", "three"} {
			if _, err := s.Begin(newFixture(t, 3, name).charter, 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		games, err := reopen().Games()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, g := range games {
			c, err := feed.ParseCharter(g.Charter)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != "three two one" {
			t.Errorf("games in order %q", got)
		}
	})
}

func TestCallerKeepsNoHandle(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		secret := []byte("secret")
		if _, err := s.Begin(f.charter, 0, secret); err != nil {
			t.Fatal(err)
		}
		clear(secret)
		g, err := s.Load(f.table)
		if err != nil {
			t.Fatal(err)
		}
		clear(g.Secret)
		clear(g.Charter)
		if g, err = s.Load(f.table); err != nil || string(g.Secret) != "secret" || !bytes.Equal(g.Charter, f.charter) {
			t.Fatalf("what is kept changed with the caller's slice (%v)", err)
		}
	})
}

func TestClosed(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		calls := map[string]error{"save": s.SavePending(feed.Hash{}, nil), "drop": s.DropPending(feed.Hash{}),
			"append": s.Append(f.table), "finish": s.Finish(f.table)}
		_, calls["identity"] = s.Identity(pattern(1))
		_, calls["pending"] = s.Pending(feed.Hash{})
		_, calls["begin"] = s.Begin(f.charter, 0, nil)
		_, calls["load"] = s.Load(f.table)
		_, calls["games"] = s.Games()
		for name, err := range calls {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	})
}
