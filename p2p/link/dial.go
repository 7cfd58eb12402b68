package link

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	ma "github.com/multiformats/go-multiaddr"

	"alibi/crypto/identity"
)

const pQUIC = ma.P_QUIC_V1

// Steps of a race between addresses: TCP first, because a killed process is
// noticed by the other end at once and clocks do not matter to Noise; QUIC
// shortly after, because with both sides dialling from their listening port it
// passes stateful firewalls; then the next address.
const (
	quicAfter = 30 * time.Millisecond
	nextAfter = 60 * time.Millisecond
	// A TCP connection that stands and is busy with its handshake is given
	// this long before something else is tried: on a slow computer the two
	// would only slow each other down.
	handshakeGrace = 200 * time.Millisecond
	maxDial        = 8 // addresses of one peer that are tried
)

// attempt is one way to a peer.
type attempt struct {
	at    netip.Addr
	addr  ma.Multiaddr
	via   transport.Transport
	after time.Duration
}

// Dial connects to a peer at whichever of its addresses answers first, best
// addresses first in addrs, and opens the stream for a protocol. Earlier
// failures do not count, until there were dozens at one address.
func (h *Host) Dial(ctx context.Context, id identity.ID, addrs []netip.AddrPort, proto string) (*Conn, error) {
	p, err := toPeer(id)
	if err != nil {
		return nil, err
	}
	if id == h.cfg.Key.ID() {
		return nil, ErrSelf
	}
	ctx, run, cancel, err := h.dialContext(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	under, err := h.race(ctx, p, h.attempts(addrs))
	if err != nil {
		return nil, err
	}
	if !h.track(run, under) {
		_ = under.Close()
		return nil, ErrNotRunning
	}
	stream, err := ask(ctx, under, proto)
	if err != nil {
		h.untrack(under)
		_ = under.Close()
		return nil, err
	}
	c := &Conn{host: h, under: under, stream: stream, remote: id, protocol: proto, outbound: true}
	if !h.adopt(run, c) {
		return nil, ErrNotRunning
	}
	h.door.met(id, c.RemoteAddr().Addr())
	return c, nil
}

// dialContext ends with the caller's context and with the host, which waits
// until cancel is called.
func (h *Host) dialContext(ctx context.Context) (dial, run context.Context, cancel func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	run = h.run
	if run == nil || h.ended {
		return nil, nil, nil, ErrNotRunning
	}
	h.work.Add(1)
	dial, stop := context.WithCancel(ctx)
	after := context.AfterFunc(run, stop)
	return dial, run, func() { after(); stop(); h.work.Done() }, nil
}

func (h *Host) attempts(addrs []netip.AddrPort) []attempt {
	var list []attempt
	for i, a := range addrs {
		if i == maxDial {
			break
		}
		after := time.Duration(i) * nextAfter
		list = append(list,
			attempt{a.Addr(), tcpAddr(a), h.tcp, after},
			attempt{a.Addr(), quicAddr(a), h.quic, after + quicAfter})
	}
	return list
}

type outcome struct {
	conn transport.CapableConn
	err  error
}

// race makes the attempts, each after its time or as soon as all before it
// have failed, and returns the first connection; the others are cancelled.
func (h *Host) race(ctx context.Context, p peer.ID, list []attempt) (transport.CapableConn, error) {
	if len(list) == 0 {
		return nil, ErrNoAddress
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime+time.Duration(len(list))*nextAfter)
	defer cancel()
	results := make(chan outcome, len(list))
	progress := make(chan transport.DialUpdate, len(list))
	began := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	started, ended := 0, 0
	var errs []error
	start := func() {
		a := list[started]
		started++
		h.work.Go(func() {
			c, err := h.try(ctx, a, p, progress)
			if err != nil {
				err = fmt.Errorf("%s: %w", a.addr, err)
			}
			results <- outcome{c, err}
		})
		if started < len(list) {
			timer.Reset(time.Until(began.Add(list[started].after)))
		}
	}
	for ended < len(list) {
		select {
		case <-timer.C:
			if started < len(list) {
				start()
			}
		case <-progress:
			if started < len(list) {
				timer.Reset(handshakeGrace)
			}
		case r := <-results:
			ended++
			if r.err == nil {
				h.work.Go(func() { closeLate(results, started-ended) })
				return r.conn, nil
			}
			errs = append(errs, r.err)
			if ended == started && started < len(list) {
				start()
			}
		case <-ctx.Done():
			h.work.Go(func() { closeLate(results, started-ended) })
			return nil, errors.Join(append([]error{ctx.Err()}, errs...)...)
		}
	}
	return nil, errors.Join(errs...)
}

var errTooOften = errors.New("link: tried too often in vain")

// try makes one attempt, unless there were too many in vain.
func (h *Host) try(ctx context.Context, a attempt, p peer.ID, progress chan<- transport.DialUpdate) (transport.CapableConn, error) {
	if !h.misses.allow(a.at, time.Now()) {
		return nil, errTooOften
	}
	c, err := dial(ctx, a, p, progress)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) { // one that another has overtaken is no failure
		h.misses.note(a.at, time.Now())
	}
	return c, err
}

// dial makes one attempt; a transport that can says when it gets somewhere.
func dial(ctx context.Context, a attempt, p peer.ID, progress chan<- transport.DialUpdate) (transport.CapableConn, error) {
	if d, ok := a.via.(transport.DialUpdater); ok {
		return d.DialWithUpdates(ctx, a.addr, p, progress)
	}
	return a.via.Dial(ctx, a.addr, p)
}

// closeLate closes connections of attempts that came in after the race.
func closeLate(results <-chan outcome, n int) {
	for range n {
		if r := <-results; r.err == nil {
			_ = r.conn.Close()
		}
	}
}

// Identify finds out who is at an address, by dialling it as a peer that
// cannot exist and reading from the refusal who is there instead. Nothing but
// the answer's key is proven: compare it, or the words of the table, with
// what a person says.
func (h *Host) Identify(ctx context.Context, addr netip.AddrPort) (identity.ID, error) {
	nobody, err := identity.NewKey(rand.Reader)
	if err != nil {
		return identity.ID{}, err
	}
	p, err := toPeer(nobody.ID())
	if err != nil {
		return identity.ID{}, err
	}
	ctx, _, cancel, err := h.dialContext(ctx)
	if err != nil {
		return identity.ID{}, err
	}
	defer cancel()
	// Both ways at once and to the end of both: a refused connection must not
	// hide the mismatch that the other one brings.
	attempts := h.attempts([]netip.AddrPort{addr})
	answers := make(chan error, len(attempts))
	for _, a := range attempts {
		h.work.Go(func() {
			c, err := a.via.Dial(ctx, a.addr, p)
			if err == nil {
				_ = c.Close()
				err = errors.New("link: a peer that does not exist has answered")
			}
			answers <- err
		})
	}
	var errs []error
	for range attempts {
		err := <-answers
		var mismatch sec.ErrPeerIDMismatch
		if errors.As(err, &mismatch) {
			return fromPeer(mismatch.Actual)
		}
		errs = append(errs, err)
	}
	return identity.ID{}, errors.Join(errs...)
}
