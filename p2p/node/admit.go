package node

import (
	"bytes"
	"context"

	"alibi/crypto/identity"
	"alibi/p2p/link"
)

// maxStrangers bounds the connections of peers that have no seat in any game
// here: those who watch, and as many who are about to be let in or turned away.
// Guests of an open table are bounded by the lobby.
const maxStrangers = 2 * MaxSpectators

// admit says who may connect at all: those who sit at a table that is being
// played; anybody while a table is open here; and while a game lets spectators
// in, anybody as long as there are not too many strangers.
func (n *Node) admit(id identity.ID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open != nil || n.knows(id) || n.onShow() != nil && n.strangers() < maxStrangers
}

// member says who sits at a table that is being played or about to be.
func (n *Node) member(id identity.ID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.knows(id)
}

// knows reports whether somebody has a seat in a game here, or in the one that
// a table here has just become.
func (n *Node) knows(id identity.ID) bool {
	if n.begun != nil && n.begun.begunWith(id) {
		return true
	}
	for _, g := range n.games {
		if g.seatOf(id) >= 0 {
			return true
		}
	}
	return false
}

// onShow is the game that lets spectators in, of several the first by name, or
// nil.
func (n *Node) onShow() (first *Game) {
	for _, g := range n.games {
		if g.limit.Load() > 0 && (first == nil || bytes.Compare(g.table[:], first.table[:]) < 0) {
			first = g
		}
	}
	return first
}

// strangers counts the connections that are held by strangers.
func (n *Node) strangers() (count int) {
	for _, stranger := range n.links {
		if stranger {
			count++
		}
	}
	return count
}

// handle owns an inbound connection.
func (n *Node) handle(ctx context.Context, c *link.Conn) {
	defer n.count(c)()
	if n.crowded(c) {
		return
	}
	switch c.Protocol() {
	case link.Lobby:
		n.handleLobby(ctx, c)
	case link.Game:
		n.handleGame(c)
	}
}

// count lists a connection in Status until the returned function is called.
func (n *Node) count(c *link.Conn) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	guest := n.open != nil && c.Protocol() == link.Lobby
	n.links[c] = !c.Outbound() && !guest && !n.knows(c.Remote())
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.links, c)
	}
}

// crowded reports whether a connection is one of too many. Several may have
// been admitted at the same moment.
func (n *Node) crowded(c *link.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.links[c] && n.strangers() > maxStrangers
}
