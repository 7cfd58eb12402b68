//go:build linux

package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/lobby"
	"alibi/p2p/netlab"
)

// guestMain opens a table or joins one, and plays some rounds at it. what is
// "open:SEATS", "join", or "join:ADDRESS".
func guestMain(what string) error {
	out := json.NewEncoder(os.Stdout)
	role, arg, _ := strings.Cut(what, ":")
	n, err := New(Config{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel() // the test is over
	}()
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	select {
	case <-n.Up():
	case err := <-done:
		return err
	}
	if err := out.Encode(report{At: time.Now(), Addrs: n.Addrs()}); err != nil {
		return err
	}
	r := report{}
	s, err := sitAs(ctx, n, role, arg)
	if err == nil {
		s.Ready(true)
		_, _, err = s.Wait(ctx)
	}
	if err != nil {
		r.Failed = err.Error()
		if errors.Is(err, ErrUnreachable) {
			r.Failed = "unreachable: " + r.Failed
		}
	}
	r.At, r.Finished, r.Finding = time.Now(), true, n.Status().Finding
	if err := out.Encode(r); err != nil {
		return err
	}
	cancel()
	return <-done
}

func sitAs(ctx context.Context, n *Node, role, arg string) (*Sitting, error) {
	me := Me{
		Name:   "guest " + n.ID().String()[:8],
		Commit: func(lobby.Offer) (feed.Hash, error) { return feed.Hash(n.ID()), nil },
	}
	switch {
	case role == "open":
		var seats int
		if _, err := fmt.Sscan(arg, &seats); err != nil {
			return nil, err
		}
		return n.Open(ctx, offerFor(seats), me)
	case arg != "":
		return n.JoinAddr(ctx, arg, me)
	}
	for {
		for _, t := range n.Tables() {
			if t.Problem == "" {
				return n.Join(ctx, t, me)
			}
		}
		select {
		case <-n.TablesChanged():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func roomPlayer(t *testing.T, l *netlab.Lab, host int, what string) *player {
	t.Helper()
	return startProcess(t, l, host, host, guestVariable+"="+what)
}

// Four strangers on a network find the open table and sit down at it.
func TestTableFillsOverTheNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, fourHosts)
	began := time.Now()
	all := []*player{roomPlayer(t, l, 1, "open:4")}
	for host := 2; host <= 4; host++ {
		all = append(all, roomPlayer(t, l, host, "join"))
	}
	for _, p := range all {
		if r := p.Await(t, "charter", allowance, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
	t.Logf("from four programs to a charter in %v", time.Since(began))
}

// Without multicast a typed address works, and the search says what is wrong.
func TestTypedAddressWithoutMulticast(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	l.DropMulticast()
	host := roomPlayer(t, l, 1, "open:2")
	if len(host.Last.Addrs) == 0 || !strings.HasPrefix(host.Last.Addrs[0], "10.77.0.1:") {
		t.Fatalf("the host's own address is shown as %v", host.Last.Addrs)
	}
	began := time.Now()
	joiner := roomPlayer(t, l, 2, "join:"+host.Last.Addrs[0])
	for _, p := range []*player{host, joiner} {
		if r := p.Await(t, "charter", allowance, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
	t.Logf("from starting the program to a charter in %v", time.Since(began))
}

// On a network that keeps devices apart, a typed address ends within five
// seconds with words, not with a list of raw errors.
func TestTypedAddressOnAnIsolatingNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	l.Isolate()
	host := roomPlayer(t, l, 1, "open:2")
	began := time.Now()
	joiner := roomPlayer(t, l, 2, "join:"+host.Last.Addrs[0])
	r := joiner.Await(t, "refusal", allowance, func(r report) bool { return r.Finished })
	if !strings.HasPrefix(r.Failed, "unreachable: ") || !strings.Contains(r.Failed, "keeps devices apart") || strings.Contains(r.Failed, "\n") {
		t.Errorf("it says %q", r.Failed)
	}
	if took := time.Since(began); took > 7*time.Second {
		t.Errorf("it took %v", took)
	}
	t.Logf("%s, after %v", r.Failed, time.Since(began))
}
