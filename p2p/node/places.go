package node

import (
	"encoding/json"
	"io"
	"os"
	"reflect"
	"slices"
	"sync"

	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/wire"
)

// Bounds of what is kept from one run to the next.
const (
	maxPlaces     = 64 // identities
	maxPlacesFile = 64 << 10
)

// places is a file that says, from one run to the next, which port this node
// listened on and where those it plays with were. Without it nobody would find
// anybody again after a crash, on a network that carries no multicast. All in it
// are hints: who is at an address, the keys say, and a file that is lost or
// damaged is an empty one.
type places struct {
	file string // "" keeps nothing

	mu   sync.Mutex // guards kept
	kept notes
}

type notes struct {
	Port  int
	Peers []note // those of the last game first
}

type note struct {
	ID    string // as libp2p writes it
	Addrs []string
}

func openPlaces(file string) *places {
	p := &places{file: file}
	if file == "" {
		return p
	}
	f, err := os.Open(file)
	if err != nil {
		return p
	}
	defer f.Close()
	var n notes
	b, err := io.ReadAll(io.LimitReader(f, maxPlacesFile))
	if err == nil && json.Unmarshal(b, &n) == nil && n.Port >= 0 && n.Port <= 65535 {
		n.Peers = n.Peers[:min(len(n.Peers), maxPlaces)]
		p.kept = n
	}
	return p
}

// tell adds what was kept to an address book.
func (p *places) tell(b *addressBook) {
	for _, k := range p.kept.Peers {
		if id, err := link.ParsePeerID(k.ID); err == nil {
			b.add(id, parseAddrs(k.Addrs, true)...)
		}
	}
}

// note keeps the port and where some peers are, in front of others. A peer that
// is nowhere stays where it was.
func (p *places) note(port int, peers []note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh := notes{Port: port}
	for _, k := range append(peers, p.kept.Peers...) {
		known := slices.ContainsFunc(fresh.Peers, func(f note) bool { return f.ID == k.ID })
		if len(k.Addrs) > 0 && !known && len(fresh.Peers) < maxPlaces {
			fresh.Peers = append(fresh.Peers, k)
		}
	}
	if reflect.DeepEqual(fresh, p.kept) {
		return
	}
	if b, err := json.Marshal(fresh); err == nil && replace(p.file, b) == nil {
		p.kept = fresh
	}
}

// replace writes a file anew, wholly or not at all. Whoever calls it is alone in
// the folder, so that one name does for what is not whole yet.
func replace(file string, b []byte) error {
	draft := file + ".new"
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(draft, file)
}

// notePlaces keeps where everybody is that this node plays with.
func (n *Node) notePlaces() {
	if n.places.file == "" {
		return
	}
	var ids []identity.ID
	n.mu.Lock()
	for _, g := range n.games {
		ids = append(ids, g.ids...)
	}
	n.mu.Unlock()
	var peers []note
	for _, id := range ids {
		if id == n.id {
			continue
		}
		k := note{ID: link.PeerID(id)}
		for _, a := range n.addresses(id) {
			k.Addrs = append(k.Addrs, a.String())
		}
		k.Addrs = k.Addrs[:min(len(k.Addrs), wire.MaxAddrs)]
		peers = append(peers, k)
	}
	if len(peers) > 0 {
		n.places.note(n.host.Port(), peers)
	}
}
