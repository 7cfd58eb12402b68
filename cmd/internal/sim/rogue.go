package sim

import "alibi/crypto/feed"

// strategy is one way to cheat.
type strategy struct {
	name string
	says string
	fits func(*setting) bool
	set  func(*setting, *dice)
}

var strategies []*strategy

// rogue is the program of a cheat.
type rogue struct{}

func (r *rogue) published([]*feed.Signed)                   {}
func (r *rogue) outgoing(to *peer, e *feed.Signed) [][]byte { return [][]byte{e.Raw()} }
func (r *rogue) mute() bool                                 { return false }
func (w *World) hire(d *dice, c *feed.Charter)              {}
