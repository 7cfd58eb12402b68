// Package lan finds the other players on the local network, and lets them find
// this one, by multicast DNS (RFC 6762) and DNS service discovery (RFC 6763).
//
// A [Service] announces one peer on every usable interface and browses for
// others at the same time. It needs no server, no route and no working
// internet, and it works between several processes on one computer as well.
//
//	s := lan.New(lan.Config{PeerID: id, Port: port})
//	go s.Run(ctx)
//	for range s.Changed() {
//		show(s.Peers())
//	}
//
// The records come from github.com/hashicorp/mdns. That library has no
// announcements, no goodbyes and no cache, a query that always uses the default
// interface, and a server that takes apart whatever anybody sends, of any size
// and as often as it comes, so those parts are here.
//
// Nothing heard by multicast is authenticated: a [Peer] is a hint where to
// dial, and whoever answers must still prove the identity. All text in a Peer
// has been cleaned for display, and every list is bounded.
package lan
