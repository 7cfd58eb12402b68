package web

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
)

// Errors of what a page asks for.
var (
	// ErrBusy refuses a second table at a time.
	ErrBusy = errors.New("web: there is a table already")
	// ErrNoGame means that there is no game, or no table, to do this at.
	ErrNoGame = errors.New("web: there is no game")
	// ErrStale refuses what was decided in a round that is over by now.
	ErrStale = errors.New("web: the game has gone on meanwhile")
	// ErrNoTable means that the table was taken back meanwhile.
	ErrNoTable = errors.New("web: no such table")
)

// floor is how long an answer takes at least, far above what proving it does.
const floor = 150 * time.Millisecond

// dialWithin is how long an address that was typed has to answer.
const dialWithin = 30 * time.Second

// App is one person's program behind its pages: the peer, the table it sits at,
// the game it plays. All windows show the same App. Its methods may be called from
// any goroutine.
type App struct {
	peer *session.Peer

	mu      sync.Mutex
	scene   *Scene
	changed chan struct{} // closed when the next scene is there

	ctx   context.Context // of Run; nil before it
	work  sync.WaitGroup
	sat   *session.Seating
	stop  context.CancelFunc // ends the seating or the game under way
	done  chan struct{}      // closed when that has ended
	game  *session.Session
	notes *notes
}

// Scene is everything that pages show, at one moment. It is never changed once it
// is published.
type Scene struct {
	Serial  uint64
	Name    string // of the player
	Tables  []session.Found
	Games   []session.Kept // unfinished
	Addrs   []string
	Finding string
	Room    *session.Room // a table that is filling, with a seat there
	Game    *Game
	Trouble error  // why the last table was lost, until something else is done
	Phone   *Phone // nil unless phones are let in
}

// Game is a game under way, or just over.
type Game struct {
	ID     string // of the charter, in hex
	Update *session.Update
	Ahead  []rules.Card // the guess that was named with the accusation
	Ended  bool
	Ending *Ending
	Err    error
	Notes  Notes
}

// NewApp makes the program of a peer; home is where notes are kept, "" keeps them
// in memory.
func NewApp(peer *session.Peer, name, home string) *App {
	return &App{
		peer: peer, scene: &Scene{Name: name}, changed: make(chan struct{}), notes: newNotes(home),
	}
}

// Run does what is to be done until ctx ends, and waits for all that it started. The
// peer runs already.
func (a *App) Run(ctx context.Context) {
	a.mu.Lock()
	a.ctx = ctx
	a.mu.Unlock()
	a.look(ctx)
	a.work.Wait()
}

// look keeps what the lobby shows up to date. The peer says when tables come and
// go; what it says about the search in general is looked up now and then.
func (a *App) look(ctx context.Context) {
	a.refreshGames()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		a.refreshTables()
		select {
		case <-a.peer.TablesChanged():
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// refreshTables reads what the network shows.
func (a *App) refreshTables() {
	tables, addrs, finding := a.peer.Tables(), a.peer.Addrs(), a.peer.Finding()
	a.show(func(s *Scene) { s.Tables, s.Addrs, s.Finding = steady(s.Tables, tables), addrs, finding })
}

// steady puts tables in the order in which they came to be seen: a new one must not
// push another away from under a hand that reaches for it.
func steady(seen, now []session.Found) []session.Found {
	place := map[[2]string]int{}
	for i, f := range seen {
		place[[2]string{f.Host, f.Name}] = i + 1
	}
	at := func(f session.Found) int {
		if n := place[[2]string{f.Host, f.Name}]; n > 0 {
			return n
		}
		return len(seen) + 1
	}
	out := slices.Clone(now)
	slices.SortStableFunc(out, func(a, b session.Found) int { return at(a) - at(b) })
	return out
}

// refreshGames reads what can be taken up again. It folds the log of every such game,
// so it is done when that may have changed, and not with the news of the network.
func (a *App) refreshGames() {
	games, _ := a.peer.Unfinished() // what is damaged is said by `alibi resume`
	a.show(func(s *Scene) { s.Games = games })
}

// Scene is the newest, and a channel that is closed once it is not any more.
func (a *App) Scene() (*Scene, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.scene, a.changed
}

// show publishes a scene that differs from the last in what change changes.
func (a *App) show(change func(*Scene)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.showLocked(change)
}

func (a *App) showLocked(change func(*Scene)) {
	next := *a.scene
	change(&next)
	next.Serial++
	a.scene = &next
	close(a.changed)
	a.changed = make(chan struct{})
}

// begin makes room for a table, and the context of what happens there.
func (a *App) begin() (context.Context, func(), error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx == nil {
		return nil, nil, ErrNoGame
	}
	if a.done != nil {
		return nil, nil, ErrBusy
	}
	ctx, cancel := context.WithCancel(a.ctx)
	done := make(chan struct{})
	a.stop, a.done = cancel, done
	a.showLocked(func(s *Scene) { s.Trouble, s.Game = nil, nil })
	return ctx, func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.sat, a.game, a.stop, a.done = nil, nil, nil, nil
		a.showLocked(func(s *Scene) { s.Room = nil })
		close(done)
	}, nil
}

// Open opens a table and sits down at it.
func (a *App) Open(o session.Offer) error {
	return a.sit(func(ctx context.Context) (*session.Seating, error) { return a.peer.Open(ctx, o) })
}

// Join takes a seat at the table of that name and host.
func (a *App) Join(table, host string) error {
	f, ok := a.found(table, host)
	if !ok {
		return ErrNoTable
	}
	return a.sit(func(ctx context.Context) (*session.Seating, error) { return a.peer.Join(ctx, f) })
}

// JoinAddr takes a seat at the table at a typed address.
func (a *App) JoinAddr(addr string) error {
	return a.sit(func(ctx context.Context) (*session.Seating, error) {
		dial, cancel := context.WithTimeout(ctx, dialWithin)
		defer cancel()
		s, err := a.peer.JoinAddr(dial, addr)
		if err != nil && dial.Err() != nil && ctx.Err() == nil {
			err = session.ErrUnreachable
		}
		return s, err
	})
}

func (a *App) found(table, host string) (session.Found, bool) {
	tables := a.peer.Tables()
	i := slices.IndexFunc(tables, func(f session.Found) bool { return f.Name == table && f.Host == host })
	if i < 0 {
		return session.Found{}, false
	}
	return tables[i], true
}

// sit takes a seat, and returns once it has it; the rest goes on unasked.
func (a *App) sit(take func(context.Context) (*session.Seating, error)) error {
	ctx, end, err := a.begin()
	if err != nil {
		return err
	}
	s, err := take(ctx)
	if err != nil {
		end()
		return err
	}
	a.mu.Lock()
	a.sat = s
	a.mu.Unlock()
	room := s.Room()
	a.show(func(s *Scene) { s.Room = &room })
	a.work.Go(func() {
		defer end()
		a.wait(ctx, s)
	})
	return nil
}

// wait shows a table that is filling, until the game there is over.
func (a *App) wait(ctx context.Context, s *session.Seating) {
	for room := range s.Updates(ctx) {
		a.show(func(s *Scene) { s.Room = &room })
	}
	game, err := s.Begin(ctx, session.Manner{Wait: true, Floor: floor})
	switch {
	case ctx.Err() != nil:
		s.Leave()
	case err != nil:
		a.show(func(s *Scene) { s.Trouble = err })
	default:
		a.play(ctx, game)
	}
}

// Resume takes up a game that was kept.
func (a *App) Resume(k session.Kept) error {
	return a.take(func(context.Context) (*session.Session, error) {
		return a.peer.Resume(k.ID, session.Manner{Wait: true, Floor: floor})
	})
}

// Watch follows a game without a seat in it.
func (a *App) Watch(table, host string) error {
	f, ok := a.found(table, host)
	if !ok {
		return ErrNoTable
	}
	return a.take(func(ctx context.Context) (*session.Session, error) { return a.peer.Watch(ctx, f) })
}

func (a *App) take(take func(context.Context) (*session.Session, error)) error {
	ctx, end, err := a.begin()
	if err != nil {
		return err
	}
	game, err := take(ctx)
	if err != nil {
		end()
		return err
	}
	a.work.Go(func() {
		defer end()
		a.play(ctx, game)
	})
	return nil
}

// Rename says what others see from the next table on.
func (a *App) Rename(name string) error {
	if err := session.CheckName(name); err != nil {
		return misname("bad.name", name)
	}
	a.peer.Rename(name)
	a.show(func(s *Scene) { s.Name = name })
	return nil
}

// Ready agrees to the table that is filling, or takes that back.
func (a *App) Ready(yes bool) error {
	a.mu.Lock()
	s := a.sat
	a.mu.Unlock()
	if s == nil {
		return ErrNoGame
	}
	s.Ready(yes)
	return nil
}

// Quit gives the seat back, or closes the game: one that is not over can be taken
// up again. It returns once that is done.
func (a *App) Quit() {
	a.mu.Lock()
	stop, done := a.stop, a.done
	a.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
	a.mu.Lock()
	if a.done == nil { // else another window sits at the next already
		a.showLocked(func(s *Scene) { s.Game, s.Trouble = nil, nil })
	}
	a.mu.Unlock()
	a.refreshTables()
	a.refreshGames()
}

// playing is the session under way, if the page that asks has seen its open round.
func (a *App) playing(at moment) (*session.Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.game == nil:
		return nil, ErrNoGame
	case a.game.Latest().View.Round != at.round || gameID(a.game) != at.game:
		return nil, ErrStale
	}
	return a.game, nil
}

// Do carries out a decision of the player that was made in a round.
func (a *App) Do(ctx context.Context, at moment, act seat.Action, guess []rules.Card) error {
	s, err := a.playing(at)
	if err != nil {
		return err
	}
	if guess == nil {
		return s.Do(ctx, act)
	}
	before := a.name(guess)
	if err := s.Do(ctx, act); err != nil {
		a.name(before) // another window may have named it
		return err
	}
	return nil
}

// name keeps a guess until it can be fixed, and returns what was kept before.
func (a *App) name(guess []rules.Card) (before []rules.Card) {
	a.update(func(g *Game) { before, g.Ahead = g.Ahead, guess })
	return before
}

// Same says that the table's words were compared.
func (a *App) Same(ctx context.Context) error {
	a.mu.Lock()
	s := a.game
	a.mu.Unlock()
	if s == nil {
		return ErrNoGame
	}
	return s.Ready(ctx)
}

// Drop has this seat vote to go on without another.
func (a *App) Drop(ctx context.Context, at moment, seat int) error {
	s, err := a.playing(at)
	if err != nil {
		return err
	}
	return s.Drop(ctx, seat)
}

// Abandon has this seat vote to give the game up.
func (a *App) Abandon(ctx context.Context, at moment) error {
	s, err := a.playing(at)
	if err != nil {
		return err
	}
	return s.Abandon(ctx)
}
