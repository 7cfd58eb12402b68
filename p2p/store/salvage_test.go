package store

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"alibi/crypto/feed"
)

// logOf is a log as text.
func logOf(log []*feed.Signed) string {
	var out []string
	for _, e := range log {
		out = append(out, string(e.Body))
	}
	return strings.Join(out, " ")
}

// A sound store gives all logs, newest first, as they can be written to a file.
func TestSalvageOfSoundStore(t *testing.T) {
	e := written(t)
	dir := folderWith(t, t.TempDir(), e.file)
	found, err := Salvage(dir)
	if err != nil || len(found) != 2 || found[0].Table != e.over.table || found[1].Table != e.table {
		t.Fatalf("%d games, %v", len(found), err)
	}
	for _, s := range found {
		if logOf(s.Log) != logOf(e.logs[s.Table]) || s.Lost != 0 {
			t.Errorf("%d entries of %d, %d lost", len(s.Log), len(e.logs[s.Table]), s.Lost)
		}
		var file bytes.Buffer
		if err := feed.WriteLog(&file, s.Charter, s.Log); err != nil {
			t.Fatal(err)
		}
		if _, log, err := feed.ReadLog(&file); err != nil || len(log) != len(s.Log) {
			t.Error(len(log), err)
		}
	}
	if !bytes.Equal(bytesOf(t, dir), e.file) {
		t.Error("the file was changed")
	}
}

// Nothing but records is needed: neither a meta page nor a whole page.
func TestSalvageOfRecordsAlone(t *testing.T) {
	e := written(t)
	var rest []byte
	for _, r := range found(t, e.file) {
		rest = append(append(rest, "noise"...), r.seal()...)
	}
	dir := folderWith(t, t.TempDir(), rest)
	if _, err := Open(dir); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	found, err := Salvage(dir)
	if err != nil || len(found) != 2 {
		t.Fatalf("%d games, %v", len(found), err)
	}
	for _, s := range found {
		if logOf(s.Log) != logOf(e.logs[s.Table]) || s.Lost != 0 {
			t.Errorf("%d entries of %d, %d lost", len(s.Log), len(e.logs[s.Table]), s.Lost)
		}
	}
}

// What was never kept is not brought back: an own entry of a step that failed
// was not sent, and stands in a log beside the one that was sent in its place
// as if its author had contradicted himself.
func TestSalvageForgetsFailedSteps(t *testing.T) {
	f := newFixture(t, 3, "evening")
	for i := range 4 {
		structure, steps := i < 2, 0
		x := strings.Repeat("x", 1+i%2*9000) // a step that takes other pages than the next, or the same
		for fault := 0; ; fault++ {
			disk := newFaulty(t, fault, syscall.EIO)
			disk.calm = true
			dir := ram(t)
			d, err := open(dir, disk.how())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Begin(f.charter, 0, nil); err != nil {
				t.Fatal(err)
			}
			disk.calm = false
			err = d.Append(f.table, f.entry(t, 0, 1, x), f.entry(t, 0, 0, "unsent"))
			disk.calm = true
			if disk.fired == "" {
				_ = d.Close()
				break
			}
			if err == nil {
				_ = d.Close()
				continue
			}
			steps++
			if structure { // and nothing after it
				g, err := d.Load(f.table)
				if err != nil {
					t.Fatal(err)
				}
				_ = d.Close()
				salvaged(t, disk.fired, bytesOf(t, dir), logOf(g.Log))
				if d, err = open(dir, disk.how()); err != nil {
					t.Fatal(err)
				}
			}
			want := "sent"
			if err := d.Append(f.table, f.entry(t, 0, 0, "sent")); errors.Is(err, ErrContradiction) {
				want = x + " unsent" // it had been kept
			} else if err != nil {
				t.Fatal(err)
			}
			_ = d.Close()
			b := bytesOf(t, dir)
			told := map[string]uint64{}
			for _, r := range found(t, b) {
				if e, err := feed.Decode(r.data); r.kind == kindEntry && err == nil {
					told[string(e.Body)] = r.step
				}
			}
			if want == "sent" && told["unsent"] >= told["sent"] {
				t.Errorf("%s: a step that failed cannot be told from a later one", disk.fired)
			}
			if !structure {
				clear(b[:8])
			}
			salvaged(t, disk.fired, b, want)
		}
		if steps < 10 {
			t.Errorf("only %d steps failed", steps)
		}
	}
}

// Of two records for one place the later step's is true, wherever they stand.
func TestSalvageTakesLaterStep(t *testing.T) {
	f := newFixture(t, 3, "evening")
	h, err := head{Order: 1, Seats: 3, Charter: f.charter}.encode()
	if err != nil {
		t.Fatal(err)
	}
	var states [3]record
	for i := range states {
		b, err := state{Entries: uint32(i)}.encode()
		if err != nil {
			t.Fatal(err)
		}
		states[i] = record{kind: kindState, name: f.table, step: uint64(i), data: b}
	}
	all := []record{
		{kind: kindHead, name: f.table, data: h}, states[1], states[2], states[0],
		{kind: kindEntry, name: f.table, number: 0, step: 1, data: f.entry(t, 0, 1, "one").Raw()},
		{kind: kindEntry, name: f.table, number: 1, step: 8, data: f.entry(t, 0, 0, "true").Raw()},
		{kind: kindEntry, name: f.table, number: 1, step: 7, data: f.entry(t, 0, 0, "lost").Raw()},
		{kind: kindEntry, name: f.table, number: 2, step: 7, data: f.entry(t, 1, 0, "beyond").Raw()},
		{kind: kindEntry, name: f.table, number: feed.MaxEntries, step: 7, data: f.entry(t, 1, 0, "too many").Raw()},
	}
	for range 2 {
		w := wreck{games: make(map[feed.Hash]*find)}
		for _, r := range all {
			w.found(r)
		}
		logs, err := w.logs()
		if err != nil || len(logs) != 1 || logOf(logs[0].Log) != "one true" || logs[0].Lost != 0 {
			t.Errorf("%d games, %v", len(logs), err)
		}
		slices.Reverse(all)
	}
}

// A game whose beginning failed is none.
func TestSalvageForgetsFailedBeginning(t *testing.T) {
	f, left := newFixture(t, 3, "evening"), 0
	for fault := 0; ; fault++ {
		disk := newFaulty(t, fault, syscall.EIO)
		dir := ram(t)
		disk.calm = true
		d, err := open(dir, disk.how())
		if err != nil {
			t.Fatal(err)
		}
		disk.calm = false
		_, err = d.Begin(f.charter, 0, nil)
		disk.calm = true
		_, there := d.Load(f.table)
		_ = d.Close()
		logs, salvage := Salvage(dir)
		if salvage != nil || (len(logs) == 1) != (there == nil) {
			t.Errorf("%s: %v, %d games, %v", disk.fired, there, len(logs), salvage)
		}
		if there != nil && len(found(t, bytesOf(t, dir))) > 0 {
			left++
		}
		if disk.fired == "" && err == nil {
			break
		}
	}
	if left == 0 {
		t.Error("nothing was left of any")
	}
}

func salvaged(t *testing.T, what string, file []byte, want string) {
	t.Helper()
	found, err := Salvage(folderWith(t, ram(t), file))
	if err != nil || len(found) != 1 || found[0].Lost != 0 {
		t.Fatalf("%s: %d games, %v", what, len(found), err)
	}
	if got := logOf(found[0].Log); got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Where the disk cannot be read there is a gap, and the rest is read.
func TestSalvageSaysWhatIsLost(t *testing.T) {
	e := written(t)
	var list []record
	b := &deaf{Reader: bytes.NewReader(e.file), from: int64(len(e.file)) / 2 &^ 4095, to: int64(len(e.file))/2&^4095 + 3*4096}
	if err := scan(&patient{r: b, size: int64(len(e.file))}, func(r record) { list = append(list, r) }); err != nil {
		t.Fatal(err)
	}
	all := found(t, e.file)
	if len(list) >= len(all) || len(list) < len(all)/2 {
		t.Errorf("%d records of %d", len(list), len(all))
	}

	w := wreck{games: make(map[feed.Hash]*find)}
	for _, r := range all {
		if r.kind != kindEntry || r.name != e.table || r.number != 5 && r.number != 6 {
			w.found(r)
		}
	}
	logs, err := w.logs()
	if err != nil || len(logs) != 2 || logs[1].Lost != 2 || len(logs[1].Log) != len(e.logs[e.table])-2 || logs[0].Lost != 0 {
		t.Errorf("%d games, %v", len(logs), err)
	}

	w = wreck{games: make(map[feed.Hash]*find)}
	for _, r := range all {
		if r.kind != kindHead || r.name != e.table {
			w.found(r)
		}
	}
	if logs, err := w.logs(); !errors.Is(err, ErrDamaged) || len(logs) != 1 || logs[0].Table != e.over.table {
		t.Errorf("without a charter: %d games, %v", len(logs), err)
	}
}

// deaf is a disk that cannot read some of its sectors.
type deaf struct {
	*bytes.Reader
	from, to int64
}

func (d *deaf) ReadAt(b []byte, at int64) (int, error) {
	if at < d.to && at+int64(len(b)) > d.from {
		if at >= d.from {
			return 0, syscall.EIO
		}
		n, _ := d.Reader.ReadAt(b[:d.from-at], at)
		return n, syscall.EIO
	}
	return d.Reader.ReadAt(b, at)
}

func TestSalvageRefuses(t *testing.T) {
	if _, err := Salvage(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("nothing there:", err)
	}
	dir := t.TempDir()
	d := mustOpen(t, dir)
	if _, err := Salvage(dir); !errors.Is(err, ErrInUse) {
		t.Error("in use:", err)
	}
	_ = d.Close()
	if found, err := Salvage(dir); err != nil || len(found) != 0 {
		t.Error("an empty store:", found, err)
	}
}
