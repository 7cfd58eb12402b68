package feed_test

import (
	"crypto/ed25519"
	"crypto/sha512"
	"errors"
	"testing"

	"filippo.io/edwards25519"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Two entries of one seat for one place: both ways round, in the open round and
// in closed ones, and whatever it is that differs.
func TestFork(t *testing.T) {
	c := newCircle(t, "fork", 3)
	for name, change := range map[string]func(*feed.Entry){
		"another body":    func(e *feed.Entry) { e.Body = []byte("b") },
		"another kind":    func(e *feed.Entry) { e.Kind++ },
		"another history": func(e *feed.Entry) { e.Prev[0] ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			for later := range uint32(7) {
				l := c.log()
				c.play(t, l, 4)
				seat := c.speakersOf(l.Round())[0]
				e := l.Template(seat)
				e.Body = []byte("a")
				first, second := c.seal(t, seat, e), c.seal(t, seat, edit(e, change))
				if v, err := l.Offer(first); v != feed.Added || err != nil {
					t.Fatal(v, err)
				}
				if later > 0 {
					c.close(t, l)
					c.play(t, l, later-1)
				}
				rounds, head := l.Round(), l.Prev()
				forked(t, l, first, second)
				if l.Round() != rounds || l.Prev() != head || l.Entry(4, seat) != first {
					t.Fatal("the fork changed the log")
				}
				forked(t, l, first, second) // again, as long as somebody asks
				if v, err := l.Offer(first); v != feed.Known || err != nil {
					t.Error(v, err)
				}
			}
		})
	}
}

func TestForkTheOtherWayRound(t *testing.T) {
	c := newCircle(t, "other way", 2)
	l, r := c.log(), c.log()
	a, b := c.say(t, l, 1, "a"), c.say(t, l, 1, "b")
	for log, s := range map[*feed.Log]*feed.Signed{l: a, r: b} {
		if v, err := log.Offer(s); v != feed.Added || err != nil {
			t.Fatal(v, err)
		}
	}
	forked(t, l, a, b)
	forked(t, r, b, a)
}

func forked(t *testing.T, l *feed.Log, first, second *feed.Signed) {
	t.Helper()
	_, err := l.Offer(second)
	var f *feed.Fork
	if !errors.As(err, &f) || f.First != first || f.Second != second {
		t.Fatalf("no evidence: %v", err)
	}
}

// A forged second entry is nobody's fork.
func TestForgedForkBlamesNobody(t *testing.T) {
	c := newCircle(t, "forged", 2)
	l := c.log()
	e := l.Template(1)
	if _, err := l.Offer(c.seal(t, 1, e)); err != nil {
		t.Fatal(err)
	}
	e.Body = []byte("never said")
	if _, err := l.Offer(c.seal(t, 0, e)); !errors.Is(err, feed.ErrSignature) {
		t.Error(err)
	}
}

// An author can sign the same words twice with different bytes (RFC 8032 signs
// deterministically, but nobody can check that). It is no fork, and does not
// part the peers' histories.
func TestSecondSignatureForTheSameWords(t *testing.T) {
	c := newCircle(t, "second", 2)
	l, r := c.log(), c.log()
	first := c.say(t, l, 1, "words")
	raw := append(resign(t, c.keys[1], first.Content()), first.Content()...)
	second, err := feed.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Verify(c.keys[1].ID()); err != nil {
		t.Fatal("the second signature is no signature: ", err)
	}
	for log, s := range map[*feed.Log]*feed.Signed{l: first, r: second} {
		if v, err := log.Offer(s); v != feed.Added || err != nil {
			t.Fatal(v, err)
		}
		if v, err := log.Offer(c.say(t, log, 0, "others")); v != feed.Added || err != nil {
			t.Fatal(v, err)
		}
	}
	if v, err := l.Offer(second); v != feed.Known || err != nil {
		t.Error(v, err)
	}
	c.close(t, l)
	c.close(t, r)
	if l.Prev() != r.Prev() {
		t.Error("the signature parts the histories")
	}
	if v, err := l.Offer(second); v != feed.Known || err != nil {
		t.Error("after closing: ", v, err)
	}
}

// resign signs with a nonce of its own choice (RFC 8032, section 5.1.6, but for
// step 2).
func resign(t *testing.T, key identity.Key, content []byte) []byte {
	t.Helper()
	seed := key.Seed()
	h := sha512.Sum512(seed[:])
	a, err := edwards25519.NewScalar().SetBytesWithClamping(h[:32])
	if err != nil {
		t.Fatal(err)
	}
	nonce := sha512.Sum512([]byte("another nonce"))
	r, err := edwards25519.NewScalar().SetUniformBytes(nonce[:])
	if err != nil {
		t.Fatal(err)
	}
	point := new(edwards25519.Point).ScalarBaseMult(r).Bytes()
	id := key.ID()
	message := append([]byte("alibi/v1/sign/entry\x00"), content...)
	k := sha512.Sum512(append(append(append([]byte{}, point...), id[:]...), message...))
	challenge, err := edwards25519.NewScalar().SetUniformBytes(k[:])
	if err != nil {
		t.Fatal(err)
	}
	s := edwards25519.NewScalar().MultiplyAdd(challenge, a, r)
	sig := append(point, s.Bytes()...)
	if !ed25519.Verify(id[:], message, sig) {
		t.Fatal("the signature does not verify")
	}
	return sig
}
