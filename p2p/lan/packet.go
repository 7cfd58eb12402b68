package lan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

const (
	maxPacket    = 4096 // bytes looked at; ours stay below 1,200
	maxRecords   = 64   // resource records in one packet
	maxInstances = 16   // peers in one packet
	maxQuestions = 2    // answered of one query
	maxAnswer    = 1400 // bytes of an answer, so that it fits any link
	headerSize   = 12   // RFC 1035 section 4.1.1
	unicastBit   = 1 << 15
	domain       = "local."
)

// serviceName is the DNS-SD service type. Each realm has its own, so that
// players of one never even answer those of another.
func serviceName(realm string) string {
	if realm == "" {
		return "_alibi._udp"
	}
	sum := sha256.Sum256([]byte(realm))
	return "_alibi-" + hex.EncodeToString(sum[:4]) + "._udp"
}

// announcement is what one packet says about one peer.
type announcement struct {
	record
	instance string
	port     uint16
	leaving  bool // time to live zero: RFC 6762 section 10.1
}

// heard is what a packet contains of interest to us.
type heard struct {
	asked     bool // somebody wants an answer on the group
	id        uint16
	questions []dns.Question // about us, perhaps; at most maxQuestions
	peers     []announcement
}

// parser reads the packets of one service.
type parser struct {
	service string // "_alibi._udp.local."
	needle  []byte // the service's first label as it stands in every packet about it
}

// enumeration asks which services there are at all (RFC 6763 section 9).
const enumeration = "_services._dns-sd._udp." + domain

var enumerationNeedle = []byte("\x09_services\x07_dns-sd")

func newParser(realm string) parser {
	name := serviceName(realm)
	label, _, _ := strings.Cut(name, ".")
	return parser{
		service: name + "." + domain,
		needle:  append([]byte{byte(len(label))}, label...),
	}
}

// concerns says whether a packet may be about our service. Others cost no more
// than this search.
func (p parser) concerns(packet []byte) bool {
	return bytes.Contains(packet, p.needle) || bytes.Contains(packet, enumerationNeedle)
}

// parse reads a packet. Packets about other services yield an empty result;
// malformed ones about ours yield an error.
func (p parser) parse(packet []byte) (heard, error) {
	if len(packet) < headerSize {
		return heard{}, fmt.Errorf("lan: packet of %d bytes", len(packet))
	}
	if !p.concerns(packet) {
		return heard{}, nil
	}
	if len(packet) > maxPacket {
		return heard{}, fmt.Errorf("lan: packet of %d bytes or more", maxPacket)
	}
	count := 0
	for at := 4; at < headerSize; at += 2 {
		count += int(binary.BigEndian.Uint16(packet[at:]))
	}
	if count > maxRecords {
		return heard{}, fmt.Errorf("lan: packet with %d records", count)
	}
	var msg dns.Msg
	if err := msg.Unpack(packet); err != nil {
		return heard{}, fmt.Errorf("lan: malformed packet: %w", err)
	}
	if msg.Opcode != dns.OpcodeQuery || msg.Rcode != dns.RcodeSuccess {
		return heard{}, nil // RFC 6762 sections 18.3 and 18.11: ignore
	}
	if !msg.Response {
		return heard{asked: p.asks(&msg), id: msg.Id, questions: p.about(&msg)}, nil
	}
	return heard{peers: p.peers(&msg)}, nil
}

// about picks the questions of a query that may be about us: about the service,
// something below it, or which services there are.
func (p parser) about(msg *dns.Msg) (questions []dns.Question) {
	for _, q := range msg.Question {
		ours := q.Name == p.service || strings.HasSuffix(q.Name, "."+p.service) || q.Name == enumeration
		if ours && q.Qclass&^unicastBit == dns.ClassINET && !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
		if len(questions) == maxQuestions {
			break
		}
	}
	return questions
}

// answer makes the reply to whoever asked, or nothing if it is not about us.
func (p parser) answer(z *zone, h heard) []byte {
	msg := dns.Msg{MsgHdr: dns.MsgHdr{Id: h.id, Response: true, Authoritative: true}, Compress: true}
	for _, q := range h.questions {
		msg.Answer = append(msg.Answer, z.Records(q)...)
	}
	if len(msg.Answer) == 0 {
		return nil
	}
	packet, err := msg.Pack()
	if err != nil || len(packet) > maxAnswer {
		return nil
	}
	return packet
}

// asks says whether a query wants our service announced on the group.
func (p parser) asks(msg *dns.Msg) bool {
	for _, q := range msg.Question {
		if q.Name == p.service && q.Qclass == dns.ClassINET &&
			(q.Qtype == dns.TypePTR || q.Qtype == dns.TypeANY) {
			return true
		}
	}
	return false
}

// peers collects the complete, well-formed announcements of a response.
func (p parser) peers(msg *dns.Msg) []announcement {
	type parts struct {
		port    uint16
		txt     []string
		leaving bool
	}
	found := make(map[string]*parts)
	var order []string
	rrs := append(msg.Answer[:len(msg.Answer):len(msg.Answer)], msg.Extra...)
	for _, rr := range rrs {
		ptr, ok := rr.(*dns.PTR)
		if !ok || ptr.Hdr.Name != p.service || found[ptr.Ptr] != nil || len(order) == maxInstances {
			continue
		}
		found[ptr.Ptr] = &parts{leaving: ptr.Hdr.Ttl == 0}
		order = append(order, ptr.Ptr)
	}
	for _, rr := range rrs {
		part := found[rr.Header().Name]
		if part == nil {
			continue
		}
		switch rr := rr.(type) {
		case *dns.SRV:
			part.port = rr.Port
		case *dns.TXT:
			part.txt = rr.Txt
		}
	}
	var peers []announcement
	for _, name := range order {
		instance, ok := strings.CutSuffix(name, "."+p.service)
		part := found[name]
		if !ok || !validLabel(instance) || part.port == 0 {
			continue
		}
		r, err := parseRecord(part.txt)
		if err != nil {
			continue
		}
		peers = append(peers, announcement{r, instance, part.port, part.leaving})
	}
	return peers
}

// query asks who is there. With multicast set the answers go to the whole
// group, which reaches those whose firewall drops anything sent to them alone.
func (p parser) query(multicast bool) ([]byte, error) {
	msg := dns.Msg{Question: []dns.Question{{Name: p.service, Qtype: dns.TypePTR, Qclass: dns.ClassINET}}}
	if !multicast {
		msg.Question[0].Qclass |= unicastBit
	}
	return msg.Pack()
}

// announce makes an unsolicited response from the records of a zone, or the
// goodbye that takes them back.
func (p parser) announce(z *zone, leaving bool) ([]byte, error) {
	msg := dns.Msg{
		MsgHdr:   dns.MsgHdr{Response: true, Authoritative: true},
		Compress: true,
		Answer:   z.Records(dns.Question{Name: p.service, Qtype: dns.TypePTR, Qclass: dns.ClassINET}),
	}
	if leaving {
		for _, rr := range msg.Answer {
			rr.Header().Ttl = 0
		}
	}
	return msg.Pack()
}
