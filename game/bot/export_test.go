package bot

import (
	"alibi/game/rules"
	"alibi/game/view"
)

// Mark is what elimination says of a card at a seat, or in the envelope (any
// negative number).
func (k *Knowledge) Mark(c rules.Card, at int) view.Mark {
	if at < 0 {
		return k.crime[c]
	}
	return k.grid[c][at]
}
