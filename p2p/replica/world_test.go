package replica

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// world is some peers that play, the connections between them, and what is on
// its way. Everybody keeps the rules of leaving: whoever voted for a motion
// closes the round by nothing lower until somebody refuses it, whoever closed
// it otherwise refuses it, and whoever is left out takes that over.
type world struct {
	t     rapid.TB
	keys  []identity.Key
	now   time.Time
	peers []*simulated
	pipes map[[2]int][]*feed.Signed // what is on its way from one to another
	last  uint32

	overruled int // how often a peer took over another closing than its own
}

type simulated struct {
	me    int
	log   *feed.Log
	book  *Book
	said  *Repeats // ballots that are shown to everybody
	plans map[int]*Plan
	early []*feed.Signed
}

func newWorld(t rapid.TB, n, leavers int, rounds uint32) *world {
	w := &world{t: t, now: start, pipes: map[[2]int][]*feed.Signed{}, last: rounds}
	c := feed.Charter{Name: "sim", Leavers: uint8(leavers)}
	for i := range n {
		key := identity.KeyFromSeed([32]byte{byte(i + 1)})
		w.keys = append(w.keys, key)
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprint("p", i), ID: key.ID(), Commitment: feed.Hash{byte(i)}})
	}
	charter, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w.peers = append(w.peers, &simulated{
			me: i, log: feed.NewLog(charter, c.IDs(), leavers), book: NewBook(), said: new(Repeats), plans: map[int]*Plan{},
		})
	}
	return w
}

func (p *simulated) links() (mask uint16) {
	for other := range p.plans {
		mask |= 1 << other
	}
	return mask
}

func (w *world) seats() []int {
	all := make([]int, len(w.peers))
	for i := range all {
		all[i] = i
	}
	return all
}

// settle does all that a peer can do with what it holds.
func (w *world) settle(p *simulated) {
	cuts := p.book.Cuts()
	for again := true; again; {
		again = w.takeBack(p) || w.close(p) || w.speak(p) || w.refuse(p) || w.ripen(p)
	}
	w.tell(p, p.book.Cuts() != cuts)
	held, want := slices.Clone(p.book.lines), p.log.Entries()
	if len(held) != len(want) {
		w.t.Fatalf("seat %d: the book holds %d entries, the log %d", p.me, len(held), len(want))
	}
	for _, e := range want {
		if !p.book.Holds(e) {
			w.t.Fatalf("seat %d: the book lacks %d/%d", p.me, e.Round, e.Seat)
		}
	}
	if !slices.IsSortedFunc(held, compareLines) {
		w.t.Fatalf("seat %d: the book is not in log order", p.me)
	}
}

func compareLines(a, b *line) int {
	ballot := func(l *line) int {
		if l.ballot {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.epoch, b.epoch), cmp.Compare(ballot(a), ballot(b)), cmp.Compare(a.entry.Round, b.entry.Round))
}

func (w *world) takeBack(p *simulated) bool {
	round, ok := p.log.Overruled(p.me)
	if ok {
		p.log.Reopen(round)
		w.overruled++
	}
	return ok
}

func (w *world) over(p *simulated) bool {
	r := p.log.Round()
	return r >= w.last || r > 0 && p.log.ClosedBy(r-1).Abandon
}

func (w *world) close(p *simulated) bool {
	if w.over(p) {
		return false
	}
	m, ok := p.log.Closes(p.me, true)
	if !ok {
		return false
	}
	game := p.log.Game()
	if !m.Normal() {
		game = feed.NextGame(game, p.log.Prev(), p.log.Round(), m)
	}
	entries, err := p.log.CloseBy(m, game, w.seats())
	if err != nil {
		w.t.Fatal(err)
	}
	if m.Normal() {
		return true
	}
	for _, e := range entries {
		if !p.book.Add(e) {
			w.t.Fatalf("seat %d: the book refuses a ballot for round %d", p.me, e.Round)
		}
	}
	// The book has them now.
	p.said.Forget(func(e *feed.Signed) bool { return p.book.Holds(e) })
	return true
}

func (w *world) speak(p *simulated) bool {
	if w.over(p) || !p.log.Owes(p.me) {
		return false
	}
	s, err := feed.Seal(w.keys[p.me], p.log.Template(p.me))
	if err != nil {
		w.t.Fatal(err)
	}
	if verdict := w.offer(p, s); verdict != feed.Added {
		w.t.Fatalf("seat %d: own entry: verdict %d", p.me, verdict)
	}
	return true
}

// refuse answers what was moved in rounds that were closed otherwise here.
func (w *world) refuse(p *simulated) bool {
	for round := range p.log.Round() {
		for _, m := range p.log.Motions(round) {
			if m == p.log.ClosedBy(round) || m.Drops(p.me) || p.log.Vote(round, m, p.me) != nil || !p.present(round) {
				continue
			}
			w.vote(p, round, m, false)
			return true
		}
	}
	return false
}

// present reports whether a peer had a say in a round.
func (p *simulated) present(round uint32) bool {
	for r := range round {
		if p.log.ClosedBy(r).Drops(p.me) {
			return false
		}
	}
	return true
}

func (w *world) vote(p *simulated, round uint32, m feed.Motion, yes bool) {
	s, err := feed.CastBallot(w.keys[p.me], p.log.TemplateAt(round, p.me), feed.Ballot{Motion: m, Yes: yes})
	if err != nil {
		w.t.Fatal(err)
	}
	if verdict := w.offer(p, s); verdict != feed.Added {
		w.t.Fatalf("seat %d: own ballot: verdict %d", p.me, verdict)
	}
}

// offer takes an entry in as a session does.
func (w *world) offer(p *simulated, e *feed.Signed) feed.Verdict {
	verdict, err := p.log.Offer(e)
	if err != nil {
		w.t.Fatalf("seat %d, round %d: %v", p.me, p.log.Round(), err)
	}
	if verdict != feed.Added {
		return verdict
	}
	if _, is := e.Ballot(); is {
		p.said.Add(e)
	} else if !p.book.Add(e) {
		w.t.Fatalf("seat %d: the book refuses %d/%d", p.me, e.Round, e.Seat)
	}
	return verdict
}

// ripen offers again what came early.
func (w *world) ripen(p *simulated) (any bool) {
	p.early = slices.DeleteFunc(p.early, func(e *feed.Signed) bool {
		verdict := w.offer(p, e)
		any = any || verdict == feed.Added
		return verdict != feed.Early
	})
	return any
}

// tell has every connected peer learn where p stands, and, if p has taken back
// something, send again what p lacks.
func (w *world) tell(p *simulated, again bool) {
	for other, plan := range p.plans {
		theirs := w.peers[other].plans[p.me]
		if again {
			plan.Again()
			theirs.Restart(p.book.Position(), p.links(), w.now)
		} else {
			theirs.Where(p.book.Position(), p.links(), w.now)
		}
	}
}

func (w *world) connect(a, b int) {
	p, q := w.peers[a], w.peers[b]
	if p.plans[b] != nil {
		return
	}
	p.plans[b] = NewPlan(p.book, p.said, a, q.book.Position(), q.links(), w.now)
	q.plans[a] = NewPlan(q.book, q.said, b, p.book.Position(), p.links(), w.now)
	w.tell(p, false)
	w.tell(q, false)
}

// cut loses what is on its way.
func (w *world) cut(a, b int) {
	delete(w.peers[a].plans, b)
	delete(w.peers[b].plans, a)
	delete(w.pipes, [2]int{a, b})
	delete(w.pipes, [2]int{b, a})
	w.tell(w.peers[a], false)
	w.tell(w.peers[b], false)
}

// send moves what plans want sent onto the wire.
func (w *world) send(a, b int) (sent bool) {
	plan := w.peers[a].plans[b]
	if plan == nil {
		return false
	}
	for {
		idle := plan.Idle()
		e, wait := plan.Next(w.now)
		if idle && (e != nil || wait >= 0) || !idle && e == nil && wait < 0 {
			w.t.Fatalf("idle is %v, but next is %v in %v", idle, e, wait)
		}
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
	if !q.plans[a].Received(e) {
		return true
	}
	switch w.offer(q, e) {
	case feed.Added:
		w.settle(q)
	case feed.Early:
		q.early = append(q.early, e)
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

// move has some peers vote to go on without one or two seats.
func (w *world) move(t *rapid.T) {
	seat := rapid.IntRange(0, len(w.peers)-1)
	m := feed.Without(seat.Draw(t, "without"), seat.Draw(t, "and without"))
	m.Abandon = rapid.IntRange(0, 19).Draw(t, "abandon") == 19
	for _, p := range w.peers {
		if w.over(p) || !p.log.Present(p.me) || m.Drops(p.me) || !p.log.Lawful(m) || p.log.Vote(p.log.Round(), m, p.me) != nil {
			continue
		}
		if rapid.IntRange(0, 4).Draw(t, "does not vote") != 4 {
			w.vote(p, p.log.Round(), m, true)
			w.settle(p)
		}
	}
}

// agree has everybody who waits vote for the highest motion there is, and
// reports whether anybody did.
func (w *world) agree() (voted bool) {
	for _, p := range w.peers {
		if w.over(p) || !p.log.Present(p.me) {
			continue
		}
		for _, m := range p.log.Motions(p.log.Round()) {
			if m.Drops(p.me) || p.log.Vote(p.log.Round(), m, p.me) != nil {
				continue
			}
			w.vote(p, p.log.Round(), m, true)
			w.settle(p)
			voted = true
			break
		}
	}
	return voted
}

// stir lets connections come and go, people speak, and leave.
func (w *world) stir(t *rapid.T) {
	n := len(w.peers)
	peer := rapid.IntRange(0, n-1)
	for range rapid.IntRange(0, 200).Draw(t, "steps") {
		a, b := peer.Draw(t, "a"), peer.Draw(t, "b")
		if a == b {
			continue
		}
		switch rapid.IntRange(0, 8).Draw(t, "what") {
		case 0, 1:
			w.connect(a, b)
		case 2:
			w.cut(a, b)
		case 3, 4:
			w.send(a, b)
		case 5, 6:
			for range rapid.IntRange(1, 8).Draw(t, "entries") {
				w.deliver(a, b)
			}
		case 7:
			w.now = w.now.Add(RelayDelay / 2)
		case 8:
			w.move(t)
		}
	}
}

// end connects everybody by a tree, no more than needed, and moves everything
// until all have played to the end.
func (w *world) end(parent func(of int) int) {
	n := len(w.peers)
	for a := range n {
		for b := range a {
			w.cut(a, b)
		}
	}
	for b := 1; b < n; b++ {
		w.connect(parent(b), b)
	}
	w.run()
	for w.agree() {
		w.run()
	}
}

// Whatever connections come and go, whatever is lost with them, and whoever is
// left behind by the others meanwhile: as long as in the end everybody is
// connected with everybody through somebody, all play to the end and hold the
// same history, those who had gone down another one as well.
func TestEverybodyConverges(t *testing.T) {
	closings, cuts, overruled := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "peers")
		w := newWorld(t, n, n-2-rapid.IntRange(0, n-2).Draw(t, "fewer leavers"), rapid.Uint32Range(1, 8).Draw(t, "rounds"))
		for _, p := range w.peers {
			w.settle(p)
		}
		w.stir(t)
		w.end(func(of int) int { return rapid.IntRange(0, of-1).Draw(t, "parent") })
		for _, p := range w.peers {
			if !w.over(p) || p.log.Prev() != w.peers[0].log.Prev() {
				t.Fatalf("seat %d is in round %d of %d", p.me, p.log.Round(), w.last)
			}
			if p.book.Position() != w.peers[0].book.Position() {
				t.Fatalf("seat %d stands at %v, seat 0 at %v", p.me, p.book.Position(), w.peers[0].book.Position())
			}
			closings += len(p.book.closings)
			cuts += p.book.Cuts()
		}
		overruled += w.overruled
	})
	t.Logf("%d closings, %d times something was taken back, %d times a closing", closings, cuts, overruled)
	if closings == 0 || cuts == 0 || overruled == 0 {
		t.Error("nobody ever went down a branch that was left")
	}
}

// Three who were left out have left the others out in turn, who had made them more
// than half before, and have come further meanwhile: by number they are ahead of
// those that they have to follow.
func TestTheOtherHalfComesBack(t *testing.T) {
	w := newWorld(t, 6, 4, 9)
	vote := func(m feed.Motion, seats ...int) {
		for _, i := range seats {
			w.vote(w.peers[i], w.peers[i].log.Round(), m, true)
			w.settle(w.peers[i])
		}
		w.run()
	}
	link := func(seats ...int) {
		for i, a := range seats {
			for _, b := range seats[:i] {
				w.connect(a, b)
			}
		}
	}
	w.connect(0, 3)
	vote(feed.Without(1, 2), 0)
	w.cut(0, 3)
	link(3, 4, 5)
	vote(feed.Without(1, 2), 3, 4, 5)
	link(0, 1, 2)
	vote(feed.Without(3, 4, 5), 0, 1, 2)
	kept, left := w.peers[0], w.peers[3]
	if at := kept.book.Position(); at.Epoch != 1 || at.Round != 8 {
		t.Fatalf("one half is at %v", at)
	}
	if at := left.book.Position(); at.Epoch != 1 || at.Round != 1 {
		t.Fatalf("the other half is at %v", at)
	}
	w.end(func(of int) int { return of / 2 })
	for _, p := range w.peers {
		if p.log.Prev() != kept.log.Prev() || p.log.Round() != 9 {
			t.Fatalf("seat %d stands at %v", p.me, p.book.Position())
		}
	}
}

// When everybody is connected with everybody and nothing is slow, nobody
// relays anything.
func TestNoFloodWhenAllIsWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "peers")
		const rounds = 5
		w := newWorld(t, n, 0, rounds)
		for a := range n {
			for b := range a {
				w.connect(a, b)
			}
		}
		for _, p := range w.peers {
			w.settle(p)
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
