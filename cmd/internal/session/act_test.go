package session

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/seat"
)

// A seat that has spoken in a round that others still owe a word in must not
// speak again, nor be asked to: a second entry would convict it.
func TestSecondDecisionInOneRoundIsRefused(t *testing.T) {
	p := newParty(t, 3)
	me := p.sessions[0]
	me.core.cfg.Bot = nil
	p.hub.cut = func(_, to int, e *feed.Signed) bool { return to == 0 && e.Kind == uint8(move.KindLeave) }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range p.sessions {
		wg.Go(func() { _ = s.Run(ctx) })
	}
	for !me.Latest().View.Choices.Leave {
		if v := me.Latest().View; v.Choices.Any() {
			if err := me.Do(ctx, bot.Bot{}.Decide(v)); err != nil {
				t.Fatal(err)
			}
			if after := me.Latest().View; after.Choices.Any() && after.Round == v.Round {
				t.Fatalf("round %d: asked again for what was just decided", v.Round)
			}
		}
		select {
		case <-me.Changed():
		case <-ctx.Done():
			t.Fatal("the game did not come to its end in a minute")
		}
	}
	if err := me.Do(ctx, seat.Leave{Open: true}); err != nil {
		t.Fatal(err)
	}
	if err := me.Do(ctx, seat.Leave{}); !errors.Is(err, ErrWaiting) {
		t.Errorf("a second farewell: %v", err)
	}
	v := me.Latest().View
	if v.Choices.Any() || v.Players[0].Owes || !v.Players[1].Owes {
		t.Errorf("choices %+v, players %+v", v.Choices, v.Players)
	}
	cancel()
	wg.Wait()
}
