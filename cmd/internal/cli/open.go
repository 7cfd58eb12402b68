package cli

import (
	"context"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
)

// chair is how a seat is taken and played, as the flags of open and join say.
type chair struct {
	name     string
	bot      bool
	pause    time.Duration
	patience time.Duration
	log      string
	port     int
	loopback bool
}

func (p *program) chairFlags(f *pflag.FlagSet, c *chair) {
	f.StringVar(&c.name, "name", loginName(), p.book.Say("flag.name"))
	p.seatFlags(f, c)
}

// asUsual stands for a flag that was not given.
const asUsual = -1

// seatFlags are those of chairFlags that do not choose who sits there.
func (p *program) seatFlags(f *pflag.FlagSet, c *chair) {
	c.patience = asUsual
	f.Var(spanFlag{&c.patience}, "patience", p.book.Say("flag.patience"))
	f.BoolVar(&c.bot, "bot", false, p.book.Say("flag.bot"))
	f.DurationVar(&c.pause, "pause", time.Second, p.book.Say("flag.pause"))
	f.StringVar(&c.log, "log", "", p.book.Say("flag.log"))
	f.IntVar(&c.port, "port", 0, p.book.Say("flag.port"))
	f.BoolVar(&c.loopback, "loopback", false, p.book.Say("flag.loopback"))
}

// spanFlag is a duration that has no default to show.
type spanFlag struct{ at *time.Duration }

func (s spanFlag) String() string { return "" }
func (s spanFlag) Type() string   { return "duration" }

func (s spanFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil {
		*s.at = d
	}
	return err
}

// loginName is what the system calls the user, if it can be a player's name.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	name := u.Name
	if session.CheckName(name) != nil {
		name = u.Username
	}
	if session.CheckName(name) != nil {
		return ""
	}
	return name
}

// check refuses what no table would take, before anything is started.
func (p *program) checkChair(c chair) error {
	switch {
	case c.name == "":
		return p.usage("bad.noname", "hint.name")
	case session.CheckName(c.name) != nil:
		return p.usage("bad.name", "hint.goodname", "name", c.name, "most", session.MaxName)
	}
	return p.checkSeat(c)
}

func (p *program) checkSeat(c chair) error {
	switch {
	case c.port < 0 || c.port > 65535:
		return p.usage("bad.port", "hint.port", "port", c.port)
	case c.pause < 0:
		return p.usage("bad.pause", "hint.pause", "value", c.pause)
	case c.patience < 0 && c.patience != asUsual:
		return p.usage("bad.patience", "hint.wait.flag", "value", c.patience)
	}
	return nil
}

func (c chair) peer() session.PeerConfig {
	return session.PeerConfig{Home: session.Home(), Name: c.name, Port: c.port, Loopback: c.loopback}
}

// terms are what is played, as flags say.
type terms struct {
	edition string
	seats   int
	leavers int
	timer   time.Duration
	options rules.Options
}

func (p *program) termsFlags(cmd *cobra.Command, t *terms) {
	f := cmd.Flags()
	t.options = rules.DefaultOptions()
	p.choiceFlag(cmd, &t.edition, "edition", "card", editionNames())
	p.choiceFlag(cmd, &t.options.First, "first", t.options.First, rules.FirstChoices)
	p.choiceFlag(cmd, &t.options.Order, "order", t.options.Order, rules.OrderChoices)
	p.choiceFlag(cmd, &t.options.Last, "last-player", t.options.Last, rules.LastChoices)
	p.choiceFlag(cmd, &t.options.Notebook, "notebook", t.options.Notebook, rules.NotebookChoices)
	f.IntVar(&t.seats, "seats", 3, p.book.Say("flag.seats"))
	p.leaversFlag(cmd, t)
	f.Var(spanFlag{&t.timer}, "timer", p.book.Say("flag.timer"))
	f.BoolVar(&t.options.Watch, "spectators", false, p.book.Say("flag.spectators"))
}

func (p *program) leaversFlag(cmd *cobra.Command, t *terms) {
	t.leavers = asUsual
	cmd.Flags().Var(countFlag{&t.leavers}, "leavers", p.book.Say("flag.leavers"))
}

// countFlag is a number that has no default to show.
type countFlag struct{ at *int }

func (c countFlag) String() string { return "" }
func (c countFlag) Type() string   { return "int" }

func (c countFlag) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 8)
	if err == nil {
		*c.at = int(n)
	}
	return err
}

// choiceFlag is a flag that takes one of a few words; the shell completes them.
func (p *program) choiceFlag(cmd *cobra.Command, at *string, name, value string, choices []string) {
	cmd.Flags().StringVar(at, name, value, p.book.Say("flag."+name, "choices", strings.Join(choices, ", ")))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

func editionNames() []string {
	var names []string
	for _, e := range rules.Editions() {
		names = append(names, e.Name)
	}
	return names
}

// checkTerms checks edition, seats and options against one another, and settles
// what was left to be as usual.
func (p *program) checkTerms(t *terms) (*rules.Edition, error) {
	e, ok := rules.Lookup(t.edition)
	if !ok {
		return nil, p.usage("bad.edition", "hint.choices", "value", t.edition, "choices", strings.Join(editionNames(), ", "))
	}
	if t.seats < e.MinSeats || t.seats > e.MaxSeats {
		return nil, p.usage("bad.seats", "hint.seats", "seats", t.seats, "least", e.MinSeats, "most", e.MaxSeats)
	}
	if t.leavers == asUsual {
		t.leavers = session.Leavers(t.seats)
	}
	if most := session.MaxLeavers(t.seats); t.leavers > most {
		return nil, p.usage("bad.leavers", "hint.leavers", "leavers", t.leavers, "seats", t.seats, "most", most)
	}
	if t.timer != 0 && (t.timer < rules.TimerMin*time.Second || t.timer > rules.TimerMax*time.Second) {
		return nil, p.usage("bad.timer", "hint.timer", "value", t.timer)
	}
	t.options.Timer = uint16(t.timer / time.Second)
	return e, t.options.Validate()
}

func (p *program) openCommand() *cobra.Command {
	var c chair
	var t terms
	var table string
	cmd := p.command("open", "", func(cmd *cobra.Command, _ []string) error {
		edition, err := p.checkTerms(&t)
		if err != nil {
			return err
		}
		if err := p.checkChair(c); err != nil {
			return err
		}
		if table == "" {
			table = p.book.Say("open.table", "name", c.name)
			if session.CheckName(table) != nil {
				table = c.name
			}
		}
		if session.CheckName(table) != nil {
			return p.usage("bad.table", "hint.goodname", "name", table, "most", session.MaxName)
		}
		offer := session.Offer{Table: table, Edition: edition, Options: t.options, Seats: t.seats, Leavers: t.leavers}
		return p.sit(cmd.Context(), c, func(ctx context.Context, peer *session.Peer) (*session.Seating, error) {
			seating, err := peer.Open(ctx, offer)
			if err == nil {
				p.invite(peer, c.loopback)
			}
			return seating, err
		})
	})
	p.chairFlags(cmd.Flags(), &c)
	p.termsFlags(cmd, &t)
	cmd.Flags().StringVar(&table, "table", "", p.book.Say("flag.table"))
	return cmd
}

// invite tells how others come to this table.
func (p *program) invite(peer *session.Peer, loopback bool) {
	find := "open.find"
	if loopback {
		find = "open.find.loopback"
	}
	p.paper.Line(p.book.Say(find))
	for _, a := range peer.Addrs() {
		p.paper.Line(p.book.Say("open.address", "address", a))
	}
}

// tellTerms tells what is agreed on here, and what of it is a house rule.
func (p *program) tellTerms(e *rules.Edition, o rules.Options, seats, leavers int) {
	say := p.book.Say
	p.paper.Lines(line.Columns([][]string{
		{"  " + say("table.first"), say("first." + o.First)},
		{"  " + say("table.order"), say("order." + o.Order)},
		{"  " + say("table.last"), say("last." + o.Last)},
		{"  " + say("table.notebook"), say("notebook." + o.Notebook)},
	}))
	p.tellLeavers(seats, leavers)
	if o.Timer > 0 {
		key := "table.timer"
		if leavers == 0 {
			key = "table.timer.wait"
		}
		p.paper.Line("  " + say(key, "span", p.book.Span(time.Duration(o.Timer)*time.Second)))
	}
	if o.Watch {
		p.paper.Line("  " + say("table.watch"))
	}
	p.tellHouse(e, seats)
}

// tellLeavers says what it means for the game and for its secrets how many may
// leave.
func (p *program) tellLeavers(seats, leavers int) {
	key := "table.leavers.some"
	switch leavers {
	case 0:
		key = "table.leavers.none"
	case 1:
		key = "table.leavers.one"
	}
	p.paper.Line("  " + p.book.Say(key, "seats", seats, "leavers", leavers, "threshold", seats-leavers))
}

// tellHouse says when a number of players is none that the box names.
func (p *program) tellHouse(e *rules.Edition, seats int) {
	if seats < e.BoxMin || seats > e.BoxMax {
		p.paper.Line("  " + p.book.Say("table.house", "seats", seats, "least", e.BoxMin, "most", e.BoxMax))
	}
}
