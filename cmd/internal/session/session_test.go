package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

func TestAllSeatsKeepTheSameFairLog(t *testing.T) {
	p := newParty(t, 4)
	for i, err := range p.run() {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	var first []byte
	for i, s := range p.sessions {
		var b bytes.Buffer
		if err := s.WriteLog(&b); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b.Bytes()
		}
		if !bytes.Equal(first, b.Bytes()) {
			t.Fatalf("seat %d holds another log", i)
		}
		kept, err := p.stores[i].Load(s.State().Table)
		if err != nil {
			t.Fatal(err)
		}
		if _, entries := s.Log(); len(kept.Log) != len(entries) || kept.Secret != nil {
			t.Errorf("seat %d: %d entries kept of %d, secret kept: %v", i, len(kept.Log), len(entries), kept.Secret != nil)
		}
	}
	r, err := Verify(bytes.NewReader(first))
	if err != nil || !r.Fair() || !r.Complete {
		t.Fatalf("%v %+v", err, r)
	}
}

// stubborn is a store that looks at what the network has seen whenever it is
// asked to keep something.
type stubborn struct {
	store.Store
	port *port
	t    *testing.T
}

func (s stubborn) Append(table feed.Hash, entries ...*feed.Signed) error {
	s.port.hub.mu.Lock()
	defer s.port.hub.mu.Unlock()
	for _, e := range entries {
		for _, sent := range s.port.sent {
			if sent == e && int(e.Seat) == s.port.seat {
				s.t.Errorf("round %d: seat %d sent its entry before it was kept", e.Round, e.Seat)
			}
		}
	}
	return s.Store.Append(table, entries...)
}

func TestOwnEntryIsKeptBeforeItIsSent(t *testing.T) {
	p := newParty(t, 3)
	for i := range p.sessions {
		p.sessions[i].core.cfg.Store = stubborn{p.stores[i], p.hub.ports[i], t}
	}
	for i, err := range p.run() {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
}

// full is a store whose disk is full from some entry on.
type full struct {
	store.Store
	left *int
}

var errFull = errors.New("no space left")

func (f full) Append(table feed.Hash, entries ...*feed.Signed) error {
	if *f.left -= len(entries); *f.left < 0 {
		return errFull
	}
	return f.Store.Append(table, entries...)
}

func TestFullDiskStopsBeforeAnythingUnkeptIsSent(t *testing.T) {
	p := newParty(t, 3)
	left := 7
	p.sessions[1].core.cfg.Store = full{p.stores[1], &left}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for _, i := range []int{0, 2} {
		wg.Go(func() { _ = p.sessions[i].Run(ctx) })
	}
	err := p.sessions[1].Run(ctx)
	cancel()
	wg.Wait()
	if !errors.Is(err, errFull) {
		t.Fatalf("Run returned %v", err)
	}
	kept, err := p.stores[1].Load(p.sessions[1].core.state.Table)
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range p.hub.ports[1].sent {
		if sent.Seat != 1 {
			continue
		}
		found := false
		for _, k := range kept.Log {
			found = found || bytes.Equal(k.Raw(), sent.Raw())
		}
		if !found {
			t.Errorf("round %d was sent and is not kept", sent.Round)
		}
	}
}

func TestSessionResumesFromEveryKeptLength(t *testing.T) {
	p := newParty(t, 3)
	p.run()
	_, entries := p.sessions[0].Log()
	for n := range entries {
		s := p.session(1, entries[:n])
		if _, kept := s.Log(); len(kept) != n || n > 0 && kept[n-1] != entries[n-1] {
			t.Fatalf("resumed from %d entries, holds %d", n, len(kept))
		}
	}
}

// Everybody is killed at once, at many different moments; whatever each store
// holds then is enough for all to finish the same game.
func TestWholeTableResumesAfterACrash(t *testing.T) {
	for _, after := range []int{1, 9, 17, 23, 31, 44, 58} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			p := newParty(t, 3)
			ctx, cancel := context.WithCancel(context.Background())
			sent := 0
			p.hub.cut = func(int, int, *feed.Signed) bool {
				if sent++; sent >= after {
					cancel()
				}
				return ctx.Err() != nil
			}
			var wg sync.WaitGroup
			for _, s := range p.sessions {
				wg.Go(func() { _ = s.Run(ctx) })
			}
			wg.Wait()
			p.hub = newHub(3)
			for i := range p.sessions {
				kept, err := p.stores[i].Load(feed.TableHash(p.charter))
				if err != nil {
					t.Fatal(err)
				}
				p.sessions[i] = p.session(i, kept.Log)
			}
			for i, err := range p.run() {
				if err != nil {
					t.Errorf("seat %d: %v", i, err)
				}
			}
			if a, b := p.sessions[0].core.log.Prev(), p.sessions[2].core.log.Prev(); a != b {
				t.Error("the seats resumed into different games")
			}
		})
	}
}

// A seat shows one half of the table one shuffle and the other half another.
// Everybody honest must stop with the culprit named, before any share of that
// deck has left.
func TestEquivocationConvictsItsAuthorOnBothSides(t *testing.T) {
	p := newParty(t, 4)
	const cheat = 1
	p.hub.cut = func(from, to int, e *feed.Signed) bool {
		return from == cheat && int(e.Seat) == cheat && e.Round >= 3 && to >= 2
	}
	p.sessions[cheat].core.cfg.Store = forker{
		Store: p.stores[cheat], p: p, me: cheat, two: seat.New(p.secrets[cheat], cheat, seeded("another order")),
		when: func(e *feed.Signed) bool { return e.Round == 3 }, to: []int{2, 3},
	}
	errs := p.runHonest(cheat)
	for i, s := range p.sessions {
		if i == cheat {
			continue
		}
		faults := s.Latest().View.Faults
		if !errors.Is(errs[i], ErrStopped) || len(faults) != 1 || faults[0].Seat != cheat || faults[0].Rule != table.RuleFork {
			t.Errorf("seat %d: %v, faults %v", i, errs[i], faults)
		}
		for _, e := range p.hub.ports[i].sent {
			if e.Kind == uint8(move.KindShares) {
				t.Errorf("seat %d released a share in round %d", i, e.Round)
			}
		}
	}
}

// forker lets a seat show the upper half of the table another shuffle than the
// lower, which gets what the session itself sends.
type forker struct {
	store.Store
	p    *party
	me   int
	two  *seat.Seat
	when func(e *feed.Signed) bool
	want seat.Action
	to   []int
}

func (f forker) Append(table feed.Hash, entries ...*feed.Signed) error {
	for _, e := range entries {
		if int(e.Seat) == f.me && f.when(e) && e.Round == f.p.sessions[f.me].core.state.Round {
			other, err := f.another(e.Entry)
			if err != nil {
				f.p.t.Error(err)
				continue
			}
			for _, to := range f.to {
				f.p.hub.ports[to].arrivals <- node.Arrival{From: f.me, Entry: other}
			}
		}
	}
	return f.Store.Append(table, entries...)
}

// another is a second, valid shuffle for the place of e.
func (f forker) another(e feed.Entry) (*feed.Signed, error) {
	m, err := f.two.Answer(f.p.sessions[f.me].core.state, f.want)
	if err != nil {
		return nil, err
	}
	kind, body, err := move.Encode(m)
	if err != nil {
		return nil, err
	}
	e.Kind, e.Body = uint8(kind), body
	return feed.Seal(f.p.keys[f.me], e)
}
