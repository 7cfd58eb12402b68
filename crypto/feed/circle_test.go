package feed_test

import (
	"crypto/sha3"
	"fmt"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// circle is some players with a charter. In the logs of these tests the game
// field changes from round 2 on, as in a real game.
type circle struct {
	keys    []identity.Key
	charter feed.Charter
	encoded []byte
	game    feed.Hash
}

func newCircle(t testing.TB, seed string, n int) *circle {
	t.Helper()
	stream := sha3.NewSHAKE256()
	if _, err := stream.Write([]byte(seed)); err != nil {
		t.Fatal(err)
	}
	c := &circle{charter: feed.Charter{Name: "circle", Terms: []byte{0x80}}}
	for i := range n {
		key, err := identity.NewKey(stream)
		if err != nil {
			t.Fatal(err)
		}
		c.keys = append(c.keys, key)
		c.charter.Seats = append(c.charter.Seats, feed.Seat{Name: fmt.Sprintf("player %d", i), ID: key.ID(), Commitment: feed.Hash{byte(i)}})
	}
	var err error
	if c.encoded, err = c.charter.Encode(); err != nil {
		t.Fatal(err)
	}
	c.game = feed.GameID(feed.TableHash(c.encoded), [][]byte{[]byte(seed)})
	return c
}

func (c *circle) log() *feed.Log {
	return feed.NewLog(c.encoded, c.charter.IDs(), int(c.charter.Leavers))
}

// gameOf is the game field of a round.
func (c *circle) gameOf(round uint32) feed.Hash {
	if round < 2 {
		return feed.TableHash(c.encoded)
	}
	return c.game
}

// speakersOf says who speaks in a round: all in the first two, then one after
// the other, and all again in every fifth.
func (c *circle) speakersOf(round uint32) []int {
	if round < 2 || round%5 == 0 {
		all := make([]int, len(c.keys))
		for i := range all {
			all[i] = i
		}
		return all
	}
	return []int{int(round) % len(c.keys)}
}

func (c *circle) seal(t testing.TB, key int, e feed.Entry) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(c.keys[key], e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// say is an entry of seat for the open round of l.
func (c *circle) say(t testing.TB, l *feed.Log, seat int, body string) *feed.Signed {
	t.Helper()
	e := l.Template(seat)
	e.Kind, e.Body = 9, []byte(body)
	return c.seal(t, seat, e)
}

// close closes the complete open round of l.
func (c *circle) close(t testing.TB, l *feed.Log) []*feed.Signed {
	t.Helper()
	next := l.Round() + 1
	entries, err := l.Close(c.gameOf(next), c.speakersOf(next))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// play fills a log with rounds, and returns every entry.
func (c *circle) play(t testing.TB, l *feed.Log, rounds uint32) (out []*feed.Signed) {
	t.Helper()
	for range rounds {
		for _, i := range c.speakersOf(l.Round()) {
			s := c.say(t, l, i, fmt.Sprintf("round %d, seat %d", l.Round(), i))
			if v, err := l.Offer(s); v != feed.Added || err != nil {
				t.Fatal(v, err)
			}
			out = append(out, s)
		}
		c.close(t, l)
	}
	return out
}
