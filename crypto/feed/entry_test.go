package feed_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

func TestEntryRoundTrip(t *testing.T) {
	c := newCircle(t, "round trip", 2)
	rapid.Check(t, func(t *rapid.T) {
		e := feed.Entry{
			Round: rapid.Uint32().Draw(t, "round"),
			Seat:  rapid.Uint8().Draw(t, "seat"),
			Kind:  rapid.Uint8Range(0, feed.KindBallot-1).Draw(t, "kind"),
			Body:  rapid.SliceOfN(rapid.Byte(), 0, 700).Draw(t, "body"),
		}
		copy(e.Game[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "game"))
		copy(e.Prev[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "prev"))
		s, err := feed.Seal(c.keys[0], e)
		if err != nil {
			t.Fatal(err)
		}
		d, err := feed.Decode(s.Raw())
		if err != nil {
			t.Fatal(err)
		}
		if d.Version != feed.Version || d.Game != e.Game || d.Round != e.Round || d.Seat != e.Seat ||
			d.Prev != e.Prev || d.Kind != e.Kind || !bytes.Equal(d.Body, e.Body) || !bytes.Equal(d.Raw(), s.Raw()) {
			t.Fatalf("%+v came back as %+v", e, d.Entry)
		}
		if err := d.Verify(c.keys[0].ID()); err != nil {
			t.Fatal(err)
		}
		if err := d.Verify(c.keys[1].ID()); !errors.Is(err, feed.ErrSignature) {
			t.Fatal("another seat's signature: ", err)
		}
	})
}

// A byte changed anywhere is refused by the encoding or by the signature.
func TestEntryByteFlipped(t *testing.T) {
	c := newCircle(t, "flipped", 2)
	raw := c.say(t, c.log(), 1, "some words").Raw()
	for i := range raw {
		for bit := range 8 {
			b := slices.Clone(raw)
			b[i] ^= 1 << bit
			s, err := feed.Decode(b)
			if err == nil {
				err = s.Verify(c.keys[1].ID())
			}
			if err == nil {
				t.Fatalf("byte %d, bit %d changed nothing", i, bit)
			}
		}
	}
}

// The bytes given to Decode stay the caller's.
func TestDecodeKeepsACopy(t *testing.T) {
	c := newCircle(t, "copy", 2)
	raw := slices.Clone(c.say(t, c.log(), 1, "words").Raw())
	s, err := feed.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	if string(s.Body) != "words" || s.Verify(c.keys[1].ID()) != nil {
		t.Error("the entry changed with the buffer")
	}
}

func TestDecodeRefuses(t *testing.T) {
	c := newCircle(t, "decode", 2)
	good := c.say(t, c.log(), 1, "0123456789012345678901234567890123456789")
	sig, content := good.Signature(), good.Content()
	of := func(content []byte) []byte { return append(slices.Clone(sig), content...) }
	set := func(at int, b ...byte) []byte { // replaces one byte of the content
		return slices.Concat(content[:at], b, content[at+1:])
	}
	// The content: 87, version, 58 20 game, round, seat, 58 20 prev, kind, 58 28 body.
	const version, game, round, seat = 1, 2, 36, 37
	if content[0] != 0x87 || content[version] != 1 || content[game] != 0x58 || content[round] != 0 || content[seat] != 1 {
		t.Fatalf("another layout: %x", content)
	}
	for name, tt := range map[string]struct {
		raw  []byte
		want error
	}{
		"nothing":                    {nil, feed.ErrTooShort},
		"a signature alone":          {sig, feed.ErrTooShort},
		"half a signature":           {sig[:32], feed.ErrTooShort},
		"too long":                   {make([]byte, feed.MaxEntry+1), feed.ErrTooLong},
		"longest, zeros":             {make([]byte, feed.MaxEntry), feed.ErrEncoding},
		"trailing byte":              {append(good.Raw(), 0), feed.ErrEncoding},
		"missing byte":               {good.Raw()[:len(good.Raw())-1], feed.ErrEncoding},
		"twice":                      {of(append(slices.Clone(content), content...)), feed.ErrEncoding},
		"six fields":                 {of(append([]byte{0x86}, content[1:]...)), feed.ErrEncoding},
		"eight fields":               {of(append(append([]byte{0x88}, content[1:]...), 0)), feed.ErrEncoding},
		"endless array":              {of(append(append([]byte{0x9f}, content[1:]...), 0xff)), feed.ErrEncoding},
		"long array head":            {of(append([]byte{0x98, 7}, content[1:]...)), feed.ErrEncoding},
		"tagged":                     {of(append([]byte{0xc1}, content...)), feed.ErrEncoding},
		"null":                       {of([]byte{0xf6}), feed.ErrEncoding},
		"a map":                      {of([]byte{0xa0}), feed.ErrEncoding},
		"another version":            {of(set(version, 2)), feed.ErrVersion},
		"version 0":                  {of(set(version, 0)), feed.ErrVersion},
		"version of 8 bytes":         {of(set(version, 0x1b, 0, 0, 0, 0, 0, 0, 0, 1)), feed.ErrEncoding},
		"version 1.0":                {of(set(version, 0xf9, 0x3c, 0x00)), feed.ErrEncoding},
		"game of 31 bytes":           {of(append([]byte{0x87, 1, 0x58, 31}, content[5:]...)), feed.ErrEncoding},
		"game of 33 bytes":           {of(append([]byte{0x87, 1, 0x58, 33, 0}, content[4:]...)), feed.ErrEncoding},
		"game as text":               {of(set(game, 0x78)), feed.ErrEncoding},
		"round of 5 bytes":           {of(set(round, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0)), feed.ErrEncoding},
		"round in a long form":       {of(set(round, 0x18, 0)), feed.ErrEncoding},
		"negative round":             {of(set(round, 0x20)), feed.ErrEncoding},
		"round as null":              {of(set(round, 0xf6)), feed.ErrEncoding},
		"seat 256":                   {of(set(seat, 0x19, 1, 0)), feed.ErrEncoding},
		"body as null":               {of(append(slices.Clone(content[:len(content)-42]), 0xf6)), feed.ErrEncoding},
		"body in pieces":             {of(append(slices.Clone(content[:len(content)-42]), 0x5f, 0x41, 0, 0xff)), feed.ErrEncoding},
		"body as an array":           {of(append(slices.Clone(content[:len(content)-42]), 0x81, 0)), feed.ErrEncoding},
		"body of 2^63 bytes claimed": {of(append(slices.Clone(content[:len(content)-42]), 0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), feed.ErrEncoding},
		"array of 2^63 claimed":      {of([]byte{0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), feed.ErrEncoding},
		"nested 10,000 deep":         {of(bytes.Repeat([]byte{0x81}, 10000)), feed.ErrEncoding},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := feed.Decode(tt.raw)
			if !errors.Is(err, tt.want) || s != nil {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// What claims to be large costs no more than the bytes that are there.
func TestDecodeAllocatesLittle(t *testing.T) {
	sig := make([]byte, 64)
	for _, head := range []byte{0x5b, 0x7b, 0x9b, 0xbb, 0xdb} {
		raw := append(slices.Clone(sig), 0x87, 1, head, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			if _, err := feed.Decode(raw); !errors.Is(err, feed.ErrEncoding) {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 8<<10 {
			t.Errorf("head %x: %d bytes allocated", head, got)
		}
	}
}

func TestSealRefusesTooLong(t *testing.T) {
	c := newCircle(t, "long", 2)
	e := c.log().Template(0)
	e.Body = make([]byte, feed.MaxEntry)
	if _, err := feed.Seal(c.keys[0], e); !errors.Is(err, feed.ErrTooLong) {
		t.Error(err)
	}
	e.Body = make([]byte, feed.MaxEntry-64-80)
	s, err := feed.Seal(c.keys[0], e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Decode(s.Raw()); err != nil {
		t.Error(err)
	}
}

// Seal writes the version itself, and no body is an empty body.
func TestSealFillsIn(t *testing.T) {
	c := newCircle(t, "fill", 2)
	e := c.log().Template(0)
	e.Version, e.Body = 77, nil
	s := c.seal(t, 0, e)
	if s.Version != feed.Version || s.Body == nil {
		t.Errorf("%+v", s.Entry)
	}
	if _, err := feed.Decode(s.Raw()); err != nil {
		t.Error(err)
	}
}

// The hash of a round depends on everything but the signatures.
func TestNextCoversTheRound(t *testing.T) {
	c := newCircle(t, "next", 3)
	l := c.log()
	a, b := c.say(t, l, 0, "a"), c.say(t, l, 1, "b")
	base := feed.Next(l.Prev(), 3, []*feed.Signed{a, b})
	prev := l.Prev()
	prev[31] ^= 1
	for name, h := range map[string]feed.Hash{
		"prev":              feed.Next(prev, 3, []*feed.Signed{a, b}),
		"round":             feed.Next(l.Prev(), 4, []*feed.Signed{a, b}),
		"round, high byte":  feed.Next(l.Prev(), 3+1<<24, []*feed.Signed{a, b}),
		"round, third byte": feed.Next(l.Prev(), 3+1<<16, []*feed.Signed{a, b}),
		"round, second":     feed.Next(l.Prev(), 3+1<<8, []*feed.Signed{a, b}),
		"order":             feed.Next(l.Prev(), 3, []*feed.Signed{b, a}),
		"one entry less":    feed.Next(l.Prev(), 3, []*feed.Signed{a}),
		"one entry more":    feed.Next(l.Prev(), 3, []*feed.Signed{a, b, b}),
		"other words":       feed.Next(l.Prev(), 3, []*feed.Signed{a, c.say(t, l, 1, "c")}),
	} {
		if h == base {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := newCircle(f, "fuzz", 2)
	l := c.log()
	f.Add(c.say(f, l, 0, "").Raw())
	f.Add(c.say(f, l, 1, "body").Raw())
	long := l.Template(1)
	long.Round, long.Body = 1<<31, make([]byte, 3000)
	f.Add(c.seal(f, 1, long).Raw())
	f.Add([]byte{})
	f.Add(make([]byte, 65))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := feed.Decode(raw)
		if err != nil {
			if s != nil {
				t.Fatal("an entry beside an error")
			}
			return
		}
		again, err := feed.Seal(c.keys[0], s.Entry)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Content(), s.Content()) {
			t.Fatalf("accepted %x, which encodes as %x", s.Content(), again.Content())
		}
		log := c.log()
		_, _ = log.Offer(s) // total
	})
}
