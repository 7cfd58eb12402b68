package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lan"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// Keys of what is announced about an open table, or about a game that can be
// watched. A peer without infoTable announces only where it is, for those it
// plays with.
const (
	infoVersion = "v"
	infoTable   = "t"
	infoHost    = "h"
	infoSeats   = "n" // seats, taken, leavers, with dots between
	infoGame    = "g" // of a game under way: its short name
	infoSummary = "s-"
)

// newLAN makes the discovery service, once the port is known.
func (n *Node) newLAN() *lan.Service {
	service := lan.New(lan.Config{
		PeerID: link.PeerID(n.id), Port: n.host.Port(), LoopbackOnly: n.cfg.LoopbackOnly, Realm: n.cfg.Realm,
		Info: map[string]string{infoVersion: strconv.Itoa(wire.Version)},
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lan = service
	return service
}

// watch passes on that something was heard.
func (n *Node) watch(ctx context.Context, service *lan.Service) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-service.Changed():
		}
		ring(n.changed)
		n.mu.Lock()
		for _, g := range n.games {
			g.ringAll()
		}
		n.mu.Unlock()
	}
}

// announce says what table is open here, or else what game can be watched, and
// how hard to look for others: each second before a game and while a seat is
// missing.
func (n *Node) announce() {
	n.announcing.Lock()
	defer n.announcing.Unlock()
	n.mu.Lock()
	service, open, shown := n.lan, n.open, n.onShow()
	games := slices.Collect(maps.Values(n.games))
	for _, w := range n.watched {
		games = append(games, w.Game)
	}
	n.mu.Unlock()
	if service == nil {
		return
	}
	looking := open != nil || len(games) == 0 || slices.ContainsFunc(games, (*Game).missing)
	info := map[string]string{infoVersion: strconv.Itoa(wire.Version)}
	switch {
	case open != nil:
		maps.Copy(info, describe(open.view()))
	case shown != nil:
		maps.Copy(info, shown.announced())
	}
	_ = service.SetInfo(info) // the offer was checked against tighter bounds
	service.SetEager(looking)
}

func describe(v lobby.View) map[string]string {
	taken := 0
	for _, s := range v.Seats {
		if s.Taken() {
			taken++
		}
	}
	return infoOf(v.Offer.Table, v.Seats[0].Name, v.Offer.Seats, taken, v.Offer.Leavers, v.Offer.Summary, "")
}

func infoOf(table, host string, seats, taken, leavers int, summary map[string]string, game string) map[string]string {
	info := map[string]string{infoTable: table, infoHost: host, infoSeats: fmt.Sprintf("%d.%d.%d", seats, taken, leavers)}
	if game != "" {
		info[infoGame] = game
	}
	for k, value := range summary {
		info[infoSummary+k] = value
	}
	return info
}

// Tables lists the tables found by now, in a stable order: the open ones, and
// the games under way that can be watched, each once.
func (n *Node) Tables() []Table {
	var out []Table
	for _, p := range n.heard() {
		if t, ok := tableOf(p); ok {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Table) int {
		return strings.Compare(a.Name+"\x00"+string(a.Opener[:]), b.Name+"\x00"+string(b.Opener[:]))
	})
	listed := map[string]bool{}
	return slices.DeleteFunc(out, func(t Table) bool {
		again := t.Game != "" && listed[t.Game] // by another of its seats
		listed[t.Game] = true
		return again
	})
}

// tableOf reads an announcement; nothing in it is proven, and the parts that
// do not make sense make no table.
func tableOf(p lan.Peer) (Table, bool) {
	id, err := link.ParsePeerID(p.ID)
	if err != nil {
		return Table{}, false
	}
	t := Table{Opener: id, Name: p.Info[infoTable], Host: p.Info[infoHost], Summary: map[string]string{}, Seen: p.LastSeen}
	for _, a := range p.Addrs {
		t.Addrs = append(t.Addrs, a.String())
	}
	t.Version, err = strconv.Atoi(p.Info[infoVersion])
	switch {
	case p.Version != lan.Version:
		t.Version = p.Version
		t.Problem = fmt.Sprintf("another version of alibi: it announces itself in format %d, this one in %d", p.Version, lan.Version)
		return t, true
	case feed.CheckName(t.Name) != nil || err != nil || t.Version < 0:
		return Table{}, false
	case t.Version != wire.Version:
		t.Problem = fmt.Sprintf("another version of alibi: it speaks protocol %d, this one %d", t.Version, wire.Version)
		return t, true
	}
	var seats, taken, leavers uint8
	if _, err := fmt.Sscanf(p.Info[infoSeats], "%d.%d.%d", &seats, &taken, &leavers); err != nil ||
		seats < feed.MinSeats || seats > feed.MaxSeats || taken > seats || leavers > seats-2 {
		return Table{}, false
	}
	t.Seats, t.Taken, t.Leavers, t.Game = int(seats), int(taken), int(leavers), p.Info[infoGame]
	switch {
	case t.Game != "":
		t.Problem = "the game is under way; it can be watched"
	case taken == seats:
		t.Problem = "every seat is taken"
	}
	for k, v := range p.Info {
		if key, ok := strings.CutPrefix(k, infoSummary); ok && len(t.Summary) < lobby.MaxSummary && len(v) <= lobby.MaxSummaryValue {
			t.Summary[key] = v
		}
	}
	return t, true
}

// TablesChanged receives a value after Tables may have changed. Values are
// merged while nobody reads.
func (n *Node) TablesChanged() <-chan struct{} { return n.changed }

// Status describes the node at this moment.
func (n *Node) Status() Status {
	s := Status{
		ID: n.id, Peer: link.PeerID(n.id), Port: n.host.Port(), Addrs: n.Addrs(),
		Tables: len(n.Tables()), Finding: n.finding(),
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	s.Up = n.run != nil && !n.ended
	for c := range n.links {
		s.Links = append(s.Links, LinkStatus{
			ID: c.Remote(), Addr: c.RemoteAddr().String(), Transport: c.Transport(), Game: c.Protocol() == link.Game,
		})
	}
	slices.SortFunc(s.Links, func(a, b LinkStatus) int { return strings.Compare(a.Addr, b.Addr) })
	return s
}

// patience is after how long it is worth telling a person that nobody is there.
const patience = 5 * time.Second

// finding says how the search for tables goes.
func (n *Node) finding() string {
	n.mu.Lock()
	service, since := n.lan, n.since
	n.mu.Unlock()
	switch {
	case n.cfg.NoDiscovery:
		return "not looking for tables; a typed address works"
	case service == nil:
		return "starting"
	}
	st := service.Status()
	var names []string
	heardSelf, heardOthers := false, false
	for _, l := range st.Links {
		names = append(names, l.Name)
		heardSelf = heardSelf || !l.HeardSelf.IsZero()
		heardOthers = heardOthers || !l.HeardOthers.IsZero()
	}
	where := strings.Join(names, ", ")
	early := time.Since(since) < patience
	switch {
	case st.Err != nil:
		return "cannot list the network interfaces: " + st.Err.Error()
	case len(names) == 0 && early:
		return "starting"
	case len(names) == 0:
		return "no usable network interface"
	case len(st.Doubles) > 0:
		return "another computer or program uses this identity, at " + st.Doubles[0].String()
	case len(service.Peers()) > 0 || early || n.cfg.LoopbackOnly:
		return "looking on " + where
	case !heardSelf:
		return "looking on " + where + ", but this computer lets no multicast through: see its firewall; a typed address may work"
	case !heardOthers:
		return "looking on " + where + ": nobody else is heard; if others are there, this network keeps devices apart, and a typed address may work"
	}
	return "looking on " + where + ": no other alibi is heard"
}

var errAddress = errors.New("node: an address is host:port, such as 10.0.0.7:4001")

func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, errAddress
	}
	return uint16(n), nil
}

// ErrUnreachable means that nothing at all answered at an address.
var ErrUnreachable = errors.New("node: nothing answers there: a wrong address, a firewall, or a network that keeps devices apart")

// typedTime bounds the time until a typed address has an answer.
const typedTime = 4500 * time.Millisecond

// locate finds out who is at a typed address.
func (n *Node) locate(ctx context.Context, text string) (identity.ID, []netip.AddrPort, error) {
	host, port, id, err := fromText(strings.TrimSpace(text))
	if err != nil {
		return identity.ID{}, nil, err
	}
	within, cancel := context.WithTimeout(ctx, typedTime)
	defer cancel()
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = []netip.Addr{ip}
	} else if ips, err = net.DefaultResolver.LookupNetIP(within, "ip", host); err != nil {
		return identity.ID{}, nil, fmt.Errorf("node: no address for %q", host)
	}
	var addrs []netip.AddrPort
	for _, ip := range ips {
		if a := netip.AddrPortFrom(ip.Unmap(), port); dialable(a) {
			addrs = append(addrs, a)
		}
	}
	if len(addrs) == 0 {
		return identity.ID{}, nil, errAddress
	}
	if id != nil {
		return *id, addrs, nil
	}
	for i, a := range addrs {
		who, err := n.host.Identify(within, a)
		if err == nil {
			// The addresses behind one name may be different computers.
			return who, addrs[i : i+1], nil
		}
		if errors.Is(err, link.ErrNotRunning) {
			return identity.ID{}, nil, ErrNotRunning
		}
	}
	if ctx.Err() != nil {
		return identity.ID{}, nil, ctx.Err()
	}
	return identity.ID{}, nil, ErrUnreachable
}
