package line_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
)

// sitting is seat 0 in line mode, at a table of bots, with a test at the keys.
type sitting struct {
	t          *testing.T
	out        chan string // lines, and closed at the end
	in         *io.PipeWriter
	interrupts chan os.Signal
	played     chan error
	table      *rehearsal.Table
	stop       func() // ends the seat's program
}

func sit(t *testing.T) *sitting {
	t.Helper()
	return sitAt(t, rehearsal.Plan{Names: []string{"Anh", "Bahar", "Chai"}, Wait: true}, time.Minute)
}

// sitAt is sit at a planned table, for so long at most.
func sitAt(t *testing.T, p rehearsal.Plan, limit time.Duration) *sitting {
	t.Helper()
	p.Seed = t.Name()
	if p.People == nil {
		p.People = []int{0}
	}
	table, err := rehearsal.New(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	var others sync.WaitGroup
	for _, s := range table.Sessions[1:] {
		others.Go(func() { _ = s.Run(ctx) })
	}
	t.Cleanup(others.Wait)
	t.Cleanup(cancel)
	return seatAt(t, ctx, table)
}

// seatAt runs seat 0 of a table, whose others run already.
func seatAt(t *testing.T, ctx context.Context, table *rehearsal.Table) *sitting {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	outR, outW := io.Pipe()
	inR, inW := io.Pipe()
	s := &sitting{t: t, out: make(chan string, 10_000), in: inW, interrupts: make(chan os.Signal, 1), played: make(chan error, 1), table: table}
	var all sync.WaitGroup
	all.Go(func() { _ = table.Sessions[0].Run(ctx) })
	all.Go(func() {
		err := line.Play(ctx, line.Config{Session: table.Sessions[0], In: inR, Paper: line.Paper{W: outW}, Book: say.English(), Interrupts: s.interrupts})
		_ = outW.Close()
		_ = inR.Close()
		s.played <- err
	})
	all.Go(func() {
		defer close(s.out)
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			s.out <- lines.Text()
		}
	})
	s.stop = func() {
		cancel()
		_ = outR.Close()
		_ = inW.Close()
		all.Wait()
	}
	t.Cleanup(s.stop)
	return s
}

// await reads until a line contains what is wanted, and returns it.
func (s *sitting) await(want string) string {
	s.t.Helper()
	for got := range s.out {
		if strings.Contains(got, want) {
			return got
		}
	}
	s.t.Fatalf("output ended without %q", want)
	return ""
}

func (s *sitting) enter(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// drain reads to the end and returns how Play ended.
func (s *sitting) drain() error {
	for range s.out {
	}
	return <-s.played
}

func TestEndOfInputWhereADecisionIsDue(t *testing.T) {
	s := sit(t)
	s.await("? Read these aloud")
	_ = s.in.Close()
	s.await("Input has ended")
	if err := s.drain(); !errors.Is(err, line.ErrInput) {
		t.Errorf("Play returned %v", err)
	}
}

// A script that has typed all it had to say before the farewell leaves with its
// hand closed, and the game comes to its end.
func TestEndOfInputBeforeTheFarewell(t *testing.T) {
	s := sit(t)
	typist := rehearsal.Typist{}
	for got := range s.out {
		if strings.HasPrefix(got, "? Show your hand") {
			_ = s.in.Close()
			break
		}
		if say := typist.Answer(got); say != "" {
			s.enter(say)
		}
	}
	s.await("Noted")
	if err := s.drain(); err != nil {
		t.Errorf("Play returned %v", err)
	}
	v := s.table.Sessions[0].Latest().View
	if v.Players[0].Opened || v.Result == nil {
		t.Errorf("opened %v, result %v", v.Players[0].Opened, v.Result)
	}
}

func TestOneInterruptAsksTheSecondLeaves(t *testing.T) {
	s := sit(t)
	s.await("? Read these aloud")
	s.interrupts <- os.Interrupt
	s.await("Press Ctrl-C again")
	s.enter("words") // whoever goes on has not left
	s.await("The words of this table")
	s.interrupts <- os.Interrupt
	s.await("Press Ctrl-C again")
	s.interrupts <- os.Interrupt
	if err := s.drain(); !errors.Is(err, line.ErrQuit) {
		t.Errorf("Play returned %v", err)
	}
}

func TestQuitAsksBack(t *testing.T) {
	s := sit(t)
	s.await("? Read these aloud")
	s.enter("quit")
	s.await("? Leave? The others wait")
	s.enter("no")
	s.await("Not sent")
	s.enter("quit")
	s.await("? Leave? The others wait")
	s.enter("yes")
	if err := s.drain(); !errors.Is(err, line.ErrQuit) {
		t.Errorf("Play returned %v", err)
	}
}

func TestWrongLinesDoNotEndTheGame(t *testing.T) {
	s := sit(t)
	s.await("? Read these aloud")
	for _, tc := range []struct{ typed, want string }{
		{strings.Repeat("x", 100_000), "error: this line is too long"},
		{strings.Repeat("x", 1001) + "\nhand", "error: this line is too long"},
		{"", "The cards are not dealt yet"}, // the answer to hand; an empty line says nothing
		{"\x00\xff", "is nothing that can be done here"},
		{"ask knife plum", "error: not now"},
		{"help", "Names may be shortened"},
		{"log", "Nothing has happened yet"},
	} {
		s.enter(tc.typed)
		s.await(tc.want)
	}
	s.enter("ready")
	s.await("Ready")
}
