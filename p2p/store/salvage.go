package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"alibi/crypto/feed"
)

// Salvaged is what was found of a game in a file that may be damaged: what a log
// file is made of (feed.WriteLog). There are no secrets in it.
type Salvaged struct {
	Table   feed.Hash
	Charter []byte
	Seat    int
	Log     []*feed.Signed // in the order they were appended
	Lost    int            // entries that are known to have been kept and were not found
}

// Salvage reads what can be read of every game's log, newest game first,
// without trusting the file's structure: records say themselves what they are,
// so they are looked for in the whole file. It writes nothing and returns no
// secrets. ErrInUse if somebody has the store open. Games whose charter is lost
// are left out, and the error says so: the others are good all the same.
//
// If the structure is lost, a log may end with entries of a last step that
// failed or was never finished.
func Salvage(dir string) ([]Salvaged, error) {
	path := filepath.Join(dir, FileName)
	f, err := os.Open(path)
	if err != nil {
		return nil, ioError("opening "+path, err)
	}
	defer func() { _ = f.Close() }()
	unlock, err := share(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	info, err := f.Stat()
	if err != nil {
		return nil, ioError("looking at "+path, err)
	}

	w := wreck{games: make(map[feed.Hash]*find)}
	if err := scan(&patient{r: f, size: info.Size()}, w.found); err != nil {
		return nil, ioError("reading "+path, err)
	}
	if err := w.prune(f, info.Size()); err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return w.logs()
}

// wreck is the records of a file, by game.
type wreck struct{ games map[feed.Hash]*find }

type find struct {
	head, state record
	entries     map[uint64]record // by position
}

func (w wreck) game(table feed.Hash) *find {
	g := w.games[table]
	if g == nil {
		g = &find{entries: make(map[uint64]record)}
		w.games[table] = g
	}
	return g
}

// found takes a record. bbolt never writes over what it has, so there are old
// ones among them: the later step is the true one.
func (w wreck) found(r record) {
	switch r.kind {
	case kindHead:
		if g := w.game(r.name); g.head.kind == 0 || r.step > g.head.step {
			g.head = r
		}
	case kindState:
		if g := w.game(r.name); g.state.kind == 0 || r.step > g.state.step {
			g.state = r
		}
	case kindEntry:
		if r.number >= feed.MaxEntries {
			return
		}
		if g := w.game(r.name); g.entries[r.number].kind == 0 || r.step > g.entries[r.number].step {
			g.entries[r.number] = r
		}
	}
}

// prune corrects what was found by what the structure says, if it holds: what
// stands in free space only was never kept, or is so no longer.
func (w wreck) prune(r io.ReaderAt, size int64) error {
	var l layout
	kept := make(map[feed.Hash]record) // the states of all games
	_, err := walk(r, size, func(path [][]byte, key, value []byte) error {
		if len(path) == 2 && string(path[0]) == bucketGames && len(path[1]) == len(feed.Hash{}) {
			table := feed.Hash(path[1])
			state := kept[table]
			if string(key) == keyState {
				state, _ = unseal(value, kindState, table)
			}
			kept[table] = state
		}
		return l.visit(path, key, value)
	})
	if err != nil {
		return nil
	}
	if err := l.verdict(); errors.Is(err, ErrVersion) {
		return err
	}
	maps.DeleteFunc(w.games, func(table feed.Hash, _ *find) bool {
		_, is := kept[table]
		return !is
	})
	for table, state := range kept {
		if state.kind != 0 {
			w.game(table).state = state
		}
	}
	return nil
}

func (w wreck) logs() ([]Salvaged, error) {
	type ordered struct {
		Salvaged
		order uint64
	}
	var list []ordered
	lost := 0
	for table, g := range w.games {
		h, err := decodeHead(g.head.data)
		if err != nil || feed.TableHash(h.Charter) != table {
			lost++
			continue
		}
		log, missing := g.log(table, h)
		list = append(list, ordered{Salvaged{table, h.Charter, int(h.Seat), log, missing}, h.Order})
	}
	slices.SortFunc(list, func(a, b ordered) int {
		return cmp.Or(cmp.Compare(b.order, a.order), slices.Compare(a.Table[:], b.Table[:]))
	})
	var out []Salvaged
	for _, s := range list {
		out = append(out, s.Salvaged)
	}
	if lost > 0 {
		return out, damage("the charters of %d games are lost", lost)
	}
	return out, nil
}

// log puts the entries in order, up to the number that the game's state counts.
func (f *find) log(table feed.Hash, h head) (log []*feed.Signed, lost int) {
	count := -1
	if s, err := decodeState(f.state.data); err == nil {
		count = int(s.Entries)
	}
	positions := make([]uint64, 0, len(f.entries))
	for at := range f.entries {
		if count < 0 || at < uint64(count) {
			positions = append(positions, at)
		}
	}
	slices.Sort(positions)
	l := newLedger(table, h.Charter, int(h.Seat), int(h.Seats))
	for _, at := range positions {
		e, err := feed.Decode(f.entries[at].data)
		if err != nil {
			continue
		}
		if fresh, err := l.fresh([]*feed.Signed{e}); err == nil {
			l.add(fresh)
		}
	}
	if n := len(positions); count < 0 && n > 0 {
		count = int(positions[n-1]) + 1
	}
	return l.log, max(count-len(l.log), 0)
}
