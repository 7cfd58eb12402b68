package link

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"alibi/crypto/identity"
)

// PeerID writes an identity as libp2p does: the base58 text of its public key
// in an identity multihash, "12D3KooW...".
func PeerID(id identity.ID) string {
	p, err := toPeer(id)
	if err != nil {
		return ""
	}
	return p.String()
}

// ParsePeerID reads what PeerID wrote. Keys of other kinds, and identities
// that identity.ParseID refuses, are errors.
func ParsePeerID(text string) (identity.ID, error) {
	p, err := peer.Decode(text)
	if err != nil {
		return identity.ID{}, fmt.Errorf("link: %q is no peer ID", shorten(text))
	}
	return fromPeer(p)
}

func toPeer(id identity.ID) (peer.ID, error) {
	key, err := crypto.UnmarshalEd25519PublicKey(id[:])
	if err != nil {
		return "", fmt.Errorf("link: %w", err)
	}
	return peer.IDFromPublicKey(key)
}

func fromPeer(p peer.ID) (identity.ID, error) {
	key, err := p.ExtractPublicKey()
	if err != nil || key.Type() != crypto.Ed25519 {
		return identity.ID{}, fmt.Errorf("link: peer %s has no Ed25519 key", shorten(p.String()))
	}
	raw, err := key.Raw()
	if err != nil {
		return identity.ID{}, fmt.Errorf("link: %w", err)
	}
	id, err := identity.ParseID(raw)
	if err != nil {
		return identity.ID{}, fmt.Errorf("link: %w", err)
	}
	return id, nil
}

// shorten keeps what a stranger sent from filling an error text.
func shorten(s string) string {
	const limit = 64
	if len(s) > limit {
		return s[:limit] + "..."
	}
	return s
}
