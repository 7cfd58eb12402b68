package table_test

import (
	"errors"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// offered is what a peer's log says to the bytes of an entry. The open round
// and the history must be as they were unless it was added.
func (p *peer) offered(t *testing.T, e *feed.Signed) (feed.Verdict, error) {
	t.Helper()
	wire, err := feed.Decode(e.Raw())
	if err != nil {
		t.Fatal(err)
	}
	prev, round, open := p.log.Prev(), p.log.Round(), len(p.log.Open())
	v, err := p.log.Offer(wire)
	if v != feed.Added && (p.log.Prev() != prev || p.log.Round() != round || len(p.log.Open()) != open) {
		t.Errorf("a refused entry changed the log")
	}
	return v, err
}

// Same players, same identities, same secrets, another table: no entry of the
// one game can stand in the other.
func TestEntriesOfAnotherGame(t *testing.T) {
	a, b := at(t, "one game", phase(rules.Turn)), newScene(t, "one game", "card-advanced", 3, rules.DefaultOptions())
	b.until(t, phase(rules.Turn))
	for i := range a.Keys {
		if a.Keys[i].ID() != b.Keys[i].ID() {
			t.Fatal("the tables seat different players")
		}
	}
	p := b.peers(t)[0]
	for _, e := range a.Log.Entries() {
		if _, err := p.offered(t, e); !errors.Is(err, feed.ErrForeign) {
			t.Errorf("round %d, seat %d: %v", e.Round, e.Seat, err)
		}
	}
}

// The bytes of an entry under another header, signed by who can sign: a thief
// with a key of its own, or the author.
func TestEntriesMoved(t *testing.T) {
	s := at(t, "moved", phase(rules.Turn))
	p := s.peers(t)[0]
	stranger, err := identity.NewKey(parlour.Rand("stranger"))
	if err != nil {
		t.Fatal(err)
	}
	sign := func(key identity.Key, e feed.Entry) *feed.Signed {
		out, err := feed.Seal(key, e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	active := s.State.Pos.Active
	idle := (active + 1) % 3
	place := s.State.Place(active)
	place.Kind, place.Body = uint8(move.KindAccuse), []byte{0x80}
	old := s.Log.Closed(5)[0]
	t.Run("as they are", func(t *testing.T) { // repeated, and reflected to their authors
		for _, peer := range s.peers(t) {
			for _, e := range s.Log.Entries() {
				if v, err := peer.offered(t, e); v != feed.Known || err != nil {
					t.Errorf("round %d, seat %d: %v %v", e.Round, e.Seat, v, err)
				}
			}
		}
	})
	t.Run("by a thief", func(t *testing.T) {
		for i := range s.Seats {
			e := place
			e.Seat = uint8(i)
			if _, err := p.offered(t, sign(stranger, e)); !errors.Is(err, feed.ErrSignature) {
				t.Errorf("as seat %d: %v", i, err)
			}
			if _, err := p.offered(t, sign(s.Keys[(i+1)%3], e)); !errors.Is(err, feed.ErrSignature) {
				t.Errorf("seat %d as seat %d: %v", (i+1)%3, i, err)
			}
		}
	})
	t.Run("to no seat", func(t *testing.T) {
		for _, seat := range []uint8{3, 4, 255} {
			e := place
			e.Seat = seat
			if _, err := p.offered(t, sign(stranger, e)); !errors.Is(err, feed.ErrNoSeat) {
				t.Errorf("seat %d: %v", seat, err)
			}
		}
	})
	t.Run("to the future", func(t *testing.T) {
		for _, ahead := range []uint32{1, 2, 1000, 1<<32 - 1 - place.Round} {
			e := place
			e.Round += ahead
			if v, err := p.offered(t, sign(s.Keys[active], e)); v != feed.Early || err != nil {
				t.Errorf("%d rounds ahead: %v %v", ahead, v, err)
			}
		}
	})
	t.Run("to the other name of the game", func(t *testing.T) {
		e := place
		e.Game = s.State.Table
		if v, err := p.offered(t, sign(s.Keys[active], e)); v != feed.Stale || err != nil {
			t.Error(v, err)
		}
	})
	t.Run("on a stale history", func(t *testing.T) {
		for r := range s.State.Round {
			e := place
			e.Prev = s.Log.Closed(r)[0].Prev
			misplaced(t, p, sign(s.Keys[active], e), feed.ErrHistory)
		}
	})
	t.Run("out of turn", func(t *testing.T) {
		e := place
		e.Seat = uint8(idle)
		misplaced(t, p, sign(s.Keys[idle], e), feed.ErrTurn)
		for _, i := range []int{0, 1, 2} { // into a closed round in which it owed nothing
			if i == int(old.Seat) {
				continue
			}
			e := old.Entry
			e.Seat = uint8(i)
			misplaced(t, p, sign(s.Keys[i], e), feed.ErrTurn)
		}
	})
}

// misplaced demands a refusal that names the author, with the entry as evidence.
func misplaced(t *testing.T, p *peer, e *feed.Signed, why error) {
	t.Helper()
	_, err := p.offered(t, e)
	var m *feed.Misplaced
	if !errors.As(err, &m) || !errors.Is(err, why) || m.Entry.Seat != e.Seat {
		t.Errorf("round %d, seat %d: %v", e.Round, e.Seat, err)
	}
}

// The body of every entry so far, said again by its own author in the open
// round: refused by its kind or by its proof, as nothing in a body carries over.
func TestBodiesSaidAgain(t *testing.T) {
	s := newScene(t, "said again", "card", 3, rules.DefaultOptions())
	s.follow(script{guess: func(int) []rules.Card { return s.wrong(t, 0) }})
	s.until(t, phase(rules.Judging))
	s.follow(script{guess: func(int) []rules.Card { return s.crime(t) }})
	s.until(t, phase(rules.Turn))
	tried := 0
	for !s.State.Done() {
		i := s.State.Speakers()[0]
		for _, old := range s.Log.Entries() {
			// Without proof or secret: what a player may well say twice.
			if k := move.Kind(old.Kind); int(old.Seat) != i || k == move.KindAsk || k == move.KindAccuse || k == move.KindChecked {
				continue
			}
			if move.Kind(old.Kind) == move.KindSeal && s.State.Phase() == rules.Sealing {
				continue // a seal said again is found out when it is opened
			}
			lie := s.sealed(t, i, move.Kind(old.Kind), old.Body)
			st := table.Apply(s.State, s.round(t, map[int]*feed.Signed{i: lie}))
			if len(st.Faults) != 1 || st.Faults[0].Seat != i {
				t.Fatalf("%s of round %d again in round %d: %v", move.Kind(old.Kind), old.Round, s.State.Round, st.Faults)
			}
			tried++
		}
		if more, err := s.RoundWith(s.action); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	t.Logf("%d bodies", tried)
}
