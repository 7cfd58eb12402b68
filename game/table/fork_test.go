package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// peer is one honest seat with its own log and its own fold.
type peer struct {
	i    int
	log  *feed.Log
	st   *table.State
	fork *feed.Fork
	odd  []*feed.Signed // on another history
}

// peers are the seats of a scene, each having heard the whole log.
func (s *scene) peers(t *testing.T) []*peer {
	t.Helper()
	var out []*peer
	for i := range s.Seats {
		st, err := table.New(s.Charter)
		if err != nil {
			t.Fatal(err)
		}
		p := &peer{i: i, st: st, log: feed.NewLog(s.Charter, st.Charter.IDs(), int(st.Charter.Leavers))}
		for _, e := range s.Log.Entries() {
			p.hear(t, e)
		}
		out = append(out, p)
	}
	return out
}

// hear takes the bytes of an entry and folds what they complete.
func (p *peer) hear(t *testing.T, e *feed.Signed) {
	t.Helper()
	if p.st.Stopped() {
		return
	}
	wire, err := feed.Decode(e.Raw())
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.log.Offer(wire)
	switch {
	case errors.As(err, &p.fork):
		p.st = p.st.Stop(table.Fault{Seat: int(p.fork.First.Seat), Round: p.fork.First.Round, Rule: table.RuleFork})
		return
	case errors.Is(err, feed.ErrHistory):
		p.odd = append(p.odd, wire)
		return
	case err != nil:
		t.Fatalf("peer %d: %v", p.i, err)
	}
	m, closes := p.log.Closes(-1, true)
	if !closes {
		return
	}
	round := p.log.Open()
	if !m.Normal() {
		round = p.log.Votes(m)
	}
	if p.st = table.Apply(p.st, round); p.st.Stopped() {
		t.Fatalf("peer %d: %v", p.i, p.st.Faults)
	}
	if _, err := p.log.CloseBy(m, p.st.Game, p.st.Speakers()); err != nil {
		t.Fatal(err)
	}
}

// twoFaced are two different honest entries of one seat for the open round.
func (s *scene) twoFaced(t *testing.T, i int) (a, b *feed.Signed) {
	t.Helper()
	sign := func() *feed.Signed {
		kind, body := encoded(t, s.honest(t, i))
		return s.sealed(t, i, kind, body)
	}
	a, b = sign(), sign()
	if bytes.Equal(a.Content(), b.Content()) {
		t.Fatal("both entries are the same")
	}
	return a, b
}

// A shuffler shows one deck to one half of the table and another deck to the
// other half. The halves fold different histories, find out with the very next
// entry, exchange what they hold of the round before, and convict the shuffler
// with both entries in hand. No share of either deck has left anybody.
func TestShufflerWithTwoDecks(t *testing.T) {
	const n = 4
	for _, c := range []struct {
		stage    table.Stage
		shuffler int
	}{{table.Sorting, 0}, {table.Sorting, n - 1}, {table.Pooling, 1}, {table.Pooling, n - 1}} {
		t.Run(fmt.Sprintf("%s %d", c.stage, c.shuffler), func(t *testing.T) {
			s := newScene(t, "two decks", "card", n, rules.DefaultOptions())
			s.until(t, func(st *table.State) bool { return st.Stage == c.stage && st.Shuffler == c.shuffler })
			round := s.State.Round
			a, b := s.twoFaced(t, c.shuffler)
			peers := s.peers(t)
			honest := slices.DeleteFunc(slices.Clone(peers), func(p *peer) bool { return p.i == c.shuffler })
			for k, p := range honest {
				p.hear(t, []*feed.Signed{a, b}[k%2])
			}
			if honest[0].st.Prev == honest[1].st.Prev {
				t.Fatal("two decks, one history")
			}
			for _, p := range honest { // whoever is due speaks on top of its own history
				if !p.log.Owes(p.i) {
					continue
				}
				m, err := s.Seats[p.i].Answer(p.st, nil)
				if err != nil {
					t.Fatal(err)
				}
				kind, body := encoded(t, m)
				e := p.log.Template(p.i)
				e.Kind, e.Body = uint8(kind), body
				own, err := feed.Seal(s.Keys[p.i], e)
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range honest {
					q.hear(t, own)
				}
			}
			for _, p := range honest {
				if p.st.Stage >= table.Dealing || len(p.st.Tasks()) > 0 {
					t.Errorf("peer %d has come to the deal", p.i)
				}
			}
			if !slices.ContainsFunc(honest, func(p *peer) bool { return len(p.odd) > 0 }) {
				t.Fatal("nobody noticed")
			}
			for _, p := range honest { // both ways round
				for _, e := range honest[0].log.Closed(round) {
					p.hear(t, e)
				}
				for _, e := range honest[1].log.Closed(round) {
					p.hear(t, e)
				}
				s.convicts(t, p, a, b)
			}
		})
	}
}

// convicts demands that p holds both entries as evidence, has stopped with
// their author named, and releases nothing.
func (s *scene) convicts(t *testing.T, p *peer, a, b *feed.Signed) {
	t.Helper()
	if p.fork == nil {
		t.Fatalf("peer %d holds no evidence", p.i)
	}
	held := [][]byte{p.fork.First.Raw(), p.fork.Second.Raw()}
	both := [][]byte{a.Raw(), b.Raw()}
	if !bytes.Equal(held[0], both[0]) { // the one heard first comes first
		slices.Reverse(both)
	}
	if !slices.EqualFunc(held, both, bytes.Equal) {
		t.Errorf("peer %d: the evidence is not the two entries", p.i)
	}
	id := p.st.Charter.Seats[a.Seat].ID
	if p.fork.First.Verify(id) != nil || p.fork.Second.Verify(id) != nil {
		t.Errorf("peer %d: the evidence does not verify", p.i)
	}
	want := []table.Fault{{Seat: int(a.Seat), Round: a.Round, Rule: table.RuleFork}}
	if !slices.Equal(p.st.Faults, want) {
		t.Errorf("peer %d: %v, want %v", p.i, p.st.Faults, want)
	}
	s.silent(t, p.st)
}

// Two entries for one place, in every round in which an entry can differ, seen
// while the round is open and after it was closed, and in both orders.
func TestTwoEntriesForOnePlace(t *testing.T) {
	for _, c := range places() {
		t.Run(c.name, func(t *testing.T) {
			s := c.scene(t)
			i := s.State.Speakers()[0]
			a, b := s.twoFaced(t, i)
			for name, pair := range map[string][2]*feed.Signed{"one way": {a, b}, "the other way": {b, a}} {
				t.Run(name, func(t *testing.T) {
					open := s.peers(t)[(i+1)%3]
					open.hear(t, pair[0])
					open.hear(t, pair[1])
					s.convicts(t, open, a, b)

					closed := s.peers(t)[(i+1)%3]
					for _, e := range s.round(t, map[int]*feed.Signed{i: pair[0]}) {
						closed.hear(t, e)
					}
					if closed.st.Round != s.State.Round+1 {
						t.Fatal("the round was not closed")
					}
					closed.hear(t, pair[1])
					s.convicts(t, closed, a, b)
				})
			}
		})
	}
}

// Somebody who asks two different questions gets at most the answers to one
// history from each peer, and is convicted.
func TestAskerWithTwoQuestions(t *testing.T) {
	s := at(t, "two questions", phase(rules.Turn))
	i := s.State.Pos.Active
	sign := func(cards ...uint8) *feed.Signed {
		kind, body := encoded(t, &move.Ask{Cards: cards})
		return s.sealed(t, i, kind, body)
	}
	a, b := sign(0, 6), sign(1, 7)
	peers := s.peers(t)
	left, right := peers[(i+1)%3], peers[(i+2)%3]
	left.hear(t, a)
	right.hear(t, b)
	if left.st.Prev == right.st.Prev || slices.Equal(left.st.Pos.Question.Cards, right.st.Pos.Question.Cards) {
		t.Fatal("both heard the same")
	}
	left.hear(t, b)
	right.hear(t, a)
	s.convicts(t, left, a, b)
	s.convicts(t, right, a, b)
}
