package line

import (
	"slices"
	"testing"
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/view"
)

// Waiting is told again and again, ever less often; each time at the moment that
// was announced, and never before.
func TestPace(t *testing.T) {
	start := time.Date(2026, 1, 2, 20, 0, 0, 0, time.UTC)
	mine := at(rules.Turn, view.Choices{Turn: true})
	mine.View.Players[0].Owes, mine.View.Players[1].Owes = true, false
	timed := *mine
	timed.Deadline = start.Add(time.Minute)
	hurried := *mine
	hurried.Deadline = start.Add(15 * time.Second)
	ended := at(rules.Over, view.Choices{})
	ended.View.Players[1].Owes = false
	for name, tt := range map[string]struct {
		update *session.Update
		want   []string
	}{
		"another": {others, []string{
			"1m0s Waiting for Bahar Z to ask or accuse (60 s by now)", "5m0s Waiting for Bahar Z to ask or accuse (5 min by now)",
			"15m0s Waiting for Bahar Z to ask or accuse (15 min by now)", "30m0s Waiting for Bahar Z to ask or accuse (30 min by now)",
			"1h0m0s Waiting for Bahar Z to ask or accuse (60 min by now)",
		}},
		"this seat, without a timer": {mine, nil},
		"this seat, with one":        {&timed, []string{"50s 10 s left for you"}},
		"this seat, with little":     {&hurried, nil},
		"the end":                    {ended, []string{"3s The game is over; waiting a while for whoever has not got its end yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pace{book: say.English()}
			if got := p.see(tt.update, start); got != nil {
				t.Errorf("at once: %q", got)
			}
			var got []string
			for range 5 {
				next := p.next(tt.update)
				if next.IsZero() {
					break
				}
				if early := p.see(tt.update, next.Add(-time.Nanosecond)); early != nil {
					t.Errorf("too early: %q", early)
				}
				for _, line := range p.see(tt.update, next) {
					got = append(got, next.Sub(start).String()+" "+line)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	// A new round is a new wait.
	p := &pace{book: say.English()}
	p.see(others, start)
	later := *others.View
	later.Round++
	p.see(&session.Update{View: &later}, start.Add(50*time.Second))
	if got := p.next(&session.Update{View: &later}); !got.Equal(start.Add(110 * time.Second)) {
		t.Errorf("next at %v", got)
	}
}
