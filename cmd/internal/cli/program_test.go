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
	"alibi/cmd/internal/session"
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

// cheating is a table at which Bahar shows everybody else shuffles with a byte
// changed.
func cheating(t *testing.T, leavers int, names ...string) *rehearsal.Table {
	t.Helper()
	table, err := rehearsal.New(rehearsal.Plan{
		Seed: "cheat", Names: names, Leavers: leavers,
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
	return table
}

// played is what one seat printed, its files, and how it ended.
type played struct {
	out    string
	folder string
	err    error
}

func (p played) file(name string) string { return filepath.Join(p.folder, name) }

// besideThem keeps each log in a folder of its own.
func besideThem(folder string) string { return filepath.Join(folder, "log") }

// playHonestly plays all seats but Bahar's to their end; log says where each keeps
// its log, given a folder.
func playHonestly(t *testing.T, table *rehearsal.Table, log func(folder string) string) map[int]played {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var cheat, all sync.WaitGroup
	var mu sync.Mutex
	ends := map[int]played{}
	for seat, s := range table.Sessions {
		if seat == 1 {
			cheat.Go(func() { _ = s.Run(ctx) })
			continue
		}
		folder := t.TempDir()
		all.Go(func() {
			p, out, _ := inMemory("")
			keep, err := p.openLog(log(folder))
			if err == nil {
				err = p.play(ctx, chair{bot: true, patience: asUsual}, s, keep)
			}
			mu.Lock()
			defer mu.Unlock()
			ends[seat] = played{out.String(), folder, err}
		})
	}
	all.Wait()
	cancel()
	cheat.Wait()
	return ends
}

// convicts checks that a file, read on another computer, names the fault.
func convicts(t *testing.T, file, fault string) (report string) {
	t.Helper()
	p, out, complaints := inMemory("")
	if code := p.run(t.Context(), []string{"verify", file}); code != 1 || !strings.HasPrefix(complaints.String(), "error: not fair: "+fault) || !strings.Contains(complaints.String(), "\nhint: ") {
		t.Errorf("%s: verify ends with %d: %s", file, code, complaints)
	}
	return out.String()
}

// evidence finds the one file of evidence in a folder.
func evidence(t *testing.T, p played) string {
	t.Helper()
	found, err := filepath.Glob(p.file("evidence-rehearsal-*-2.alibi"))
	if err != nil || len(found) != 1 {
		t.Fatalf("evidence: %v, %v", found, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	return found[0]
}

// At a table that nobody may leave everybody stops, says who cheated, when and
// how, keeps the evidence, and ends with exit code 1.
func TestCulpritIsNamed(t *testing.T) {
	for seat, end := range playHonestly(t, cheating(t, 0, "Anh", "Bahar", "Chai"), besideThem) {
		p, _, _ := inMemory("")
		f := p.explain(end.err)
		const fault = "seat 2 (Bahar), round 3: a shuffle that does not verify"
		if f.code != 1 || f.text != "the game has stopped: "+fault || f.hint == "" {
			t.Errorf("seat %d: %+v", seat, f)
		}
		file := evidence(t, end)
		for _, want := range []string{"The log is kept in ", "The evidence is kept in " + file + ": " + fault} {
			if !strings.Contains(end.out, want) {
				t.Errorf("seat %d: %s", seat, end.out)
			}
		}
		convicts(t, end.file("log"), fault)
		convicts(t, file, fault)
	}
}

// Evidence is kept in the folder of the games where no log is.
func TestEvidenceWithoutALog(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ALIBI_HOME", home)
	ends := playHonestly(t, cheating(t, 0, "Anh", "Bahar", "Chai"), func(string) string { return "" })
	for _, end := range ends {
		end.folder = home
		convicts(t, evidence(t, end), "seat 2 (Bahar), round 3: a shuffle that does not verify")
	}
}

// A table that one may leave goes on without the cheat to a fair end. Its log is
// sound, and still convicts; so does the evidence, which is shorter.
func TestCulpritIsLeftOut(t *testing.T) {
	for seat, end := range playHonestly(t, cheating(t, 1, "Anh", "Bahar", "Chai", "Dorota"), besideThem) {
		if end.err != nil {
			t.Fatalf("seat %d: %v\n%s", seat, end.err, end.out)
		}
		// Its own computer stands by what it had said first, so that the others may
		// come to hold two entries for one place.
		const fault = "seat 2 (Bahar), round 5: "
		file := evidence(t, end)
		for _, want := range []string{"Caught cheating: " + fault, ". The table goes on without them", "  Bahar has left for good",
			"The evidence is kept in " + file + ": " + fault, "The log is fair among those who stayed: entries "} {
			if !strings.Contains(end.out, want) {
				t.Errorf("seat %d lacks %q: %s", seat, want, end.out)
			}
		}
		report := convicts(t, end.file("log"), fault)
		if !strings.Contains(report, "The game is fair and complete among those who stayed; who cheated was left out\n  "+fault) {
			t.Error(report)
		}
		if report := convicts(t, file, fault); strings.Contains(report, "turn 1") {
			t.Error(report)
		}
		p, out, _ := inMemory("")
		p.run(t.Context(), []string{"verify", "--json", end.file("log")})
		for _, want := range []string{`"fair": false`, `"sound": true`, `"complete": true`, `"left": true`, `"event": "left"`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("lacks %s: %s", want, out)
			}
		}
	}
}

// A game that all who were there gave up is no failure, and its log says so.
func TestAbandonedGame(t *testing.T) {
	table, err := rehearsal.New(rehearsal.Plan{Seed: "abandoned", Names: []string{"Anh", "Bahar", "Chai"}, People: []int{0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "log")
	var all sync.WaitGroup
	for _, s := range table.Sessions[1:] {
		all.Go(func() { _ = s.Run(t.Context()) })
	}
	p, out, _ := inMemory("abandon\nyes\n")
	log, err := p.openLog(file)
	if err != nil {
		t.Fatal(err)
	}
	all.Go(func() { err = p.play(t.Context(), chair{patience: asUsual}, table.Sessions[0], log) })
	for _, s := range table.Sessions[1:] {
		if err := s.Abandon(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if err != nil || !strings.Contains(out.String(), "The log is fair, of a game that was abandoned: ") {
		t.Errorf("%v: %s", err, out)
	}
	p, out, complaints := inMemory("")
	if code := p.run(t.Context(), []string{"verify", file}); code != 0 || !strings.Contains(out.String(), "The game is fair; it was abandoned in round ") {
		t.Errorf("verify ends with %d: %s%s", code, out, complaints)
	}
	p, out, _ = inMemory("")
	if code := p.run(t.Context(), []string{"verify", "--json", file}); code != 0 || !strings.Contains(out.String(), `"abandoned": {`) {
		t.Errorf("verify --json ends with %d: %s", code, out)
	}
}

// What stops a game on this computer is said with what to do about it.
func TestWhatStopsAGameIsExplained(t *testing.T) {
	for _, tc := range []struct {
		err        error
		text, hint string
	}{
		{session.ErrDiskFull, "the disk is full", "make room, then take the game up again with: alibi resume"},
		{session.ErrReadOnly, "the folder that games are kept in cannot be written to", "make it writable, or set ALIBI_HOME"},
		{session.ErrDamaged, "what is kept on this computer is damaged", "save what can be read with: alibi resume --salvage FOLDER"},
		{session.ErrFolder, "the folder that games are kept in belongs to another version", "set ALIBI_HOME"},
		{session.ErrFinished, "this game is over", "its log can be checked"},
		{session.ErrCrowded, "as many watch this game as may", "try again"},
		{line.ErrQuit, "you have left the table", "the others wait for you; come back with: alibi resume"},
	} {
		p, _, _ := inMemory("")
		f := p.explain(fmt.Errorf("session: keeping the game: %w", tc.err))
		if f.code != 1 || !strings.HasPrefix(f.text, tc.text) || !strings.HasPrefix(f.hint, tc.hint) {
			t.Errorf("%v: %+v", tc.err, f)
		}
	}
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
