package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The values of each option. The first is the default.
var (
	FirstChoices    = []string{"random", "opener", "vote"}
	OrderChoices    = []string{"left", "random", "agreed"}
	LastChoices     = []string{"wins", "plays-on"}
	NotebookChoices = []string{"auto", "marks", "solver"}
	DiceChoices     = []string{"1", "2"}
	DoorChoices     = []string{"1", "0"}
)

// The bounds of a timer that is not off, in seconds.
const (
	TimerMin = 10
	TimerMax = 3600
)

// Options are what a table agrees on in its charter.
type Options struct {
	First    string // who begins: by lot, as the opener says, or by vote
	Order    string // of several accusers: active player then to the left, by lot, or agreed among them
	Last     string // the only player left in wins at once, or plays on
	Notebook string // highest level of help that clients may give
	Timer    uint16 // seconds for a turn, an answer, a choice; then the others may go on without that seat; 0 is no timer
	Watch    bool   // spectators are let in

	// On a board alone; that the zero value is the default keeps them out of
	// the way of other editions.
	TwoDice   bool // a roll is of two dice instead of one
	FreeDoors bool // the step into a room costs no pip
}

// DefaultOptions are the first choice of each, no timer, and no spectators.
func DefaultOptions() Options {
	return Options{First: FirstChoices[0], Order: OrderChoices[0], Last: LastChoices[0], Notebook: NotebookChoices[0]}
}

// Dice is how many are rolled on a board.
func (o Options) Dice() int {
	if o.TwoDice {
		return 2
	}
	return 1
}

// DoorCost is how many pips a step into a room takes.
func (o Options) DoorCost() int {
	if o.FreeDoors {
		return 0
	}
	return 1
}

// Suit refuses options that mean nothing in an edition and are not at their
// default: a charter promises nothing that is not kept. On a board the suspects
// decide who begins, and nobody joins an accusation.
func (o Options) Suit(e *Edition) error {
	if err := o.Validate(); err != nil {
		return err
	}
	dice, cost := strconv.Itoa(o.Dice()), strconv.Itoa(o.DoorCost())
	for _, c := range []OptionError{
		{"first", o.First, suiting(!e.Board, FirstChoices)},
		{"order", o.Order, suiting(e.JoinAccusation, OrderChoices)},
		{"dice", dice, suiting(e.Board, DiceChoices)},
		{"door-cost", cost, suiting(e.Board, DoorChoices)},
	} {
		if !slices.Contains(c.Choices, c.Value) {
			return &c
		}
	}
	return nil
}

// suiting is all choices, or the default alone.
func suiting(all bool, choices []string) []string {
	if all {
		return choices
	}
	return choices[:1]
}

// OptionError is an option with a value that is none of its choices.
type OptionError struct {
	Option, Value string
	Choices       []string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("rules: %s cannot be %q, only one of %s", e.Option, e.Value, strings.Join(e.Choices, ", "))
}

// Validate refuses values that are no choice.
func (o Options) Validate() error {
	for _, c := range []OptionError{
		{"first", o.First, FirstChoices},
		{"order", o.Order, OrderChoices},
		{"last-player", o.Last, LastChoices},
		{"notebook", o.Notebook, NotebookChoices},
	} {
		if !slices.Contains(c.Choices, c.Value) {
			return &c
		}
	}
	if o.Timer != 0 && (o.Timer < TimerMin || o.Timer > TimerMax) {
		choices := []string{"0", fmt.Sprintf("%d to %d", TimerMin, TimerMax)}
		return &OptionError{"timer", strconv.Itoa(int(o.Timer)), choices}
	}
	return nil
}
