package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/session"
	"alibi/game/audit"
)

func (p *program) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := p.command("verify", " FILE", func(_ *cobra.Command, args []string) error {
		r, err := p.audit(args[0])
		if err != nil {
			return err
		}
		if asJSON {
			enc := json.NewEncoder(p.paper.W)
			enc.SetIndent("", "  ")
			if err := enc.Encode(p.summary(r)); err != nil {
				return err
			}
		} else if err := p.printed(func() { p.report(r) }); err != nil {
			return err
		}
		return p.verdict(args[0], r)
	})
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return p.usage("bad.verify", "hint.verify")
		}
		return nil
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, p.book.Say("flag.json"))
	return cmd
}

// printed writes what print prints in one go, and says whether that worked:
// elsewhere a reader who left is no failure, but here the report is the job.
func (p *program) printed(print func()) error {
	var text bytes.Buffer
	out := p.paper.W
	p.paper.W = &text
	print()
	p.paper.W = out
	_, err := out.Write(text.Bytes())
	return err
}

// audit reads and checks a log; "-" is standard input. What cannot be read or is
// no log is the caller's mistake.
func (p *program) audit(file string) (*audit.Report, error) {
	in := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, p.usage("bad.file", "hint.verify", "file", file, "why", reason(err))
		}
		defer f.Close()
		in = f
	}
	r, err := session.Verify(bufio.NewReader(in))
	var path *os.PathError
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, &path):
		return nil, p.usage("bad.file", "hint.verify", "file", file, "why", reason(path))
	}
	return nil, p.usage("bad.notlog", "hint.notlog", "file", file, "why", bare(err))
}

// verdict is nil for a log that is fair and complete. That the others went on
// without a cheat does not make the cheat one of a fair game.
func (p *program) verdict(file string, r *audit.Report) error {
	switch {
	case !r.Sound():
		worst := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return !f.Left })
		return p.failed("failed.unfair", "hint.unfair", "file", file, "finding", p.finding(r, r.Findings[worst]))
	case !r.Fair():
		return p.failed("failed.cheated", "hint.cheated", "file", file, "finding", p.finding(r, r.Findings[0]))
	case !r.Complete:
		return p.failed("failed.incomplete", "hint.incomplete", "file", file, "round", r.State.Round, "names", p.missing(r))
	}
	return nil
}
