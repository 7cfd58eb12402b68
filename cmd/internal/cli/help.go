package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alibi/cmd/internal/cli/line"
)

// Cobra and pflag say what a command takes, and what is wrong with a flag, in
// English. Here it is said in the words of the book.

// helpOn prints what --help is for.
func (p *program) helpOn(cmd *cobra.Command, _ []string) {
	say, bold := p.book.Say, p.paper.Bold
	p.paper.Line(cmd.Long)
	p.paper.Lines([]string{"", bold(say("help.usage")), "  " + usageLine(cmd) + " " + say("help.takes")})
	if cmd.HasAvailableSubCommands() {
		p.paper.Line("  " + cmd.CommandPath() + " " + say("help.command"))
	}
	p.paper.Lines([]string{"", bold(say("help.examples")), cmd.Example})
	if cmd.HasAvailableSubCommands() {
		var rows [][]string
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				rows = append(rows, []string{"  " + c.Name(), c.Short})
			}
		}
		p.paper.Lines([]string{"", bold(say("help.commands"))})
		p.paper.Lines(line.Columns(rows))
	}
	p.paper.Lines([]string{"", bold(say("help.flags"))})
	p.paper.Lines(line.Columns(p.flagRows(cmd.Flags())))
	if cmd.HasAvailableSubCommands() {
		p.paper.Lines([]string{"", say("help.more")})
	}
}

// usageLine is how a command is typed, up to its flags.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// flagRows lists flags: how each is typed, and what it is for.
func (p *program) flagRows(flags *pflag.FlagSet) (rows [][]string) {
	flags.VisitAll(func(f *pflag.Flag) {
		typed := "      --" + f.Name
		if f.Shorthand != "" {
			typed = "  -" + f.Shorthand + ", --" + f.Name
		}
		switch f.Value.Type() {
		case "string":
			typed += " " + p.book.Say("value.string")
		case "int":
			typed += " " + p.book.Say("value.int")
		case "duration":
			typed += " " + p.book.Say("value.duration")
		}
		usage := f.Usage
		switch f.DefValue {
		case "", "0", "0s", "false": // what is not given is nothing
		default:
			usage = p.book.Say("help.default", "usage", usage, "value", f.DefValue)
		}
		rows = append(rows, []string{typed, usage})
	})
	return rows
}

// helpCommand is help, as a command.
func (p *program) helpCommand() *cobra.Command {
	cmd := p.command("help", " [COMMAND]", func(cmd *cobra.Command, args []string) error {
		about, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return p.usage("bad.command", "hint.command", "word", strings.Join(args, " "))
		}
		_ = about.ParseFlags(nil) // takes in the flags of its parents
		p.helpOn(about, nil)
		return nil
	})
	cmd.Args = cobra.ArbitraryArgs
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		for _, c := range cmd.Root().Commands() {
			if len(args) == 0 && !c.Hidden {
				names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// wrongFlag says what is wrong with a flag.
func (p *program) wrongFlag(_ *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		syntax  *pflag.InvalidSyntaxError
		value   *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		flag := "--" + unknown.GetSpecifiedName()
		if group := unknown.GetSpecifiedShortnames(); group != "" {
			flag = "-" + group
		}
		return p.usage("bad.flag", "hint.flags", "flag", flag)
	case errors.As(err, &bare):
		return p.usage("bad.flag.empty", "hint.flags", "flag", "--"+bare.GetFlag().Name)
	case errors.As(err, &syntax):
		return p.usage("bad.flag", "hint.flags", "flag", syntax.GetSpecifiedFlag())
	case errors.As(err, &value):
		hint := map[string]string{"int": "hint.int", "duration": "hint.duration", "bool": "hint.bool"}[value.GetFlag().Value.Type()]
		if hint == "" {
			hint = "hint.flags"
		}
		return p.usage("bad.option", hint, "option", "--"+value.GetFlag().Name, "value", value.GetValue())
	}
	return &failure{code: 2, text: err.Error(), hint: p.book.Say("hint.flags")}
}
