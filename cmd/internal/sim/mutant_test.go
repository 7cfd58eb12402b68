package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutant is a fault planted in the program: in a file, old is replaced by new.
type mutant struct {
	name     string
	file     string // from the module's root
	old, new string
	kind     string // of the games that are to find it
	within   int    // this many seeds
	broken   string // the invariants that may notice it, as a pattern
}

var mutants = []mutant{
	{
		name: "own entry sent before it is durable", file: "cmd/internal/session/fold.go",
		old:  "	if err := c.keep(); err != nil {\n		return err\n	}\n	c.port.Publish(e)\n	return nil\n",
		new:  "	c.port.Publish(e)\n	return c.keep()\n",
		kind: "honest", within: 10, broken: "durable before sent",
	}, {
		name: "blame on the wrong seat", file: "game/table/apply.go",
		old: "f.fault(f.owes[i].seat, f.owes[i].rule)", new: "f.fault(f.owes[i*0].seat, f.owes[i].rule)",
		kind: "cheat", within: 100, broken: "nobody honest is blamed",
	}, {
		name: "shares before everybody has checked", file: "game/table/setup.go",
		old: "s.Stage, s.Owners = Checking,", new: "s.Stage, s.Owners = Dealing,",
		kind: "honest", within: 10, broken: "no share too early",
	}, {
		name: "shares in spite of a conviction", file: "cmd/internal/session/fold.go",
		old: "return c.faulty || len(c.culprits())", new: "return false && len(c.culprits())",
		kind: "cheat", within: 400, broken: "no share too early",
	}, {
		name: "a leave closed on one side only", file: "cmd/internal/session/core.go",
		old: "c.log.Overruled(c.cfg.Me); over {", new: "c.log.Overruled(c.cfg.Me); over && false {",
		kind: "leaver", within: 150, broken: "one log|a live quorum ends|closed rounds stand",
	}, {
		name: "own vote not respected", file: "crypto/feed/motion.go",
		old: "v != nil && v.ballot.Yes && !l.Refused(round, m) {", new: "v != nil && v.ballot.Yes && false {",
		kind: "leaver", within: 150, broken: "one history|one log|closed rounds stand|core|a live quorum ends|one deal",
	}, {
		name: "no round opened again after a fork", file: "cmd/internal/session/blame.go",
		old: "	if round < c.log.Round() && c.log.Present(author)", new: "	if false && c.log.Present(author)",
		kind: "cheat", within: 250, broken: "one log|a live quorum ends|one history",
	},
}

var found = regexp.MustCompile(`seed (\d+) \(\w+; [^\n]*?\): ([a-zA-Z ]+), after`)

// Planted faults of each class are found by the simulation, within the stated
// number of games.
func TestPlantedFaultsAreFound(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("builds the program anew for every fault")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			out := m.run(t, root, m.build(t, root))
			hit := found.FindStringSubmatch(out)
			if hit == nil {
				t.Fatalf("%d games find nothing:\n%s", m.within, out[max(0, len(out)-2000):])
			}
			if !regexp.MustCompile("^(" + m.broken + ")$").MatchString(hit[2]) {
				t.Errorf("seed %s: %q, want %s", hit[1], hit[2], m.broken)
			}
			t.Logf("seed %s: %s", hit[1], hit[2])
		})
	}
}

// build makes the test program of this package with the fault in it.
func (m mutant) build(t *testing.T, root string) string {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s holds %d times %q", m.file, n, m.old)
	}
	dir := t.TempDir()
	changed, overlay, program := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sim.test")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {name: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./cmd/internal/sim")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// run plays games until one fails, and returns what was printed.
func (m mutant) run(t *testing.T, root, program string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestGames$", "-sim.first",
		fmt.Sprintf("-sim.games=%d", m.within), "-sim.kind="+m.kind)
	cmd.Dir = filepath.Join(root, "cmd/internal/sim")
	out, _ := cmd.CombinedOutput()
	return string(out)
}
