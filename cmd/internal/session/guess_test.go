package session

import (
	"errors"
	"fmt"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// A lone accuser who fixes two guesses and shows each to a part of the table is
// convicted before any share of the Crime cards leaves.
func TestForkedGuessOpensNoCrimeCard(t *testing.T) {
	tried := 0
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			first := newParty(t, 3)
			first.run()
			result := first.sessions[0].State().Pos.Result
			if result.Reason != rules.RightAlone {
				t.Skip("nobody accused alone in this game")
			}
			tried++
			p := newParty(t, 3)
			forkGuess(p, result.Winner)
			errs := p.runHonest(result.Winner)
			for i, s := range p.sessions {
				if i != result.Winner {
					checkNoPeek(t, p, s, errs[i], i, result.Winner)
				}
			}
		})
		if tried > 0 {
			return
		}
	}
	t.Fatal("in no game did anybody accuse alone")
}

// forkGuess lets seat cheat send the seat to its right another guess than the
// rest, and keeps what others got from it.
func forkGuess(p *party, cheat int) {
	deceived := (cheat + 2) % 3
	guess := func(e *feed.Signed) bool { return int(e.Seat) == cheat && e.Kind == uint8(move.KindGuess) }
	p.hub.cut = func(_, to int, e *feed.Signed) bool { return to == deceived && guess(e) }
	e := p.sessions[cheat].core.state.Edition
	var cards []rules.Card
	for c := range e.CategoryCount {
		cards = append(cards, e.Of(rules.Category(c))[0])
	}
	p.sessions[cheat].core.cfg.Store = forker{
		Store: p.stores[cheat], p: p, me: cheat, two: seat.New(p.secrets[cheat], cheat, seeded("another guess")),
		when: guess, want: seat.Guess{Cards: cards}, to: []int{deceived},
	}
}

func checkNoPeek(t *testing.T, p *party, s *Session, err error, at, cheat int) {
	t.Helper()
	faults := s.Latest().View.Faults
	if !errors.Is(err, ErrStopped) || len(faults) == 0 || faults[0].Seat != cheat || faults[0].Rule != table.RuleFork {
		t.Errorf("seat %d: %v, faults %v", at, err, faults)
	}
	guessed := false
	for _, e := range p.hub.ports[at].sent {
		guessed = guessed || e.Kind == uint8(move.KindGuess)
		if guessed && e.Kind == uint8(move.KindShares) {
			t.Errorf("seat %d let a share go in round %d, after the guess", at, e.Round)
		}
	}
}
