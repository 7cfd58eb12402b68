package lan

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	maxEntries   = 128 // announcements remembered in all
	maxPerSource = 24  // of which from one address: several processes on one computer
	maxSightings = 8   // sources of one entry
	maxTombs     = 128 // goodbyes remembered

	eagerLife = 20 * time.Second // an entry not heard again is dropped after this long
	calmLife  = 90 * time.Second
	tombLife  = 2 * time.Second // late answers after a goodbye are not believed
	oldNews   = 3 * time.Second // an older revision is believed after this much silence
)

// key tells entries apart. One peer has several while an old process of it has
// died without a goodbye, or when somebody else uses its name.
type key struct{ id, instance string }

// sighting is one source address an entry was heard from on one interface, and
// what was said there: link-local addresses differ from interface to interface.
type sighting struct {
	source netip.Addr // with zone if link-local
	link   string     // interface it was heard on
	port   uint16
	claims []claim
	seen   time.Time
}

// entry is one announcement.
type entry struct {
	key
	version   int
	revision  uint32
	info      map[string]string
	sightings []sighting
	first     time.Time
	last      time.Time
}

// cache remembers who was heard. It has no clock and no lock: the caller passes
// the time and keeps others out.
type cache struct {
	entries map[key]*entry
	tombs   map[key]time.Time
	eager   time.Time // since when entries live only eagerLife
	isEager bool
}

func newCache() *cache {
	return &cache{entries: make(map[key]*entry), tombs: make(map[key]time.Time)}
}

// setEager switches between the two lifetimes. Entries are not dropped before
// they had eagerLife to be heard at the faster pace.
func (c *cache) setEager(now time.Time, eager bool) {
	if eager && !c.isEager {
		c.eager = now
	}
	c.isEager = eager
}

// hear takes in one announcement. It reports whether the list has changed, and
// whether the peer was not in it before.
func (c *cache) hear(now time.Time, source netip.Addr, link string, a announcement) (changed, arrived bool) {
	k := key{a.id, a.instance}
	e := c.entries[k]
	if a.leaving {
		return c.bury(now, source, e, k), false
	}
	if until, ok := c.tombs[k]; ok && now.Before(until) {
		return false, false
	}
	if e == nil {
		if !c.room(source) {
			return false, false
		}
		e = &entry{key: k, version: a.version, first: now}
		c.entries[k] = e
		changed, arrived = true, true
	}
	if arrived || e.accepts(now, a.revision) {
		if e.version != a.version || e.revision != a.revision || !maps.Equal(e.info, a.info) {
			changed = true
		}
		e.version, e.revision, e.info = a.version, a.revision, a.info
	}
	if e.see(now, source, link, a) {
		changed = true
	}
	e.last = now
	return changed, arrived
}

// accepts says whether a revision is news: the same or a later one in serial
// order (RFC 1982), or any after a silence.
func (e *entry) accepts(now time.Time, revision uint32) bool {
	return int32(revision-e.revision) >= 0 || now.Sub(e.last) > oldNews
}

// see notes where an entry was heard, and reports whether that is new.
func (e *entry) see(now time.Time, source netip.Addr, link string, a announcement) bool {
	s := sighting{source: source, link: link, port: a.port, claims: a.claims, seen: now}
	if a.version != Version {
		s.claims = nil
	}
	for i, old := range e.sightings {
		if old.source == source && old.link == link {
			e.sightings[i] = s
			return old.port != s.port || !slices.Equal(old.claims, s.claims)
		}
	}
	if len(e.sightings) == maxSightings {
		oldest := 0
		for i, old := range e.sightings {
			if old.seen.Before(e.sightings[oldest].seen) {
				oldest = i
			}
		}
		e.sightings = slices.Delete(e.sightings, oldest, oldest+1)
	}
	e.sightings = append(e.sightings, s)
	slices.SortFunc(e.sightings, func(a, b sighting) int {
		if d := a.source.Compare(b.source); d != 0 {
			return d
		}
		return strings.Compare(a.link, b.link)
	})
	return true
}

// bury removes an entry because its peer said goodbye, from an address it was
// heard from before.
func (c *cache) bury(now time.Time, source netip.Addr, e *entry, k key) bool {
	if e == nil || !slices.ContainsFunc(e.sightings, func(s sighting) bool { return s.source == source }) {
		return false
	}
	delete(c.entries, k)
	if len(c.tombs) < maxTombs {
		c.tombs[k] = now.Add(tombLife)
	}
	return true
}

// knows says whether somebody in the list was heard from a source.
func (c *cache) knows(source netip.Addr) bool {
	for _, e := range c.entries {
		if slices.ContainsFunc(e.sightings, func(s sighting) bool { return s.source == source }) {
			return true
		}
	}
	return false
}

// room says whether one more entry from a source fits, and makes it fit when
// another source has taken more than its share. A flood of invented names thus
// crowds out itself and nobody else.
func (c *cache) room(source netip.Addr) bool {
	counts := make(map[netip.Addr]int)
	for _, e := range c.entries {
		counts[e.sightings[0].source]++
	}
	if counts[source] >= maxPerSource {
		return false
	}
	if len(c.entries) < maxEntries {
		return true
	}
	greedy := source
	for addr, n := range counts {
		if n > counts[greedy] || n == counts[greedy] && addr.Compare(greedy) < 0 {
			greedy = addr
		}
	}
	if counts[greedy] <= counts[source]+1 {
		return false
	}
	var victim *entry
	for _, e := range c.entries {
		if e.sightings[0].source == greedy && (victim == nil || e.last.Before(victim.last)) {
			victim = e
		}
	}
	delete(c.entries, victim.key)
	return true
}

// expire drops what was not heard for too long, and reports whether the list
// has changed.
func (c *cache) expire(now time.Time) bool {
	changed := false
	for k, until := range c.tombs {
		if !now.Before(until) {
			delete(c.tombs, k)
		}
	}
	for k, e := range c.entries {
		before := len(e.sightings)
		e.sightings = slices.DeleteFunc(e.sightings, func(s sighting) bool { return c.expired(now, s.seen) })
		if len(e.sightings) == 0 {
			delete(c.entries, k)
		}
		changed = changed || len(e.sightings) != before
	}
	return changed
}

func (c *cache) expired(now, seen time.Time) bool {
	if !c.isEager {
		return now.Sub(seen) > calmLife
	}
	if seen.Before(c.eager) && now.Sub(seen) <= calmLife {
		seen = c.eager
	}
	return now.Sub(seen) > eagerLife
}

// forgive takes a time in which nothing could be heard off everybody's silence.
func (c *cache) forgive(deaf time.Duration) {
	for _, e := range c.entries {
		e.last = e.last.Add(deaf)
		for i := range e.sightings {
			e.sightings[i].seen = e.sightings[i].seen.Add(deaf)
		}
	}
}

// peers lists everybody but self, by ID. Several entries of one ID become one
// peer, with the description of the one that appeared last and the addresses of
// all.
func (c *cache) peers(self string, o own) []Peer {
	byID := make(map[string][]*entry)
	for _, e := range c.entries {
		if e.id != self {
			byID[e.id] = append(byID[e.id], e)
		}
	}
	peers := make([]Peer, 0, len(byID))
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		entries := byID[id]
		slices.SortFunc(entries, func(a, b *entry) int {
			if d := b.first.Compare(a.first); d != 0 {
				return d
			}
			return strings.Compare(a.instance, b.instance)
		})
		entries = thin(speaking(entries))
		newest := entries[0]
		p := Peer{
			ID: id, Instance: newest.instance, Version: newest.version,
			Info: maps.Clone(newest.info), FirstSeen: newest.first,
		}
		for _, e := range entries {
			p.FirstSeen = earlier(p.FirstSeen, e.first)
			p.LastSeen = later(p.LastSeen, e.last)
		}
		if p.Version == Version {
			p.Addrs = o.order(entries)
		}
		peers = append(peers, p)
	}
	return peers
}

// speaking leaves out entries of another version where there is one of ours:
// a peer that we understand cannot be made strange by who borrows its name.
func speaking(entries []*entry) []*entry {
	ours := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return e.version != Version })
	if len(ours) > 0 {
		return ours
	}
	return entries
}

// thin keeps the newest entries of one peer, few from any one source, and the
// oldest in any case, so that somebody who borrows a peer's name cannot push the
// real addresses off the list.
func thin(entries []*entry) []*entry {
	var kept []*entry
	counts := make(map[netip.Addr]int)
	oldest := entries[len(entries)-1]
	for _, e := range entries[:len(entries)-1] {
		source := e.sightings[0].source
		if counts[source]++; counts[source] <= 2 && len(kept) < 3 {
			kept = append(kept, e)
		}
	}
	return append(kept, oldest)
}

// doubles lists where entries with our own ID were heard.
func (c *cache) doubles(self string) []netip.Addr {
	var addrs []netip.Addr
	for _, e := range c.entries {
		if e.id == self {
			addrs = append(addrs, e.sightings[0].source)
		}
	}
	slices.SortFunc(addrs, netip.Addr.Compare)
	return slices.Compact(addrs)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
