package netlab

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Program is the test binary run once more, as a process of its own on a host
// of a lab: it takes commands, one a line, and writes reports of type R as JSON.
type Program[R any] struct {
	// Name is what failures call it.
	Name string
	// Cmd is the process.
	Cmd *exec.Cmd
	// Last is the report that Await looked at last.
	Last R
	// Reports are those that nobody has read yet; closed when the process has ended.
	Reports chan R

	stdin  io.WriteCloser
	killed bool
}

// Start runs the test binary on a host with one more variable in its
// environment. The process is waited for at the end of the test; unless it was
// killed it has to end well, without a data race in it.
func Start[R any](t *testing.T, l *Lab, host int, name, variable string) *Program[R] {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Program[R]{Name: name, Cmd: l.Command(context.Background(), host, exe), Reports: make(chan R, 4096)}
	p.Cmd.Env = append(os.Environ(), variable, "GORACE=atexit_sleep_ms=0")
	p.Cmd.Stderr = os.Stderr
	if p.stdin, err = p.Cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.Reports)
		for in := json.NewDecoder(stdout); ; {
			var r R
			if in.Decode(&r) != nil {
				return
			}
			p.Reports <- r
		}
	}()
	t.Cleanup(func() {
		_ = p.stdin.Close()
		for range p.Reports {
		}
		if err := p.Cmd.Wait(); err != nil && !p.killed {
			t.Errorf("player %s: %v", p.Name, err) // also a data race in it
		}
	})
	return p
}

// Say sends a command.
func (p *Program[R]) Say(t *testing.T, command string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, command+"\n"); err != nil {
		t.Fatal(err)
	}
}

// Kill ends the process without a goodbye.
func (p *Program[R]) Kill(t *testing.T) {
	t.Helper()
	p.killed = true
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
}

// Await waits for a report as wanted and returns it.
func (p *Program[R]) Await(t *testing.T, what string, limit time.Duration, want func(R) bool) R {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		select {
		case r, ok := <-p.Reports:
			if !ok {
				t.Fatalf("%s: player %s ended", what, p.Name)
			}
			if p.Last = r; want(r) {
				return r
			}
		case <-deadline.C:
			t.Fatalf("%s: player %s not within %v: %+v", what, p.Name, limit, p.Last)
		}
	}
}
