package replica

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

var start = time.Unix(1_000_000, 0)

func signed(t testing.TB, round uint32, seat int, body string) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{byte(seat + 1)}), feed.Entry{Round: round, Seat: uint8(seat), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drain takes everything that may be sent by now.
func drain(p *Plan, now time.Time) (out []string, wait time.Duration) {
	for {
		e, w := p.Next(now)
		if e == nil {
			return out, w
		}
		out = append(out, fmt.Sprintf("%d/%d", e.Round, e.Seat))
	}
}

func want(t *testing.T, what string, got []string, wanted ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		t.Errorf("%s: sent %v, want %v", what, got, wanted)
	}
}

func TestEverythingLackingInLogOrder(t *testing.T) {
	b := NewBook()
	for round := range uint32(3) {
		for seat := range 3 {
			b.Add(signed(t, round, seat, ""))
		}
	}
	got, wait := drain(NewPlan(b, 0, Position{Round: 1, Heard: 1 << 1}, 7, start), start)
	want(t, "hello", got, "1/0", "1/2", "2/0", "2/1", "2/2")
	if wait >= 0 {
		t.Errorf("still waiting %v", wait)
	}
	got, _ = drain(NewPlan(b, 0, Position{Round: 9}, 7, start), start)
	want(t, "a peer that is ahead", got)
}

func TestRelayWaitsForTheAuthor(t *testing.T) {
	b := NewBook()
	connected := NewPlan(b, 0, Position{}, 1<<1|1<<2, start)
	apart := NewPlan(b, 0, Position{}, 1<<2, start)
	b.Add(signed(t, 0, 1, ""))
	b.Add(signed(t, 0, 0, ""))
	got, wait := drain(connected, start)
	want(t, "connected with the author", got, "0/0")
	if wait != RelayDelay {
		t.Errorf("waits %v", wait)
	}
	got, _ = drain(apart, start)
	want(t, "not connected with the author", got, "0/1", "0/0")

	late := start.Add(RelayDelay)
	got, _ = drain(connected, late)
	want(t, "the author does not deliver", got, "0/1")

	b.Add(signed(t, 1, 1, ""))
	if got, wait = drain(connected, late); wait != RelayDelay {
		t.Errorf("waits %v, sent %v", wait, got)
	}
	connected.Where(Position{Round: 1, Heard: 1 << 1}, 1<<1, late)
	got, wait = drain(connected, late.Add(time.Hour))
	want(t, "the author has delivered", got)
	if wait >= 0 || !connected.Idle() {
		t.Error("not idle")
	}

	b.Add(signed(t, 2, 1, ""))
	_, _ = drain(connected, late)
	connected.Where(Position{Round: 2}, 0, late) // the peer has lost the author
	got, _ = drain(connected, late)
	want(t, "no longer connected with the author", got, "2/1")
}

func TestNothingGoesBack(t *testing.T) {
	b := NewBook()
	p := NewPlan(b, 0, Position{}, 0, start)
	e := signed(t, 0, 1, "")
	b.Add(e)
	p.Received(e)
	got, _ := drain(p, start.Add(time.Hour))
	want(t, "received from the peer", got)
	p.Restart(Position{}, 0, start)
	got, _ = drain(p, start)
	want(t, "asked for again", got, "0/1")
}

func TestRepeatsGoWhateverThePeerHolds(t *testing.T) {
	b := NewBook()
	p := NewPlan(b, 0, Position{Round: 9}, 0, start)
	other := signed(t, 3, 1, "another history")
	if !p.Repeat(other) || p.Idle() {
		t.Error("nothing to repeat")
	}
	e, _ := p.Next(start)
	if e != other {
		t.Error("something else was sent")
	}
	for range MaxRepeats {
		p.Repeat(other)
	}
	if p.Repeat(other) {
		t.Error("repeats are not bounded")
	}
}

func TestBook(t *testing.T) {
	b := NewBook()
	e := signed(t, 4, 2, "a")
	if !b.Add(e) || b.Add(e) || b.Add(signed(t, 4, 2, "b")) || b.Add(nil) {
		t.Error("Add does not say what is new")
	}
	if !b.Holds(signed(t, 4, 2, "a")) || b.Holds(signed(t, 4, 2, "b")) || b.Holds(signed(t, 4, 1, "a")) {
		t.Error("Holds is wrong")
	}
	if got := b.Position(); got != (Position{Round: 4, Heard: 1 << 2}) || b.Len() != 1 {
		t.Errorf("stands at %v with %d", got, b.Len())
	}
}

// A peer that claims to hold or sends what nobody has does not grow the plan.
func TestInventedEntriesAreNotRemembered(t *testing.T) {
	p := NewPlan(NewBook(), 0, Position{}, 0, start)
	for round := range uint32(1000) {
		p.Received(signed(t, round, 1, "invented"))
	}
	if len(p.given) != 0 {
		t.Errorf("%d entries remembered", len(p.given))
	}
}

// world is some peers that play, the connections between them, and what is on
// its way.
type world struct {
	t     *rapid.T
	keys  []identity.Key
	ids   []identity.ID
	now   time.Time
	peers []*simulated
	pipes map[[2]int][]*feed.Signed // what is on its way from one to another
	last  uint32
}

type simulated struct {
	me    int
	log   *feed.Log
	book  *Book
	plans map[int]*Plan
}

func newWorld(t *rapid.T, n int, rounds uint32) *world {
	w := &world{t: t, now: start, pipes: map[[2]int][]*feed.Signed{}, last: rounds}
	c := feed.Charter{Name: "sim"}
	for i := range n {
		key := identity.KeyFromSeed([32]byte{byte(i + 1)})
		w.keys = append(w.keys, key)
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprint("p", i), ID: key.ID(), Commitment: feed.Hash{byte(i)}})
	}
	charter, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.ids = c.IDs()
	for i := range n {
		w.peers = append(w.peers, &simulated{me: i, log: feed.NewLog(charter, w.ids, 0), book: NewBook(), plans: map[int]*Plan{}})
	}
	return w
}

func (p *simulated) links() (mask uint16) {
	for other := range p.plans {
		mask |= 1 << other
	}
	return mask
}

// speak closes what is complete and says what is owed.
func (w *world) speak(p *simulated) {
	all := make([]int, len(w.peers))
	for i := range all {
		all[i] = i
	}
	for p.log.Round() < w.last {
		if p.log.Complete() {
			if _, err := p.log.Close(p.log.Game(), all); err != nil {
				w.t.Fatal(err)
			}
			continue
		}
		if !p.log.Owes(p.me) {
			break
		}
		s, err := feed.Seal(w.keys[p.me], p.log.Template(p.me))
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := p.log.Offer(s); err != nil {
			w.t.Fatal(err)
		}
		p.book.Add(s)
		w.tell(p)
	}
}

// tell has every connected peer learn where p stands.
func (w *world) tell(p *simulated) {
	for other := range p.plans {
		w.peers[other].plans[p.me].Where(p.book.Position(), p.links(), w.now)
	}
}

func (w *world) connect(a, b int) {
	p, q := w.peers[a], w.peers[b]
	if p.plans[b] != nil {
		return
	}
	p.plans[b] = NewPlan(p.book, a, q.book.Position(), q.links(), w.now)
	q.plans[a] = NewPlan(q.book, b, p.book.Position(), p.links(), w.now)
	w.tell(p)
	w.tell(q)
}

// cut loses what is on its way.
func (w *world) cut(a, b int) {
	delete(w.peers[a].plans, b)
	delete(w.peers[b].plans, a)
	delete(w.pipes, [2]int{a, b})
	delete(w.pipes, [2]int{b, a})
	w.tell(w.peers[a])
	w.tell(w.peers[b])
}

// send moves what plans want sent onto the wire.
func (w *world) send(a, b int) (sent bool) {
	plan := w.peers[a].plans[b]
	if plan == nil {
		return false
	}
	for {
		e, _ := plan.Next(w.now)
		if e == nil {
			return sent
		}
		w.pipes[[2]int{a, b}] = append(w.pipes[[2]int{a, b}], e)
		sent = true
	}
}

// deliver takes the first entry off a wire.
func (w *world) deliver(a, b int) bool {
	wire := [2]int{a, b}
	if len(w.pipes[wire]) == 0 {
		return false
	}
	e := w.pipes[wire][0]
	w.pipes[wire] = w.pipes[wire][1:]
	q := w.peers[b]
	q.plans[a].Received(e)
	verdict, err := q.log.Offer(e)
	if err != nil {
		w.t.Fatal(err)
	}
	switch verdict {
	case feed.Added:
		q.book.Add(e)
		w.tell(q)
		w.speak(q)
	case feed.Early: // what is between is on its way, or is asked for again
		w.peers[a].plans[b].Restart(q.book.Position(), q.links(), w.now)
	}
	return true
}

// run moves everything until nothing moves any more.
func (w *world) run() {
	for idle := 0; idle < 3; {
		moved := false
		for a := range w.peers {
			for b := range w.peers {
				moved = w.send(a, b) || moved
				for w.deliver(a, b) {
					moved = true
				}
			}
		}
		if moved {
			idle = 0
			continue
		}
		idle++
		w.now = w.now.Add(RelayDelay)
	}
}

// Whatever connections come and go, and whatever is lost with them: as long as
// in the end everybody is connected with everybody through somebody, all play
// to the end and hold the same history.
func TestEverybodyConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "peers")
		w := newWorld(t, n, rapid.Uint32Range(1, 6).Draw(t, "rounds"))
		for _, p := range w.peers {
			w.speak(p)
		}
		peer := rapid.IntRange(0, n-1)
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			a, b := peer.Draw(t, "a"), peer.Draw(t, "b")
			if a == b {
				continue
			}
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				w.connect(a, b)
			case 1:
				w.cut(a, b)
			case 2, 3:
				w.send(a, b)
			case 4:
				w.deliver(a, b)
			case 5:
				w.now = w.now.Add(RelayDelay / 2)
			}
		}
		// In the end, a random tree: no more connections than needed.
		for a := range n {
			for b := range a {
				w.cut(a, b)
			}
		}
		for b := 1; b < n; b++ {
			w.connect(rapid.IntRange(0, b-1).Draw(t, "parent"), b)
		}
		w.run()
		for _, p := range w.peers {
			if p.log.Round() != w.last || p.log.Prev() != w.peers[0].log.Prev() {
				t.Fatalf("seat %d is in round %d of %d", p.me, p.log.Round(), w.last)
			}
		}
	})
}

// When everybody is connected with everybody and nothing is slow, nobody
// relays anything.
func TestNoFloodWhenAllIsWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "peers")
		const rounds = 5
		w := newWorld(t, n, rounds)
		for a := range n {
			for b := range a {
				w.connect(a, b)
			}
		}
		for _, p := range w.peers {
			w.speak(p)
		}
		sent := 0
		for moved := true; moved; {
			moved = false
			for a := range n {
				for b := range n {
					w.send(a, b)
				}
			}
			for a := range n {
				for b := range n {
					for w.deliver(a, b) {
						moved = true
						sent++
					}
				}
			}
		}
		if limit := rounds * n * (n - 1); sent != limit {
			t.Fatalf("%d entries sent, %d needed", sent, limit)
		}
	})
}
