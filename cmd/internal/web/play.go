package web

import (
	"bytes"
	"context"
	"fmt"

	"alibi/cmd/internal/session"
	"alibi/game/audit"
	"alibi/game/seat"
)

// Ending is what there is to say of a game once it is over here.
type Ending struct {
	Log    []byte
	Report *audit.Report
}

// gameID is the ID of a game as pages and notes know it.
func gameID(s *session.Session) string { return fmt.Sprintf("%x", s.ID()) }

// play shows a game until it is over or ctx ends.
func (a *App) play(ctx context.Context, s *session.Session) {
	id := gameID(s)
	a.mu.Lock()
	a.game, a.sat = s, nil
	a.showLocked(func(sc *Scene) {
		sc.Room, sc.Game = nil, &Game{ID: id, Update: s.Latest(), Notes: a.notes.load(id)}
	})
	a.mu.Unlock()
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	for {
		select {
		case <-s.Changed():
			a.follow(ctx, s)
		case <-s.Over():
			a.end(s, <-ran)
			return
		}
	}
}

// follow shows the newest of a game, and fixes the guess that was named before. That
// it was named is forgotten with the update that no longer asks for it: a page that
// knew neither would ask for a moment.
func (a *App) follow(ctx context.Context, s *session.Session) {
	u := s.Latest()
	a.update(func(g *Game) { g.Update = u })
	scene, _ := a.Scene()
	if scene.Game == nil {
		return // somebody has closed it
	}
	if ahead := scene.Game.Ahead; u.View.Choices.Guess && ahead != nil {
		err := s.Do(ctx, seat.Guess{Cards: ahead})
		u = s.Latest()
		a.update(func(g *Game) { g.Update, g.Ahead, g.Err = u, nil, err }) // the page asks once more for what failed
	}
}

// update changes what is shown of the game.
func (a *App) update(change func(*Game)) {
	a.show(func(s *Scene) {
		if s.Game != nil {
			g := *s.Game
			change(&g)
			s.Game = &g
		}
	})
}

// end shows how a game ended and what its log proves.
func (a *App) end(s *session.Session, ran error) {
	ending := new(Ending)
	var b bytes.Buffer
	err := s.WriteLog(&b)
	if err == nil {
		ending.Log = b.Bytes()
		ending.Report, err = session.Verify(bytes.NewReader(ending.Log))
	}
	if ran == nil {
		ran = err
	}
	u := s.Latest()
	a.update(func(g *Game) { g.Update, g.Ended, g.Ending, g.Err = u, true, ending, ran })
}

// write changes the notes of the game that is shown.
func (a *App) write(change func(*Notes)) error {
	scene, _ := a.Scene()
	if scene.Game == nil {
		return ErrNoGame
	}
	next, err := a.notes.change(scene.Game.ID, change)
	if err == nil {
		a.update(func(g *Game) { g.Notes = next })
	}
	return err
}
