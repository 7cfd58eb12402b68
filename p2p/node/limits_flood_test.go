//go:build linux

package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/netlab"
)

// talkerVariable makes the test binary play one seat without end, "seat/seats",
// and say how long its rounds take; or, with " listen" behind it, take in what
// others say without playing. See talkerMain.
const talkerVariable = "ALIBI_NODE_TALKER"

// beat is what a talker prints four times a second.
type beat struct {
	At       time.Time
	Addrs    []string
	Seats    []string
	Rounds   int             // closed since the last "window"
	Took     []time.Duration // of the last of these, as many as there is room for
	RSS      int             // KiB
	Routines int
	Files    int
	Problem  string
}

const maxTook = 4096

// think is how long the first seat waits before it says the next thing, so that
// a round's time is that of the network and not of a queue.
const think = 30 * time.Millisecond

// meter measures rounds.
type meter struct {
	mu    sync.Mutex
	from  time.Time
	took  []time.Duration
	count int
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took, m.count = nil, 0
}

// round notes that a round has closed, and begins the next after a moment.
func (m *meter) round(uint32) {
	m.mu.Lock()
	if !m.from.IsZero() {
		m.count++
		m.took = append(m.took, time.Since(m.from))
		m.took = m.took[max(0, len(m.took)-maxTook):]
	}
	m.mu.Unlock()
	timer := time.NewTimer(think)
	defer timer.Stop()
	<-timer.C
	m.mu.Lock()
	m.from = time.Now()
	m.mu.Unlock()
}

// talkerMain plays a seat: lines on stdin are "window" to measure anew, "open"
// to open another table beside the game, and "speak" to say a great deal.
func talkerMain(what string) error {
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
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 2)
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
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return err
	}
	var m meter
	k := &talker{game: g, key: testKey(me + 1), me: me, log: feed.NewLog(charter, c.IDs(), int(c.Leavers)), last: 1 << 30}
	if me == 0 {
		k.each = m.round
	} else {
		k.each = func(uint32) { m.mu.Lock(); m.count++; m.mu.Unlock() }
	}
	talked := make(chan error, 1)
	if strings.HasSuffix(what, " listen") {
		go m.listen(g)
	} else {
		go func() { _, err := k.run(ctx); talked <- err }()
	}
	go func() {
		defer cancel()
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			switch in.Text() {
			case "window":
				m.reset()
			case "speak":
				talked <- speak(g, me)
			case "open":
				if _, err := n.Open(ctx, offerFor(12), guest(1)); err != nil {
					talked <- err
				}
			}
		}
	}()
	return m.follow(n, g, done, talked)
}

func (m *meter) follow(n *Node, g *Game, done, talked <-chan error) error {
	out := json.NewEncoder(os.Stdout)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var b beat
	for {
		b.At, b.Addrs, b.Seats = time.Now(), n.Addrs(), nil
		for _, p := range g.Presence() {
			b.Seats = append(b.Seats, p.State.String())
		}
		b.RSS, b.Files, b.Routines = resident(), openFiles(), runtime.NumGoroutine()
		m.mu.Lock()
		b.Rounds, b.Took = m.count, slices.Clone(m.took)
		m.mu.Unlock()
		if err := out.Encode(b); err != nil {
			return err
		}
		select {
		case err := <-done:
			return err
		case err := <-talked:
			if err != nil {
				b.Problem = err.Error()
			}
		case <-tick.C:
		}
	}
}

// resident is the memory of this process, in KiB.
func resident() (kib int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}

func openFiles() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}

// talking is a seat in a process of its own.
type talking struct {
	*netlab.Program[beat]
	host, seat int
}

func startTalker(t *testing.T, l *netlab.Lab, host, seat, seats int) *talking {
	t.Helper()
	variable := fmt.Sprintf("%s=%d/%d", talkerVariable, seat, seats)
	p := &talking{netlab.Start[beat](t, l, host, fmt.Sprint("seat ", seat), variable), host, seat}
	p.Await(t, "start", long, func(b beat) bool { return len(b.Addrs) > 0 })
	return p
}

// startTalkers seats somebody on each of the hosts and waits until they play.
func startTalkers(t *testing.T, l *netlab.Lab, hosts ...int) (table []*talking) {
	t.Helper()
	for seat, host := range hosts {
		table = append(table, startTalker(t, l, host, seat, len(hosts)))
	}
	for _, p := range table {
		p.Await(t, "a game", allowance, func(b beat) bool { return b.Rounds > 3 })
	}
	return table
}

// playsOn waits until a seat has closed so many more rounds.
func (p *talking) playsOn(t *testing.T, what string, limit time.Duration, rounds int) time.Duration {
	t.Helper()
	began := time.Now()
	first := p.Await(t, what, limit, func(b beat) bool { return b.At.After(began) })
	b := p.Await(t, what, limit, func(b beat) bool { return b.Rounds >= first.Rounds+rounds || b.Problem != "" })
	if b.Problem != "" {
		t.Fatalf("%s: seat %d: %s", what, p.seat, b.Problem)
	}
	return time.Since(began)
}

// figures are what a time of play looked like.
type figures struct {
	median, most                time.Duration // of a round
	rounds, rss, routines, file int           // the most of any seat, but rounds
}

func (f figures) String() string {
	return fmt.Sprintf("%d rounds, median %.1f ms, longest %.0f ms; at most %.1f MB, %d goroutines, %d files",
		f.rounds, f.median.Seconds()*1e3, f.most.Seconds()*1e3, float64(f.rss)/1024, f.routines, f.file)
}

// measure has a table play for a while.
func measure(t *testing.T, table []*talking, d time.Duration) (f figures) {
	t.Helper()
	for _, p := range table {
		p.Say(t, "window")
	}
	begin := time.Now()
	end := begin.Add(d)
	for _, p := range table {
		p.Await(t, "measure", d+allowance, func(b beat) bool {
			if b.At.Before(begin) {
				return false
			}
			f.rss, f.routines, f.file = max(f.rss, b.RSS), max(f.routines, b.Routines), max(f.file, b.Files)
			if b.Problem != "" {
				t.Fatalf("seat %d: %s", p.seat, b.Problem)
			}
			return b.At.After(end)
		})
	}
	took := slices.Sorted(slices.Values(table[0].Last.Took))
	f.rounds = table[0].Last.Rounds
	if len(took) > 0 {
		f.median, f.most = took[len(took)/2], took[len(took)-1]
	}
	return f
}

// Bounds of the flood test. What a peer holds for strangers is bounded by the
// door of package link: at most 64 + 48 half-open handshakes, 64 guests, and
// the windows of their streams.
const (
	floodRSS   = 96 << 10 // KiB more than before
	floodFiles = 160      // more than before
	floodTurn  = time.Second
	raceFactor = 8 // of memory and time under the race detector
)

// Four play while a hostile computer on the same network does what it can: half
// open and full TCP connections by the hundred from 200 addresses, handshakes
// with invented keys, half-open QUIC, streams by the thousand, lobby messages,
// and mDNS garbage, lies, questions and answers. The game goes on, somebody who
// was killed comes back, so does somebody with another address, and memory
// stays under a bound.
func TestFloodDuringAGame(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 5, IPv4: true, IPv6: true})
	table := startTalkers(t, l, 1, 2, 3, 4)
	table[0].Say(t, "open") // so that one of them lets everybody in
	before := measure(t, table, 3*time.Second)
	t.Logf("before: %v", before)

	bad := startHostile(t, l, 5, table)
	ramp := measure(t, table, 2*time.Second)
	during := measure(t, table, 6*time.Second)
	t.Logf("during: %v", during)

	table[2].Kill(t)
	back := startTalker(t, l, 3, 2, 4)
	table[2] = back
	t.Logf("killed and started again: plays on after %v", back.playsOn(t, "after a crash", 2*allowance, 3))
	l.IP(4, "addr add 10.77.0.44/24 dev "+netlab.Device, "addr del 10.77.0.4/24 dev "+netlab.Device)
	t.Logf("another address: plays on after %v", table[0].playsOn(t, "after a move", 2*allowance, 10))
	worst := measure(t, table, 2*time.Second)

	bad.stop(t)
	after := measure(t, table, 3*time.Second)
	t.Logf("after:  %v", after)
	t.Logf("the hostile computer did: %v", bad.Last)

	factor := 1
	if raceEnabled {
		factor = raceFactor
	}
	for name, f := range map[string]figures{"ramp": ramp, "during": during, "worst": worst, "after": after} {
		if grown := f.rss - before.rss; grown > factor*floodRSS {
			t.Errorf("%s: %d MB more memory than before", name, grown>>10)
		}
		if f.file > before.file+floodFiles {
			t.Errorf("%s: %d more open files than before", name, f.file-before.file)
		}
		if f.rounds == 0 || f.median > time.Duration(factor)*floodTurn {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// stop ends the flood.
func (h *hostile) stop(t *testing.T) {
	t.Helper()
	h.Say(t, "stop")
	h.Await(t, "the end of the flood", allowance, func(d deeds) bool { return d.Over })
}

// startHostile lets a computer with 200 addresses loose on a table.
func startHostile(t *testing.T, l *netlab.Lab, host int, table []*talking) *hostile {
	t.Helper()
	var add []string
	for n := range 200 {
		add = append(add, fmt.Sprintf("addr add 10.77.0.%d/24 dev %s", 50+n, netlab.Device))
	}
	l.IP(host, add...)
	h := &hostile{netlab.Start[deeds](t, l, host, "hostile", hostileVariable+"=1")}
	var targets []string
	for _, p := range table {
		for _, a := range p.Last.Addrs {
			if ap := netip.MustParseAddrPort(a); ap.Addr().Is4() {
				targets = append(targets, a)
				break
			}
		}
	}
	h.Say(t, strings.Join(targets, " "))
	h.Await(t, "the flood", allowance, func(d deeds) bool { return d.Connects > 0 && d.Packets > 0 })
	return h
}
