package lan

import (
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

func genID() *rapid.Generator[string] { return rapid.StringMatching(`[0-9A-Za-z_-]{1,90}`) }

// genInfo makes info within the limits, of any bytes.
func genInfo() *rapid.Generator[map[string]string] {
	return rapid.Custom(func(t *rapid.T) map[string]string {
		info := rapid.MapOfN(
			rapid.StringMatching(`[a-z0-9-]{1,16}`),
			rapid.OneOf(
				rapid.StringN(0, 40, MaxInfoValue),
				rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, MaxInfoValue), func(b []byte) string { return string(b) }),
			), 0, MaxInfoKeys).Draw(t, "info")
		for checkInfo(info) != nil {
			for key := range info {
				delete(info, key)
				break
			}
		}
		return info
	})
}

func genAddr() *rapid.Generator[netip.Addr] {
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 4, 4), func(b []byte) netip.Addr { return netip.AddrFrom4([4]byte(b)) }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) netip.Addr {
			b[0] |= 0x20 // not IPv4 in IPv6
			return netip.AddrFrom16([16]byte(b))
		}),
	)
}

func genClaims() *rapid.Generator[[]claim] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim {
		return claim{genAddr().Draw(t, "addr"), rapid.Bool().Draw(t, "doubtful")}
	}), 0, maxClaims)
}

func genRecord() *rapid.Generator[record] {
	return rapid.Custom(func(t *rapid.T) record {
		return record{
			version:  Version,
			id:       genID().Draw(t, "id"),
			revision: rapid.Uint32().Draw(t, "revision"),
			claims:   genClaims().Draw(t, "claims"),
			info:     genInfo().Draw(t, "info"),
		}
	})
}

// fitting is what of the claims is announced: sure ones first, each list cut
// where its text would grow too long.
func fitting(claims []claim) []claim {
	var out []claim
	for _, doubtful := range []bool{false, true} {
		size := 0
		for _, c := range claims {
			if c.doubtful != doubtful {
				continue
			}
			if size += len(c.addr.String()) + 1; size-1 > maxClaimsText {
				break
			}
			out = append(out, c)
		}
	}
	return out
}

func TestAnnouncementSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRecord().Draw(t, "record")
		realm := rapid.String().Draw(t, "realm")
		instance := rapid.StringMatching(`[a-z2-7]{16}`).Draw(t, "instance")
		port := rapid.IntRange(1, 65535).Draw(t, "port")
		leaving := rapid.Bool().Draw(t, "leaving")
		ips := []net.IP{{10, 0, 0, 1}, net.ParseIP("fd00::1"), net.ParseIP("fe80::1")}
		var z zone
		if err := z.set(realm, instance, port, ips, r); err != nil {
			t.Fatal(err)
		}
		p := newParser(realm)
		packet, err := p.announce(&z, leaving)
		if err != nil {
			t.Fatal(err)
		}
		if len(packet) > 1200 {
			t.Errorf("packet of %d bytes", len(packet))
		}
		h, err := p.parse(packet)
		if err != nil || h.asked || len(h.peers) != 1 {
			t.Fatalf("heard %+v, %v", h, err)
		}
		got := h.peers[0]
		if got.id != r.id || got.version != Version || got.revision != r.revision ||
			got.instance != instance || got.port != uint16(port) || got.leaving != leaving {
			t.Errorf("got %+v", got)
		}
		if !slices.Equal(got.claims, fitting(r.claims)) {
			t.Errorf("claims %v, want %v", got.claims, fitting(r.claims))
		}
		for key, value := range r.info {
			if got.info[key] != Clean(value) {
				t.Errorf("info %q is %q, want %q", key, got.info[key], Clean(value))
			}
		}
		if len(got.info) != len(r.info) {
			t.Errorf("%d info keys, want %d", len(got.info), len(r.info))
		}
	})
}

func TestQueriesAreUnderstood(t *testing.T) {
	p := newParser("")
	for _, multicast := range []bool{true, false} {
		packet, err := p.query(multicast)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := p.parse(packet); err != nil || h.asked != multicast || len(h.peers) > 0 {
			t.Errorf("multicast %v: heard %+v, %v", multicast, h, err)
		}
		if h, err := newParser("other").parse(packet); err != nil || h.asked {
			t.Errorf("another realm heard %+v, %v", h, err)
		}
	}
}

func TestParseRecordRefuses(t *testing.T) {
	good := []string{"alibi=1", "id=abc", "r=7", "a=10.0.0.1,fd00::1", "b=172.17.0.1", "x-name=Wm_Dqw"}
	if r, err := parseRecord(good); err != nil || r.info["name"] != "Zoë" || len(r.claims) != 3 {
		t.Fatalf("good record: %+v, %v", r, err)
	}
	long := make([]string, maxTXTStrings+1)
	for name, txt := range map[string][]string{
		"nothing":               nil,
		"no version":            {"id=abc", "r=0"},
		"version in words":      {"alibi=one", "id=abc", "r=0"},
		"negative version":      {"alibi=-1", "id=abc", "r=0"},
		"no id":                 {"alibi=1", "r=0"},
		"empty id":              {"alibi=1", "id=", "r=0"},
		"long id":               {"alibi=1", "id=" + strings.Repeat("x", MaxPeerID+1), "r=0"},
		"escape in id":          {"alibi=1", `id=\027[31m`, "r=0"},
		"no revision":           {"alibi=1", "id=abc"},
		"large revision":        {"alibi=1", "id=abc", "r=4294967296"},
		"bad address":           {"alibi=1", "id=abc", "r=0", "a=10.0.0.256"},
		"empty address":         {"alibi=1", "id=abc", "r=0", "a=10.0.0.1,"},
		"address with a zone":   {"alibi=1", "id=abc", "r=0", "a=fe80::1%eth0"},
		"mapped address":        {"alibi=1", "id=abc", "r=0", "a=::ffff:10.0.0.1"},
		"many addresses":        {"alibi=1", "id=abc", "r=0", "a=1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5", "b=1.1.1.6,1.1.1.7,1.1.1.8,1.1.1.9"},
		"info not base64":       {"alibi=1", "id=abc", "r=0", "x-name=Zoë!"},
		"info padded":           {"alibi=1", "id=abc", "r=0", "x-name=YQ=="},
		"info with loose bits":  {"alibi=1", "id=abc", "r=0", "x-name=YR"},
		"info key in capitals":  {"alibi=1", "id=abc", "r=0", "x-Name=YQ"},
		"info without key":      {"alibi=1", "id=abc", "r=0", "x-=YQ"},
		"info key too long":     {"alibi=1", "id=abc", "r=0", "x-aaaaaaaaaaaaaaaaa=YQ"},
		"more strings than any": append(long, good...),
	} {
		if r, err := parseRecord(txt); err == nil {
			t.Errorf("%s: accepted as %+v", name, r)
		}
	}
}

func TestOtherVersionGivesTheIDOnly(t *testing.T) {
	r, err := parseRecord([]string{"alibi=2", "id=abc", "a=some new notation", "x-name=%%%"})
	if err != nil || r.version != 2 || r.id != "abc" || len(r.claims) > 0 || len(r.info) > 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestFirstOfARepeatedKeyCounts(t *testing.T) {
	r, err := parseRecord([]string{"alibi=1", "id=first", "id=second", "r=1"})
	if err != nil || r.id != "first" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestInfoLimits(t *testing.T) {
	many := make(map[string]string)
	for i := range MaxInfoKeys + 1 {
		many[string(rune('a'+i))] = ""
	}
	half := strings.Repeat("x", MaxInfoValue)
	for name, info := range map[string]map[string]string{
		"keys":  many,
		"key":   {strings.Repeat("k", MaxInfoKey+1): ""},
		"empty": {"": "x"},
		"dot":   {"a.b": "x"},
		"value": {"a": half + "x"},
		"total": {"a": half, "b": half, "c": half},
	} {
		if checkInfo(info) == nil {
			t.Errorf("%s accepted", name)
		}
		s := New(Config{})
		if s.SetInfo(info) == nil || s.revision != 0 || len(s.info) > 0 {
			t.Errorf("%s: SetInfo took it", name)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"Zoë's table":                           "Zoë's table",
		"\x1b[31mred\x1b[0m":                    "[31mred[0m",
		"a\u202egnp.exe":                        "agnp.exe",
		"\u2066x\u2069\u200f\u061c":             "x",
		"two\nlines\r\x00\x07":                  "twolines",
		"zero\u200bwidth\ufeff":                 "zerowidth",
		"\u3164\u115f\u2800":                    "",
		"  spaces\u00a0 ":                       "spaces",
		"bad \xff\xfe":                          "bad ?",
		"z\u0301\u0302\u0303\u0304\u0305\u0306": "z\u0301\u0302\u0303",
		"ｗｉｄｅ 名前 שלום 🎲":                        "ｗｉｄｅ 名前 שלום 🎲",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanTwiceIsCleanOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		once := Clean(s)
		if Clean(once) != once || !utf8.ValidString(once) || len(once) > len(s) {
			t.Errorf("%q becomes %q, then %q", s, once, Clean(once))
		}
	})
}

func TestZoneIsReplaced(t *testing.T) {
	var z zone
	question := dns.Question{Name: newParser("").service, Qtype: dns.TypePTR, Qclass: dns.ClassINET}
	if got := z.Records(question); got != nil {
		t.Errorf("an empty zone says %v", got)
	}
	info := map[string]string{"a": "1"}
	if err := z.set("", "one", 1, []net.IP{{10, 0, 0, 1}}, record{version: 1, id: "x", info: maps.Clone(info)}); err != nil {
		t.Fatal(err)
	}
	if len(z.Records(question)) == 0 {
		t.Error("a full zone says nothing")
	}
	if z.clear(); z.Records(question) != nil {
		t.Error("a cleared zone speaks")
	}
}
