package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/p2p/netlab"
)

// computers are network namespaces with an alibi each.
type computers struct {
	*netlab.Lab
	t   *testing.T
	ctx context.Context
	dir string
}

func newComputers(t *testing.T, hosts int) *computers {
	t.Helper()
	lab := netlab.New(t, netlab.Plan{Hosts: hosts, IPv4: true, IPv6: true})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return &computers{Lab: lab, t: t, ctx: ctx, dir: t.TempDir()}
}

// alibi is a command line on a computer, its state in a folder of its own.
// testscript.Main has put the program in front of PATH.
func (c *computers) alibi(host int, args ...string) *exec.Cmd {
	c.t.Helper()
	program, err := exec.LookPath("alibi")
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := c.Command(c.ctx, host, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "ALIBI_HOME="+filepath.Join(c.dir, fmt.Sprint("home", host)))
	return cmd
}

func (c *computers) log(host int) string { return filepath.Join(c.dir, fmt.Sprint("log", host)) }

// play runs a command with its output, and reports how it ended.
func (c *computers) play(host int, args ...string) {
	c.t.Helper()
	if out, err := c.alibi(host, args...).CombinedOutput(); err != nil {
		c.t.Errorf("computer %d: %v\n%s", host, err, out)
	}
}

// same checks that all logs are the same, fair and complete.
func (c *computers) same() {
	c.t.Helper()
	c.sameOn(netlab.EveryHost(netlab.Plan{Hosts: c.Hosts()})...)
}

func (c *computers) sameOn(hosts ...int) {
	c.t.Helper()
	if c.t.Failed() {
		return
	}
	var first []byte
	for _, i := range hosts {
		log, err := os.ReadFile(c.log(i))
		if err != nil {
			c.t.Fatal(err)
		}
		if first == nil {
			first = log
		}
		if !bytes.Equal(first, log) {
			c.t.Errorf("computers %d and %d hold different logs", hosts[0], i)
		}
		out, err := c.alibi(i, "verify", c.log(i)).CombinedOutput()
		if err != nil {
			c.t.Errorf("computer %d: verify: %v\n%s", i, err, out)
		}
	}
	c.t.Logf("%d logs of %d bytes are the same and verify", len(hosts), len(first))
}

var four = []string{"Anh", "Bahar", "Chai", "Dorota"}

// Four computers on a network: one opens a table, three find it by mDNS, bots
// play, and everybody holds the same log.
func TestFourComputers(t *testing.T) {
	c := newComputers(t, 4)
	began := time.Now()
	var all sync.WaitGroup
	all.Go(func() {
		c.play(1, "open", "--name", four[0], "--seats", "4", "--bot", "--pause", "20ms", "--log", c.log(1))
	})
	for i := 2; i <= 4; i++ {
		all.Go(func() {
			c.play(i, "join", "--name", four[i-1], "--bot", "--pause", "20ms", "--log", c.log(i))
		})
	}
	all.Wait()
	t.Logf("from nothing to four logs in %.1f s", time.Since(began).Seconds())
	c.same()
}

// The same, with one of the four played by a script through line mode, which
// reads what is printed and types.
func TestFourComputersOneTyped(t *testing.T) {
	c := newComputers(t, 4)
	var all sync.WaitGroup
	for i := 1; i <= 3; i++ {
		how := []string{"join"}
		if i == 1 {
			how = []string{"open", "--seats", "4", "--edition", "card-advanced", "--first", "vote", "--order", "agreed"}
		}
		all.Go(func() {
			c.play(i, append(how, "--name", four[i-1], "--bot", "--pause", "20ms", "--log", c.log(i))...)
		})
	}
	cmd := c.alibi(4, "join", "--name", four[3], "--log", c.log(4))
	var transcript, complaints bytes.Buffer
	cmd.Stderr = &complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	typist := rehearsal.Typist{Record: &transcript}
	if err := typist.Play(out, in); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || complaints.Len() > 0 {
		t.Errorf("line mode ended with %v: %s", err, complaints.String())
	}
	all.Wait()
	for _, want := range []string{"> ready", "> vote ", "> ask ", "> open", "The log is fair and complete"} {
		if !strings.Contains(transcript.String(), want) {
			t.Errorf("the transcript lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(transcript.String())
	}
	c.same()
}

// On a network without any table the search says so after its time, and on one
// that nothing answers on, too.
func TestNobodyThere(t *testing.T) {
	c := newComputers(t, 1)
	for _, tc := range []struct {
		args        []string
		error, hint string
	}{
		{[]string{"tables", "--wait", "300ms"}, "error: no open table was found", "hint: open one with alibi open"},
		{[]string{"join", "--name", "Bahar", "--wait", "300ms"}, "error: no open table was found", "hint: open one with alibi open"},
		{[]string{"join", "table", "--name", "Bahar", "--wait", "300ms"}, "error: no open table was found", "hint: open one with alibi open"},
		{[]string{"join", "--name", "Bahar", "--addr", "10.77.0.99:4001", "--wait", "1s"}, "error: 10.77.0.99:4001 did not answer within 1s", "hint: check the address"},
	} {
		cmd := c.alibi(1, tc.args...)
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %v", tc.args, err)
		}
		got := strings.Split(strings.TrimSpace(complaints.String()), "\n")
		if len(got) != 2 || !strings.HasPrefix(got[0], tc.error) || !strings.HasPrefix(got[1], tc.hint) {
			t.Errorf("%v: %q", tc.args, got)
		}
	}
}

// A table is found by name among several, shortened or not, and a full one and
// a name that is taken are refused with their reasons.
func TestTablesByName(t *testing.T) {
	c := newComputers(t, 4)
	for i, table := range []string{"Red", "Blue"} {
		cmd := c.alibi(i+1, "open", "--name", four[i], "--table", table, "--seats", "2", "--bot")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		seated := make(chan bool)
		go func() {
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "You sit at") {
					close(seated)
					_, _ = io.Copy(io.Discard, out)
				}
			}
		}()
		select {
		case <-seated:
		case <-c.ctx.Done():
			t.Fatal("the table was not opened")
		}
	}
	for _, tc := range []struct {
		args  []string
		error string
	}{
		{[]string{"join", "--name", "Chai", "--wait", "5s"}, "error: several tables are open: \"Blue\" of Bahar, \"Red\" of Anh"},
		{[]string{"join", "green", "--name", "Chai", "--wait", "1s"}, "error: there is no table \"green\""},
		{[]string{"join", "red", "--name", "Anh", "--wait", "5s"}, "error: somebody at the table has this name"},
	} {
		out, err := c.alibi(3, tc.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), tc.error) {
			t.Errorf("%v: %v\n%s", tc.args, err, out)
		}
	}
}
