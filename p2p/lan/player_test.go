//go:build linux

package lan

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	*netlab.Program[report]
	id   string
	host int
}

// startPlayer starts the process, not yet the service.
func startPlayer(t *testing.T, l *netlab.Lab, host int, id string) *player {
	t.Helper()
	return &player{netlab.Start[report](t, l, host, id, helperVariable+"="+id), id, host}
}

// await waits for a report as wanted, the last one included, and returns it.
func (p *player) await(t *testing.T, what string, limit time.Duration, want func(report) bool) report {
	t.Helper()
	if !p.Last.At.IsZero() && want(p.Last) {
		return p.Last
	}
	return p.Await(t, what, limit, want)
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
		p.Say(t, "go")
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
