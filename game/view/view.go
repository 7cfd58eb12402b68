// Package view is what one seat may see of a game, and nothing else: the only
// thing that a screen, a line of text or a bot ever reads. For computes it from
// the public State and the seat's own secrets, so nothing that another seat
// hides can be in it.
package view

import (
	"slices"

	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/board"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// Spectator is Me of somebody who has no seat.
const Spectator = -1

// View is a game as one seat sees it.
type View struct {
	Table    string
	Words    [4]string // the table's fingerprint, empty until the keys are open
	Edition  *rules.Edition
	Options  rules.Options
	Me       int // seat, or Spectator
	Players  []Player
	Round    uint32
	Stage    table.Stage
	Phase    rules.Phase // means something from Playing on
	Active   int         // whose turn it is, -1 before the first
	Turns    int
	Question *rules.Question
	Accusers []int        // in accusing order, once known
	Charge   []rules.Card // the guess of the accusation, when it was announced
	Board    *rules.Board // nil without one
	FaceUp   []rules.Card
	Hand     []rules.Card // mine
	Crime    []rules.Card // nil unless everybody, or I alone, have seen it
	Lines    []Line
	Choices  Choices
	Result   *rules.Result
	Faults   []table.Fault
	Proofs   int // that verified so far
}

// Player is one seat as others see it.
type Player struct {
	Name   string
	Out    bool
	Gone   bool         // has left for good
	Owes   bool         // the table waits for this seat
	Size   int          // of the hand
	Opened bool         // opened its key after the game
	Hand   []rules.Card // once opened, or laid open after its player left
}

// Line is one line of the story as this seat may hear it.
type Line struct {
	Round  uint32
	Kind   table.EventKind
	Seat   int
	To     int
	Cards  []rules.Card
	Seats  []int
	Dice   []int
	At     board.Place
	Card   rules.Card // Showed: the card, or Hidden
	Result *rules.Result
}

// Hidden stands for a card that this seat did not see.
const Hidden rules.Card = -1

// Choices is what the player may decide now. The zero value is nothing.
type Choices struct {
	Turn    bool         // ask or accuse
	Answer  bool         // confirm: show one of Show, or say no when it is empty
	Show    []rules.Card // cards asked about that I hold
	Join    bool         // join or pass
	Guess   bool         // fix a guess
	Vote    bool         // name the first player
	Propose []int        // accusers to put in order
	Leave   bool         // open the seat key or keep it

	// On a board.
	Pick    []rules.Card // a suspect to play, one of these
	Roll    bool         // roll the dice
	Passage bool         // take the secret passage
	Go      board.Moves  // move to one of these
	Suggest bool         // ask about the room I am in
	Charge  bool         // accuse, announcing the cards
	End     bool         // end the turn
}

// Any reports whether there is anything to decide.
func (c Choices) Any() bool {
	return c.Turn || c.Answer || c.Join || c.Guess || c.Vote || len(c.Propose) > 0 || c.Leave || c.onBoard()
}

// For is the game as seat me sees it; nil is a spectator.
func For(st *table.State, me *seat.Seat) *View {
	v := &View{
		Table: st.Charter.Name, Edition: st.Edition, Options: st.Options, Me: Spectator,
		Round: st.Round, Stage: st.Stage, Active: -1,
		FaceUp: slices.Clone(st.FaceUp), Faults: slices.Clone(st.Faults), Proofs: st.Proofs.Total(),
	}
	if st.Name != (feed.Hash{}) {
		v.Words = identity.Words(st.Name)
	}
	if p := st.Pos; p != nil {
		v.Phase, v.Active, v.Turns, v.Result = p.Phase, p.Active, p.Turns, result(p.Result)
		if p.Phase == rules.Voting {
			v.Active = -1 // the lot that breaks a tie is nobody's turn
		}
		v.Crime = slices.Clone(p.Crime)
		if p.Question != nil {
			q := *p.Question
			q.Cards = slices.Clone(q.Cards)
			v.Question = &q
		}
		if p.Accusation != nil {
			v.Accusers = slices.Clone(p.Accusation.Order)
			if p.Board != nil {
				v.Charge = slices.Clone(p.Accusation.Guesses[p.Accusation.Accuser])
			}
		}
		v.Board = p.Board.Clone()
	}
	v.players(st)
	if me != nil {
		v.Me = me.Index()
		v.Hand = me.Hand(st)
		if v.Crime == nil && st.Peeked[v.Me] != nil {
			v.Crime = me.Peeked(st)
		}
		v.choose(st, me)
	}
	for _, e := range st.Story {
		v.Lines = append(v.Lines, line(st, me, e))
	}
	return v
}

func (v *View) players(st *table.State) {
	speakers := st.Speakers()
	for i, s := range st.Charter.Seats {
		p := Player{Name: s.Name, Gone: st.Gone[i], Owes: slices.Contains(speakers, i)}
		if st.Pos != nil {
			p.Out = st.Pos.Out[i]
		}
		if st.Hands != nil {
			p.Size = len(st.Hands[i])
		}
		if laid := st.Laid[i]; laid != nil {
			p.Size, p.Hand = len(laid), slices.Clone(laid)
		}
		if key := st.Opened[i]; key != nil {
			p.Opened = true
			p.Hand = seat.Decrypt(st, st.Hands[i], key)
		}
		v.Players = append(v.Players, p)
	}
}

func (v *View) choose(st *table.State, me *seat.Seat) {
	if _, decide := me.Due(st); !decide {
		return
	}
	if st.Edition.Board {
		v.Choices.board(st.Pos, v.Me)
	}
	switch st.Phase() {
	case rules.Turn:
		v.Choices.Turn = !st.Edition.Board
	case rules.Answering:
		v.Choices.Answer = true
		for _, c := range st.Pos.Question.Cards {
			if slices.Contains(v.Hand, c) {
				v.Choices.Show = append(v.Choices.Show, c)
			}
		}
	case rules.Sealing:
		v.Choices.Join = true
	case rules.Guessing:
		v.Choices.Guess = true
	case rules.Voting:
		v.Choices.Vote = true
	case rules.Ordering:
		v.Choices.Propose = slices.Clone(st.Pos.Accusation.Order)
	case rules.Farewell:
		v.Choices.Leave = true
	}
}

// result is a copy: a View shares nothing with the State.
func result(r *rules.Result) *rules.Result {
	if r == nil {
		return nil
	}
	c := *r
	return &c
}

func line(st *table.State, me *seat.Seat, e table.Event) Line {
	l := Line{Round: e.Round, Kind: e.Kind, Seat: e.Seat, To: e.To, Result: result(e.Result), Card: Hidden,
		Cards: slices.Clone(e.Cards), Seats: slices.Clone(e.Seats), Dice: slices.Clone(e.Dice), At: e.At}
	if e.Kind != table.Showed {
		return l
	}
	if key := st.Opened[e.To]; key != nil {
		l.Card = seat.Decrypt(st, []elgamal.Ciphertext{e.Shown}, key)[0]
	} else if me != nil {
		if c, ok := me.Shown(st, e); ok {
			l.Card = c
		}
	}
	return l
}
