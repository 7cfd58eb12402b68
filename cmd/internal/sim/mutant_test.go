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

// mutant is a fault planted in the program.
type mutant struct {
	name   string
	edits  []edit
	kind   string // of the games that are to find it
	within int    // this many seeds
	broken string // the invariants that may notice it, as a pattern
}

// edit replaces old by new in a file.
type edit struct {
	file     string // from the module's root
	old, new string
}

// split is how a table that has come apart shows.
const split = "one history|one log|one deal|closed rounds stand|hidden cards|a live quorum ends|no storm"

// mutants are four classes of faults: an own entry sent before it is durable, the
// wrong one blamed, a share let go too early, a leave closed on one side only.
var mutants = []mutant{
	{
		name: "own entry sent before it is durable", kind: "honest", within: 5, broken: "durable before sent",
		edits: []edit{{
			"cmd/internal/session/fold.go",
			"	if err := c.keep(); err != nil {\n		return err\n	}\n	c.port.Publish(e)\n	return nil\n",
			"	c.port.Publish(e)\n	return c.keep()\n",
		}},
	}, {
		name: "own vote sent before it is durable", kind: "returner", within: 10, broken: "durable before sent",
		edits: []edit{{
			"cmd/internal/session/vote.go",
			"	c.unkept = append(c.unkept, e)\n	if err := c.keep(); err != nil {\n",
			"	c.unkept = append(c.unkept, e)\n	c.tell(e)\n	if err := c.keep(); err != nil {\n",
		}},
	}, {
		name: "blame on the wrong seat", kind: "cheat", within: 40, broken: "nobody honest is blamed|all name the same",
		edits: []edit{{"game/table/apply.go", "f.fault(f.owes[i].seat, f.owes[i].rule)", "f.fault(f.owes[i*0].seat, f.owes[i].rule)"}},
	}, {
		name: "blame for another history alone", kind: "cheat", within: 30, broken: "nobody honest is blamed|evidence convicts",
		edits: []edit{{"cmd/internal/session/blame.go", "	c.odd[e.Place()] = e\n", "	c.convict(table.RuleHistory, e)\n"}},
	}, {
		name: "shares before everybody has checked", kind: "honest", within: 5, broken: "no share too early",
		edits: []edit{{"game/table/setup.go", "s.Stage, s.Owners = Checking,", "s.Stage, s.Owners = Dealing,"}},
	}, {
		name: "shares before shuffles verify", kind: "honest", within: 5, broken: "no share too early",
		edits: []edit{{"game/table/setup.go", "		f.prove(s, check, err, RuleShuffle)\n", "		_, _ = check, err\n"}},
	}, {
		name: "a hand opened on a leave that others may not have closed", kind: "returner", within: 10, broken: "no share too early",
		edits: []edit{{"game/table/leave.go", " = t.Pos.Phase == rules.Laying", " = false && t.Pos.Phase == rules.Laying"}},
	}, {
		name: "a leave closed without one vote", kind: "returner", within: 15, broken: split,
		edits: []edit{
			{"crypto/feed/motion.go", "len(l.votes(round, m)) == len(l.voters(round, m)) &&", "len(l.votes(round, m)) >= len(l.voters(round, m))-1 &&"},
			{"game/table/leave.go", "	if len(entries) != len(voters) || !s.lawful(first.Motion) {", "	voters = slices.DeleteFunc(voters, func(i int) bool {\n" +
				"		return !slices.ContainsFunc(entries, func(e *feed.Signed) bool { return int(e.Seat) == i })\n	})\n" +
				"	if !s.lawful(first.Motion) {"},
		},
	}, {
		name: "a vote for what was closed otherwise", kind: "returner", within: 10, broken: split,
		edits: []edit{{"cmd/internal/session/vote.go", "c.cast(a.round, a.motion, false)", "c.cast(a.round, a.motion, true)"}},
	}, {
		name: "own vote not respected", kind: "returner", within: 30, broken: split,
		edits: []edit{{"crypto/feed/motion.go", "v.ballot.Yes && !l.Refused(round, m)", "v.ballot.Yes && false"}},
	}, {
		name: "a leave not taken over by who was left out", kind: "returner", within: 20, broken: split,
		edits: []edit{{"cmd/internal/session/core.go", "c.log.Overruled(c.cfg.Me); over {", "c.log.Overruled(c.cfg.Me); over && false {"}},
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
	machine := make(chan struct{}, 2) // two at a time
	for _, m := range mutants {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			machine <- struct{}{}
			defer func() { <-machine }()
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
	dir := t.TempDir()
	overlay, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sim.test")
	instead := map[string]string{}
	for _, e := range m.edits {
		name := filepath.Join(root, filepath.FromSlash(e.file))
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			t.Fatalf("%s holds %d times %q", e.file, n, e.old)
		}
		instead[name] = filepath.Join(dir, strings.ReplaceAll(e.file, "/", "-"))
		if err := os.WriteFile(instead[name], []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": instead})
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
