package session

import (
	"errors"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/p2p/lobby"
)

// What no face can show is refused at the door and in a kept game, also from somebody
// who opens it in spite of that.
func TestEditionThatIsNotShownIsRefused(t *testing.T) {
	p := newParty(t, 3)
	terms, err := move.EncodeTerms(rules.Classic(), rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	charter, err := feed.ParseCharter(p.charter)
	if err != nil {
		t.Fatal(err)
	}
	charter.Terms = terms
	encoded, err := charter.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCore(Config{Charter: encoded, Me: Spectator}, nil); !errors.Is(err, move.ErrEdition) {
		t.Errorf("a core: %v", err)
	}
	peer := &Peer{}
	if _, err := peer.me().Commit(lobby.Offer{Terms: terms, Seats: 3}); !errors.Is(err, move.ErrEdition) {
		t.Errorf("a seat: %v", err)
	}
}
