package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alibi/cmd/internal/session"
)

// household is several alibis on this computer, each with a folder of its own.
type household struct {
	t   *testing.T
	ctx context.Context
	dir string
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return &household{t, ctx, t.TempDir()}
}

func (h *household) home(who string) string { return filepath.Join(h.dir, who) }
func (h *household) log(who string) string  { return filepath.Join(h.dir, who+".alibi") }

// alibi is a command line of somebody. testscript.Main has put the program in
// front of PATH.
func (h *household) alibi(who string, args ...string) *exec.Cmd {
	h.t.Helper()
	program, err := exec.LookPath("alibi")
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.CommandContext(h.ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "ALIBI_HOME="+h.home(who))
	return cmd
}

// run runs a command to its end.
func (h *household) run(who string, code int, args ...string) (out string) {
	h.t.Helper()
	cmd := h.alibi(who, args...)
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != code {
		h.t.Errorf("%s: %v: %v\n%s", who, args, err, b)
	}
	return string(b)
}

// running is a program whose output is read line by line.
type running struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *bufio.Scanner
	told bytes.Buffer
}

func (h *household) start(who string, args ...string) *running {
	h.t.Helper()
	r := &running{t: h.t, cmd: h.alibi(who, args...)}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	r.cmd.Stderr = &r.told
	if err := r.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.cmd.Process.Kill(); _ = r.cmd.Wait() })
	r.out = bufio.NewScanner(out)
	return r
}

func (r *running) await(want string) {
	r.t.Helper()
	var seen []string
	for r.out.Scan() {
		seen = append(seen, r.out.Text())
		if strings.Contains(r.out.Text(), want) {
			return
		}
	}
	r.t.Fatalf("ended without %q: %q, %s", want, seen, r.told.String())
}

// finish reads to the end.
func (r *running) finish() (out string) {
	r.t.Helper()
	var all []string
	for r.out.Scan() {
		all = append(all, r.out.Text())
	}
	if err := r.cmd.Wait(); err != nil {
		r.t.Errorf("%v: %s\n%s", err, strings.Join(all, "\n"), r.told.String())
	}
	return strings.Join(all, "\n")
}

// Chai's program is killed in the middle of a game. Its folder lists the game, and
// whoever is about to begin another is told; the game taken up again comes to
// its end, and everybody holds the same log.
func TestKilledAndResumed(t *testing.T) {
	h := newHousehold(t)
	bot := []string{"--bot", "--loopback", "--pause", "20ms"}
	if err := os.Mkdir(filepath.Join(h.dir, "apart"), 0o700); err != nil {
		t.Fatal(err)
	}
	anh := h.start("anh", append([]string{"open", "--name", "Anh", "--table", "The Kill", "--log", h.log("anh")}, bot...)...)
	anh.await("Your table is open")
	bahar := h.start("bahar", append([]string{"join", "the kill", "--name", "Bahar", "--log", h.log("bahar")}, bot...)...)
	bahar.await("You sit at")
	chai := h.start("chai", append([]string{"join", "the kill", "--name", "Chai", "--log", filepath.Join(h.dir, "apart", "log")}, bot...)...)
	chai.await("turn 2, ")
	if err := chai.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = chai.cmd.Wait()
	if left := namesIn(t, filepath.Join(h.dir, "apart")); len(left) > 0 {
		t.Errorf("left beside the log: %q", left)
	}

	if got := h.run("chai", 0, "resume", "--list"); !strings.HasPrefix(got, "#  TABLE     GAME            PLAYERS           YOU   ENTRIES") ||
		!strings.Contains(got, "\n1  The Kill  Clue Card Game  Anh, Bahar, Chai  Chai  ") {
		t.Error(got)
	}
	if got := h.run("chai", 1, "resume", "another"); !strings.Contains(got, `error: no unfinished game "another" is kept here`) {
		t.Error(got)
	}
	const left = `You left a game at "The Kill". Take it up again with: alibi resume`
	if got := h.run("chai", 1, "join", "nowhere", "--name", "Chai", "--loopback", "--wait", "100ms"); !strings.HasPrefix(got, left) {
		t.Error(got)
	}
	again := h.run("chai", 0, append([]string{"resume", "the k", "--log", h.log("chai")}, bot...)...)
	for _, want := range []string{`You are Chai at "The Kill" again: Clue Card Game, 3 seats`, "  The cards are dealt", "The log is fair and complete"} {
		if !strings.Contains(again, want) {
			t.Errorf("lacks %q: %s", want, again)
		}
	}
	anh.finish()
	bahar.finish()
	first, err := os.ReadFile(h.log("anh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"bahar", "chai"} {
		if b, err := os.ReadFile(h.log(who)); err != nil || !bytes.Equal(b, first) {
			t.Errorf("%s holds another log: %v", who, err)
		}
	}
	if got := h.run("chai", 1, "resume"); got != "error: no unfinished game is kept here\nhint: all games kept here are over; alibi resume --salvage FOLDER writes their logs\n" {
		t.Error(got)
	}
}

// Somebody without a seat watches a game that lets spectators in, and holds the
// same log at its end.
func TestWatched(t *testing.T) {
	h := newHousehold(t)
	bot := []string{"--bot", "--loopback", "--pause", "20ms"}
	anh := h.start("anh", append([]string{"open", "--name", "Anh", "--table", "The Show", "--seats", "2", "--spectators", "--log", h.log("anh")}, bot...)...)
	anh.await("Your table is open")
	if got := h.run("dorota", 1, "watch", "the", "--loopback", "--wait", "2s"); !strings.Contains(got, `error: table "The Show" cannot be watched: it has not begun`) {
		t.Error(got)
	}
	dorota := h.start("dorota", "watch", "the show", "--loopback", "--log", h.log("dorota"))
	bahar := h.start("bahar", append([]string{"join", "the show", "--name", "Bahar"}, bot...)...)
	got := dorota.finish()
	for _, want := range []string{`You watch "The Show": Clue Card Game, played by Anh, Bahar`, "\nThe words of this table: ",
		"\n  Bahar shuffles all other cards together\n", "\n  The Crime cards: ", "\nThe game is fair and complete"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q: %s", want, got)
		}
	}
	anh.finish()
	bahar.finish()
	played, err := os.ReadFile(h.log("anh"))
	if err != nil {
		t.Fatal(err)
	}
	if watched, err := os.ReadFile(h.log("dorota")); err != nil || !bytes.Equal(watched, played) {
		t.Errorf("%d bytes watched of %d, %v", len(watched), len(played), err)
	}
	if _, err := os.Stat(h.home("dorota")); !os.IsNotExist(err) {
		t.Errorf("a spectator keeps something: %v", err)
	}
}

// Nobody watches where spectators are not let in.
func TestNotShown(t *testing.T) {
	h := newHousehold(t)
	anh := h.start("anh", "open", "--name", "Anh", "--table", "Closed", "--seats", "2", "--bot", "--loopback")
	anh.await("alibi join --addr ")
	addr := anh.out.Text()[strings.LastIndex(anh.out.Text(), " ")+1:]
	bahar := h.start("bahar", "join", "closed", "--name", "Bahar", "--loopback") // and leaves the words unread
	bahar.await("? Read these aloud")
	if got := h.run("dorota", 1, "watch", "--loopback", "--wait", "1s"); !strings.HasPrefix(got, "Looking for a game\nerror: no game that can be watched was found") {
		t.Error(got)
	}
	if got := h.run("dorota", 1, "watch", "--loopback", "--addr", addr); !strings.HasPrefix(got, "error: no game there lets anybody watch\nhint: its opener lets spectators in") {
		t.Error(got)
	}
}

// What can be read of a folder is written as log files; nothing is written over.
func TestSalvage(t *testing.T) {
	h := newHousehold(t)
	bot := []string{"--bot", "--loopback", "--pause", "0s"}
	anh := h.start("anh", append([]string{"open", "--name", "Anh", "--table", "Rot & Rust", "--seats", "2", "--log", h.log("anh")}, bot...)...)
	anh.await("Your table is open")
	h.run("bahar", 0, append([]string{"join", "rot", "--name", "Bahar"}, bot...)...)
	anh.finish()
	// The file's structure goes; the records in it say themselves what they are.
	db := filepath.Join(h.home("bahar"), "alibi.db")
	b, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8192 {
		b[i] = 0
	}
	if err := os.WriteFile(db, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := h.run("bahar", 1, "resume"); !strings.Contains(got, "error: what is kept on this computer is damaged\nhint: save what can be read with: alibi resume --salvage FOLDER") {
		t.Error(got)
	}
	into := filepath.Join(h.dir, "saved")
	got := h.run("bahar", 0, "resume", "--salvage", into)
	files, err := filepath.Glob(filepath.Join(into, "rot-rust-*.alibi"))
	if err != nil || len(files) != 1 || !strings.HasPrefix(got, files[0]+": ") || !strings.Contains(got, ` entries of "Rot & Rust"`) {
		t.Fatalf("%v, %v: %s", files, err, got)
	}
	whole, _ := os.ReadFile(h.log("anh"))
	if saved, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(saved, whole) {
		t.Errorf("%d bytes saved of %d, %v", len(saved), len(whole), err)
	}
	h.run("bahar", 0, "verify", files[0])
	if got := h.run("bahar", 1, "resume", "--salvage", into); !strings.Contains(got, "error: nothing could be saved in "+files[0]+": file exists") {
		t.Error(got)
	}
	if now, err := os.ReadFile(db); err != nil || !bytes.Equal(now, b) {
		t.Errorf("the folder was changed: %v", err)
	}
}

// A game is meant by its whole name before its number, and by that before the
// beginning of a name.
func TestNamedGames(t *testing.T) {
	games := []session.Kept{{Table: "Red"}, {Table: "Red Room"}, {Table: "1"}, {Table: "2 of us"}}
	for name, want := range map[string]string{
		"red": "Red", "red r": "Red Room", "1": "1", "2": "Red Room", "4": "2 of us", "2 of": "2 of us",
		"": "Red, Red Room, 1, 2 of us", "blue": "", "0": "", "5": "", "re": "Red, Red Room",
	} {
		var got []string
		for _, k := range named(slices.Clone(games), name) {
			got = append(got, k.Table)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
}

// Of a game that is over, and that others may lack the end of, the list and the
// reminder say so.
func TestOwedEnds(t *testing.T) {
	kept := func(table string, over bool) session.Kept {
		return session.Kept{Table: table, Players: []string{"Anh", "Bahar"}, Entries: 9, Over: over}
	}
	p, _, _ := inMemory("")
	var notes []string
	for _, row := range p.rows([]session.Kept{kept("Red", false), kept("Blue", true)})[1:] {
		notes = append(notes, row[len(row)-1])
	}
	if want := []string{"", "over; some player may lack the end"}; !slices.Equal(notes, want) {
		t.Errorf("the list notes %q, want %q", notes, want)
	}
	for _, tc := range []struct{ left, over, want string }{
		{"", "", ""},
		{"Red", "", `You left a game at "Red". Take it up again with: alibi resume`},
		{"", "Blue", `The game at "Blue" is over, but some player may lack its end. Hand it on with: alibi resume`},
		{"", "Blue Grey", `The games at "Blue", "Grey" are over, but some player may lack their ends. Hand one on with: alibi resume TABLE`},
		{"Red", "Blue", `You left a game at "Red". Take it up again with: alibi resume TABLE` + "\n" +
			`The game at "Blue" is over, but some player may lack its end. Hand it on with: alibi resume TABLE`},
		{"Red Pink", "", `You left games at "Red", "Pink". Take one up again with: alibi resume TABLE`},
	} {
		var games []session.Kept
		for _, table := range strings.Fields(tc.left) {
			games = append(games, kept(table, false))
		}
		for _, table := range strings.Fields(tc.over) {
			games = append(games, kept(table, true))
		}
		if got := strings.Join(p.reminders(games), "\n"); got != tc.want {
			t.Errorf("%q left, %q over: %s", tc.left, tc.over, got)
		}
	}
}
