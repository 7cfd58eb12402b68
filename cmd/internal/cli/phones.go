package cli

import (
	"context"
	"net"
	"net/netip"

	"alibi/cmd/internal/web"
)

// phones serves the page on the local network, too: what has to run for it.
func (p *program) phones(ctx context.Context, d desk, app *web.App, own *web.Server, addrs []string) ([]func(context.Context) error, error) {
	listeners, at, err := listenLAN(ctx, lanAddrs(addrs), uint16(d.page))
	if err != nil {
		return nil, err
	}
	if len(listeners) == 0 {
		return nil, p.failed("failed.nolan", "hint.nolan")
	}
	server := own.Phones(at)
	p.paper.Line(p.paper.Dim(p.book.Say("play.phone.warning")))
	return []func(context.Context) error{
		func(ctx context.Context) error { return server.Run(ctx, listeners...) },
		func(ctx context.Context) error { p.tellCodes(ctx, app); return nil },
	}, nil
}

// lanAddrs are those of this computer's addresses that nobody beyond a local network
// can reach, as the peer lists them, the likeliest first. Under --loopback that is
// the loopback address.
func lanAddrs(addrs []string) []netip.Addr {
	var out []netip.Addr
	for _, text := range addrs {
		if a, err := netip.ParseAddrPort(text); err == nil {
			if ip := a.Addr().Unmap(); ip.IsPrivate() || ip.IsLoopback() || ip.Is4() && ip.IsLinkLocalUnicast() {
				out = append(out, ip)
			}
		}
	}
	return out
}

// listenLAN listens at each address, and never at all of the computer's: a port for
// all would also be one on the internet or in a tunnel. It is the same port at each;
// an address where that is taken is left out unless it is the first.
func listenLAN(ctx context.Context, ips []netip.Addr, port uint16) (out []net.Listener, at []netip.AddrPort, err error) {
	for _, ip := range ips {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", netip.AddrPortFrom(ip, port).String())
		switch {
		case err == nil:
			a := l.Addr().(*net.TCPAddr).AddrPort()
			out, at, port = append(out, l), append(at, netip.AddrPortFrom(ip, a.Port())), a.Port()
		case len(out) == 0:
			return nil, nil, err
		}
	}
	return out, at, nil
}

// tellCodes prints each code that lets a phone in. They go to the terminal only.
func (p *program) tellCodes(ctx context.Context, app *web.App) {
	last := ""
	for {
		scene, changed := app.Scene()
		if w := scene.Phone; w != nil && w.Code != "" && w.Code != last {
			last = w.Code
			p.paper.Line(p.book.Say("play.phone", "address", w.Address(), "code", w.Spelled(), "time", p.book.Clock(w.Until)))
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
