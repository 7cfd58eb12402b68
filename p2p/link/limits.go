package link

import (
	"fmt"
	"io"
	"net/netip"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/x/rate"
	gyamux "github.com/libp2p/go-yamux/v5"
	ma "github.com/multiformats/go-multiaddr"
)

// Limits of memory and of outbound connections, which the resource manager
// keeps. How many come in, and who, is for the door; the numbers here stand
// above what it lets in. One peer's memory is far enough below the whole that
// eleven others of a table keep theirs.
const (
	maxConns      = 512
	maxConnsOut   = 256
	maxConnsTable = 16 // with one peer, in each direction
	maxStreamsIn  = 4  // of one connection, before more are reset by the muxer
	memoryConn    = 4 << 20
	memoryPeer    = 8 << 20
	memoryAll     = 128 << 20
)

func newLimits() (network.ResourceManager, error) {
	all := rcmgr.ResourceLimits{
		Conns: maxConns, ConnsInbound: maxConns, ConnsOutbound: maxConnsOut, FD: maxConns, Memory: memoryAll,
		Streams: maxConns, StreamsInbound: maxConns, StreamsOutbound: maxConns,
	}
	peerLimits := rcmgr.ResourceLimits{
		Conns: 2 * maxConnsTable, ConnsInbound: maxConnsTable, ConnsOutbound: maxConnsTable, FD: 2 * maxConnsTable,
		Memory: memoryPeer, Streams: maxConnsTable, StreamsInbound: maxConnsTable, StreamsOutbound: maxConnsTable,
	}
	conn := rcmgr.ResourceLimits{
		Conns: 1, ConnsInbound: 1, ConnsOutbound: 1, FD: 1, Memory: memoryConn,
		Streams: maxStreamsIn, StreamsInbound: maxStreamsIn, StreamsOutbound: maxStreamsIn,
	}
	limits := rcmgr.PartialLimitConfig{
		System: all, Transient: all, PeerDefault: peerLimits, Conn: conn,
	}.Build(rcmgr.InfiniteLimits)

	// libp2p counts and paces addresses itself, with numbers made for the open
	// internet: 8 connections and a burst of 16 to an IPv4 address, and a whole
	// IPv6 /56 as one. The door does both here.
	everybody := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	m, err := rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits),
		rcmgr.WithMetricsDisabled(),
		rcmgr.WithNetworkPrefixLimit(
			[]rcmgr.NetworkPrefixLimit{{Network: everybody[0], ConnCount: maxConns}},
			[]rcmgr.NetworkPrefixLimit{{Network: everybody[1], ConnCount: maxConns}}),
		rcmgr.WithConnRateLimiters(&rate.Limiter{
			NetworkPrefixLimits: []rate.PrefixLimit{{Prefix: everybody[0]}, {Prefix: everybody[1]}},
		}))
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return m, nil
}

// muxers is yamux alone, with windows and counts for one stream a connection.
var muxers = []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: smallYamux()}}

func smallYamux() *yamux.Transport {
	c := gyamux.DefaultConfig()
	c.AcceptBacklog = maxStreamsIn
	c.MaxIncomingStreams = maxStreamsIn
	c.MaxStreamWindowSize = 1 << 20
	c.ReadBufSize = 0 // Noise below has a buffer of its own
	c.LogOutput = io.Discard
	return (*yamux.Transport)(c)
}

// gate lets in who is admitted.
type gate struct{ h *Host }

var _ connmgr.ConnectionGater = gate{}

// InterceptPeerDial implements connmgr.ConnectionGater.
func (gate) InterceptPeerDial(peer.ID) bool { return true }

// InterceptAddrDial implements connmgr.ConnectionGater.
func (gate) InterceptAddrDial(peer.ID, ma.Multiaddr) bool { return true }

// InterceptAccept implements connmgr.ConnectionGater.
func (gate) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured implements connmgr.ConnectionGater. This is the first
// moment at which the far end's key is known.
func (g gate) InterceptSecured(dir network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	id, err := fromPeer(p)
	if err != nil || id == g.h.cfg.Key.ID() {
		return false
	}
	return dir == network.DirOutbound || g.h.cfg.Admit(id)
}

// InterceptUpgraded implements connmgr.ConnectionGater.
func (gate) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
