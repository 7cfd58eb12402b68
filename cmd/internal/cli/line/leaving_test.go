package line_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // lines that name a time of day are the same everywhere
	os.Exit(m.Run())
}

// long is far beyond whatever happens in the time of a bubble.
const long = 100 * 24 * time.Hour

// anHour passes at once in a bubble.
func anHour() { <-time.After(time.Hour) }

var four = []string{"Anh", "Bahar", "Chai", "Dorota"}

// play has the typist answer until a line contains what is wanted.
func (s *sitting) play(typist *rehearsal.Typist, want string) string {
	s.t.Helper()
	for got := range s.out {
		s.record(typist, got)
		if strings.Contains(got, want) {
			return got
		}
		s.answer(typist, got)
	}
	s.t.Fatalf("output ended without %q", want)
	return ""
}

func (s *sitting) record(typist *rehearsal.Typist, line string) {
	if typist.Record != nil {
		_, _ = fmt.Fprintln(typist.Record, line)
	}
}

func (s *sitting) answer(typist *rehearsal.Typist, line string) {
	s.t.Helper()
	if say := typist.Answer(line); say != "" {
		s.record(typist, "> "+say)
		s.enter(say)
	}
}

// finish plays on to the end and returns how that was.
func (s *sitting) finish(typist *rehearsal.Typist) error {
	for got := range s.out {
		s.record(typist, got)
		s.answer(typist, got)
	}
	return <-s.played
}

// Dorota falls silent while it is Anh's turn. Two bots move to go on without her,
// Anh agrees, her hand is laid open, and the game comes to its end.
func TestGameGoesOnWithoutWhoFellSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var transcript bytes.Buffer
		s := sitAt(t, rehearsal.Plan{Names: four, Leavers: 1, Patience: 30 * time.Second}, long)
		typist := &rehearsal.Typist{Record: &transcript, Agree: true}
		turn := s.play(typist, "? Your turn.")
		s.table.Silence(3)
		s.play(typist, "Dorota cannot be reached since 00:00. To go on without them, type: drop dorota")
		s.answer(typist, turn)
		if err := s.finish(typist); err != nil {
			t.Errorf("Play returned %v", err)
		}
		golden(t, "leaving", transcript.String())
		if v := s.table.Sessions[0].Latest().View; !v.Players[3].Gone || v.Result == nil {
			t.Errorf("gone %v, result %v", v.Players[3].Gone, v.Result)
		}
	})
}

// Anh's computer sleeps, the others go on without her, and when it is back she
// watches to the end with nothing to say.
func TestWhoWasLeftOutWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four, Leavers: 1, Patience: 30 * time.Second}, long)
		typist := &rehearsal.Typist{}
		s.play(typist, "? Your turn.")
		s.table.Silence(0)
		s.play(typist, "Bahar cannot be reached since 00:00. To go on")
		anHour()
		s.table.Return(0)
		s.await("  The others have gone on without you")
		s.await("You may watch to the end")
		s.enter("ask knife plum")
		s.await("error: not now")
		s.await("hint: ")
		var wins string
		for got := range s.out {
			if strings.Contains(got, " wins: ") || strings.Contains(got, "Nobody wins") {
				wins = got
			}
			if strings.HasPrefix(got, "?") {
				t.Errorf("is asked %q", got)
			}
		}
		if err := <-s.played; err != nil || wins == "" {
			t.Errorf("Play returned %v, result %q", err, wins)
		}
	})
}

// Whoever was left out leaves without being asked twice.
func TestWhoWasLeftOutQuits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four, Leavers: 1, Patience: 30 * time.Second, People: []int{0, 1}}, long)
		typist := &rehearsal.Typist{}
		s.play(typist, "  The cards are dealt")
		s.table.Silence(0)
		synctest.Wait()
		if err := s.table.Sessions[1].Drop(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		anHour()
		s.table.Return(0)
		s.await("You may watch to the end")
		s.interrupts <- os.Interrupt
		s.await("Press Ctrl-C again to stop watching")
		s.enter("abandon")
		s.await("error: not now")
		s.enter("quit")
		if err := s.drain(); err == nil {
			t.Error("Play went on")
		}
	})
}

// At a table that nobody may leave it waits and says for whom and how long;
// nothing that cannot be done is offered.
func TestTableWaitsForWhoIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four[:3]}, long)
		typist := &rehearsal.Typist{}
		turn := s.play(typist, "? Your turn.")
		s.table.Silence(1)
		if got := s.await("Bahar cannot be reached"); got != "Bahar cannot be reached since 00:00" {
			t.Errorf("%q", got)
		}
		s.enter("drop bahar")
		s.await("error: the table agreed not to go on without so many")
		s.answer(typist, turn)
		if got := s.play(typist, "by now)"); got != "Waiting for Bahar to answer (60 s by now)" {
			t.Errorf("%q", got)
		}
		if got := s.play(typist, "by now)"); got != "Waiting for Bahar to answer (5 min by now)" {
			t.Errorf("%q", got)
		}
		s.enter("who")
		s.await("2  Bahar: cards 3, the table waits, cannot be reached since 00:00")
		s.await("Waiting for Bahar to answer (5 min by now)")
		s.table.Return(1)
		s.play(typist, "Bahar is back")
		if err := s.finish(typist); err != nil {
			t.Errorf("Play returned %v", err)
		}
	})
}

// All who are there agree to give up; who is away is not asked.
func TestAbandonedByAllWhoAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four[:3]}, long)
		typist := &rehearsal.Typist{}
		s.play(typist, "? Your turn.")
		s.table.Silence(2)
		s.await("Chai cannot be reached")
		s.enter("abandon")
		s.await("? Abandon the game, ")
		s.enter("no")
		s.await("Not sent")
		if err := s.table.Sessions[1].Abandon(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.await("Abandon the game? Yes from Bahar; yours is needed. Type: abandon")
		s.enter("abandon")
		s.await("? Abandon the game, ")
		s.enter("yes")
		s.await("  The game is abandoned; all who were there agreed: you, Bahar")
		if err := s.drain(); err != nil {
			t.Errorf("Play returned %v", err)
		}
		if r := s.table.Sessions[0].Latest().View.Result; r == nil || r.Reason != rules.Abandoned {
			t.Errorf("result %v", r)
		}
	})
}

func timed() rules.Options {
	o := rules.DefaultOptions()
	o.Timer = 60
	return o
}

func TestOwnTimeRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four, Leavers: 1, Options: timed()}, long)
		var transcript bytes.Buffer
		typist := &rehearsal.Typist{Record: &transcript}
		turn := s.play(typist, "? Your turn.")
		if !strings.HasSuffix(transcript.String(), "You have 60 s\n"+turn+"\n") {
			t.Error(transcript.String())
		}
		s.await("10 s left for you")
		s.enter("who")
		s.await("It is your turn (50 s by now)")
		s.await("Time left: 10 s")
		s.await("Your time is over; the others may go on without you. You can still answer")
		s.enter("who")
		s.await("The time for it is over")
		s.answer(typist, turn)
		if err := s.finish(typist); err != nil {
			t.Errorf("Play returned %v", err)
		}
	})
}

// Bahar is there and says nothing until his time is over.
func TestTimeOfAnotherRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sitAt(t, rehearsal.Plan{Names: four[:3], Leavers: 1, Options: timed(), People: []int{0, 1}, Patience: 5 * time.Second}, long)
		typist := &rehearsal.Typist{Record: os.Stderr}
		s.play(typist, "The time of Bahar is over. To go on without them, type: drop bahar")
		s.enter("drop chai")
		s.await("error: Chai is there and in time")
		s.await("hint: only who is away, over time or caught")
		if got := s.await("Go on without Bahar?"); got != "Go on without Bahar? Yes from Chai; yours is needed. Type: drop bahar" {
			t.Errorf("%q", got)
		}
		s.enter("drop bahar")
		s.await("? Go on without Bahar for good? Their hand will lie open. Type: yes, or: no")
		s.enter("yes")
		s.await("Your word is given to go on without Bahar")
		s.await("  Bahar has left for good; the others go on")
		s.await("  The hand of Bahar lies open: ")
		s.enter("hand")
		s.await("The open hand of Bahar: ")
		s.enter("who")
		s.await("2  Bahar: cards 3, has left for good")
		s.enter("drop bahar")
		s.await("error: Bahar has left for good")
	})
}

// A seat that shows the others a bad answer is caught and left out while the
// game goes on.
func TestCheatIsCaughtAndLeftOut(t *testing.T) {
	s := sitAt(t, rehearsal.Plan{Names: four, Leavers: 1, Tamper: func(e feed.Entry) feed.Entry {
		if e.Seat == 1 && (move.Kind(e.Kind) == move.KindDeny || move.Kind(e.Kind) == move.KindShow) {
			e.Body = bytes.Clone(e.Body)
			e.Body[len(e.Body)-1] ^= 1
		}
		return e
	}}, time.Minute)
	typist := &rehearsal.Typist{}
	got := s.play(typist, "Caught cheating: seat 2 (Bahar), round ")
	if !strings.HasSuffix(got, " that does not verify. The table goes on without them") {
		t.Errorf("%q", got)
	}
	s.play(typist, "  Bahar has left for good; the others go on")
	if err := s.finish(typist); err != nil {
		t.Errorf("Play returned %v", err)
	}
}

// A seat whose program was killed goes on where it stood; nothing is asked twice.
func TestResumedInLineMode(t *testing.T) {
	table, err := rehearsal.New(rehearsal.Plan{Seed: t.Name(), Names: four[:3], People: []int{0}, Wait: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, s := range table.Sessions[1:] {
		go func() { _ = s.Run(ctx) }()
	}
	first := seatAt(t, ctx, table)
	typist := &rehearsal.Typist{}
	first.play(typist, "? Your turn.")
	table.Silence(0)
	first.stop()
	if err := table.Restart(0); err != nil {
		t.Fatal(err)
	}
	again := seatAt(t, ctx, table)
	table.Return(0)
	var transcript bytes.Buffer
	typist = &rehearsal.Typist{Record: &transcript}
	if err := again.finish(typist); err != nil {
		t.Errorf("Play returned %v", err)
	}
	got := transcript.String()
	if !strings.HasPrefix(got, "  You shuffle ") || strings.Contains(got, "Read these aloud") || !strings.Contains(got, "The Crime cards: ") {
		t.Error(got)
	}
	if st := table.Sessions[0].Latest().View; errors.Is(ctx.Err(), context.DeadlineExceeded) || st.Result == nil {
		t.Error("no end")
	}
}
