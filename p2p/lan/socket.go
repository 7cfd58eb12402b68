package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

const (
	mdnsPort = 5353
	hops     = 255 // RFC 6762 section 11
)

var (
	group4 = netip.AddrFrom4([4]byte{224, 0, 0, 251})
	group6 = netip.MustParseAddr("ff02::fb")
)

// multicaster sets the options of one family; ipv4.PacketConn and
// ipv6.PacketConn differ only in the name of the last one.
type multicaster interface {
	SetMulticastInterface(*net.Interface) error
	SetMulticastLoopback(bool) error
	JoinGroup(*net.Interface, net.Addr) error
}

// role is what a socket is for.
type role int

const (
	listening   role = iota // on the mDNS port
	asking                  // bound to an address, on a port of its own
	askingExtra             // the same, for a further IPv4 network of the interface
)

// socket sends to the mDNS group on one interface in one family.
type socket struct {
	conn   *net.UDPConn
	group  netip.AddrPort
	local  netip.AddrPort
	role   role
	broken atomic.Bool // to be opened anew
}

func (s *socket) six() bool { return s.group.Addr().Is6() }

// ask opens a socket for questions, bound to one address of the interface so
// that neither the question nor its answers depend on the routing table.
func ask(ctx context.Context, iface *net.Interface, from netip.Addr, role role) (*socket, error) {
	s, err := open(ctx, iface, netip.AddrPortFrom(from, 0), nil)
	if err != nil {
		return nil, err
	}
	s.role = role
	return s, nil
}

// listen opens a socket on the mDNS port beside those of other programs, and
// joins the group on the interface.
func listen(ctx context.Context, iface *net.Interface, six bool) (*socket, error) {
	any := netip.IPv4Unspecified()
	if six {
		any = netip.IPv6Unspecified()
	}
	control := func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) {
			failed = shareAddress(fd)
			ownGroupsOnly(fd, six)
		})
		return errors.Join(err, failed)
	}
	s, err := open(ctx, iface, netip.AddrPortFrom(any, mdnsPort), control)
	if err != nil {
		return nil, err
	}
	group := &net.UDPAddr{IP: s.group.Addr().AsSlice()}
	if err := s.options().JoinGroup(iface, group); err != nil {
		s.conn.Close()
		return nil, fmt.Errorf("join the mDNS group: %w", err)
	}
	return s, nil
}

func open(ctx context.Context, iface *net.Interface, at netip.AddrPort,
	control func(string, string, syscall.RawConn) error) (*socket, error) {
	network, group := "udp4", netip.AddrPortFrom(group4, mdnsPort)
	if at.Addr().Is6() {
		network, group = "udp6", netip.AddrPortFrom(group6.WithZone(iface.Name), mdnsPort)
	}
	config := net.ListenConfig{Control: control}
	packets, err := config.ListenPacket(ctx, network, at.String())
	if err != nil {
		return nil, err
	}
	conn, ok := packets.(*net.UDPConn)
	if !ok {
		packets.Close()
		return nil, fmt.Errorf("unexpected socket type %T", packets)
	}
	s := &socket{conn: conn, group: group}
	if local, ok := conn.LocalAddr().(*net.UDPAddr); ok {
		s.local = unmapped(local.AddrPort())
	}
	if err := s.prepare(iface); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// prepare makes the socket send on the interface, also to this computer.
func (s *socket) prepare(iface *net.Interface) error {
	options := s.options()
	if err := options.SetMulticastInterface(iface); err != nil {
		return fmt.Errorf("choose the interface for multicast: %w", err)
	}
	if err := options.SetMulticastLoopback(true); err != nil {
		return fmt.Errorf("switch multicast loopback on: %w", err)
	}
	var err error
	switch options := options.(type) {
	case *ipv4.PacketConn:
		err = options.SetMulticastTTL(hops)
	case *ipv6.PacketConn:
		err = options.SetMulticastHopLimit(hops)
	}
	if err != nil {
		return fmt.Errorf("set the hop limit: %w", err)
	}
	return nil
}

func (s *socket) options() multicaster {
	if s.six() {
		return ipv6.NewPacketConn(s.conn)
	}
	return ipv4.NewPacketConn(s.conn)
}

// unmapped turns IPv4 in IPv6 into IPv4.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// send puts a packet to the group.
func (s *socket) send(packet []byte) error {
	_, err := s.conn.WriteToUDPAddrPort(packet, s.group)
	return err
}
