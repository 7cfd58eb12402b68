package lan

import (
	"net/netip"
	"slices"
	"testing"
	"time"
)

func heardFrom(source string, version int, at time.Duration) *entry {
	a := netip.MustParseAddr(source)
	return &entry{version: version, first: epoch.Add(at), sightings: []sighting{{source: a, port: 4001, seen: epoch.Add(at)}}}
}

// A stranger who announces somebody's peer ID with another version of the
// protocol, later than the real one, must not make the real one look strange.
func TestBorrowedNameOfAnotherVersionIsIgnored(t *testing.T) {
	real := heardFrom("10.0.0.1", Version, 0)
	fake := heardFrom("10.0.0.66", Version+1, time.Second)
	if got := speaking([]*entry{fake, real}); !slices.Equal(got, []*entry{real}) {
		t.Errorf("kept %d entries", len(got))
	}
	if got := speaking([]*entry{fake}); !slices.Equal(got, []*entry{fake}) {
		t.Error("a peer of another version is not listed at all")
	}
}

// However many later entries borrow a name, the first one heard stays.
func TestBorrowedNameDoesNotPushTheFirstOneOut(t *testing.T) {
	real := heardFrom("10.0.0.1", Version, 0)
	var entries []*entry // newest first
	for i := 9; i > 0; i-- {
		source := netip.AddrFrom4([4]byte{10, 0, 1, byte(i / 2)}).String()
		entries = append(entries, heardFrom(source, Version, time.Duration(i)*time.Second))
	}
	got := thin(append(entries, real))
	if !slices.Contains(got, real) || len(got) > 4 {
		t.Errorf("the real entry is kept: %v, of %d", slices.Contains(got, real), len(got))
	}
}
