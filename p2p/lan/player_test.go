//go:build linux

package lan

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"alibi/p2p/netlab"
)

// helperVariable makes the test binary run one service, in whatever network
// namespace it was started, instead of the tests.
const helperVariable = "ALIBI_LAN_PLAYER"

func TestMain(m *testing.M) {
	if id := os.Getenv(helperVariable); id != "" {
		role := playerMain
		if id == hostileID {
			role = hostileMain
		}
		if err := role(id); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// localPrefix begins the IDs of players that stay on loopback.
const localPrefix = "local"

// report is what a player prints, one JSON value in a line.
type report struct {
	At     time.Time
	Peers  []Peer
	Status string
	Links  int
	Heard  bool // any mDNS of another computer
	Own    []string
}

// playerMain runs a service. It starts at the first line on stdin, takes
// commands from the others, and reports every change on stdout.
func playerMain(id string) error {
	signal.Ignore(syscall.SIGPIPE)
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	s := New(Config{
		PeerID: id, Port: 4001, Info: map[string]string{"name": "player " + id},
		LoopbackOnly: strings.HasPrefix(id, localPrefix),
	})
	if err := out.Encode(report{At: time.Now()}); err != nil {
		return err
	}
	if !in.Scan() {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	go func() {
		defer cancel()
		for in.Scan() {
			switch word, rest, _ := strings.Cut(in.Text(), " "); word {
			case "info":
				_ = s.SetInfo(map[string]string{"name": rest})
			case "calm":
				s.SetEager(false)
			case "eager":
				s.SetEager(true)
			case "quit":
				return
			}
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-s.Changed():
		case <-tick.C:
		}
		if err := out.Encode(describe(s)); err != nil {
			return err
		}
	}
}

func describe(s *Service) report {
	st := s.Status()
	r := report{At: time.Now(), Peers: s.Peers(), Status: fmt.Sprintf("%+v", st), Links: len(st.Links)}
	for _, l := range st.Links {
		r.Heard = r.Heard || !l.HeardOthers.IsZero()
	}
	for _, a := range st.Addrs {
		r.Own = append(r.Own, a.String())
	}
	return r
}

// player is a service in a process of its own on a host of a lab.
type player struct {
	id      string
	host    int
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	reports chan report
	last    report
	killed  bool
}

// startPlayer starts the process, not yet the service.
func startPlayer(t *testing.T, l *netlab.Lab, host int, id string) *player {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &player{id: id, host: host, cmd: l.Command(context.Background(), host, exe), reports: make(chan report, 4096)}
	p.cmd.Env = append(os.Environ(), helperVariable+"="+id, "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.reports)
		for in := json.NewDecoder(stdout); ; {
			var r report
			if in.Decode(&r) != nil {
				return
			}
			p.reports <- r
		}
	}()
	t.Cleanup(func() {
		p.stdin.Close()
		for range p.reports {
		}
		if err := p.cmd.Wait(); err != nil && !p.killed {
			t.Errorf("player %s: %v", p.id, err) // also a data race in it
		}
	})
	return p
}

// say sends a command.
func (p *player) say(t *testing.T, command string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, command+"\n"); err != nil {
		t.Fatal(err)
	}
}

// kill ends the process without a goodbye.
func (p *player) kill(t *testing.T) {
	t.Helper()
	p.killed = true
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
}

// await waits for a report as wanted and returns it.
func (p *player) await(t *testing.T, what string, limit time.Duration, want func(report) bool) report {
	t.Helper()
	if !p.last.At.IsZero() && want(p.last) {
		return p.last
	}
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		select {
		case r, ok := <-p.reports:
			if !ok {
				t.Fatalf("%s: player %s ended", what, p.id)
			}
			if p.last = r; want(r) {
				return r
			}
		case <-deadline.C:
			t.Fatalf("%s: player %s not within %v: %v; %s", what, p.id, limit, p.last.Peers, p.last.Status)
		}
	}
}

// group is several players who are to find one another.
type group []*player

// startGroup starts one player on each of the hosts, and then all services at
// the same moment, which it returns.
func startGroup(t *testing.T, l *netlab.Lab, hosts ...int) (group, time.Time) {
	t.Helper()
	var g group
	for i, host := range hosts {
		g = append(g, startPlayer(t, l, host, fmt.Sprintf("player%02d", i)))
	}
	for _, p := range g {
		p.await(t, "start", patience, func(report) bool { return true })
	}
	began := time.Now()
	for _, p := range g {
		p.say(t, "go")
	}
	return g, began
}

// found waits until everybody has found everybody and returns how long that took.
func (g group) found(t *testing.T, began time.Time, limit time.Duration) time.Duration {
	t.Helper()
	last := began
	for _, p := range g {
		r := p.await(t, "find all", limit, func(r report) bool { return p.sees(r, g) })
		last = later(last, r.At)
	}
	return last.Sub(began)
}

// sees says whether a report lists all others with an address.
func (p *player) sees(r report, g group) bool {
	for _, other := range g {
		if other != p && !slices.ContainsFunc(r.Peers, func(q Peer) bool {
			return q.ID == other.id && len(q.Addrs) > 0
		}) {
			return false
		}
	}
	return len(r.Peers) == len(g)-1
}
