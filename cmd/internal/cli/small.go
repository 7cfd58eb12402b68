package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/session"
)

// The small commands.

func (p *program) versionCommand() *cobra.Command {
	return p.command("version", "", func(*cobra.Command, []string) error {
		version, revision := "(devel)", ""
		if info, ok := debug.ReadBuildInfo(); ok {
			if info.Main.Version != "" {
				version = info.Main.Version
			}
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" && !strings.Contains(version, s.Value[:min(12, len(s.Value))]) {
					revision = " " + s.Value[:min(12, len(s.Value))]
				}
			}
		}
		p.paper.Line(fmt.Sprintf("alibi %s%s %s %s/%s", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		return nil
	})
}

func (p *program) keysCommand() *cobra.Command {
	return p.command("keys", "", func(*cobra.Command, []string) error {
		peer, err := session.NewPeer(session.PeerConfig{Home: session.Home()})
		if err != nil {
			return err
		}
		p.paper.Line(peer.ID())
		return peer.Close()
	})
}

func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	cmd := p.command("completion", " SHELL", func(cmd *cobra.Command, args []string) error {
		root, out := cmd.Root(), p.paper.W
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(out, true)
		case "zsh":
			return root.GenZshCompletion(out)
		case "fish":
			return root.GenFishCompletion(out, true)
		}
		return root.GenPowerShellCompletionWithDesc(out)
	})
	cmd.ValidArgs = shells
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || !slices.Contains(shells, args[0]) {
			return p.usage("bad.shell", "hint.choices", "choices", strings.Join(shells, ", "))
		}
		return nil
	}
	return cmd
}
