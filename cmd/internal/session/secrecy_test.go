package session

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/rules"
	"alibi/game/table"
)

// A peer that dumps all it can decrypt: every pair of group elements that
// stands anywhere in the log, taken as a ciphertext under its seat key, and
// every sum of public shares with its own. It must find its own cards, what
// was shown to it, and what everybody knows; nothing else.
func TestDumpingPeerDecryptsOnlyWhatItMayKnow(t *testing.T) {
	p := newParty(t, 4)
	for i, err := range p.run() {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	st := p.sessions[0].State()
	entries := beforeTheEnd(t, p)
	for i, s := range p.sessions {
		key, err := group.ParseScalar(p.secrets[i].Bytes()[64:96])
		if err != nil {
			t.Fatal(err)
		}
		lock, err := group.ParseScalar(p.secrets[i].Bytes()[96:])
		if err != nil {
			t.Fatal(err)
		}
		may := mayKnow(s, st)
		for _, e := range entries {
			for _, c := range dump(st, e.Body, key, lock) {
				if !slices.Contains(may, c) {
					t.Errorf("seat %d reads card %s out of round %d", i, st.Edition.Cards[c].Key, e.Round)
				}
			}
		}
	}
}

// beforeTheEnd lists the entries said before the Crime cards were turned over
// and keys were opened.
func beforeTheEnd(t *testing.T, p *party) []*feed.Signed {
	t.Helper()
	_, entries := p.sessions[0].Log()
	var revealed uint32
	for _, e := range p.sessions[0].State().Story {
		if e.Kind == table.Revealed {
			revealed = e.Round
		}
	}
	if revealed == 0 {
		t.Fatal("the Crime cards were never revealed")
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *feed.Signed) bool { return e.Round >= revealed })
}

// mayKnow lists the cards that a seat may know before the end.
func mayKnow(s *Session, st *table.State) []rules.Card {
	may := append(s.core.seat.Hand(st), st.FaceUp...)
	may = append(may, s.core.seat.Guessed(st)...)
	may = append(may, s.core.seat.Peeked(st)...)
	for _, e := range st.Story {
		if c, ok := s.core.seat.Shown(st, e); ok {
			may = append(may, c)
		}
		if e.Kind == table.Right || e.Kind == table.Disclosed {
			may = append(may, e.Cards...)
		}
	}
	return may
}

// dump tries every element of a body as a card in the open, and every two
// neighbours as a ciphertext under either key.
func dump(st *table.State, body []byte, keys ...*group.Scalar) []rules.Card {
	var found []rules.Card
	elements := map[int]*group.Element{}
	for at := 0; at+group.ElementSize <= len(body); at++ {
		m, err := group.ParseElement(body[at : at+group.ElementSize])
		if err != nil {
			continue
		}
		elements[at] = m
		tries := []*group.Element{m}
		if first := elements[at-group.ElementSize]; first != nil {
			for _, k := range keys {
				tries = append(tries, elgamal.Ciphertext{A: first, B: m}.Decrypt(k))
			}
		}
		for _, x := range tries {
			if c, ok := st.Deck.Index(x); ok {
				found = append(found, rules.Card(c))
			}
		}
	}
	return found
}

// The test above can fail: with the keys of somebody else it finds their hand.
func TestDumpWouldNoticeALeak(t *testing.T) {
	p := newParty(t, 3)
	p.run()
	st := p.sessions[0].State()
	for i, s := range p.sessions {
		key, err := group.ParseScalar(p.secrets[i].Bytes()[64:96])
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, e := range beforeTheEnd(t, p) {
			shown += len(dump(st, e.Body, key))
		}
		want := 0
		for _, e := range st.Story {
			if _, ok := s.core.seat.Shown(st, e); ok {
				want++
			}
		}
		if shown < want || want == 0 && i == st.Pos.Result.Winner {
			t.Errorf("seat %d was shown %d cards, the dump finds %d", i, want, shown)
		}
	}
}

// Secrets must not reach a log line or an error, whoever prints what.
func TestNothingPrintsASecret(t *testing.T) {
	p := newParty(t, 3)
	p.run()
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	logger.Debug("all of it", "secret", p.secrets[0], "key", p.keys[0])
	fmt.Fprintf(&out, "%v %+v %#v %s %x %q", p.secrets[0], *p.secrets[0], p.secrets[0], p.secrets[0], p.secrets[0], p.secrets[0])
	fmt.Fprintf(&out, "%v %+v %#v %s %x %q", p.keys[0], p.keys[0], p.keys[0], p.keys[0], p.keys[0], p.keys[0])
	secret := p.secrets[0].Bytes()
	seed := p.keys[0].Seed()
	for _, s := range [][]byte{secret[:32], secret[32:64], secret[64:96], secret[96:], seed[:]} {
		for _, form := range []string{string(s), fmt.Sprintf("%x", s), fmt.Sprintf("%X", s), fmt.Sprint(s)} {
			if bytes.Contains(out.Bytes(), []byte(form)) {
				t.Errorf("a secret is printed: %s", out.String())
			}
		}
	}
}
