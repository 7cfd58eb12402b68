// Package cli is the command line. Its voice: data goes to stdout; what is wrong
// goes to stderr as "error: " and what is the case, then "hint: " and what to do
// next, lower case, no full stop. Exit codes: 0 done, 1 the job failed, 2 it was
// asked for in a way that makes no sense. What a game says is its data.
//
// Every sentence stands in package say; every rule, key and socket is behind
// package session.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/say"
)

// program is one run of the command.
type program struct {
	book  *say.Book
	asked bool // for that language, with --lang
	in    io.Reader
	paper line.Paper // stdout
	err   io.Writer
	// interrupts carries Ctrl-C while something wants it; see patient.
	interrupts chan os.Signal
}

// Main runs the program on the process's own arguments and files, and returns
// its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	p := &program{
		book: spoken(os.Getenv), in: os.Stdin, err: os.Stderr,
		paper:      line.Paper{W: os.Stdout, Marked: marked(os.Stdout, os.Getenv)},
		interrupts: make(chan os.Signal, 2),
	}
	signal.Notify(p.interrupts, os.Interrupt)
	defer signal.Stop(p.interrupts)
	return p.run(ctx, os.Args[1:])
}

// marked reports whether f takes bold type and the user has not refused it.
func marked(f *os.File, getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// run carries out one command line.
func (p *program) run(ctx context.Context, args []string) int {
	err := p.speak(args)
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.paper.W)
	root.SetErr(p.err)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	f := p.explain(err)
	talk := line.Paper{W: p.err}
	talk.Line(p.book.Say("error", "text", say.Visible(f.text)))
	if f.hint != "" {
		talk.Line(p.book.Say("hint", "text", say.Visible(f.hint)))
	}
	return f.code
}

// patient is ctx until the first Ctrl-C, for everything that can be stopped
// without hurting anybody.
func (p *program) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.interrupts:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

var errInterrupted = errors.New("cli: interrupted")

func (p *program) root() *cobra.Command {
	var d desk
	root := p.command("alibi", "", func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), d) })
	p.deskFlags(root.Flags(), &d)
	root.Use = "alibi"
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return p.usage("bad.command", "hint.command.near", "word", args[0], "near", near[0])
		}
		return p.usage("bad.command", "hint.command", "word", args[0])
	}
	root.PersistentFlags().String("lang", "", p.book.Say("flag.lang", "choices", strings.Join(tags(), ", ")))
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().BoolP("help", "h", false, p.book.Say("flag.help"))
	root.SetFlagErrorFunc(p.wrongFlag)
	root.SetHelpFunc(p.helpOn)
	root.SetHelpCommand(p.helpCommand())
	root.AddCommand(p.playCommand(), p.demoCommand(), p.openCommand(), p.tablesCommand(), p.joinCommand(),
		p.resumeCommand(), p.watchCommand(), p.verifyCommand(), p.keysCommand(), p.versionCommand(), p.completionCommand())
	return root
}

// command makes a command whose texts the book has under its name.
func (p *program) command(name, arguments string, run func(*cobra.Command, []string) error) *cobra.Command {
	key := "cmd." + name
	return &cobra.Command{
		Use: name + arguments, Short: p.book.Say(key), Long: p.book.Say(key + ".long"),
		Example: p.book.Say(key + ".example"), RunE: run, Args: p.noArguments,
	}
}

func (p *program) noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return p.usage("bad.argument", "hint.flags", "word", args[0])
	}
	return nil
}
