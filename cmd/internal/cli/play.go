package cli

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alibi/cmd/internal/session"
	"alibi/cmd/internal/web"
)

// desk is how the table in the browser is served, as the flags of play say.
type desk struct {
	name     string
	port     int
	page     int
	loopback bool
	quiet    bool
	lan      bool
}

func (p *program) playCommand() *cobra.Command {
	var d desk
	cmd := p.command("play", "", func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), d) })
	p.deskFlags(cmd.Flags(), &d)
	return cmd
}

func (p *program) deskFlags(f *pflag.FlagSet, d *desk) {
	f.StringVar(&d.name, "name", loginName(), p.book.Say("flag.name"))
	f.IntVar(&d.port, "port", 0, p.book.Say("flag.port"))
	f.IntVar(&d.page, "page", 0, p.book.Say("flag.page"))
	f.BoolVar(&d.loopback, "loopback", false, p.book.Say("flag.loopback"))
	f.BoolVar(&d.quiet, "no-browser", false, p.book.Say("flag.no-browser"))
	f.BoolVar(&d.lan, "lan", false, p.book.Say("flag.lan"))
}

// serve runs a peer and the pages of its player, on this computer only unless phones
// are let in, until it is interrupted. A game that is not over then can be taken up
// again.
func (p *program) serve(ctx context.Context, d desk) error {
	switch {
	case d.name != "" && session.CheckName(d.name) != nil:
		return p.usage("bad.name", "hint.goodname", "name", d.name, "most", session.MaxName)
	case d.port < 0 || d.port > 65535:
		return p.usage("bad.port", "hint.port", "port", d.port)
	case d.page < 0 || d.page > 65535:
		return p.usage("bad.port", "hint.port", "port", d.page)
	}
	ctx, stop := p.patient(ctx)
	defer stop()
	config := session.PeerConfig{Home: session.Home(), Name: d.name, Port: d.port, Loopback: d.loopback}
	err := p.online(ctx, config, func(ctx context.Context, peer *session.Peer) error {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(d.page)))
		if err != nil {
			return err
		}
		app := web.NewApp(peer, d.name, session.Home())
		server := web.NewServer(app, l.Addr().(*net.TCPAddr).Port)
		if p.asked {
			server.Prefer(p.book)
		}
		p.paper.Line(p.book.Say("play.address", "address", server.Address()))
		p.paper.Line(p.paper.Dim(p.book.Say("play.stop")))
		jobs := []func(context.Context) error{func(ctx context.Context) error { return server.Run(ctx, l) }}
		if d.lan {
			more, err := p.phones(ctx, d, app, server, peer.Addrs())
			if err != nil {
				return errors.Join(err, l.Close())
			}
			jobs = append(jobs, more...)
		}
		if !d.quiet {
			browse(server.Once())
		}
		return run(ctx, app, jobs)
	})
	if errors.Is(err, errInterrupted) {
		return nil // it is how one stops it
	}
	return err
}

// run runs the app and all jobs until ctx ends or one of them does.
func run(ctx context.Context, app *web.App, jobs []func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(jobs))
	var all sync.WaitGroup
	for i, job := range jobs {
		all.Go(func() {
			errs[i] = job(ctx)
			stop()
		})
	}
	app.Run(ctx)
	all.Wait()
	return errors.Join(errs...)
}

// browse opens an address in the person's browser, if there is one; the address was
// printed besides.
func browse(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if c := exec.Command(name, args...); c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}
