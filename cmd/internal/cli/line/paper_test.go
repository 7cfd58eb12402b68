package line

import (
	"strings"
	"testing"

	"alibi/cmd/internal/say"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// A seat that was left out had told what the others never heard; they are told
// of as they went on.
func TestTellerGoesBack(t *testing.T) {
	v := func(lines ...view.Line) *view.View {
		edition, _ := rules.Lookup("card")
		return &view.View{Me: 1, Edition: edition, Players: []view.Player{{Name: "Anh"}, {Name: "Bahar"}, {Name: "Chai"}}, Lines: lines}
	}
	shuffle := func(round uint32, seat int) view.Line {
		return view.Line{Round: round, Kind: table.Shuffled, Seat: seat, Card: view.Hidden}
	}
	left := view.Line{Round: 4, Kind: table.Left, Seat: 1, Card: view.Hidden}
	for name, tc := range map[string]struct {
		views []*view.View
		want  string
	}{
		"grows": {
			[]*view.View{v(shuffle(2, 0)), v(shuffle(2, 0), shuffle(3, 2))},
			"  Anh shuffles suspects, weapons and locations, each apart\n  Chai shuffles suspects, weapons and locations, each apart\n",
		},
		"another line": {
			[]*view.View{v(shuffle(2, 0), shuffle(4, 1)), v(shuffle(2, 0), left)},
			"  Anh shuffles suspects, weapons and locations, each apart\n  You shuffle suspects, weapons and locations, each apart\n" +
				"The others did not hear the end of this and have gone on in another way; lines taken back: 1\n" +
				"  The others have gone on without you\n",
		},
		"fewer lines": {
			[]*view.View{v(shuffle(2, 0), shuffle(4, 1)), v(shuffle(2, 0))},
			"  Anh shuffles suspects, weapons and locations, each apart\n  You shuffle suspects, weapons and locations, each apart\n" +
				"The others did not hear the end of this and have gone on in another way; lines taken back: 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			teller := Teller{Paper: Paper{W: &out}, Book: say.English()}
			for _, v := range tc.views {
				teller.Tell(v)
			}
			if out.String() != tc.want {
				t.Errorf("told:\n%swant:\n%s", out.String(), tc.want)
			}
		})
	}
}
