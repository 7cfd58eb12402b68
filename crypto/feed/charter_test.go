package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

func TestCharterRoundTrip(t *testing.T) {
	for n := feed.MinSeats; n <= feed.MaxSeats; n++ {
		c := newCircle(t, "charter", n)
		got, err := feed.ParseCharter(c.encoded)
		if err != nil {
			t.Fatal(err)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(again, c.encoded) {
			t.Errorf("%d seats: %x, %v", n, again, err)
		}
		if !slices.Equal(got.IDs(), c.charter.IDs()) {
			t.Error("other identities")
		}
	}
}

// Names as long and seats as many as may be still fit into MaxCharter.
func TestLargestCharter(t *testing.T) {
	c := newCircle(t, "largest", feed.MaxSeats)
	c.charter.Name = strings.Repeat("n", feed.MaxName)
	c.charter.Terms = make([]byte, feed.MaxTerms)
	for i := range c.charter.Seats {
		c.charter.Seats[i].Name = strings.Repeat("s", feed.MaxName-1) + string(rune('a'+i))
	}
	b, err := c.charter.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.ParseCharter(b); err != nil || len(b) > feed.MaxCharter {
		t.Errorf("%d bytes: %v", len(b), err)
	}
}

func TestCharterRefused(t *testing.T) {
	low := identity.ID{1} // y = 1, the neutral element of the curve
	var high identity.ID  // a y that is not below the field's order
	for i := range high {
		high[i] = 0xff
	}
	for name, change := range map[string]func(c *feed.Charter){
		"one seat": func(c *feed.Charter) { c.Seats = c.Seats[:1] },
		"no seat":  func(c *feed.Charter) { c.Seats = nil },
		"13 seats": func(c *feed.Charter) {
			c.Seats = newCircle(t, "more", feed.MaxSeats).charter.Seats
			c.Seats = append(c.Seats, newCircle(t, "others", 2).charter.Seats[0])
		},
		"long terms":           func(c *feed.Charter) { c.Terms = make([]byte, feed.MaxTerms+1) },
		"too many leavers":     func(c *feed.Charter) { c.Leavers = 2 },
		"255 leavers":          func(c *feed.Charter) { c.Leavers = 255 },
		"no name":              func(c *feed.Charter) { c.Name = "" },
		"long name":            func(c *feed.Charter) { c.Name = strings.Repeat("x", feed.MaxName+1) },
		"seat without a name":  func(c *feed.Charter) { c.Seats[1].Name = "" },
		"seat with a tab":      func(c *feed.Charter) { c.Seats[1].Name = "a\tb" },
		"name twice":           func(c *feed.Charter) { c.Seats[2].Name = c.Seats[0].Name },
		"name in capitals":     func(c *feed.Charter) { c.Seats[2].Name = strings.ToUpper(c.Seats[0].Name) },
		"identity twice":       func(c *feed.Charter) { c.Seats[2].ID = c.Seats[0].ID },
		"identity of no order": func(c *feed.Charter) { c.Seats[2].ID = low },
		"identity no point":    func(c *feed.Charter) { c.Seats[2].ID = high },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCircle(t, "refused", 3).charter
			change(&c)
			if _, err := c.Encode(); !errors.Is(err, feed.ErrCharter) {
				t.Errorf("encoded: %v", err)
			} else if strings.HasSuffix(name, " seat") && strings.Contains(err.Error(), "leavers") {
				t.Errorf("refused, but not for its seats: %v", err)
			}
			c.Version = feed.Version
			b, err := feed.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := feed.ParseCharter(b); !errors.Is(err, feed.ErrCharter) {
				t.Errorf("parsed: %v", err)
			}
		})
	}
}

func TestCharterEncodingRefused(t *testing.T) {
	good := newCircle(t, "encoding", 3)
	other := good.charter
	other.Version = 2
	version, err := feed.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing":         nil,
		"another version": version,
		"trailing byte":   append(slices.Clone(good.encoded), 0),
		"missing byte":    good.encoded[:len(good.encoded)-1],
		"too long":        append(slices.Clone(good.encoded), make([]byte, feed.MaxCharter)...),
		"null":            {0xf6},
		"terms as null":   bytes.Replace(good.encoded, []byte{0x41, 0x80}, []byte{0xf6}, 1),
		"4 fields":        append([]byte{0x84}, good.encoded[1:]...),
	} {
		_, err := feed.ParseCharter(b)
		if !errors.Is(err, feed.ErrCharter) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "too long" && errors.Is(err, feed.ErrEncoding) {
			t.Errorf("8 KiB were decoded before they were found too long: %v", err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"Ann", "x", "Nguyễn Thị Hương", "ก๊อก กบ", "می\u200cخواهم", "Ĉiuĵaŭde", "Zoë 2", "🦊", "a–b", "O'Neil",
		strings.Repeat("x", 64), strings.Repeat("é", 32)} {
		if err := feed.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", " ", " Ann", "Ann ", "a\nb", "a\x00b", "a\u202eb", "a\u200bb", "a\u2066b", "\ufeffa", "a\xffb", "a\u00a0b",
		"a\u2028b", "\u0085", "\u00ad", "a\x1b[2Jb", strings.Repeat("x", 65), strings.Repeat("é", 33),
		"\u200c", "Ann\u200c", "\u200cAnn", "An\u200cn", "م\u200c", "م\u200ca", "a\u200cم", "م\u200c\u200cم",
		"\u3164", "\u115f", "a\u1160", "\uffa0", "Ann\u034f", "\u2800", "a\u17b4",
		"Bob\ufe0f", "Bob\U000e0100", "Bob\u180b", "\u0301Bob", "a\u0301\u0302\u0303\u0304"} {
		if err := feed.CheckName(name); !errors.Is(err, feed.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestGameIDCoversItsParts(t *testing.T) {
	table := feed.Hash{1}
	base := feed.GameID(table, [][]byte{{1}, {2}})
	for name, h := range map[string]feed.Hash{
		"table":     feed.GameID(feed.Hash{2}, [][]byte{{1}, {2}}),
		"a nonce":   feed.GameID(table, [][]byte{{1}, {3}}),
		"order":     feed.GameID(table, [][]byte{{2}, {1}}),
		"division":  feed.GameID(table, [][]byte{{1, 2}, {}}),
		"one less":  feed.GameID(table, [][]byte{{1}}),
		"the table": feed.TableHash(table[:]),
	} {
		if h == base {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func FuzzParseCharter(f *testing.F) {
	for n := feed.MinSeats; n <= 4; n++ {
		f.Add(newCircle(f, fmt.Sprint("fuzz", n), n).encoded)
	}
	f.Add([]byte{})
	f.Add([]byte{0x85, 1, 0x61, 'x', 0x40, 0, 0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := feed.ParseCharter(b)
		if err != nil {
			if !errors.Is(err, feed.ErrCharter) {
				t.Fatal(err)
			}
			return
		}
		again, err := c.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("accepted %x, which encodes as %x, %v", b, again, err)
		}
	})
}
