package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
)

func (p *program) resumeCommand() *cobra.Command {
	var c chair
	var list bool
	var salvage string
	cmd := p.command("resume", " [TABLE]", func(cmd *cobra.Command, args []string) error {
		table := strings.Join(args, " ")
		if list && salvage != "" || table != "" && (list || salvage != "") {
			return p.usage("bad.resume.both", "hint.resume.both")
		}
		if err := p.checkSeat(c); err != nil {
			return err
		}
		switch {
		case salvage != "":
			return p.salvage(salvage)
		case list:
			return p.listGames()
		}
		return p.takeUp(cmd.Context(), c, table)
	})
	cmd.Args = cobra.ArbitraryArgs
	p.seatFlags(cmd.Flags(), &c)
	cmd.Flags().BoolVar(&list, "list", false, p.book.Say("flag.list"))
	cmd.Flags().StringVar(&salvage, "salvage", "", p.book.Say("flag.salvage"))
	return cmd
}

// takeUp plays a kept game on from where it stood.
func (p *program) takeUp(ctx context.Context, c chair, table string) error {
	log, err := p.openLog(c.log)
	if err != nil {
		return err
	}
	return p.online(ctx, c.peer(), func(ctx context.Context, peer *session.Peer) error {
		k, err := p.choose(peer, table)
		if err != nil {
			return err
		}
		s, err := peer.Resume(k.ID, c.manner())
		if errors.Is(err, session.ErrDamaged) {
			return p.failed("failed.damaged.game", "hint.damaged", "table", k.Table)
		}
		if err != nil {
			return err
		}
		v := s.Latest().View
		p.paper.Line(p.paper.Bold(p.book.Say("resume.seated", "who", k.Players[k.Me], "table", k.Table,
			"edition", p.book.Edition(v.Edition.Name), "seats", len(k.Players))))
		return p.play(ctx, c, s, log)
	})
}

// choose finds the game that is meant: by its table's name, whole or shortened,
// by its number in the list, or the only one.
func (p *program) choose(peer *session.Peer, name string) (session.Kept, error) {
	games, damaged := peer.Unfinished()
	fit := named(games, name)
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		var names []string
		for i, k := range games {
			names = append(names, strconv.Itoa(i+1)+" "+p.book.Quote(k.Table))
		}
		return session.Kept{}, p.failed("failed.games", "hint.games", "names", strings.Join(names, p.book.Say("list.between")), "number", 1)
	case damaged != nil:
		return session.Kept{}, damaged
	case name == "":
		return session.Kept{}, p.noGame(peer)
	}
	return session.Kept{}, p.failed("failed.nosuchgame", "hint.nosuchgame", "table", name)
}

// noGame says that nothing is unfinished. Who was cut off at the very end may look
// for the log of a game that is over.
func (p *program) noGame(peer *session.Peer) error {
	hint := "hint.nogame"
	if games, _ := peer.Games(); len(games) > 0 {
		hint = "hint.nogame.over"
	}
	return p.failed("failed.nogame", hint)
}

// named lists the games that a name can mean. A whole name wins over a number,
// and that over a beginning.
func named(games []session.Kept, name string) []session.Kept {
	name = strings.ToLower(name)
	var whole, begun []session.Kept
	for _, k := range games {
		its := strings.ToLower(k.Table)
		if its == name {
			whole = append(whole, k)
		}
		if strings.HasPrefix(its, name) {
			begun = append(begun, k)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(games) {
		return games[n-1 : n]
	}
	return begun
}

func (p *program) listGames() (err error) {
	peer, err := session.NewPeer(session.PeerConfig{Home: session.Home()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, peer.Close()) }()
	games, damaged := peer.Unfinished()
	if len(games) == 0 && damaged == nil {
		return p.noGame(peer)
	}
	if len(games) > 0 {
		lines := line.Columns(p.rows(games))
		lines[0] = p.paper.Bold(lines[0])
		p.paper.Lines(lines)
	}
	var broken []string
	for _, k := range games {
		if k.Damaged {
			broken = append(broken, p.book.Quote(k.Table))
		}
	}
	if len(broken) > 0 {
		return p.failed("failed.damaged.some", "hint.damaged", "tables", strings.Join(broken, p.book.Say("list.between")))
	}
	return damaged
}

// rows is a table of games, one a row.
func (p *program) rows(games []session.Kept) [][]string {
	say := p.book.Say
	rows := [][]string{{say("resume.number"), say("tables.name"), say("tables.edition"), say("resume.players"),
		say("resume.me"), say("resume.entries"), say("tables.note")}}
	for i, k := range games {
		edition, note := "", ""
		if k.Edition != nil {
			edition = p.book.Edition(k.Edition.Name)
		}
		switch {
		case k.Damaged:
			note = say("resume.damaged")
		case k.Over:
			note = say("resume.over")
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), k.Table, edition, strings.Join(k.Players, say("list.between")),
			k.Players[k.Me], strconv.Itoa(k.Entries), note})
	}
	return rows
}

// remind says what games are unfinished here, before another one begins.
func (p *program) remind(peer *session.Peer) {
	games, _ := peer.Unfinished() // what is damaged is said by resume
	p.paper.Lines(p.reminders(games))
}

func (p *program) reminders(games []session.Kept) (lines []string) {
	var left, over []string
	for _, k := range games {
		if k.Over {
			over = append(over, p.book.Quote(k.Table))
		} else {
			left = append(left, p.book.Quote(k.Table))
		}
	}
	command := "alibi resume"
	if len(games) > 1 {
		command += " TABLE"
	}
	between := p.book.Say("list.between")
	switch len(left) {
	case 0:
	case 1:
		lines = append(lines, p.book.Say("resume.here", "table", left[0], "command", command))
	default:
		lines = append(lines, p.book.Say("resume.here.some", "tables", strings.Join(left, between), "command", command))
	}
	switch len(over) {
	case 0:
	case 1:
		lines = append(lines, p.book.Say("resume.over.here", "table", over[0], "command", command))
	default:
		lines = append(lines, p.book.Say("resume.over.some", "tables", strings.Join(over, between), "command", command))
	}
	return lines
}

// salvage writes the logs that can be read into a folder. It writes over nothing.
func (p *program) salvage(folder string) error {
	games, damaged := session.Salvage(session.Home())
	if len(games) == 0 && damaged == nil {
		return p.failed("failed.nogame", "hint.nogame")
	}
	if len(games) > 0 {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return p.failed("failed.salvage", "hint.salvage", "file", folder, "why", reason(err))
		}
	}
	for _, g := range games {
		path := filepath.Join(folder, fileName(g.Table, g.ID[:])+".alibi")
		if err := writeNew(path, g); err != nil {
			return p.failed("failed.salvage", "hint.salvage", "file", path, "why", reason(err))
		}
		key := "salvage.kept"
		if g.Lost > 0 {
			key = "salvage.lost"
		}
		p.paper.Line(p.book.Say(key, "file", path, "entries", g.Entries, "table", g.Table, "lost", g.Lost))
	}
	return damaged
}

// writeNew writes a log that is safely there when it returns.
func writeNew(path string, g session.Salvaged) error {
	var b bytes.Buffer
	if err := g.WriteLog(&b); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
