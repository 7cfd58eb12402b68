package link

import (
	"fmt"
	"io"
	"net/netip"
	"time"

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

// Limits of the whole host and of one address. libp2p's defaults are made for
// the open internet: 8 connections and a burst of 16 to an IPv4 address, and a
// whole IPv6 /56 counted as one address, which a lobby of twelve on one
// network exceeds. These are far above what a table of twelve needs when
// everybody redials everybody, and they bound what a stranger can hold.
const (
	maxConns        = 256
	maxConnsIn      = 192
	maxConnsTable   = 16 // with one peer, both directions
	maxConnsAddress = 96 // several peers may share one computer
	connsPerSecond  = 32 // from one address, after a burst
	connsBurst      = 256
	memoryConn      = 4 << 20 // receive window of one connection, in bytes
	memoryAll       = 128 << 20
)

func newLimits() (network.ResourceManager, error) {
	all := rcmgr.ResourceLimits{
		Conns: maxConns, ConnsInbound: maxConnsIn, ConnsOutbound: maxConns, FD: maxConns, Memory: memoryAll,
		Streams: maxConns, StreamsInbound: maxConns, StreamsOutbound: maxConns,
	}
	peerLimits := rcmgr.ResourceLimits{
		Conns: maxConnsTable, ConnsInbound: maxConnsTable, ConnsOutbound: maxConnsTable, FD: maxConnsTable,
		Memory: maxConnsTable * memoryConn, Streams: maxConnsTable, StreamsInbound: maxConnsTable, StreamsOutbound: maxConnsTable,
	}
	conn := rcmgr.ResourceLimits{
		Conns: 1, ConnsInbound: 1, ConnsOutbound: 1, FD: 1, Memory: memoryConn,
		Streams: 4, StreamsInbound: 4, StreamsOutbound: 4,
	}
	limits := rcmgr.PartialLimitConfig{
		System: all, Transient: all, PeerDefault: peerLimits, Conn: conn,
	}.Build(rcmgr.InfiniteLimits)

	perAddress := rate.Limit{RPS: connsPerSecond, Burst: connsBurst}
	m, err := rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits),
		rcmgr.WithMetricsDisabled(),
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: maxConnsAddress}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 128, ConnCount: maxConnsAddress}}),
		rcmgr.WithNetworkPrefixLimit(
			[]rcmgr.NetworkPrefixLimit{{Network: netip.MustParsePrefix("127.0.0.0/8"), ConnCount: maxConns}},
			[]rcmgr.NetworkPrefixLimit{{Network: netip.MustParsePrefix("::1/128"), ConnCount: maxConns}}),
		rcmgr.WithConnRateLimiters(&rate.Limiter{
			SubnetRateLimiter: rate.SubnetLimiter{
				IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: perAddress}},
				IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 128, Limit: perAddress}},
				GracePeriod:      time.Minute,
			},
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
	c.AcceptBacklog = 4
	c.MaxIncomingStreams = 4
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
