//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha3"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/p2p/netlab"
)

var chaosSeed = flag.String("chaos.seed", "alibi", "what the moments of the chaos tests are drawn from")

// allowance is how long whatever has to happen may take on a computer that is
// busy with other things.
const allowance = 2 * time.Minute

// dice draws from a seed. What peers do meanwhile is up to them, so a seed gives
// the same draws, not the same game.
type dice struct{ r io.Reader }

func newDice(t *testing.T) dice {
	t.Helper()
	s := sha3.NewSHAKE256()
	_, _ = fmt.Fprint(s, *chaosSeed, "/", t.Name()) // a hash never fails
	return dice{s}
}

func (d dice) below(n int) int {
	var b [8]byte
	_, _ = io.ReadFull(d.r, b[:])
	return int(binary.BigEndian.Uint64(b[:]) % uint64(n))
}

func (d dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.below(int(most-least)+1))
}

// party are programs at one table, each on a computer of its own.
type party struct {
	*computers
	dice  dice
	seats []*seat

	mu   sync.Mutex // guards news and what seats have printed
	news chan struct{}
}

// seat is one player, by as many processes as it takes.
type seat struct {
	party *party
	host  int
	flags []string          // of every process that takes the seat
	types *rehearsal.Typist // plays in line mode, if it is no bot

	// The party's lock guards these.
	cmd      *exec.Cmd
	lines    []string // of the process that runs, or ran last
	printed  int      // lines of all processes
	errors   bytes.Buffer
	in       io.Writer // of somebody who types
	began    time.Time
	finished bool // no process runs
	err      error
	killed   bool
}

// newParty builds a network; flags are those of every seat.
func newParty(t *testing.T, plan netlab.Plan, flags ...string) *party {
	t.Helper()
	if os.Getenv("ALIBI_CHAOS") == "" {
		t.Skip("minutes of killed programs and cut cables: set ALIBI_CHAOS=1")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	lab := netlab.New(t, plan)
	p := &party{
		computers: &computers{Lab: lab, t: t, ctx: ctx, dir: t.TempDir()},
		dice:      newDice(t), news: make(chan struct{}),
	}
	for i := range plan.Hosts {
		p.seats = append(p.seats, &seat{party: p, host: i + 1, finished: true,
			flags: append([]string{"--log", p.log(i + 1)}, flags...)})
	}
	t.Cleanup(func() {
		if t.Failed() {
			p.tell()
		}
	})
	return p
}

// need skips the test as long as the program lacks a command.
func (p *party) need(command string) {
	p.t.Helper()
	if out, err := p.alibi(1, command, "--help").CombinedOutput(); err != nil {
		p.t.Skipf("there is no alibi %s yet: %s", command, out)
	}
}

// sitDown opens a table at the first seat and has the others join it.
func (p *party) sitDown(open ...string) {
	p.t.Helper()
	for i, s := range p.seats[:min(len(p.seats), len(four))] {
		how := []string{"join", "--wait", "1m", "--name", four[i]}
		if i == 0 {
			how = append([]string{"open", "--seats", fmt.Sprint(len(four)), "--name", four[0]}, open...)
		}
		s.start(how...)
	}
}

// start runs the program in a seat.
func (s *seat) start(args ...string) {
	p := s.party
	p.t.Helper()
	cmd := p.alibi(s.host, append(args, s.flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if s.types != nil {
		if s.in, err = cmd.StdinPipe(); err != nil {
			p.t.Fatal(err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.cmd, s.lines, s.finished, s.killed, s.err, s.began = cmd, nil, false, false, nil, time.Now()
	s.errors.Reset()
	cmd.Stderr = &s.errors // written before Wait returns, read afterwards
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go s.follow(cmd, out)
}

// follow reads what a process prints until it has ended.
func (s *seat) follow(cmd *exec.Cmd, out io.Reader) {
	p := s.party
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.change(func() { s.lines, s.printed = append(s.lines, lines.Text()), s.printed+1 })
		if s.types != nil {
			s.say(s.types.Answer(lines.Text()))
		}
	}
	err := cmd.Wait()
	p.change(func() { s.finished, s.err = true, err })
}

// say types a line in a seat that is no bot's.
func (s *seat) say(line string) {
	if line != "" {
		_, _ = fmt.Fprintln(s.in, line) // a program that has ended shows by what it lacks
	}
}

func (p *party) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.news)
	p.news = make(chan struct{})
}

// until waits until so, which reads what seats have printed, or fails the test.
func (p *party) until(what string, so func() bool) {
	p.t.Helper()
	if !p.within(allowance, so) {
		p.t.Fatalf("%s: not within %v", what, allowance)
	}
}

// within reports whether so comes true in time.
func (p *party) within(limit time.Duration, so func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		p.mu.Lock()
		ok, news := so(), p.news
		p.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-news:
		case <-timer.C:
			return false
		case <-p.ctx.Done():
			return false
		}
	}
}

// pass lets time go by.
func (p *party) pass(d time.Duration) { p.within(d, func() bool { return false }) }

// kill ends a seat's process as a power cut does, and reports whether it had
// still been running.
func (s *seat) kill() bool {
	p := s.party
	p.t.Helper()
	p.mu.Lock()
	ran := !s.finished
	s.killed = ran
	cmd := s.cmd
	p.mu.Unlock()
	if !ran {
		return false
	}
	if err := cmd.Process.Kill(); err != nil {
		p.change(func() { s.killed = false })
		return false
	}
	p.until("a killed process ends", func() bool { return s.finished })
	p.mu.Lock()
	defer p.mu.Unlock()
	s.killed = s.err != nil && cmd.ProcessState.ExitCode() == -1 // it may have been faster
	return s.killed
}

// has reports whether the process that runs has printed a line with text in it.
func (s *seat) has(text string) bool {
	return slices.ContainsFunc(s.lines, func(l string) bool { return strings.Contains(l, text) })
}

// story counts the lines of the story that the process has told, from the first
// shuffle on.
func (s *seat) story() (n int) {
	for _, l := range s.lines {
		if strings.Contains(l, " shuffle") || n > 0 && (strings.HasPrefix(l, "  ") || strings.HasPrefix(l, "turn ")) {
			n++
		}
	}
	return n
}

// farthest is the longest story that anybody has told.
func (p *party) farthest() (most int) {
	for _, s := range p.seats {
		most = max(most, s.story())
	}
	return most
}

// begun waits until the game has begun everywhere.
func (p *party) begun() {
	p.t.Helper()
	p.until("the game begins", func() bool {
		for _, s := range p.seats[:len(four)] {
			if !s.has(" shuffle") {
				return false
			}
		}
		return true
	})
}

// undelivered is what a program says that has the whole game and cannot know
// whether everybody else has, since somebody who was killed at the end is not
// back, or has found everybody else gone.
const undelivered = "note: some player may not have the end of the log yet; alibi resume hands it on\n"

// next waits until seats are told something that nobody was told yet, or have
// come to the end, and says how long that took.
func (p *party) next(seats ...*seat) time.Duration {
	p.t.Helper()
	p.mu.Lock()
	mark, began := p.farthest(), time.Now()
	p.mu.Unlock()
	p.until("the game goes on", func() bool {
		return !slices.ContainsFunc(seats, func(s *seat) bool { return s.story() <= mark && !s.finished })
	})
	return time.Since(began)
}

// ended waits until seats have come to the end, without an error.
func (p *party) ended(seats ...*seat) {
	p.t.Helper()
	p.until("the game ends", func() bool {
		return !slices.ContainsFunc(seats, func(s *seat) bool { return !s.finished })
	})
	for _, s := range seats {
		if strings.Contains(s.errors.String(), "no unfinished game is kept here") {
			s.salvage() // it was killed after the end, before it had written its log
			continue
		}
		if said := strings.TrimPrefix(s.errors.String(), undelivered); s.err != nil || said != "" {
			p.t.Errorf("computer %d: %v: %s", s.host, s.err, said)
		}
		if s.errors.String() == undelivered {
			s.owes()
		}
	}
}

// owes checks that the list of games says why this one is still in it.
func (s *seat) owes() {
	p := s.party
	p.t.Helper()
	if out, err := p.alibi(s.host, "resume", "--list").CombinedOutput(); err != nil || !strings.Contains(string(out), "over; some player may lack the end") {
		p.t.Errorf("computer %d: resume --list: %v: %s", s.host, err, out)
	}
}

// salvage gets the log of a game that is over out of the seat's folder.
func (s *seat) salvage() {
	p := s.party
	p.t.Helper()
	folder := p.log(s.host) + "-saved"
	out, err := p.alibi(s.host, "resume", "--salvage", folder).CombinedOutput()
	saved, globbed := filepath.Glob(filepath.Join(folder, "*.alibi"))
	if err != nil || globbed != nil || len(saved) != 1 {
		p.t.Errorf("computer %d: %d logs saved, %v: %s", s.host, len(saved), err, out)
		return
	}
	if err := os.Rename(saved[0], p.log(s.host)); err != nil {
		p.t.Error(err)
	}
}

// tell prints what everybody saw last, for a test that failed.
func (p *party) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seats {
		how := "runs"
		if s.finished {
			how = fmt.Sprint("ended: ", s.err, " ", s.errors.String())
		}
		p.t.Logf("computer %d, process began %s, %s\n%s", s.host, s.began.Format(time.TimeOnly), how, strings.Join(s.lines, "\n"))
	}
}
