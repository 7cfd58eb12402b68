package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"alibi": func() { os.Exit(Main()) }})
}

// Each script is a feature; the command is this program itself.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			// A folder and a name of its own for each script, and plain English.
			e.Setenv("ALIBI_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"truncate": truncate, "flip": flip},
	})
}

// truncate FILE COPY keeps the first two thirds of a log's entries.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	log := items(ts, args[0])
	write(ts, args[1], log[:len(log)*2/3])
}

// flip FILE COPY changes one byte in the middle of the last entry but three.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	log := items(ts, args[0])
	last := log[len(log)-4]
	last[len(last)/2] ^= 1
	write(ts, args[1], log)
}

// items are the pieces of a log file: its first line, then byte strings.
func items(ts *testscript.TestScript, name string) [][]byte {
	b := []byte(ts.ReadFile(name))
	const magic = len("alibi log 1\n")
	out := [][]byte{b[:magic]}
	for b = b[magic:]; len(b) > 0; {
		head, n := 1, int(b[0])-0x40
		switch b[0] {
		case 0x58:
			head, n = 2, int(b[1])
		case 0x59:
			head, n = 3, int(b[1])<<8|int(b[2])
		}
		out = append(out, append([]byte(nil), b[:head+n]...))
		b = b[head+n:]
	}
	return out
}

func write(ts *testscript.TestScript, name string, log [][]byte) {
	var b []byte
	for _, item := range log {
		b = append(b, item...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
}
