package browser

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"alibi/cmd/internal/cli"
)

// The program itself is a command of these tests: testscript puts it into PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"alibi": func() { os.Exit(cli.Main()) }})
}

// program is a running `alibi play` of one player.
type program struct {
	name    string
	address string // opens the page, with the token
	cmd     *exec.Cmd
}

// play starts the program of a player with a home of its own, and ends it with the
// test as Ctrl-C would.
func play(t *testing.T, name string) *program {
	t.Helper()
	path, err := exec.LookPath("alibi")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{name: name, cmd: exec.Command(path, "play", "--no-browser", "--loopback", "--name", name)}
	home := t.TempDir()
	p.cmd.Env = append(os.Environ(), "LC_ALL=C", "ALIBI_HOME="+filepath.Join(home, "alibi"), "XDG_STATE_HOME="+home)
	complaints := new(strings.Builder)
	p.cmd.Stderr = complaints
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(os.Interrupt)
		if err := p.cmd.Wait(); err != nil || complaints.Len() > 0 {
			t.Errorf("the program of %s ended with %v: %s", name, err, complaints)
		}
	})
	if p.address, err = address(out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return p
}

// address reads on until the program says where its page is.
func address(out io.Reader) (string, error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		for word := range strings.FieldsSeq(lines.Text()) {
			if strings.HasPrefix(word, "http://127.0.0.1:") {
				return word, nil
			}
		}
	}
	return "", fmt.Errorf("no address: %w", lines.Err())
}
