package line

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/view"
)

// Desk understands what one player types. It is a plain value that sends
// nothing: what is to be done is in the Reply. It keeps what must outlast a
// line: own notebook marks, a guess named ahead of its time, and a wish that
// waits for "yes".
type Desk struct {
	// Since is when the table began to wait for what it waits for now; zero when
	// that is not known.
	Since time.Time

	book  *say.Book
	index *index
	marks map[square]string
	guess []rules.Card
	wish  *Reply
}

// square is one field of the notebook.
type square struct {
	card rules.Card
	seat int
}

// Reply is what a line comes to. Text is said at once, Ask is a question back,
// and Then is said when Do went well.
type Reply struct {
	Text    []string
	Ask     string
	Then    []string
	Do      seat.Action
	Drop    []int // go on without these seats
	Abandon bool  // give the game up
	Ready   bool  // compare is done
	Quit    bool
	Wrong   bool // nothing was understood and nothing happened
	guess   []rules.Card
}

// NewDesk is a desk for a game of the given edition.
func NewDesk(b *say.Book, e *rules.Edition) *Desk {
	return &Desk{book: b, index: newIndex(b, e), marks: map[square]string{}}
}

// verbs are the words that a line may begin with.
var verbs = map[string]func(*Desk, *session.Update, []string) Reply{
	"ask": (*Desk).ask, "no": (*Desk).no, "show": (*Desk).show, "accuse": (*Desk).accuse,
	"join": (*Desk).join, "pass": (*Desk).pass, "guess": (*Desk).fix, "vote": (*Desk).vote,
	"order": (*Desk).order, "open": (*Desk).open, "keep": (*Desk).keep, "ready": (*Desk).ready,
	"drop": (*Desk).drop, "abandon": (*Desk).abandon,
	"hand": (*Desk).hand, "notes": (*Desk).notes, "mark": (*Desk).mark, "log": (*Desk).log,
	"who": (*Desk).who, "words": (*Desk).words, "help": (*Desk).help, "?": (*Desk).help, "quit": (*Desk).quit, "exit": (*Desk).quit,
}

// Hear takes one line as typed.
func (d *Desk) Hear(u *session.Update, text string) Reply {
	typed := words(text)
	if len(typed) == 0 {
		return Reply{}
	}
	if wish := d.wish; wish != nil {
		d.wish = nil
		switch typed[0] {
		case "yes", "y":
			d.guess = wish.guess
			return *wish
		case "no", "n":
			return d.tell("line.cancelled")
		}
		r := d.obey(u, typed)
		r.Text = append([]string{d.book.Say("line.cancelled")}, r.Text...)
		return r
	}
	return d.obey(u, typed)
}

func (d *Desk) obey(u *session.Update, typed []string) Reply {
	if verb, ok := verbs[typed[0]]; ok {
		return verb(d, u, typed[1:])
	}
	var near []string
	for v := range verbs {
		if strings.HasPrefix(v, typed[0]) {
			near = append(near, v)
		}
	}
	slices.Sort(near)
	if len(near) > 0 {
		return d.wrong("wrong.verb", "hint.near", "word", d.book.Quote(typed[0]), "near", strings.Join(near, d.book.Say("list.between")))
	}
	return d.wrong("wrong.verb", "hint.help", "word", d.book.Quote(typed[0]))
}

// Prompt says what the player is asked now, "" for nothing. Only a new prompt
// needs saying.
func (d *Desk) Prompt(u *session.Update) string {
	if u.Compare {
		return d.book.Say("prompt.compare", "words", strings.Join(u.View.Words[:], " "))
	}
	return d.book.Prompt(u.View)
}

// Decided is what the player has decided ahead of time and the table now asks
// for, or nil: the guess named when accusing.
func (d *Desk) Decided(u *session.Update) seat.Action {
	if !u.View.Choices.Guess || d.guess == nil {
		return nil
	}
	g := d.guess
	d.guess = nil
	return seat.Guess{Cards: g}
}

func (d *Desk) tell(key string, pairs ...any) Reply {
	return Reply{Text: []string{d.book.Say(key, pairs...)}}
}

// wrong says what was wrong with a line and what to do instead.
func (d *Desk) wrong(key, hint string, pairs ...any) Reply {
	b := d.book
	return Reply{Wrong: true, Text: []string{
		b.Say("error", "text", b.Say(key, pairs...)), b.Say("hint", "text", b.Say(hint, pairs...))}}
}

// confirm asks for a yes before anything that cannot be taken back.
func (d *Desk) confirm(wish Reply, key string, pairs ...any) Reply {
	d.wish = &wish
	return Reply{Ask: d.book.Say(key, pairs...)}
}

// notNow refuses what the table does not wait for.
func (d *Desk) notNow(u *session.Update) Reply {
	if p := d.Prompt(u); p != "" {
		return d.wrong("wrong.now", "hint.prompt", "prompt", p)
	}
	if w := d.book.Waiting(u.View); w != "" {
		return d.wrong("wrong.now", "hint.prompt", "prompt", w)
	}
	return d.wrong("wrong.now", "hint.wait")
}

// refused says why the session did not take what was understood.
func (d *Desk) refused(err error) Reply {
	for _, late := range []error{session.ErrOver, session.ErrWaiting, seat.ErrNothing, seat.ErrNotNow} {
		if errors.Is(err, late) {
			return d.wrong("wrong.late", "hint.wait")
		}
	}
	switch {
	case errors.Is(err, session.ErrLeavers):
		return d.wrong("wrong.leavers", "hint.wait.abandon")
	case errors.Is(err, session.ErrThere), errors.Is(err, session.ErrNoSeat):
		return d.wrong("wrong.late", "hint.there")
	}
	return d.wrong("wrong.refused", "hint.help", "why", strings.TrimPrefix(err.Error(), "session: "))
}

// unclear refuses words that name no cards.
func (d *Desk) unclear(t trouble) Reply {
	e := d.index.edition
	hint := map[string]string{
		"wrong.ambiguous": "hint.longer", "wrong.count": "hint.cards", "wrong.twice": "hint.cards",
		"wrong.card": "hint.cards", "wrong.other": "hint.among", "wrong.long": "hint.help",
		"wrong.guess": "hint.guess", "wrong.unclear": "hint.longer",
	}[t.key]
	return d.wrong(t.key, hint, "word", d.book.Quote(t.word), "count", t.count,
		"cards", d.book.Cards(e, t.cards), "all", d.book.Cards(e, d.index.all()))
}

// player finds a seat by what a player's name begins with, or by its number.
func (d *Desk) player(v *view.View, typed string) (int, bool) {
	if n, err := strconv.Atoi(strings.TrimPrefix(typed, "#")); err == nil && n >= 1 && n <= len(v.Players) {
		return n - 1, true
	}
	if typed == "me" || typed == fold(d.book.Say("player.you")) {
		return v.Me, v.Me >= 0
	}
	found := -1
	for i, p := range v.Players {
		name := p.Name
		switch {
		case slices.Equal(words(name), words(typed)):
			return i, true
		case !slices.ContainsFunc(words(name), func(w string) bool { return strings.HasPrefix(w, typed) }):
		case found >= 0:
			return 0, false
		default:
			found = i
		}
	}
	return found, found >= 0
}

// players reads names one after the other; a name of several words may be
// typed as one of them.
func (d *Desk) players(v *view.View, typed []string) ([]int, string) {
	var out []int
	for _, w := range typed {
		s, ok := d.player(v, w)
		if !ok {
			return nil, w
		}
		out = append(out, s)
	}
	return out, ""
}

func (d *Desk) unknownPlayer(v *view.View, typed string) Reply {
	all := make([]int, len(v.Players))
	for i := range all {
		all[i] = i
	}
	return d.wrong("wrong.player", "hint.players", "word", d.book.Quote(typed), "names", d.book.Names(v, all))
}
