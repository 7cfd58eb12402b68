package vectors_test

import (
	"bytes"
	"crypto/sha3"
	"fmt"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// example is the table of two seats that runs through docs/protocol.md. All of
// its randomness comes from two streams that the document names, and what its
// players decide is written out here, so that nothing but the protocol itself
// can change a byte of it.
type example struct {
	keys    []identity.Key
	secrets []*seat.Secret
	seats   []*seat.Seat
	terms   []byte
	charter []byte
	log     *feed.Log
	state   *table.State
	heads   []feed.Hash // prev of each round
}

// decide is what the players do: ask once, accuse once with a guess made blindly,
// answer truthfully, pass, and open their keys.
func decide(v *view.View) seat.Action {
	c := v.Choices
	switch {
	case c.Turn && v.Turns == 1:
		return seat.Ask{Cards: []rules.Card{0, 6}}
	case c.Turn:
		return seat.Accuse{}
	case c.Answer && len(c.Show) == 0:
		return seat.Deny{}
	case c.Answer:
		return seat.Show{Card: c.Show[0]}
	case c.Join:
		return seat.Pass{}
	case c.Guess:
		return seat.Guess{Cards: []rules.Card{0, 6, 9}}
	case c.Leave:
		return seat.Leave{Open: true}
	}
	return nil
}

func play(t *testing.T) *example {
	t.Helper()
	edition, _ := rules.Lookup("card")
	x := new(example)
	var err error
	must := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x.terms, err = move.EncodeTerms(edition, rules.DefaultOptions())
	must()
	charter := feed.Charter{Name: "Example", Terms: x.terms}
	for i, name := range []string{"Ann", "Bob"} {
		rand := sha3.NewSHAKE256()
		fmt.Fprintf(rand, "alibi example, seat %d", i)
		var key identity.Key
		key, err = identity.NewKey(rand)
		must()
		var secret *seat.Secret
		secret, err = seat.Draw(rand)
		must()
		x.keys, x.secrets = append(x.keys, key), append(x.secrets, secret)
		x.seats = append(x.seats, seat.New(secret, i, rand))
		charter.Seats = append(charter.Seats, feed.Seat{Name: name, ID: key.ID(), Commitment: secret.Commitment(key.ID(), 2, 0)})
	}
	x.charter, err = charter.Encode()
	must()
	x.state, err = table.New(x.charter)
	must()
	x.log = feed.NewLog(x.charter, charter.IDs(), int(charter.Leavers))
	for !x.state.Done() {
		x.heads = append(x.heads, x.log.Prev())
		err = x.round()
		must()
	}
	if x.state.Stopped() {
		t.Fatal(x.state.Faults)
	}
	x.heads = append(x.heads, x.log.Prev())
	return x
}

func (x *example) round() error {
	for _, d := range x.state.Owed() {
		m, err := x.seats[d.Seat].Answer(x.state, decide(view.For(x.state, x.seats[d.Seat])))
		if err != nil {
			return err
		}
		kind, body, err := move.Encode(m)
		if err != nil {
			return err
		}
		e := x.log.Template(d.Seat)
		e.Kind, e.Body = uint8(kind), body
		s, err := feed.Seal(x.keys[d.Seat], e)
		if err != nil {
			return err
		}
		if _, err := x.log.Offer(s); err != nil {
			return err
		}
	}
	x.state = table.Apply(x.state, x.log.Open())
	if x.state.Stopped() {
		return nil
	}
	_, err := x.log.Close(x.state.Game, x.state.Speakers())
	return err
}

// first is the first entry of a kind.
func (x *example) first(t *testing.T, k move.Kind) *feed.Signed {
	t.Helper()
	for _, e := range x.log.Entries() {
		if e.Kind == uint8(k) {
			return e
		}
	}
	t.Fatalf("the example has no entry of kind %v", k)
	return nil
}

func (x *example) file(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := feed.WriteLog(&b, x.charter, x.log.Entries()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
