package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
	"alibi/crypto/feed"
	"alibi/game/move"
)

// inMemory is the program with its files in memory.
func inMemory(in string) (p *program, out, complaints *bytes.Buffer) {
	out, complaints = new(bytes.Buffer), new(bytes.Buffer)
	return &program{
		book: say.English(), in: strings.NewReader(in), err: complaints,
		paper: line.Paper{W: out}, interrupts: make(chan os.Signal, 2),
	}, out, complaints
}

// recorded is the log of a game of three bots, in the pieces of its file.
func recorded(t *testing.T) [][]byte {
	t.Helper()
	table, err := rehearsal.New(rehearsal.Plan{Seed: "recorded", Names: []string{"Anh", "Bahar", "Chai"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range table.Run(t.Context()) {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	charter, entries := table.Sessions[0].Log()
	pieces := [][]byte{[]byte(feed.Magic)}
	for i := range len(entries) + 1 {
		raw := charter
		if i > 0 {
			raw = entries[i-1].Raw()
		}
		item, err := feed.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, item)
	}
	return pieces
}

// verify runs the command on a log and holds its ends together: exit code, report
// and complaint.
func verify(t *testing.T, what string, log []byte, want ...int) {
	t.Helper()
	for _, args := range [][]string{{"verify", "-"}, {"verify", "-", "--json"}} {
		p, out, complaints := inMemory(string(log))
		code := p.run(t.Context(), args)
		if !slices.Contains(want, code) {
			t.Errorf("%s: %v ends with %d, want one of %d: %s", what, args, code, want, complaints)
		}
		if (code == 0) != (complaints.Len() == 0) || (code == 2) != (out.Len() == 0) {
			t.Errorf("%s: %v ends with %d, %d bytes out, complaint %q", what, args, code, out.Len(), complaints)
		}
		if n := strings.Count(complaints.String(), "\n"); code != 0 && n != 2 {
			t.Errorf("%s: %v complains in %d lines: %s", what, args, n, complaints)
		}
	}
}

func TestVerifyOfDamagedLogs(t *testing.T) {
	pieces := recorded(t)
	whole := bytes.Join(pieces, nil)
	verify(t, "whole", whole, 0)
	for n := 2; n < len(pieces); n++ {
		verify(t, fmt.Sprintf("cut before entry %d", n-2), bytes.Join(pieces[:n], nil), 1)
	}
	for n := 2; n < len(pieces); n += 3 {
		verify(t, fmt.Sprintf("without entry %d", n-2), bytes.Join(slices.Concat(pieces[:n], pieces[n+1:]), nil), 1)
	}
	for i := range 60 {
		at := (i*7919 + 12) % len(whole)
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (i % 8)
		verify(t, fmt.Sprintf("byte %d", at), damaged, 1, 2)
	}
	verify(t, "nothing", nil, 2)
	verify(t, "no charter", pieces[0], 2)
	verify(t, "something after the end", append(bytes.Clone(whole), 0), 2)
}

// Bahar shows everybody else a shuffle with a byte changed: each of them stops,
// says who, when and what, keeps the evidence, and ends with exit code 1.
func TestCulpritIsNamed(t *testing.T) {
	table, err := rehearsal.New(rehearsal.Plan{
		Seed: "cheat", Names: []string{"Anh", "Bahar", "Chai"},
		Tamper: func(e feed.Entry) feed.Entry {
			if e.Seat == 1 && move.Kind(e.Kind) == move.KindShuffle {
				e.Body = bytes.Clone(e.Body)
				e.Body[len(e.Body)-1] ^= 1
			}
			return e
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var cheat, all sync.WaitGroup
	cheat.Go(func() { _ = table.Sessions[1].Run(ctx) })
	for _, seat := range []int{0, 2} {
		all.Go(func() {
			p, out, _ := inMemory("")
			file := filepath.Join(t.TempDir(), "log")
			log, err := p.openLog(file)
			if err != nil {
				t.Error(err)
				return
			}
			f := p.explain(p.play(ctx, chair{bot: true}, table.Sessions[seat], log))
			const fault = "seat 2 (Bahar), round 3: a shuffle that does not verify"
			if f.code != 1 || f.text != "the game has stopped: "+fault || f.hint == "" {
				t.Errorf("seat %d: %+v", seat, f)
			}
			if kept, err := os.ReadFile(file); err != nil || !strings.Contains(out.String(), "The log is kept in ") {
				t.Errorf("seat %d: %d bytes kept, %v: %s", seat, len(kept), err, out)
			} else {
				p, _, complaints := inMemory(string(kept))
				if code := p.run(ctx, []string{"verify", "-"}); code != 1 || !strings.Contains(complaints.String(), "not fair: "+fault) {
					t.Errorf("seat %d: verify ends with %d: %s", seat, code, complaints)
				}
			}
		})
	}
	all.Wait()
	cancel()
	cheat.Wait()
}

// A demo leaves no goroutine and no folder behind.
func TestDemoLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, _, complaints := inMemory("")
	if code := p.run(t.Context(), []string{"demo"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, complaints)
	}
	before := runtime.NumGoroutine() // libraries keep a few for good
	for range 2 {
		p, _, complaints := inMemory("")
		if code := p.run(t.Context(), []string{"demo"}); code != 0 {
			t.Fatalf("exit code %d: %s", code, complaints)
		}
	}
	deadline := time.After(10 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-deadline:
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		default:
			runtime.Gosched()
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
