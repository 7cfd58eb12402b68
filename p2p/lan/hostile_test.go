package lan

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// response packs a response about our service as a stranger may make it.
func response(t testing.TB, service, instance string, port uint16, txt ...string) []byte {
	t.Helper()
	name := instance + "." + service
	header := func(name string, kind uint16) dns.RR_Header {
		return dns.RR_Header{Name: name, Rrtype: kind, Class: dns.ClassINET, Ttl: 120}
	}
	msg := dns.Msg{MsgHdr: dns.MsgHdr{Response: true}, Answer: []dns.RR{
		&dns.PTR{Hdr: header(service, dns.TypePTR), Ptr: name},
		&dns.SRV{Hdr: header(name, dns.TypeSRV), Port: port, Target: "host.local."},
		&dns.TXT{Hdr: header(name, dns.TypeTXT), Txt: txt},
	}}
	packet, err := msg.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packet
}

// hostilePackets are what a LAN with bugs and bad people carries.
func hostilePackets(t testing.TB) map[string][]byte {
	ours := newParser("").service
	good := response(t, ours, "abc", 4001, "alibi=1", "id=Qm1", "r=1", "a=10.0.0.9,fd00::9", "b=172.17.0.1", "x-name=Wm_Dqw")
	many := append([]byte(nil), good...)
	binary.BigEndian.PutUint16(many[6:], 65535)
	loop := append([]byte(nil), good[:headerSize]...)
	loop = append(loop, "\x06_alibi\xc0\x0c"...)
	return map[string][]byte{
		"good":                   good,
		"empty":                  {},
		"header only":            good[:headerSize],
		"cut short":              good[:len(good)-7],
		"trailing":               append(append([]byte(nil), good...), 1, 2, 3),
		"many records":           many,
		"pointer loop":           loop,
		"port 0":                 response(t, ours, "abc", 0, "alibi=1", "id=Qm1", "r=1"),
		"foreign service":        response(t, "_ipp._tcp.local.", "Printer", 631, "txtvers=1", "rp=ipp"),
		"foreign with our label": response(t, "_ipp._tcp.local.", "_alibi", 631, "alibi=1", "id=Qm1", "r=1"),
		"garbage TXT":            response(t, ours, "abc", 1, `\000\255\128`, "==", "=", ""),
		"no TXT":                 response(t, ours, "abc", 1),
		"escape in name":         response(t, ours, `\027[2J`, 1, "alibi=1", "id=Qm1", "r=1"),
		"spaces in name":         response(t, ours, `our\032table`, 1, "alibi=1", "id=Qm1", "r=1"),
		"escape in value":        response(t, ours, "abc", 1, "alibi=1", "id=Qm1", "r=1", "x-name=G1syShs"),
		"right to left":          response(t, ours, "abc", 1, "alibi=1", "id=Qm1", "r=1", "x-name=4oCuZ25w"),
		"200 characters":         response(t, ours, "abc", 1, "alibi=1", "id="+strings.Repeat("x", 200), "r=1"),
		"bad addresses":          response(t, ours, "abc", 1, "alibi=1", "id=Qm1", "r=1", "a=127.0.0.1,224.0.0.1,0.0.0.0,255.255.255.255,8.8.8.8,::1,ff02::1,::"),
		"other version":          response(t, ours, "abc", 1, "alibi=9", "id=Qm1", "z=1"),
	}
}

// understood are the hostile packets that list a peer all the same.
var understood = map[string]bool{
	"good": true, "trailing": true, "escape in value": true, "right to left": true,
	"bad addresses": true, "other version": true,
}

func TestHostilePackets(t *testing.T) {
	for name, packet := range hostilePackets(t) {
		h, _ := newParser("").parse(packet)
		if (len(h.peers) > 0) != understood[name] {
			t.Errorf("%s: heard %+v", name, h)
		}
		judge(t, packet)
	}
}

// judge takes a packet through parser, cache and order, and checks what must
// hold for any.
func judge(t testing.TB, packet []byte) {
	t.Helper()
	h, err := newParser("").parse(packet)
	if err != nil && (h.asked || len(h.peers) > 0) {
		t.Errorf("error %v and a result", err)
	}
	if len(h.peers) > maxInstances {
		t.Errorf("%d peers in one packet", len(h.peers))
	}
	c, now := newCache(), time.Unix(1e9, 0)
	source := netip.MustParseAddr("10.0.0.2")
	for _, a := range h.peers {
		if !validPeerID(a.id) || !validLabel(a.instance) || a.port == 0 || len(a.claims) > maxClaims || checkInfo(a.info) != nil {
			t.Errorf("accepted %+v", a)
		}
		c.hear(now, source, "eth0", a)
	}
	o := ownOf([]nic{{index: 1, name: "eth0", subnets: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/24")}}})
	for _, p := range c.peers("", o) {
		if len(p.Addrs) > maxAddrs || p.Version != Version && len(p.Addrs)+len(p.Info) > 0 {
			t.Errorf("peer %+v", p)
		}
		for _, a := range p.Addrs {
			ip := a.Addr()
			if a.Port() == 0 || ip.IsLoopback() || ip.IsMulticast() || ip.IsUnspecified() || !lanAddress(ip) && !ip.IsLinkLocalUnicast() {
				t.Errorf("would dial %v", a)
			}
		}
		for _, value := range p.Info {
			if Clean(value) != value {
				t.Errorf("would show %q", value)
			}
		}
	}
}

func FuzzPacket(f *testing.F) {
	for _, packet := range hostilePackets(f) {
		f.Add(packet)
	}
	for _, multicast := range []bool{true, false} {
		packet, err := newParser("").query(multicast)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packet)
	}
	var z zone
	if err := z.set("", "own", 1, []net.IP{{10, 0, 0, 1}}, record{version: Version, id: "own"}); err != nil {
		f.Fatal(err)
	}
	goodbye, err := newParser("").announce(&z, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(goodbye)
	f.Fuzz(func(t *testing.T, packet []byte) { judge(t, packet) })
}

func FuzzRecord(f *testing.F) {
	f.Add("alibi=1", "id=abc", "r=1", "a=10.0.0.1,fd00::1", "x-name=Wm_Dqw")
	f.Add("alibi=2", "id=abc", "", "b=172.17.0.1", "x-name=G1syShs")
	f.Fuzz(func(t *testing.T, a, b, c, d, e string) {
		r, err := parseRecord([]string{a, b, c, d, e})
		if err != nil || r.version != Version {
			return
		}
		again, err := parseRecord(r.strings())
		if err != nil || again.id != r.id || again.revision != r.revision || len(again.info) != len(r.info) {
			t.Errorf("%+v becomes %+v, %v", r, again, err)
		}
	})
}
