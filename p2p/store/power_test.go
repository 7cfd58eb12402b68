package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"alibi/crypto/feed"
)

// A loss of power leaves of the writes since the last sync any that the disk
// likes. Every step, cut at every write: those that were not synced are there
// up to some write, all but one, or the last one by half.
func TestPowerLossInEveryStep(t *testing.T) {
	prepared, all := steps(t)
	root := ram(t)
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			dir := folderWith(t, root, prepared)
			r := &recorder{t: t}
			d, err := open(dir, r.how())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			before := look(t, d)
			if err := s.do(d); err != nil {
				t.Fatal(err)
			}
			after := look(t, d)
			seen := map[string]int{}
			check := func(image []byte, want ...string) {
				t.Helper()
				now := reading(t, root, image)
				if !slices.Contains(want, now) {
					t.Errorf("%d writes before the end:\n%s", len(r.writes), now)
				}
				seen[now]++
			}
			image, want := bytes.Clone(prepared), before
			for len(r.writes) > 0 {
				batch := cutBatch(&r.writes)
				next := want
				if batch[0].meta && len(r.writes) == 0 {
					next = after
				}
				for i := range batch {
					var upTo, without, torn []byte
					upTo, without, torn = bytes.Clone(image), bytes.Clone(image), bytes.Clone(image)
					for j, w := range batch {
						if j < i {
							upTo, torn = w.apply(upTo), w.apply(torn)
						}
						if j != i {
							without = w.apply(without)
						}
					}
					half := batch[i]
					half.b = half.b[:len(half.b)/2]
					check(upTo, want)
					check(without, want)
					check(half.apply(torn), want, next)
				}
				for _, w := range batch {
					image = w.apply(image)
				}
				want = next
				check(image, want)
			}
			if seen[before] < 5 || seen[after] == 0 {
				t.Errorf("%d images from before, %d from after", seen[before], seen[after])
			}
			if now := bytesOf(t, dir); !bytes.Equal(now[:len(image)], image) {
				t.Error("writes went past the recorder")
			}
		})
	}
}

// cutBatch takes the writes up to the next barrier.
func cutBatch(writes *[]write) []write {
	n := 1
	for n < len(*writes) && !(*writes)[n].barrier {
		n++
	}
	batch := (*writes)[:n]
	*writes = (*writes)[n:]
	return batch
}

// reading is what is found in an image, or why it is refused.
func reading(t testing.TB, root string, image []byte) string {
	t.Helper()
	dir := folderWith(t, root, image)
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := open(dir, quick())
	if err != nil {
		return err.Error()
	}
	defer func() { _ = d.Close() }()
	return look(t, d)
}

// A disk that failed to sync the last page of a step may have lost it, although
// it is still read. What is built on it must make it good first: else a loss of
// power finds the older page, and what that one stands on written over. Without
// renew it does.
func TestFailedSyncIsMadeGood(t *testing.T) {
	prepared, all := steps(t)
	for name, good := range map[string]bool{"renewed": true, "not renewed": false} {
		t.Run(name, func(t *testing.T) {
			root := ram(t)
			r := &recorder{t: t}
			h := r.how()
			if !good {
				h.renew = func(*os.File, []byte) error { return nil }
			}
			d, err := open(folderWith(t, root, prepared), h)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			if err := d.DropPending(feed.Hash{1}); err != nil { // past the empty step
				t.Fatal(err)
			}
			states := []string{look(t, d)}
			begun := len(r.writes)
			r.fail = true
			if err := all[1].do(d); err == nil {
				t.Fatal("the sync did not fail")
			}
			lost := len(r.writes) - 1
			states = append(states, look(t, d))
			for _, s := range all[5:7] {
				if err := s.do(d); err != nil {
					t.Fatal(err)
				}
				states = append(states, look(t, d))
			}
			if states[0] == states[1] {
				t.Fatal("the step whose sync failed is not seen")
			}
			image := bytes.Clone(prepared)
			bad := 0
			for i, w := range r.writes {
				if i != lost { // the meta page that never reached the disk
					image = w.apply(image)
				}
				if i < begun {
					continue
				}
				if now := reading(t, root, image); !slices.Contains(states, now) {
					bad++
					if good {
						t.Errorf("power lost after write %d of %d:\n%s", i, len(r.writes), now)
					}
				}
			}
			if !good && bad == 0 {
				t.Error("nothing was lost: this test proves nothing")
			}
		})
	}
}

// What Append has returned for is there after kill -9, whenever that comes, and
// what is there is a beginning of what was appended. Thirty processes in a row,
// each going on where the one before was killed.
func TestKilledInTheMiddle(t *testing.T) {
	f := newFixture(t, 3, "evening")
	if dir := os.Getenv("ALIBI_STORE_APPENDER"); dir != "" {
		appendForever(t, dir, f)
	}
	dir := t.TempDir()
	durable := 0
	for kill := range 30 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInTheMiddle$")
		cmd.Env = append(os.Environ(), "ALIBI_STORE_APPENDER="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := kill * 7 % 11
		if _, err := io.ReadFull(out, make([]byte, lines)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait()
		durable += lines + len(rest)

		d := mustOpen(t, dir)
		g, err := d.Load(f.table)
		if errors.Is(err, ErrUnknown) && durable == 0 {
			_ = d.Close()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if string(g.Secret) != "secret" || len(g.Log)%2 != 0 || len(g.Log) < 2*durable {
			t.Fatalf("killed after %d appends of two: %d entries", durable, len(g.Log))
		}
		durable = len(g.Log) / 2 // one more may be there than was said
		for i, e := range g.Log {
			if e.Round != uint32(i/2) || int(e.Seat) != i%2 {
				t.Fatalf("entry %d is of round %d, seat %d", i, e.Round, e.Seat)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if durable < 60 {
		t.Errorf("only %d appends in thirty processes", durable)
	}
}

// appendForever appends, and says so with a byte each time.
func appendForever(t *testing.T, dir string, f fixture) {
	d := mustOpen(t, dir)
	if _, err := d.Begin(f.charter, 0, []byte("secret")); err != nil && !errors.Is(err, ErrExists) {
		t.Fatal(err)
	}
	g, err := d.Load(f.table)
	if err != nil {
		t.Fatal(err)
	}
	for round := uint32(len(g.Log) / 2); ; round++ {
		if err := d.Append(f.table, f.entry(t, round, 0, "a"), f.entry(t, round, 1, strings.Repeat("b", 5000))); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.Write([]byte{'.'})
	}
}
