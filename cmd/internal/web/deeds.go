package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
)

// errForm means that a form does not say what it should; no page of ours sends it.
var errForm = errors.New("web: a form that makes no sense")

// deeds are what a form can ask for, by name.
var deeds = map[string]func(*App, context.Context, form) error{
	"open": open, "join": join, "address": address, "watch": watch, "resume": resume, "name": rename,
	"ready": ready, "same": same, "quit": quit,
	"ask": ask, "deny": deny, "show": show, "accuse": accuse, "join-in": joinIn, "pass": pass, "guess": guess,
	"vote": vote, "order": order, "leave": leave, "drop": drop, "abandon": abandon,
	"mark": mark, "note": note,
}

// deed carries out what a form asks for.
func (s *Server) deed(w http.ResponseWriter, r *http.Request) {
	do, ok := deeds[r.PathValue("deed")]
	if !ok {
		s.refuse(w, r, http.StatusNotFound)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, r, http.StatusBadRequest)
		return
	}
	if err := do(s.app, r.Context(), form{r}); err != nil {
		s.wrong(w, r, err)
		return
	}
	if scripted(r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// form reads what was sent, strictly.
type form struct{ r *http.Request }

func (f form) text(name string) string { return f.r.PostForm.Get(name) }

// number is a whole number from 0 to most.
func (f form) number(name string, most int) (int, error) {
	n, err := strconv.ParseUint(f.text(name), 10, 32)
	if err != nil || n > uint64(most) {
		return 0, errForm
	}
	return int(n), nil
}

// moment is when the page was shown that something was decided on: a round of a game.
// A window may have slept through the rest of its game, and wake in the next.
type moment struct {
	round uint32
	game  string // its ID
}

func (m moment) String() string { return fmt.Sprintf("%d-%.16s", m.round, m.game) }

// shown is the moment of the game under way that the form is about.
func (f form) shown(a *App) (moment, error) {
	scene, _ := a.Scene()
	text, _, _ := strings.Cut(f.text("round"), "-")
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || scene.Game == nil {
		return moment{}, ErrStale
	}
	m := moment{uint32(n), scene.Game.ID}
	if f.text("round") != m.String() {
		return moment{}, ErrStale
	}
	return m, nil
}

// cards are those of a name, by their keys.
func (f form) cards(e *rules.Edition, name string) ([]rules.Card, error) {
	var out []rules.Card
	for _, key := range f.r.PostForm[name] {
		c, ok := e.ByKey(key)
		if !ok {
			return nil, errForm
		}
		out = append(out, c)
	}
	return out, nil
}

// bare is a pasted address without the invisible marks that keep it together in a
// text of another direction.
func bare(address string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, address))
}

// table is the game that the form is about.
func (a *App) table() (*session.Update, error) {
	scene, _ := a.Scene()
	if scene.Game == nil {
		return nil, ErrNoGame
	}
	return scene.Game.Update, nil
}

func open(a *App, _ context.Context, f form) error {
	e, ok := rules.Lookup(f.text("edition"))
	if !ok {
		return errForm
	}
	o := rules.DefaultOptions()
	o.First, o.Order, o.Last, o.Notebook = f.text("first"), f.text("order"), f.text("last"), f.text("notebook")
	o.Watch = f.text("watch") != ""
	timer, err := f.number("timer", int(rules.TimerMax))
	if err != nil {
		return err
	}
	o.Timer = uint16(timer)
	if err := o.Validate(); err != nil {
		return errForm
	}
	seats, err := f.number("seats", e.MaxSeats)
	if err != nil || seats < e.MinSeats {
		return errForm
	}
	leavers, err := f.number("leavers", e.MaxSeats)
	if err != nil {
		return errForm
	}
	if most := session.MaxLeavers(seats); leavers > most {
		return misfilled{"bad.leavers", "hint.leavers", []any{"leavers", leavers, "seats", seats, "most", most}}
	}
	if err := session.CheckName(f.text("table")); err != nil {
		return misname("bad.table", f.text("table"))
	}
	return a.Open(session.Offer{Table: f.text("table"), Edition: e, Options: o, Seats: seats, Leavers: leavers})
}

func join(a *App, _ context.Context, f form) error   { return a.Join(f.text("table"), f.text("host")) }
func watch(a *App, _ context.Context, f form) error  { return a.Watch(f.text("table"), f.text("host")) }
func rename(a *App, _ context.Context, f form) error { return a.Rename(f.text("name")) }
func ready(a *App, _ context.Context, f form) error  { return a.Ready(f.text("yes") != "") }
func same(a *App, ctx context.Context, _ form) error { return a.Same(ctx) }

// misname refuses a name.
func misname(what, name string) error {
	return misfilled{what, "hint.goodname", []any{"name", shown(name), "most", session.MaxName}}
}

// shown is what was typed as it can be said again: in one line, and not for ever.
func shown(typed string) string {
	var out []rune
	for _, r := range typed {
		if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		if out = append(out, r); len(out) > session.MaxName {
			return string(out) + "…"
		}
	}
	return string(out)
}

func address(a *App, _ context.Context, f form) error {
	at := bare(f.text("address"))
	if !session.Dialable(at) {
		return misfilled{"bad.addr", "hint.goodaddr", []any{"address", shown(at)}}
	}
	return a.JoinAddr(at)
}

func quit(a *App, _ context.Context, _ form) error {
	a.Quit()
	return nil
}

func resume(a *App, _ context.Context, f form) error {
	scene, _ := a.Scene()
	for _, k := range scene.Games {
		if f.text("game") == fmt.Sprintf("%x", k.ID) {
			return a.Resume(k)
		}
	}
	return ErrNoTable
}

// act carries out a decision of play.
func act(a *App, ctx context.Context, f form, action seat.Action, guess []rules.Card) error {
	at, err := f.shown(a)
	if err != nil {
		return err
	}
	return a.Do(ctx, at, action, guess)
}

// named reads the cards of a field for the game under way.
func named(a *App, f form, field string) ([]rules.Card, error) {
	u, err := a.table()
	if err != nil {
		return nil, err
	}
	return f.cards(u.View.Edition, field)
}

func ask(a *App, ctx context.Context, f form) error {
	cards, err := named(a, f, "card")
	if err != nil {
		return err
	}
	return act(a, ctx, f, seat.Ask{Cards: cards}, nil)
}

func deny(a *App, ctx context.Context, f form) error { return act(a, ctx, f, seat.Deny{}, nil) }
func pass(a *App, ctx context.Context, f form) error { return act(a, ctx, f, seat.Pass{}, nil) }

func show(a *App, ctx context.Context, f form) error {
	cards, err := named(a, f, "card")
	if err != nil || len(cards) != 1 {
		return errors.Join(err, errForm)
	}
	return act(a, ctx, f, seat.Show{Card: cards[0]}, nil)
}

// solution reads three cards, one of each category: what cannot be fixed as a guess is
// refused before an accusation is announced.
func solution(a *App, f form) ([]rules.Card, error) {
	u, err := a.table()
	if err != nil {
		return nil, err
	}
	var out []rules.Card
	for _, field := range []string{"suspect", "weapon", "location"} {
		cards, err := named(a, f, field)
		if err != nil || len(cards) != 1 {
			return nil, errors.Join(err, errForm)
		}
		out = append(out, cards...)
	}
	if !u.View.Edition.Solution(out) {
		return nil, errForm
	}
	return out, nil
}

func accuse(a *App, ctx context.Context, f form) error {
	guess, err := solution(a, f)
	if err != nil {
		return err
	}
	return act(a, ctx, f, seat.Accuse{}, guess)
}

func joinIn(a *App, ctx context.Context, f form) error {
	guess, err := solution(a, f)
	if err != nil {
		return err
	}
	return act(a, ctx, f, seat.Join{}, guess)
}

func guess(a *App, ctx context.Context, f form) error {
	cards, err := solution(a, f)
	if err != nil {
		return err
	}
	return act(a, ctx, f, seat.Guess{Cards: cards}, nil)
}

func vote(a *App, ctx context.Context, f form) error {
	who, err := f.number("seat", maxSeat)
	if err != nil {
		return err
	}
	return act(a, ctx, f, seat.Vote{For: who}, nil)
}

// maxSeat is above every seat there can be.
const maxSeat = 255

func order(a *App, ctx context.Context, f form) error {
	var seats []int
	for _, text := range f.r.PostForm["seat"] {
		n, err := strconv.Atoi(text)
		if err != nil {
			return errForm
		}
		seats = append(seats, n)
	}
	return act(a, ctx, f, seat.Propose{Seats: seats}, nil)
}

func leave(a *App, ctx context.Context, f form) error {
	return act(a, ctx, f, seat.Leave{Open: f.text("open") != ""}, nil)
}

func drop(a *App, ctx context.Context, f form) error {
	at, err := f.shown(a)
	if err != nil {
		return err
	}
	who, err := f.number("seat", maxSeat)
	if err != nil {
		return err
	}
	return a.Drop(ctx, at, who)
}

func abandon(a *App, ctx context.Context, f form) error {
	at, err := f.shown(a)
	if err != nil {
		return err
	}
	return a.Abandon(ctx, at)
}

// mark sets or takes back an own mark in the notebook: card, seat and sign.
func mark(a *App, _ context.Context, f form) error {
	u, err := a.table()
	if err != nil {
		return err
	}
	key, rest, _ := strings.Cut(f.text("cell"), "/")
	seat, sign, _ := strings.Cut(rest, "/")
	who, err := strconv.Atoi(seat)
	_, ok := u.View.Edition.ByKey(key)
	if err != nil || !ok || who < 0 || who >= len(u.View.Players) || sign != "" && !slices.Contains(signs, sign) {
		return errForm
	}
	at := key + "/" + strconv.Itoa(who)
	return a.write(func(n *Notes) {
		if sign == "" {
			delete(n.Marks, at)
		} else {
			n.Marks[at] = sign
		}
	})
}

// note keeps the free text of the notebook.
func note(a *App, _ context.Context, f form) error {
	return a.write(func(n *Notes) { n.Text = f.text("text") })
}
