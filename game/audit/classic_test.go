package audit_test

import (
	"testing"

	"alibi/game/rules"
)

func TestClassicTry(t *testing.T) {
	for n := 2; n <= 6; n++ {
		o := wholeGame(t, "try", rules.Classic(), n, rules.DefaultOptions(), false)
		t.Log(n, o)
		o = wholeGame(t, "try rash", rules.Classic(), n, rules.DefaultOptions(), true)
		t.Log(n, o)
	}
}
