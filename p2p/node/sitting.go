package node

import (
	"context"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lobby"
)

// Sitting is a seat at a table that fills. It ends with a charter, with Leave,
// or with View.Err.
type Sitting struct{}

// Offer is what the table plays.
func (s *Sitting) Offer() lobby.Offer { return lobby.Offer{} }

// View is the table as it stands.
func (s *Sitting) View() lobby.View { return lobby.View{} }

// Updates receives the latest view after each change; older ones are dropped
// while nobody reads. It is closed when the sitting ends.
func (s *Sitting) Updates() <-chan lobby.View { return nil }

// Ready says whether the own player agrees to begin; the table begins as soon
// as every seat is taken and ready.
func (s *Sitting) Ready(yes bool) {}

// Leave gives the seat back; the opener's Leave closes the table. After the
// charter is final it does nothing.
func (s *Sitting) Leave() {}

// Remove takes a seat back from somebody who has not agreed to a charter yet.
// Only the opener can.
func (s *Sitting) Remove(id identity.ID) {}

// Wait blocks until the charter is final and returns it, encoded, with the own
// seat and the table's name; or until the sitting ends otherwise.
func (s *Sitting) Wait(ctx context.Context) (charter []byte, me int, err error) {
	return nil, 0, errUnfinished
}

// Charter returns what Wait does without waiting; ok is false before.
func (s *Sitting) Charter() (charter []byte, me int, ok bool) { return nil, 0, false }

var _ = feed.MinSeats
