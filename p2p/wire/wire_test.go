package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/replica"
)

func id(n byte) identity.ID { return identity.KeyFromSeed([32]byte{n}).ID() }

func entry(t testing.TB, body int) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{1}), feed.Entry{Round: 3, Seat: 2, Body: make([]byte, body)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// samples is at least one of every message, by protocol.
func samples(t testing.TB) (game, lobby []Message) {
	game = []Message{
		&Hello{Version: Version, Table: feed.Hash{1}, At: Position{Round: 7, Heard: 5}, Links: 6},
		&Where{At: Position{Epoch: replica.MaxEpoch, Round: 1 << 31, Heard: seatBits}, Again: true},
		&Watch{Version: Version}, &Watch{Version: 99, Table: feed.Hash{1}},
		&Charter{Charter: []byte("charter")}, &Charter{Charter: make([]byte, feed.MaxCharter)}, &Bye{Reason: ByeFull},
		&Entry{Signed: entry(t, 10)}, &Entry{Signed: entry(t, 60_000)},
		&Taken{Count: 1<<32 - 1}, &Ping{N: 1}, &Pong{N: 2},
	}
	lobby = []Message{
		&Offer{Version: Version, Table: "Evening", Terms: []byte("terms"), Leavers: 1, Seats: 4},
		&Offer{Version: 99, Table: "Späti", Terms: []byte{}, Seats: 2},
		&Sit{Name: "Zoë", Commitment: feed.Hash{1}, Addrs: []string{"10.0.0.7:4001", "[fd00::7]:4001"}},
		&Sit{Name: "Nobody", Addrs: []string{}},
		&Seats{You: 1, List: []Seat{{Name: "A", ID: id(1), Commitment: feed.Hash{1}, Ready: true, Addrs: []string{"1.2.3.4:5"}},
			{Name: "B", ID: id(2), Addrs: []string{}}, {Addrs: []string{}}}},
		&Ready{Yes: true}, &Bye{Reason: ByeRemoved}, &Final{Charter: []byte("charter")},
		&Agreed{Table: feed.Hash{9}}, &Begin{Table: feed.Hash{9}}, &Ping{N: 1}, &Pong{N: 2},
	}
	return game, lobby
}

func TestMessagesRoundTrip(t *testing.T) {
	game, lobby := samples(t)
	for i, list := range [][]Message{game, lobby} {
		decode := []func([]byte) (Message, error){DecodeGame, DecodeLobby}[i]
		other := []func([]byte) (Message, error){DecodeLobby, DecodeGame}[i]
		for _, m := range list {
			b, err := Encode(m)
			if err != nil {
				t.Fatalf("%T: %v", m, err)
			}
			got, err := decode(b)
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Errorf("%T: %+v came back as %+v, %v", m, m, got, err)
			}
			if _, err := decode(append(b, 0)); err == nil {
				t.Errorf("%T: a trailing byte was accepted", m)
			}
			if _, err := decode(b[:len(b)-1]); err == nil {
				t.Errorf("%T: a missing byte was accepted", m)
			}
			switch m.(type) {
			case *Ping, *Pong, *Bye: // both protocols have them
			default:
				if _, err := other(b); !errors.Is(err, ErrMessage) {
					t.Errorf("%T in the other protocol: %v", m, err)
				}
			}
		}
	}
}

func TestBadMessagesAreRefused(t *testing.T) {
	many := func(n int, s string) []string {
		return strings.Split(strings.TrimSuffix(strings.Repeat(s+" ", n), " "), " ")
	}
	for name, m := range map[string]Message{
		"seat past the last in links": &Hello{Links: 1 << 12},
		"seat past the last heard":    &Where{At: Position{Heard: 1 << 15}},
		"an epoch past the last":      &Hello{At: Position{Epoch: replica.MaxEpoch + 1}},
		"no entry":                    &Entry{},
		"an empty charter":            &Charter{},
		"a charter that is too long":  &Charter{Charter: make([]byte, feed.MaxCharter+1)},
		"nameless table":              &Offer{Seats: 3},
		"one seat":                    &Offer{Table: "x", Seats: 1},
		"thirteen seats":              &Offer{Table: "x", Seats: 13},
		"everybody may leave":         &Offer{Table: "x", Seats: 3, Leavers: 2},
		"long terms":                  &Offer{Table: "x", Seats: 3, Terms: make([]byte, feed.MaxTerms+1)},
		"escape sequence in a name":   &Sit{Name: "a\x1b[2Jb"},
		"right-to-left mark":          &Sit{Name: "a\u202eb"},
		"long name":                   &Sit{Name: strings.Repeat("x", 65)},
		"too many addresses":          &Sit{Name: "x", Addrs: many(MaxAddrs+1, "1.2.3.4:5")},
		"host name":                   &Sit{Name: "x", Addrs: many(1, "example.org:5")},
		"port 0":                      &Sit{Name: "x", Addrs: many(1, "1.2.3.4:0")},
		"zone":                        &Sit{Name: "x", Addrs: many(1, "[fe80::1%eth0]:5")},
		"address written otherwise":   &Sit{Name: "x", Addrs: many(1, "[::ffff:1.2.3.4]:05")},
		"long address":                &Sit{Name: "x", Addrs: many(1, strings.Repeat("1", 100))},
		"no seats":                    &Seats{},
		"seat outside":                &Seats{You: 2, List: make([]Seat, 2)},
		"free seat with an id":        &Seats{List: []Seat{{ID: id(1)}, {}}},
		"low-order id":                &Seats{List: []Seat{{Name: "x", ID: identity.ID{1}}, {}}},
		"long charter":                &Final{Charter: make([]byte, feed.MaxCharter+1)},
	} {
		if _, err := Encode(m); !errors.Is(err, ErrMessage) {
			t.Errorf("%s is sent: %v", name, err)
		}
		if _, ok := m.(*Entry); ok {
			continue
		}
		body, err := feed.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b := append([]byte{m.kind()}, body...)
		if _, err := DecodeGame(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%s is taken: %v", name, err)
		}
		if _, err := DecodeLobby(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	for _, b := range [][]byte{nil, {}, {0}, {99}, {kindEntry}, append([]byte{kindEntry}, make([]byte, 80)...)} {
		if _, err := DecodeGame(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%x: %v", b, err)
		}
	}
}

func TestFrames(t *testing.T) {
	for _, n := range []int{1, 127, 128, 16383, 16384, GameLimit} {
		b := bytes.Repeat([]byte{7}, n)
		got, err := ReadFrame(bufio.NewReader(bytes.NewReader(AppendFrame(nil, b))), GameLimit)
		if err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":            {nil, io.EOF},
		"half a length":      {[]byte{0x80}, io.ErrUnexpectedEOF},
		"half a frame":       {[]byte{5, 1, 2}, io.ErrUnexpectedEOF},
		"only a length":      {[]byte{5}, io.ErrUnexpectedEOF},
		"empty frame":        {[]byte{0}, ErrFrame},
		"long way to say 5":  {[]byte{0x85, 0}, ErrFrame},
		"over the limit":     {[]byte{0x81, 0x80, 0x01}, ErrTooLong},
		"2^31":               {[]byte{0x80, 0x80, 0x80, 0x80, 0x08}, ErrTooLong},
		"2^63 and then some": {bytes.Repeat([]byte{0xff}, 20), ErrTooLong},
	} {
		if _, err := ReadFrame(bufio.NewReader(bytes.NewReader(c.in)), LobbyLimit); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A giant frame is refused by its length alone: at once, with nothing allocated.
func TestGiantFrameCostsNothing(t *testing.T) {
	in := AppendFrame(nil, nil)[:0]
	in = append(in, 0xff, 0xff, 0xff, 0xff, 0x07)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	for range 1000 {
		r := bufio.NewReaderSize(bytes.NewReader(in), 16)
		if _, err := ReadFrame(r, GameLimit); !errors.Is(err, ErrTooLong) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := time.Since(began); took > time.Second {
		t.Errorf("%v for a thousand", took)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes allocated for a thousand", grown)
	}
}

func TestStreamKeepsDeadlines(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	began := time.Now()
	if _, err := NewGameStream(a).Receive(20 * time.Millisecond); err == nil {
		t.Error("received from a silent peer")
	}
	if err := NewGameStream(a).Send(&Ping{}, 20*time.Millisecond); err == nil {
		t.Error("sent to a peer that does not read")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestStreamCarriesMessages(t *testing.T) {
	game, lobby := samples(t)
	for i, list := range [][]Message{game, lobby} {
		a, b := net.Pipe()
		open := []func(Pipe) *Stream{NewGameStream, NewLobbyStream}[i]
		failed := new(error)
		done := inBackground(func() {
			s := open(a)
			for _, m := range list {
				if err := s.Send(m, 5*time.Second); err != nil {
					*failed = err
				}
			}
			_ = a.Close()
		})
		s := open(b)
		for _, want := range list {
			if got, err := s.Receive(5 * time.Second); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%T: %+v, %v", want, got, err)
			}
		}
		if m, err := s.Receive(5 * time.Second); err == nil {
			t.Errorf("after the last: %v", m)
		}
		<-done
		if *failed != nil {
			t.Error(*failed)
		}
	}
}

// inBackground runs fn and closes the channel when it has returned.
func inBackground(fn func()) <-chan struct{} {
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	return done
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte{1, 2})
	f.Add([]byte{0x80, 1})
	f.Add(AppendFrame(nil, bytes.Repeat([]byte{1}, 300)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		var again []byte
		for {
			b, err := ReadFrame(r, LobbyLimit)
			if err != nil {
				break
			}
			if len(b) == 0 || len(b) > LobbyLimit {
				t.Fatalf("frame of %d bytes", len(b))
			}
			again = AppendFrame(again, b)
		}
		if !bytes.HasPrefix(in, again) {
			t.Error("what was read is not what was there")
		}
	})
}

func fuzzMessages(f *testing.F, seeds []Message, decode func([]byte) (Message, error)) {
	for _, m := range seeds {
		b, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decode(b)
		if err != nil {
			return
		}
		again, err := Encode(m)
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%T has two encodings: %v", m, err)
		}
	})
}

func FuzzGameMessage(f *testing.F) {
	game, _ := samples(f)
	fuzzMessages(f, game, DecodeGame)
}

func FuzzLobbyMessage(f *testing.F) {
	_, lobby := samples(f)
	fuzzMessages(f, lobby, DecodeLobby)
}
