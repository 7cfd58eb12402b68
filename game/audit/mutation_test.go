package audit_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"alibi/crypto/beacon"
	"alibi/crypto/feed"
	"alibi/crypto/transcript"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
)

var changes = flag.Int("changes", 400, "how many single bytes of a log file to change")

// recorded is one whole game as a log file.
type recorded struct {
	*parlour.Table
	entries []*feed.Signed
	file    []byte
}

var record = sync.OnceValues(func() (*recorded, error) {
	p, err := parlour.New("recorded", "card", 3, options("random", "left", "wins"))
	if err != nil {
		return nil, err
	}
	if err := p.Play(); err != nil {
		return nil, err
	}
	r := &recorded{Table: p, entries: p.Log.Entries()}
	r.file, err = r.with(r.entries)
	return r, err
})

func recordedGame(t testing.TB) *recorded {
	t.Helper()
	r, err := record()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// with is the log file of other entries under the same charter.
func (r *recorded) with(entries []*feed.Signed) ([]byte, error) {
	var b bytes.Buffer
	err := feed.WriteLog(&b, r.Charter, entries)
	return b.Bytes(), err
}

// check is what `alibi verify` does with a file's bytes.
func check(file []byte) (*audit.Report, error) {
	charter, entries, err := feed.ReadLog(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return audit.Check(charter, entries)
}

// passes reports whether a file is taken for a fair and complete game.
func passes(file []byte) bool {
	r, err := check(file)
	return err == nil && r.Fair() && r.Complete
}

// perfect demands what the mutations are measured against.
func TestRecordedGamePasses(t *testing.T) {
	r := recordedGame(t)
	if !passes(r.file) {
		t.Fatal("the recorded game itself does not pass")
	}
	t.Logf("%d entries, %d bytes", len(r.entries), len(r.file))
}

// draw is an endless row of random numbers, the same in every run.
type draw struct {
	value beacon.Value
	n     int
}

func drawing(seed string) *draw { return &draw{value: transcript.Hash("mutation", []byte(seed))} }

func (d *draw) below(n int) int {
	d.n++
	return d.value.Int(fmt.Sprint(d.n), n)
}

// One byte of the file changed, anywhere, to anything.
func TestChangedByteNeverPasses(t *testing.T) {
	r := recordedGame(t)
	d := drawing("byte")
	found := map[string]int{}
	for range *changes {
		at, by := d.below(len(r.file)), byte(1+d.below(255))
		file := slices.Clone(r.file)
		file[at] ^= by
		rep, err := check(file)
		switch {
		case errors.Is(err, feed.ErrNotLog):
			found["no log"]++
		case err != nil:
			found["no charter"]++
		case !rep.Fair():
			found["finding"]++
			for _, f := range rep.Findings {
				if f.Seat >= 0 {
					t.Errorf("byte %d: seat %d is blamed for what somebody else changed: %v", at, f.Seat, f)
				}
			}
		default:
			t.Errorf("byte %d changed by %02x: fair %v, complete %v", at, by, rep.Fair(), rep.Complete)
		}
	}
	t.Logf("%d changes: %v", *changes, found)
}

// Each entry left out, each said twice in place and at the end.
func TestEntryRemovedOrDoubled(t *testing.T) {
	r := recordedGame(t)
	for i, e := range r.entries {
		for name, entries := range map[string][]*feed.Signed{
			"removed": slices.Delete(slices.Clone(r.entries), i, i+1),
			"doubled": slices.Insert(slices.Clone(r.entries), i, e),
			"at last": append(slices.Clone(r.entries), e),
		} {
			file, err := r.with(entries)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := check(file)
			if err != nil {
				t.Fatal(err)
			}
			if rep.Complete {
				t.Errorf("entry %d %s: complete", i, name)
			}
			// Without somebody's last word the game is not over yet, and they are named.
			last := name == "removed" && e.Round == r.entries[len(r.entries)-1].Round
			if rep.Fair() != last || last && !slices.Equal(rep.Missing, []int{int(e.Seat)}) {
				t.Errorf("entry %d %s: fair %v, waiting for %v", i, name, rep.Fair(), rep.Missing)
			}
		}
	}
}

// Each pair of neighbours exchanged, and a sample of distant pairs.
func TestEntriesExchanged(t *testing.T) {
	r := recordedGame(t)
	exchanged := func(i, j int) {
		entries := slices.Clone(r.entries)
		entries[i], entries[j] = entries[j], entries[i]
		file, err := r.with(entries)
		if err != nil {
			t.Fatal(err)
		}
		if rep, err := check(file); err != nil || rep.Fair() || rep.Complete {
			t.Errorf("entries %d and %d exchanged: %v", i, j, err)
		}
	}
	for i := range len(r.entries) - 1 {
		exchanged(i, i+1)
	}
	d := drawing("exchange")
	for range 100 {
		i := d.below(len(r.entries))
		if j := d.below(len(r.entries)); j != i {
			exchanged(i, j)
		}
	}
}

// Cut at the end of an entry the log is a fair beginning that says who is
// waited for; cut elsewhere it is no log.
func TestTruncatedLog(t *testing.T) {
	r := recordedGame(t)
	for n := range len(r.entries) {
		file, err := r.with(r.entries[:n])
		if err != nil {
			t.Fatal(err)
		}
		rep, err := check(file)
		if err != nil || !rep.Fair() || rep.Complete || rep.Entries != n {
			t.Fatalf("after %d entries: %v %+v", n, err, rep)
		}
		next := r.entries[n]
		if !slices.Contains(rep.Missing, int(next.Seat)) || rep.State.Round != next.Round {
			t.Errorf("after %d entries: round %d waits for %v, and seat %d spoke next in round %d", n, rep.State.Round, rep.Missing, next.Seat, next.Round)
		}
		if rep.Replay != nil && rep.State.Stage < 6 {
			t.Error("a replay without keys")
		}
	}
	d := drawing("truncate")
	for range 100 {
		if n := d.below(len(r.file)); passes(r.file[:n]) {
			t.Errorf("%d of %d bytes pass", n, len(r.file))
		}
	}
}

// Entries of two games at one table mixed, and one game's entries under
// another's charter.
func TestMixedLogs(t *testing.T) {
	r := recordedGame(t)
	p, err := parlour.New("recorded", "card-advanced", 3, options("random", "left", "wins"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Play(); err != nil {
		t.Fatal(err)
	}
	other := p.Log.Entries()
	if rep, err := audit.Check(p.Charter, r.entries); err != nil || rep.Fair() {
		t.Error("entries under another charter are fair: ", err)
	}
	for i := range min(len(r.entries), len(other)) {
		entries := slices.Clone(r.entries)
		entries[i] = other[i]
		if rep, err := audit.Check(r.Charter, entries); err != nil || rep.Fair() {
			t.Errorf("entry %d of another game is fair: %v", i, err)
		}
	}
}
