package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"alibi/crypto/feed"
)

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
		one, yes := f.entry(t, 0, 0, "one"), f.vote(t, 1, 0, true)
		if err := s.Append(f.table, one, yes); err != nil {
			t.Fatal(err)
		}
		for name, batch := range map[string][]*feed.Signed{
			"other words":       {f.entry(t, 0, 1, "x"), f.entry(t, 0, 0, "two")},
			"other signature":   {f.entry(t, 0, 1, "x"), again(t, one)},
			"yes and no":        {f.entry(t, 0, 1, "x"), f.vote(t, 1, 0, false)},
			"both in one batch": {f.entry(t, 5, 0, "x"), f.entry(t, 0, 1, "x"), f.entry(t, 5, 0, "y")},
			"between known":     {one, f.entry(t, 0, 0, "two"), one},
		} {
			if err := s.Append(f.table, batch...); !errors.Is(err, ErrContradiction) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s = reopen()
		if err := s.Append(f.table, f.entry(t, 0, 0, "two")); !errors.Is(err, ErrContradiction) {
			t.Errorf("after opening again: %v", err)
		}
		if g, err := s.Load(f.table); err != nil || len(g.Log) != 2 {
			t.Fatalf("%v, %v", g, err)
		}
	})
}

// Places of the own seat that look alike and are not one place.
func TestOwnEntriesOfDifferentPlaces(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		if _, err := s.Begin(f.charter, 0, nil); err != nil {
			t.Fatal(err)
		}
		other, err := feed.Seal(f.keys[0], feed.Entry{Game: feed.Hash{7}, Body: []byte("after a leave")})
		if err != nil {
			t.Fatal(err)
		}
		abandon, err := feed.CastBallot(f.keys[0], feed.Entry{Game: f.table}, feed.Ballot{Motion: feed.Motion{Without: 4, Abandon: true}, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		own := []*feed.Signed{f.entry(t, 0, 0, "a"), f.entry(t, 1, 0, "a"), other, f.vote(t, 0, 0, true), f.vote(t, 1, 0, false), abandon}
		for _, e := range own {
			if err := s.Append(f.table, e); err != nil {
				t.Errorf("%v: %v", e.Place(), err)
			}
		}
		if g, err := reopen().Load(f.table); err != nil || len(g.Log) != len(own) {
			t.Fatalf("%v, %v", g, err)
		}
	})
}

// What others sign twice is evidence: it stays, in the order it came, also
// across a restart, and so does what stands on another history.
func TestRivalsOfOthersAreKept(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		if _, err := s.Begin(f.charter, 0, nil); err != nil {
			t.Fatal(err)
		}
		first := f.entry(t, 0, 1, "0")
		elsewhere, err := feed.Seal(f.keys[1], feed.Entry{Game: f.table, Seat: 1, Prev: feed.Hash{9}, Body: []byte("0")})
		if err != nil {
			t.Fatal(err)
		}
		var want []*feed.Signed
		for i, e := range []*feed.Signed{first, f.entry(t, 0, 1, "1"), elsewhere, again(t, first), f.vote(t, 0, 1, true), f.vote(t, 0, 1, false)} {
			if i == 3 {
				s = reopen()
			}
			if err := s.Append(f.table, e, first); err != nil {
				t.Fatal(err)
			}
			want = append(want, e)
		}
		// Four of them are for one place; then it is full, and other places are not.
		for i := range 2 * MaxRivals {
			e := f.entry(t, 0, 1, fmt.Sprint("more ", i))
			if err := s.Append(f.table, e); err != nil {
				t.Fatal(err)
			}
			if 4+i < MaxRivals {
				want = append(want, e)
			}
		}
		last := f.entry(t, 0, 2, "last")
		want = append(want, last)
		s = reopen()
		if err := s.Append(f.table, f.entry(t, 0, 1, "one too many"), last, first); err != nil {
			t.Fatal(err)
		}
		g, err := reopen().Load(f.table)
		if err != nil || len(g.Log) != len(want) || g.Entries != len(want) {
			t.Fatalf("%d of %d entries, %v", len(g.Log), len(want), err)
		}
		for i := range want {
			if !bytes.Equal(g.Log[i].Raw(), want[i].Raw()) {
				t.Errorf("entry %d is another one", i)
			}
		}
	})
}

// The log never outgrows what a log file may hold.
func TestLogIsBounded(t *testing.T) {
	f := newFixture(t, 3, "evening")
	l := newLedger(f.table, f.charter, 0, 3)
	l.size = feed.MaxLogFile - 5000
	for round := uint32(0); ; round++ {
		fresh, err := l.fresh([]*feed.Signed{f.entry(t, round, 1, strings.Repeat("x", 900))})
		if errors.Is(err, ErrBounds) {
			if round == 0 {
				t.Error("no entry fits")
			}
			break
		}
		if err != nil || round > 10 {
			t.Fatalf("round %d: %v", round, err)
		}
		l.add(fresh)
	}
	if l.size > feed.MaxLogFile {
		t.Error("too large for a log file:", l.size)
	}
	many := newLedger(f.table, f.charter, 0, 3)
	many.log = make([]*feed.Signed, feed.MaxEntries)
	if _, err := many.fresh([]*feed.Signed{f.entry(t, 0, 1, "x")}); !errors.Is(err, ErrBounds) {
		t.Error("one entry too many:", err)
	}
}

func TestLoadLogHasNoSecret(t *testing.T) {
	both(t, func(t *testing.T, s Store, reopen func() Store) {
		f := newFixture(t, 3, "evening")
		if _, err := s.LoadLog(f.table); !errors.Is(err, ErrUnknown) {
			t.Error("no such game:", err)
		}
		if _, err := s.Begin(f.charter, 2, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(f.table, f.entry(t, 0, 1, "x")); err != nil {
			t.Fatal(err)
		}
		g, err := reopen().LoadLog(f.table)
		if err != nil || g.Secret != nil || len(g.Log) != 1 || g.Entries != 1 || g.Seat != 2 || g.Damaged || !bytes.Equal(g.Charter, f.charter) {
			t.Fatalf("%+v, %v", g, err)
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
		_, calls["log"] = s.LoadLog(f.table)
		for name, err := range calls {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	})
}
