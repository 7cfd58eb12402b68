package audit_test

import (
	"fmt"
	"testing"

	"alibi/game/rules"
)

// Whole games on the board, of players who know before they accuse and of rash ones, are
// fair in the eyes of an audit.
func TestWholeGamesOnTheBoard(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for name, rash := range map[string]bool{"sure": false, "rash": true} {
			t.Run(fmt.Sprintf("%d, %s", n, name), func(t *testing.T) {
				t.Parallel()
				wholeGame(t, "board "+name, rules.Classic(), n, rules.DefaultOptions(), rash)
			})
		}
	}
}
