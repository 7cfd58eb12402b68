package lan

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var epoch = time.Unix(1e9, 0)

func said(id, instance string, revision uint32, claims ...claim) announcement {
	return announcement{record{version: Version, id: id, revision: revision, claims: claims,
		info: map[string]string{"r": strconv.Itoa(int(revision))}}, instance, 4001, false}
}

func leaving(a announcement) announcement { a.leaving = true; return a }

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func listed(c *cache) []string {
	var ids []string
	for _, p := range c.peers("me", own{}) {
		ids = append(ids, p.ID+":"+p.Info["r"])
	}
	return ids
}

func TestCacheStory(t *testing.T) {
	c := newCache()
	c.setEager(epoch, true)
	host := addr("10.0.0.2")
	at := func(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }
	hear := func(seconds float64, source netip.Addr, a announcement, wantChanged bool, want ...string) {
		t.Helper()
		changed, _ := c.hear(at(seconds), source, "eth0", a)
		if got := listed(c); changed != wantChanged || !slices.Equal(got, want) {
			t.Errorf("at %v: changed %v, list %v, want %v, %v", seconds, changed, got, wantChanged, want)
		}
	}
	hear(0, host, said("ann", "i1", 5), true, "ann:5")
	hear(1, host, said("ann", "i1", 5), false, "ann:5")
	hear(1, host, said("me", "other", 1), true, "ann:5") // our own ID is not listed
	hear(1, host, said("ann", "i1", 6), true, "ann:6")
	hear(1, host, said("ann", "i1", 5), false, "ann:6")                       // late packet
	hear(5, host, said("ann", "i1", 5), true, "ann:5")                        // after a silence anything goes
	hear(5, addr("10.0.0.66"), leaving(said("ann", "i1", 5)), false, "ann:5") // goodbye of a stranger
	hear(5, addr("10.0.0.66"), leaving(said("bob", "i1", 5)), false, "ann:5")
	hear(6, host, leaving(said("ann", "i1", 5)), true)
	hear(7, host, said("ann", "i1", 5), false) // late answer after the goodbye
	hear(8.5, host, said("ann", "i1", 5), true, "ann:5")
	hear(9, host, said("ann", "i2", 1), true, "ann:1") // restarted: the newer instance describes it
	for _, step := range []struct {
		seconds float64
		changed bool
		want    []string
	}{
		{21.5, true, []string{"ann:1"}}, // "me" is gone
		{28, false, []string{"ann:1"}},
		{28.6, true, []string{"ann:1"}}, // the old instance is gone
		{29.1, true, nil},
		{30, false, nil},
	} {
		if changed := c.expire(at(step.seconds)); changed != step.changed || !slices.Equal(listed(c), step.want) {
			t.Errorf("at %v: changed %v, list %v", step.seconds, changed, listed(c))
		}
	}
}

func TestSwitchingToEagerGivesTimeToAnswer(t *testing.T) {
	c := newCache()
	c.hear(epoch, addr("10.0.0.2"), "eth0", said("ann", "i", 1))
	switched := epoch.Add(60 * time.Second)
	if c.expire(switched) {
		t.Fatal("dropped while calm")
	}
	c.setEager(switched, true)
	c.setEager(switched.Add(10*time.Second), true) // already is
	if c.expire(switched.Add(eagerLife)) {
		t.Error("dropped before it could answer")
	}
	if !c.expire(switched.Add(eagerLife + 1)) {
		t.Error("kept for ever")
	}
}

func TestFloodCrowdsOutItselfOnly(t *testing.T) {
	c := newCache()
	for i := range 20 {
		c.hear(epoch, addr(fmt.Sprintf("10.0.0.%d", i+1)), "eth0", said(fmt.Sprintf("good%d", i), "i", 1))
	}
	now := epoch
	for i := range 10_000 {
		now = now.Add(time.Millisecond)
		c.hear(now, addr(fmt.Sprintf("10.0.9.%d", i%7)), "eth0", said(fmt.Sprintf("bad%d", i), "i", 1))
	}
	late := addr("10.0.0.200")
	if _, arrived := c.hear(now, late, "eth0", said("late", "i", 1)); !arrived {
		t.Error("no room for somebody who comes after the flood")
	}
	if len(c.entries) > maxEntries {
		t.Errorf("%d entries", len(c.entries))
	}
	for i := range 20 {
		if c.entries[key{fmt.Sprintf("good%d", i), "i"}] == nil {
			t.Errorf("good%d was crowded out", i)
		}
	}
}

func TestBorrowedNameCannotHideTheRealAddress(t *testing.T) {
	c := newCache()
	genuine := addr("10.0.0.2")
	c.hear(epoch, genuine, "eth0", said("ann", "real", 1))
	now := epoch
	for i := range maxPerSource {
		now = now.Add(time.Millisecond)
		a := said("ann", fmt.Sprintf("fake%d", i), 1)
		for k := range maxClaims {
			a.claims = append(a.claims, claim{netip.AddrFrom4([4]byte{10, 0, byte(i), byte(100 + k)}), false})
		}
		c.hear(now, addr("10.0.0.66"), "eth0", a)
	}
	c.hear(now, genuine, "eth0", said("ann", "real", 1))
	o := own{nets: []ownNet{{netip.MustParsePrefix("10.0.0.0/16"), false}}}
	peers := c.peers("me", o)
	if len(peers) != 1 || !slices.Contains(peers[0].Addrs, netip.AddrPortFrom(genuine, 4001)) {
		t.Errorf("got %+v", peers)
	}
}

// TestCacheAgainstModel compares the cache with a plain list of what was heard,
// on small worlds in which no bound is reached.
func TestCacheAgainstModel(t *testing.T) {
	type fact struct {
		key
		source netip.Addr
	}
	rapid.Check(t, func(t *rapid.T) {
		c, now := newCache(), epoch
		c.setEager(now, true)
		seen := make(map[fact]time.Time)
		tombs := make(map[key]time.Time)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "ms")) * time.Millisecond)
			k := key{rapid.SampledFrom([]string{"ann", "bob", "cat"}).Draw(t, "id"), rapid.SampledFrom([]string{"i", "j"}).Draw(t, "instance")}
			source := netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 3).Draw(t, "source"))})
			before := listed(c)
			var changed bool
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				changed = c.expire(now)
				maps.DeleteFunc(seen, func(_ fact, last time.Time) bool { return now.Sub(last) > eagerLife })
			case 1:
				changed, _ = c.hear(now, source, "eth0", leaving(said(k.id, k.instance, 1)))
				if _, known := seen[fact{k, source}]; known {
					maps.DeleteFunc(seen, func(f fact, _ time.Time) bool { return f.key == k })
					tombs[k] = now.Add(tombLife)
				}
			default:
				changed, _ = c.hear(now, source, "eth0", said(k.id, k.instance, 1))
				if !now.Before(tombs[k]) {
					seen[fact{k, source}] = now
				}
			}
			if !changed && !slices.Equal(before, listed(c)) {
				t.Errorf("the list changed unreported from %v to %v", before, listed(c))
			}
			got := make(map[fact]time.Time)
			for _, e := range c.entries {
				for _, s := range e.sightings {
					got[fact{e.key, s.source}] = s.seen
				}
			}
			if !maps.Equal(got, seen) {
				t.Fatalf("cache has %v, want %v", got, seen)
			}
		}
	})
}

// TestCacheBounds throws anything at the cache.
func TestCacheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, now := newCache(), epoch
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "ms")) * time.Millisecond)
			source := netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 12).Draw(t, "source"))})
			a := said(strconv.Itoa(rapid.IntRange(0, 500).Draw(t, "id")), "i", rapid.Uint32().Draw(t, "revision"))
			a.leaving = rapid.IntRange(0, 9).Draw(t, "leaving") == 0
			c.hear(now, source, "eth0", a)
		}
		counts := make(map[netip.Addr]int)
		for k, e := range c.entries {
			if k != e.key || len(e.sightings) == 0 || len(e.sightings) > maxSightings {
				t.Fatalf("entry %+v", e)
			}
			counts[e.sightings[0].source]++
		}
		if len(c.entries) > maxEntries || len(c.tombs) > maxTombs {
			t.Errorf("%d entries, %d tombs", len(c.entries), len(c.tombs))
		}
		c.expire(now.Add(calmLife + 1))
		if len(c.entries)+len(c.tombs) > 0 {
			t.Error("something lives for ever")
		}
	})
}

func TestSightingsAreBounded(t *testing.T) {
	c := newCache()
	for i := range 100 {
		c.hear(epoch.Add(time.Duration(i)), netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), "eth0", said("ann", "i", 1))
	}
	if n := len(c.entries[key{"ann", "i"}].sightings); n != maxSightings {
		t.Errorf("%d sightings", n)
	}
}

func TestHeardOnTwoInterfacesDoesNotFlicker(t *testing.T) {
	c, source := newCache(), addr("10.0.0.2")
	for i := range 10 {
		for _, link := range []string{"eth0", "wlan0"} {
			changed, _ := c.hear(epoch.Add(time.Duration(i)*time.Second), source, link, said("ann", "i", 1, claims("10.0.0.2", "fe80::2")...))
			if changed != (i == 0) {
				t.Errorf("round %d on %s: changed %v", i, link, changed)
			}
		}
	}
	want := []string{"10.0.0.2", "fe80::2%eth0", "fe80::2%wlan0"}
	if got := c.peers("me", own{}); len(got) != 1 || !slices.Equal(texts(got[0].Addrs), want) {
		t.Errorf("got %+v, want %v", got, want)
	}
}

func TestDeafTimeIsForgiven(t *testing.T) {
	c := newCache()
	c.setEager(epoch, true)
	c.hear(epoch, addr("10.0.0.2"), "eth0", said("ann", "i", 1))
	const deaf = 10 * time.Minute
	c.forgive(deaf)
	if c.expire(epoch.Add(deaf + eagerLife)) {
		t.Error("dropped for what we could not hear")
	}
	if !c.expire(epoch.Add(deaf + eagerLife + 1)) {
		t.Error("kept for ever")
	}
}

func TestStoodStill(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name      string
		last, due time.Time
		deaf      time.Duration
		stood     bool
	}{
		{"first step", time.Time{}, time.Time{}, 0, false},
		{"on time", now.Add(-time.Second), now, 0, false},
		{"woken early", now.Add(-time.Second), now.Add(time.Second), 0, false},
		{"busy machine", now.Add(-3 * time.Second), now.Add(-2 * time.Second), 2 * time.Second, false},
		{"stopped", now.Add(-time.Minute), now.Add(-59 * time.Second), 59 * time.Second, true},
	} {
		if deaf, stood := stoodStill(c.last, c.due, now); deaf != c.deaf || stood != c.stood {
			t.Errorf("%s: %v, %v", c.name, deaf, stood)
		}
	}
}
