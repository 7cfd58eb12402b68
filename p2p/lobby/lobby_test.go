package lobby

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/wire"
)

var now = time.Unix(1_000_000, 0)

func id(n int) identity.ID { return identity.KeyFromSeed([32]byte{byte(n), byte(n >> 8), 1}).ID() }

func offer(seats int) Offer {
	return Offer{Table: "Evening", Terms: []byte("terms"), Seats: seats, Leavers: 0, Summary: map[string]string{"edition": "card"}}
}

func opener(t rapid.TB, seats int) *Opener {
	t.Helper()
	o, err := NewOpener(offer(seats), id(0), "host", feed.Hash{100}, []string{"10.0.0.1:4001"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// hall is one opener and joiners, and carries messages between them at once.
type hall struct {
	t       rapid.TB
	opener  *Opener
	joiners map[identity.ID]*Joiner
	tamper  func(to identity.ID, m wire.Message) wire.Message
	ended   map[identity.ID]bool // connections that the opener has closed
}

func newHall(t rapid.TB, seats int) *hall {
	return &hall{t: t, opener: opener(t, seats), joiners: map[identity.ID]*Joiner{}, ended: map[identity.ID]bool{}}
}

// carry delivers until nobody has anything to say.
func (h *hall) carry(sends []Send) {
	for len(sends) > 0 {
		s := sends[0]
		sends = sends[1:]
		if s.Close {
			h.ended[s.To] = true
		}
		j := h.joiners[s.To]
		if j == nil {
			continue
		}
		m := over(h.t, s.Message)
		if h.tamper != nil {
			m = h.tamper(s.To, m)
		}
		for _, answer := range j.Receive(m) {
			if !h.ended[s.To] {
				sends = append(sends, h.opener.Receive(s.To, over(h.t, answer), now)...)
			}
		}
	}
}

// over sends a message through its encoding.
func over(t rapid.TB, m wire.Message) wire.Message {
	t.Helper()
	b, err := wire.Encode(m)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	got, err := wire.DecodeLobby(b)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return got
}

// join connects a joiner and asks for a seat.
func (h *hall) join(n int) *Joiner {
	h.t.Helper()
	return h.joinAs(n, fmt.Sprint("guest ", n), feed.Hash{byte(n)})
}

func (h *hall) joinAs(n int, name string, commitment feed.Hash) *Joiner {
	h.t.Helper()
	out := h.opener.Connected(id(n), now)
	o, err := ParseOffer(over(h.t, out[0].Message))
	if err != nil {
		h.t.Fatalf("guest %d: %v", n, err)
	}
	j, err := NewJoiner(o, id(0), id(n), name, commitment, []string{fmt.Sprintf("10.0.0.%d:4001", n+1)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.joiners[id(n)] = j
	h.carry(h.opener.Receive(id(n), over(h.t, j.Ask()), now))
	return j
}

func (h *hall) ready(n int) {
	for _, m := range h.joiners[id(n)].SetReady(true) {
		h.carry(h.opener.Receive(id(n), over(h.t, m), now))
	}
}

func TestCharterIsWhatWasShown(t *testing.T) {
	h := newHall(t, 3)
	h.join(1)
	h.join(2)
	for n, j := range h.joiners {
		v := j.View()
		if v.Phase != Filling || v.Me < 0 || v.Seats[v.Me].ID != n || v.Seats[0].Name != "host" || len(v.Seats[2].Addrs) != 1 {
			t.Errorf("%+v", v)
		}
	}
	h.carry(h.opener.SetReady(true))
	h.ready(1)
	if h.opener.View().Phase != Filling {
		t.Error("begun before everybody was ready")
	}
	h.ready(2)
	charter, me, ok := h.opener.Charter()
	if !ok || me != 0 {
		t.Fatalf("opener: %+v", h.opener.View())
	}
	c, err := feed.ParseCharter(charter)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "Evening" || string(c.Terms) != "terms" || len(c.Seats) != 3 || c.Seats[1].ID != id(1) || c.Seats[2].Commitment != (feed.Hash{2}) {
		t.Errorf("charter %+v", c)
	}
	for n, j := range h.joiners {
		got, me, ok := j.Charter()
		if !ok || !bytes.Equal(got, charter) || c.Seats[me].ID != n || !h.ended[n] {
			t.Errorf("joiner at %d: %v", me, j.View())
		}
	}
	if out := h.opener.Connected(id(9), now); !isBye(out, wire.ByeBegun) {
		t.Errorf("a late guest is told %+v", out)
	}
	// Who sits there and lost the last word is told it again.
	if out := h.opener.Connected(id(2), now); len(out) != 1 || !out[0].Close || out[0].Message.(*wire.Begin).Table != feed.TableHash(charter) {
		t.Errorf("a seated guest is told %+v", out)
	}
	// From here on the opener is a player like any other.
	if out := append(h.opener.Remove(id(1)), append(h.opener.Close(), h.opener.Disconnected(id(2))...)...); len(out) != 0 || h.opener.View().Phase != Begun {
		t.Errorf("the opener could still %+v", out)
	}
}

func isBye(out []Send, reason uint8) bool {
	for _, s := range out {
		if b, ok := s.Message.(*wire.Bye); ok && b.Reason == reason && s.Close {
			return true
		}
	}
	return false
}

// The opener's lies: each changes one thing that a joiner was shown before, and
// the joiner does not go along.
func TestDishonestOpener(t *testing.T) {
	change := func(edit func(c *feed.Charter)) func(wire.Message) wire.Message {
		return func(m wire.Message) wire.Message {
			f, ok := m.(*wire.Final)
			if !ok {
				return m
			}
			c, err := feed.ParseCharter(f.Charter)
			if err != nil {
				t.Fatal(err)
			}
			edit(&c)
			b, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return &wire.Final{Charter: b}
		}
	}
	seats := func(edit func(s *wire.Seats)) func(wire.Message) wire.Message {
		return func(m wire.Message) wire.Message {
			if s, ok := m.(*wire.Seats); ok {
				edit(s)
			}
			return m
		}
	}
	for name, lie := range map[string]func(wire.Message) wire.Message{
		"other terms":                   change(func(c *feed.Charter) { c.Terms = []byte("others") }),
		"other table name":              change(func(c *feed.Charter) { c.Name = "Morning" }),
		"a leaver more":                 change(func(c *feed.Charter) { c.Leavers = 1 }),
		"a seat less":                   change(func(c *feed.Charter) { c.Seats = c.Seats[:2] }),
		"a seat more":                   change(func(c *feed.Charter) { c.Seats = append(c.Seats, feed.Seat{Name: "x", ID: id(7)}) }),
		"own commitment replaced":       change(func(c *feed.Charter) { c.Seats[1].Commitment = feed.Hash{99} }),
		"another's commitment replaced": change(func(c *feed.Charter) { c.Seats[2].Commitment = feed.Hash{99} }),
		"another player at the last":    change(func(c *feed.Charter) { c.Seats[2].ID = id(7) }),
		"another's name":                change(func(c *feed.Charter) { c.Seats[2].Name = "somebody" }),
		"the opener's own commitment":   change(func(c *feed.Charter) { c.Seats[0].Commitment = feed.Hash{98} }),
		"seats exchanged":               change(func(c *feed.Charter) { c.Seats[1], c.Seats[2] = c.Seats[2], c.Seats[1] }),
		"no charter at all": func(m wire.Message) wire.Message {
			if _, ok := m.(*wire.Final); ok {
				return &wire.Final{Charter: []byte("x")}
			}
			return m
		},
		"begins without a charter": func(m wire.Message) wire.Message {
			if _, ok := m.(*wire.Final); ok {
				return &wire.Begin{}
			}
			return m
		},
		"begins with another charter": func(m wire.Message) wire.Message {
			if _, ok := m.(*wire.Begin); ok {
				return &wire.Begin{Table: feed.Hash{1}}
			}
			return m
		},
		"shows another commitment for me": seats(func(s *wire.Seats) { s.List[s.You].Commitment = feed.Hash{97} }),
		"shows another name for me":       seats(func(s *wire.Seats) { s.List[s.You].Name = "x" }),
		"shows somebody twice":            seats(func(s *wire.Seats) { s.List[2] = s.List[0] }),
		"does not sit itself":             seats(func(s *wire.Seats) { s.List[0] = wire.Seat{} }),
		"gives me a third seat count":     seats(func(s *wire.Seats) { s.List = append(s.List, wire.Seat{}) }),
		"speaks out of turn":              func(wire.Message) wire.Message { return &wire.Ready{Yes: true} },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHall(t, 3)
			h.tamper = func(to identity.ID, m wire.Message) wire.Message {
				if to == id(1) {
					return lie(m)
				}
				return m
			}
			h.join(1)
			h.join(2)
			h.carry(h.opener.SetReady(true))
			h.ready(1)
			h.ready(2)
			j := h.joiners[id(1)]
			if _, _, ok := j.Charter(); ok || j.View().Phase != Over || j.View().Err == nil {
				t.Errorf("went along: %+v", j.View())
			}
			if lying := !errors.Is(j.View().Err, ErrChanged); lying && name != "speaks out of turn" {
				t.Errorf("the reason is %v", j.View().Err)
			}
		})
	}
}

// A charter is never agreed to by somebody who is not ready.
func TestNoCharterWithoutConsent(t *testing.T) {
	h := newHall(t, 2)
	j := h.join(1)
	c := feed.Charter{Name: "Evening", Terms: []byte("terms"), Seats: []feed.Seat{
		{Name: "host", ID: id(0), Commitment: feed.Hash{100}}, {Name: "guest 1", ID: id(1), Commitment: feed.Hash{1}}}}
	b, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if out := j.Receive(&wire.Final{Charter: b}); len(out) != 0 {
		t.Errorf("agreed without being ready: %+v", out)
	}
	j.Receive(&wire.Begin{Table: feed.TableHash(b)})
	if _, _, ok := j.Charter(); ok {
		t.Error("begun without being ready")
	}
}

// A guest who leaves while the charter is out takes it with them; the rest
// begins with whoever comes next.
func TestWithdrawnCharter(t *testing.T) {
	h := newHall(t, 3)
	j1, j2 := h.join(1), h.join(2)
	h.tamper = func(to identity.ID, m wire.Message) wire.Message {
		if _, ok := m.(*wire.Final); ok && to == id(2) {
			return &wire.Ping{} // guest 2 never sees it
		}
		return m
	}
	h.carry(h.opener.SetReady(true))
	h.ready(1)
	h.ready(2)
	if h.opener.View().Phase != Closing || j1.View().Phase != Closing || j2.View().Phase != Filling {
		t.Fatalf("phases %v %v %v", h.opener.View().Phase, j1.View().Phase, j2.View().Phase)
	}
	h.carry(h.opener.Disconnected(id(2)))
	if v := j1.View(); v.Phase != Filling || v.Seats[2].Taken() || h.opener.View().Phase != Filling {
		t.Fatalf("after the loss: %+v", v)
	}
	// An agreement to the old charter that was on its way means nothing now.
	h.carry(h.opener.Receive(id(1), &wire.Agreed{Table: feed.Hash{5}}, now))
	h.tamper = nil
	h.join(3)
	h.ready(3)
	charter, _, ok := h.opener.Charter()
	if got, _, ok2 := j1.Charter(); !ok || !ok2 || !bytes.Equal(got, charter) {
		t.Fatalf("not begun: %+v", h.opener.View())
	}
	if c, err := feed.ParseCharter(charter); err != nil || c.Seats[2].ID != id(3) {
		t.Errorf("charter %+v", c)
	}
}

func TestRefusedGuests(t *testing.T) {
	h := newHall(t, 3)
	h.join(1)
	for name, c := range map[string]struct {
		who        string
		commitment feed.Hash
		want       error
	}{
		"same name":           {"guest 1", feed.Hash{50}, ErrNameTaken},
		"same name, louder":   {"GUEST 1", feed.Hash{50}, ErrNameTaken},
		"the host's name":     {"host", feed.Hash{50}, ErrNameTaken},
		"a copied commitment": {"copy", feed.Hash{1}, ErrRefused},
	} {
		if j := h.joinAs(5, c.who, c.commitment); !errors.Is(j.View().Err, c.want) {
			t.Errorf("%s: %v", name, j.View().Err)
		}
	}
	h.join(2)
	if out := h.opener.Connected(id(3), now); !isBye(out, wire.ByeFull) {
		t.Errorf("a full table says %+v", out)
	}
	if _, err := ParseOffer(&wire.Offer{Version: 2, Table: "x", Seats: 3}); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	if _, err := ParseOffer(&wire.Bye{Reason: wire.ByeFull}); !errors.Is(err, ErrFull) {
		t.Errorf("bye: %v", err)
	}
}

func TestMisbehavingGuests(t *testing.T) {
	for name, say := range map[string]wire.Message{
		"ready without a seat":  &wire.Ready{Yes: true},
		"agreed without a seat": &wire.Agreed{},
		"an offer":              &wire.Offer{Table: "x", Seats: 3},
		"seats":                 &wire.Seats{List: make([]wire.Seat, 3)},
		"a charter":             &wire.Final{},
		"begin":                 &wire.Begin{},
	} {
		o := opener(t, 3)
		o.Connected(id(1), now)
		if out := o.Receive(id(1), say, now); !isBye(out, wire.ByeRefused) {
			t.Errorf("%s: %+v", name, out)
		}
		if out := o.Receive(id(1), say, now); len(out) != 0 {
			t.Errorf("%s, after being sent away: %+v", name, out)
		}
	}
	o := opener(t, 3)
	o.Connected(id(1), now)
	sit := &wire.Sit{Name: "x", Commitment: feed.Hash{1}}
	o.Receive(id(1), sit, now)
	if out := o.Receive(id(1), sit, now); !isBye(out, wire.ByeRefused) || o.View().Seats[1].Taken() {
		t.Errorf("sitting twice: %+v", out)
	}
}

func TestRateIsBounded(t *testing.T) {
	o := opener(t, 3)
	o.Connected(id(1), now)
	for i := range guestBurst {
		if out := o.Receive(id(1), &wire.Ping{}, now); isBye(out, wire.ByeTooFast) {
			t.Fatalf("sent away after %d", i)
		}
	}
	if out := o.Receive(id(1), &wire.Ping{}, now); !isBye(out, wire.ByeTooFast) {
		t.Errorf("not sent away: %+v", out)
	}
	o.Connected(id(1), now)
	for i := range 10 * guestBurst {
		if out := o.Receive(id(1), &wire.Ping{}, now.Add(time.Duration(i)*guestInterval)); isBye(out, wire.ByeTooFast) {
			t.Fatalf("sent away at a fair rate after %d", i)
		}
	}
}

// Guests who stand and do not sit are bounded, and keep nobody out who does:
// the one who has stood longest makes room.
func TestGuestsWithoutASeatAreBounded(t *testing.T) {
	o := opener(t, 12)
	sat := id(200)
	o.Connected(sat, now)
	o.Receive(sat, &wire.Sit{Name: "sat", Commitment: feed.Hash{200}}, now)
	for n := 1; n <= 100; n++ {
		out := o.Connected(id(n), now)
		if n > MaxGuests {
			if gone := out[0]; gone.To != id(n-MaxGuests) || !isBye(out[:1], wire.ByeFull) {
				t.Fatalf("guest %d: %+v", n, out)
			}
			out = out[1:]
		}
		if _, ok := out[0].Message.(*wire.Offer); !ok || out[0].To != id(n) {
			t.Fatalf("guest %d is told %+v", n, out)
		}
		if standing := len(o.guests) - o.seated(); standing > MaxGuests {
			t.Fatalf("%d guests stand", standing)
		}
	}
	if o.seatOf(sat) != 1 {
		t.Error("one who sits was sent away")
	}
	if out := o.Receive(id(100), &wire.Sit{Name: "late", Commitment: feed.Hash{100}}, now); isBye(out, wire.ByeFull) {
		t.Errorf("the last one may not sit: %+v", out)
	}
}

func TestOfferBounds(t *testing.T) {
	for name, edit := range map[string]func(*Offer){
		"no name":       func(o *Offer) { o.Table = "" },
		"control":       func(o *Offer) { o.Table = "a\nb" },
		"one seat":      func(o *Offer) { o.Seats = 1 },
		"13 seats":      func(o *Offer) { o.Seats = 13 },
		"leavers":       func(o *Offer) { o.Leavers = 2 },
		"fewer leavers": func(o *Offer) { o.Leavers = -1 },
		"terms":         func(o *Offer) { o.Terms = make([]byte, feed.MaxTerms+1) },
		"key":           func(o *Offer) { o.Summary = map[string]string{"A": "x"} },
		"long key":      func(o *Offer) { o.Summary = map[string]string{strings.Repeat("a", 15): "x"} },
		"value":         func(o *Offer) { o.Summary = map[string]string{"a": "\x1b"} },
		"all together": func(o *Offer) {
			o.Summary = map[string]string{}
			for i := range 6 {
				o.Summary[fmt.Sprint(i)] = strings.Repeat("x", 40)
			}
		},
		"many": func(o *Offer) {
			o.Summary = map[string]string{}
			for i := range 7 {
				o.Summary[fmt.Sprint(i)] = "x"
			}
		},
	} {
		o := offer(3)
		edit(&o)
		if err := o.Check(); !errors.Is(err, ErrOffer) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := NewOpener(o, id(0), "host", feed.Hash{}, nil); !errors.Is(err, ErrOffer) {
			t.Errorf("%s opened: %v", name, err)
		}
	}
	if _, err := NewOpener(offer(3), id(0), "", feed.Hash{}, nil); !errors.Is(err, ErrOffer) {
		t.Errorf("nameless host: %v", err)
	}
}

// Whatever guests do in whatever order, nobody sits twice, and a charter that
// anybody takes for final has exactly the seats that its owner was shown.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &hall{t: t, joiners: map[identity.ID]*Joiner{}, ended: map[identity.ID]bool{}}
		var err error
		if h.opener, err = NewOpener(offer(3), id(0), "host", feed.Hash{100}, nil); err != nil {
			t.Fatal(err)
		}
		guest := rapid.IntRange(1, 5)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := guest.Draw(t, "guest")
			j := h.joiners[id(n)]
			live := j != nil && !h.ended[id(n)] && j.View().Phase < Begun
			switch what := rapid.IntRange(0, 6).Draw(t, "what"); {
			case what <= 1 && !live:
				delete(h.joiners, id(n))
				delete(h.ended, id(n))
				if out := h.opener.Connected(id(n), now); len(out) == 1 && !out[0].Close {
					h.opener.Disconnected(id(n))
					h.join(n)
				}
			case what == 2 && live:
				for _, m := range j.SetReady(rapid.Bool().Draw(t, "yes")) {
					h.carry(h.opener.Receive(id(n), m, now.Add(time.Hour)))
				}
			case what == 3:
				h.carry(h.opener.SetReady(rapid.Bool().Draw(t, "yes")))
			case what == 4 && live:
				for _, m := range j.Leave() {
					h.carry(h.opener.Receive(id(n), m, now.Add(time.Hour)))
				}
			case what == 5 && live:
				j.Disconnected()
				h.ended[id(n)] = true
				h.carry(h.opener.Disconnected(id(n)))
			case what == 6:
				h.carry(h.opener.Remove(id(n)))
			}
			seen := map[identity.ID]bool{}
			for _, s := range h.opener.View().Seats {
				if s.Taken() && seen[s.ID] {
					t.Fatalf("somebody sits twice: %+v", h.opener.View().Seats)
				}
				seen[s.ID] = true
			}
		}
		charter, _, begun := h.opener.Charter()
		for n, j := range h.joiners {
			got, me, ok := j.Charter()
			if !ok {
				continue
			}
			if !begun || !bytes.Equal(got, charter) {
				t.Fatal("a joiner has begun with a charter that the opener has not")
			}
			if c, err := feed.ParseCharter(got); err != nil || c.Seats[me].ID != n || c.Seats[me].Commitment != j.commitment {
				t.Fatalf("not the seat that was asked for: %+v, %v", c, err)
			}
		}
	})
}

// FuzzOpener feeds an opener whatever decodes, from two guests.
func FuzzOpener(f *testing.F) {
	for _, list := range [][]wire.Message{
		{&wire.Sit{Name: "x"}, &wire.Ready{Yes: true}, &wire.Agreed{}},
		{&wire.Bye{}, &wire.Ping{}, &wire.Begin{}},
	} {
		var b []byte
		for _, m := range list {
			content, err := wire.Encode(m)
			if err != nil {
				f.Fatal(err)
			}
			b = wire.AppendFrame(b, content)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := opener(t, 3)
		o.Connected(id(1), now)
		o.Connected(id(2), now)
		o.SetReady(true)
		for i, m := range decodeAll(b) {
			for _, s := range o.Receive(id(1+i%2), m, now) {
				if _, err := wire.Encode(s.Message); err != nil {
					t.Fatalf("answers %T that cannot be sent: %v", s.Message, err)
				}
			}
		}
		if _, _, ok := o.Charter(); ok {
			t.Error("begun though not every guest could have agreed")
		}
	})
}

// FuzzJoiner feeds a joiner whatever decodes.
func FuzzJoiner(f *testing.F) {
	seats := &wire.Seats{You: 1, List: []wire.Seat{{Name: "host", ID: id(0), Commitment: feed.Hash{100}},
		{Name: "me", ID: id(1), Commitment: feed.Hash{1}}}}
	charter, err := feed.Charter{Name: "Evening", Terms: []byte("terms"), Seats: []feed.Seat{
		{Name: "host", ID: id(0), Commitment: feed.Hash{100}}, {Name: "me", ID: id(1), Commitment: feed.Hash{1}}}}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	var b []byte
	for _, m := range []wire.Message{seats, &wire.Final{Charter: charter}, &wire.Begin{Table: feed.TableHash(charter)}} {
		content, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		b = wire.AppendFrame(b, content)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := NewJoiner(offer(2), id(0), id(1), "me", feed.Hash{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range decodeAll(b) {
			j.Receive(m)
			j.SetReady(true)
		}
		if got, me, ok := j.Charter(); ok {
			c, err := feed.ParseCharter(got)
			if err != nil || c.Seats[me].ID != id(1) || c.Seats[me].Commitment != (feed.Hash{1}) || string(c.Terms) != "terms" {
				t.Errorf("begun with %+v, %v", c, err)
			}
		}
	})
}

func decodeAll(b []byte) (out []wire.Message) {
	for len(b) > 0 && len(out) < 200 {
		n := int(b[0])
		b = b[1:]
		if n > 127 && len(b) > 0 {
			n = n&127 | int(b[0])<<7
			b = b[1:]
		}
		n = min(n, len(b))
		if m, err := wire.DecodeLobby(b[:n]); err == nil {
			out = append(out, m)
		}
		b = b[n:]
	}
	return out
}
