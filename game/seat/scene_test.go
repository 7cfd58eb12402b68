package seat_test

import (
	"io"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// dealt is a table at the first turn.
func dealt(t testing.TB, seed, edition string, n int) *parlour.Table {
	t.Helper()
	p, err := parlour.New(seed, edition, n, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Until(func(st *table.State) bool { return st.Stage == table.Playing }); err != nil {
		t.Fatal(err)
	}
	return p
}

// asked is the state in which asker has asked about cards and responder answers.
func asked(st *table.State, asker, responder int, cards ...rules.Card) *table.State {
	pos, out := *st.Pos, *st
	pos.Phase, pos.Active = rules.Answering, asker
	pos.Question = &rules.Question{Asker: asker, Responder: responder, Cards: cards}
	out.Pos = &pos
	return &out
}

// accused is the state in which seat i accuses alone and the phase has come.
func accused(st *table.State, i int, phase rules.Phase) *table.State {
	pos, out := *st.Pos, *st
	pos.Phase, pos.Active = phase, i
	pos.Accusation = &rules.Accusation{Accuser: i, Order: []int{i}}
	out.Pos = &pos
	return &out
}

// counting counts what is read from a source.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// again is seat i of a table with a counted source of its own.
func again(p *parlour.Table, i int) (*seat.Seat, *counting) {
	c := &counting{Reader: parlour.Rand("counting")}
	return seat.New(p.Secrets[i], i, c), c
}

func body(t testing.TB, m move.Move) []byte {
	t.Helper()
	_, b, err := move.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// solutions lists every solution of an edition.
func solutions(e *rules.Edition) (out [][]rules.Card) {
	out = [][]rules.Card{nil}
	for c := range e.CategoryCount {
		var longer [][]rules.Card
		for _, s := range out {
			for _, card := range e.Of(rules.Category(c)) {
				longer = append(longer, append(append([]rules.Card(nil), s...), card))
			}
		}
		out = longer
	}
	return out
}

// solved is what only all lock keys together decrypt.
func solved(t testing.TB, p *parlour.Table) []rules.Card {
	t.Helper()
	sum := group.ScalarFromUint64(0)
	for _, s := range p.Secrets {
		x, err := group.ParseScalar(s.Bytes()[96:])
		if err != nil {
			t.Fatal(err)
		}
		sum = sum.Add(x)
	}
	return seat.Decrypt(p.State, p.State.Crime, sum)
}

// under encrypts cards to seat i.
func under(t testing.TB, st *table.State, i int, cards []rules.Card) (out []elgamal.Ciphertext) {
	t.Helper()
	rand := parlour.Rand("under")
	for _, m := range st.Elements(cards) {
		r, err := group.RandomScalar(rand)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, elgamal.Encrypt(m, st.SeatKeys[i], r))
	}
	return out
}
