// Package parlour seats a whole table in one goroutine, without network, store
// or clock, from one seed: for the tests and benchmarks of the game packages.
// The program itself never uses it.
package parlour

import (
	"crypto/sha3"
	"fmt"
	"io"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// Table is a game in which every seat is ours.
type Table struct {
	Charter []byte
	Keys    []identity.Key
	Secrets []*seat.Secret
	Seats   []*seat.Seat
	Bots    []bot.Bot
	State   *table.State
	Log     *feed.Log
	// Tamper, when set, may replace what a seat is about to sign.
	Tamper func(st *table.State, seat int, m move.Move) move.Move
}

// Rand is an endless deterministic reader.
func Rand(seed string) io.Reader {
	s := sha3.NewSHAKE256()
	_, _ = s.Write([]byte(seed)) // a hash never fails
	return s
}

// New seats n players at a table of the edition that nobody may leave.
func New(seed, edition string, n int, o rules.Options) (*Table, error) {
	return NewLeaving(seed, edition, n, 0, o)
}

// NewLeaving seats n players at a table that some may leave for good.
func NewLeaving(seed, edition string, n, leavers int, o rules.Options) (*Table, error) {
	e, ok := rules.LookupPlayed(edition)
	if !ok {
		return nil, move.ErrEdition
	}
	terms, err := move.EncodeTerms(e, o)
	if err != nil {
		return nil, err
	}
	t := new(Table)
	charter := feed.Charter{Name: "parlour " + seed, Terms: terms, Leavers: uint8(leavers)}
	for i := range n {
		rand := Rand(fmt.Sprintf("%s seat %d", seed, i))
		key, err := identity.NewKey(rand)
		if err != nil {
			return nil, err
		}
		secret, err := seat.Draw(rand)
		if err != nil {
			return nil, err
		}
		t.Keys = append(t.Keys, key)
		t.Secrets = append(t.Secrets, secret)
		t.Seats = append(t.Seats, seat.New(secret, i, rand))
		t.Bots = append(t.Bots, bot.Bot{Seed: [32]byte{byte(i)}})
		charter.Seats = append(charter.Seats, feed.Seat{Name: fmt.Sprintf("player %d", i), ID: key.ID(), Commitment: secret.Commitment(key.ID(), n, leavers)})
	}
	if t.Charter, err = charter.Encode(); err != nil {
		return nil, err
	}
	if t.State, err = table.New(t.Charter); err != nil {
		return nil, err
	}
	t.Log = feed.NewLog(t.Charter, charter.IDs(), int(charter.Leavers))
	return t, nil
}

// Round lets every seat that owes an entry speak, bots deciding, and folds the
// round. It reports false when nobody owes anything.
func (t *Table) Round() (bool, error) {
	return t.RoundWith(func(i int) seat.Action { return t.Bots[i].Decide(view.For(t.State, t.Seats[i])) })
}

// RoundWith is Round with other decisions.
func (t *Table) RoundWith(decide func(seat int) seat.Action) (bool, error) {
	owed := t.State.Owed()
	if len(owed) == 0 {
		return false, nil
	}
	for _, d := range owed {
		m, err := t.Seats[d.Seat].Answer(t.State, decide(d.Seat))
		if err != nil {
			return false, fmt.Errorf("seat %d, round %d: %w", d.Seat, t.State.Round, err)
		}
		if t.Tamper != nil {
			m = t.Tamper(t.State, d.Seat, m)
		}
		if err := t.Say(d.Seat, m); err != nil {
			return false, err
		}
	}
	return true, t.Fold()
}

// Say seals a move of seat and offers it to the log.
func (t *Table) Say(seat int, m move.Move) error {
	s, err := t.Seal(seat, m)
	if err != nil {
		return err
	}
	_, err = t.Log.Offer(s)
	return err
}

// Seal signs a move of seat for the open round.
func (t *Table) Seal(seat int, m move.Move) (*feed.Signed, error) {
	kind, body, err := move.Encode(m)
	if err != nil {
		return nil, err
	}
	e := t.Log.Template(seat)
	e.Kind, e.Body = uint8(kind), body
	return feed.Seal(t.Keys[seat], e)
}

// Fold applies the complete open round.
func (t *Table) Fold() error {
	return t.close(feed.Motion{}, t.Log.Open())
}

// Carry has everybody vote for a motion whose word it needs, and folds that.
func (t *Table) Carry(m feed.Motion) error {
	for _, i := range t.State.Present() {
		if m.Drops(i) {
			continue
		}
		s, err := feed.CastBallot(t.Keys[i], t.Log.Template(i), feed.Ballot{Motion: m, Yes: true})
		if err != nil {
			return err
		}
		if _, err := t.Log.Offer(s); err != nil {
			return err
		}
	}
	carried, ok := t.Log.Closes(-1, false)
	if !ok {
		return fmt.Errorf("parlour: %v is not carried", m)
	}
	return t.close(carried, t.Log.Votes(m))
}

func (t *Table) close(m feed.Motion, entries []*feed.Signed) error {
	t.State = table.Apply(t.State, entries)
	if t.State.Stopped() {
		return nil
	}
	_, err := t.Log.CloseBy(m, t.State.Game, t.State.Speakers())
	return err
}

// longest is a number of rounds that no game of bots comes near.
const longest = 5000

// Until plays rounds with bots until the condition holds or the game is over.
func (t *Table) Until(done func(*table.State) bool) error {
	for !done(t.State) {
		if t.State.Round > longest {
			return fmt.Errorf("parlour: no end after %d rounds", longest)
		}
		if more, err := t.Round(); err != nil || !more {
			return err
		}
	}
	return nil
}

// Play plays to the end.
func (t *Table) Play() error { return t.Until(func(*table.State) bool { return false }) }
