//go:build linux

package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/netlab"
)

// helperVariable makes the test binary play one seat, in whatever network
// namespace it was started, instead of running the tests: "seat/seats".
const helperVariable = "ALIBI_NODE_PLAYER"

// guestVariable makes it open or join a table instead; see guestMain.
const guestVariable = "ALIBI_NODE_GUEST"

func TestMain(m *testing.M) {
	for variable, run := range map[string]func(string) error{
		helperVariable: playerMain, guestVariable: guestMain, talkerVariable: talkerMain, hostileVariable: hostileMain,
		rogueVariable: rogueMain,
	} {
		what := os.Getenv(variable)
		if what == "" {
			continue
		}
		if err := run(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// report is what a player prints after every change, one JSON value in a line.
type report struct {
	At       time.Time
	Seats    []string // state of each seat, with "via" where it is second-hand
	Since    []time.Time
	Links    []LinkStatus
	Addrs    []string
	Finding  string
	Round    uint32
	Failed   string
	Finished bool
}

// direct reports whether every other seat is connected without help.
func (r report) direct() bool {
	for _, s := range r.Seats {
		if s != Connected.String() {
			return false
		}
	}
	return len(r.Seats) > 0
}

// charterFor is the charter of the test players, the same in every process.
func charterFor(seats int) ([]byte, error) {
	c := feed.Charter{Name: "lab", Terms: []byte("terms")}
	for i := range seats {
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprintf("player %d", i), ID: testKey(i + 1).ID(), Commitment: feed.Hash{byte(i)}})
	}
	return c.Encode()
}

// playerMain plays a seat. It begins with the first line on stdin, and talks
// as many rounds as a line "talk N" says.
func playerMain(what string) error {
	var me, seats int
	if _, err := fmt.Sscanf(what, "%d/%d", &me, &seats); err != nil {
		return err
	}
	charter, err := charterFor(seats)
	if err != nil {
		return err
	}
	n, err := New(Config{Key: testKey(me + 1)})
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(report{At: time.Now()}); err != nil {
		return err
	}
	if !in.Scan() {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	select {
	case <-n.Up():
	case err := <-done:
		return err
	}
	g, err := n.Play(charter, me)
	if err != nil {
		return err
	}
	talked := make(chan error, 1)
	go func() {
		defer cancel()
		for in.Scan() {
			if rounds, ok := strings.CutPrefix(in.Text(), "talk "); ok {
				last, _ := strconv.Atoi(rounds)
				c, _ := feed.ParseCharter(charter)
				k := &talker{game: g, key: testKey(me + 1), me: me, log: feed.NewLog(charter, c.IDs(), int(c.Leavers)), last: uint32(last)}
				go func() { _, err := k.run(ctx); talked <- err }()
			}
		}
	}()
	return follow(n, g, out, done, talked)
}

// follow reports what changes until the node ends.
func follow(n *Node, g *Game, out *json.Encoder, done, talked <-chan error) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var r report
	for {
		select {
		case err := <-done:
			return err
		case <-g.PresenceChanged():
		case <-tick.C:
		case err := <-talked:
			r.Finished = true
			if err != nil {
				r.Failed = err.Error()
			}
		}
		s := n.Status()
		r.At, r.Links, r.Addrs, r.Finding = time.Now(), s.Links, s.Addrs, s.Finding
		r.Seats, r.Since = nil, nil
		for _, p := range g.Presence() {
			text := p.State.String()
			if p.Via >= 0 {
				text += fmt.Sprint(" via ", p.Via)
			}
			r.Seats, r.Since = append(r.Seats, text), append(r.Since, p.Since)
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

// player is a seat in a process of its own on a host of a lab.
type player struct {
	*netlab.Program[report]
	seat int
}

// seatPlayer starts the process, not yet the node.
func seatPlayer(t *testing.T, l *netlab.Lab, host, seat, seats int) *player {
	t.Helper()
	return startProcess(t, l, host, seat, fmt.Sprintf("%s=%d/%d", helperVariable, seat, seats))
}

// startProcess runs the test binary on a host, with one more variable in its
// environment, and waits for its first report.
func startProcess(t *testing.T, l *netlab.Lab, host, seat int, variable string) *player {
	t.Helper()
	p := &player{netlab.Start[report](t, l, host, fmt.Sprint(seat), variable), seat}
	p.Await(t, "start", long, func(report) bool { return true })
	return p
}

// seatTable starts one player on each of the hosts, and then all nodes at the
// same moment, which it returns.
func seatTable(t *testing.T, l *netlab.Lab, hosts ...int) (table []*player, began time.Time) {
	t.Helper()
	for i, host := range hosts {
		table = append(table, seatPlayer(t, l, host, i, len(hosts)))
	}
	began = time.Now()
	for _, p := range table {
		p.Say(t, "go")
	}
	return table, began
}

// connected waits until everybody is connected with everybody, and returns how
// long that took.
func connected(t *testing.T, table []*player, began time.Time, limit time.Duration) time.Duration {
	t.Helper()
	last := began
	for _, p := range table {
		r := p.Await(t, "connect with all", limit, report.direct)
		if r.At.After(last) {
			last = r.At
		}
	}
	return last.Sub(began)
}
