package session

import (
	"fmt"

	"alibi/game/move"
	"alibi/game/rules"
)

// shown refuses an edition that the game packages play and no face can show yet.
func shown(e *rules.Edition) error {
	if _, ok := rules.Lookup(e.Name); !ok {
		return fmt.Errorf("%w: %q", move.ErrEdition, e.Name)
	}
	return nil
}
