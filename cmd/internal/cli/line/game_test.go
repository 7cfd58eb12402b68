package line_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
	"alibi/game/rules"
)

var rewrite = flag.Bool("rewrite", false, "write transcripts anew")

// play lets a typist play seat 0 of a table of bots and returns what was read
// and typed.
func play(t *testing.T, p rehearsal.Plan) (string, *rehearsal.Table) {
	t.Helper()
	p.People, p.Wait = []int{0}, true
	table, err := rehearsal.New(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var transcript bytes.Buffer
	outR, outW := io.Pipe()
	inR, inW := io.Pipe()
	typed := make(chan error, 1)
	go func() {
		typist := rehearsal.Typist{Record: &transcript}
		typed <- typist.Play(outR, inW)
	}()
	played := make(chan error, 1)
	go func() {
		err := line.Play(ctx, line.Config{Session: table.Sessions[0], In: inR, Paper: line.Paper{W: outW}, Book: say.English()})
		played <- err
		_ = outW.Close()
	}()
	for i, err := range table.Run(ctx) {
		if err != nil {
			t.Errorf("seat %d: %v", i, err)
		}
	}
	for _, done := range []chan error{played, typed} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	_ = inW.Close()
	return transcript.String(), table
}

func TestWholeGameByHand(t *testing.T) {
	options := rules.DefaultOptions()
	options.First, options.Order = "vote", "agreed"
	for _, tc := range []struct {
		name string
		plan rehearsal.Plan
	}{
		{"three", rehearsal.Plan{Names: []string{"Anh", "Bahar", "Chai"}}},
		{"advanced", rehearsal.Plan{Edition: "card-advanced", Names: []string{"Anh", "Bahar", "Chai", "Dorota"}, Options: options}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.plan.Seed = tc.name
			got, _ := play(t, tc.plan)
			golden(t, tc.name, got)
			if strings.ContainsAny(got, "{}\x1b") {
				t.Error("a gap was left open, or type was marked on plain paper")
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("transcript differs from %s (go test -rewrite, then read the difference):\n%s", file, got)
	}
}

// mayName are the beginnings of lines, or what they contain, in which a card may
// stand before the Crime cards are turned over: what is public, what is typed, and
// what the seat knows of its own.
var mayName = []string{"> ", " asks about: ", "You ask about: ", "The cards are dealt; ", "shows you: ", "You show ",
	"? You accuse: ", "Your guess is fixed: ", "You alone look at the Crime cards: "}

// What a seat prints never names a card that only others may know: neither their
// hands nor what they show each other. A whole game is walked, line by line.
func TestLinesNameNoCardOfOthers(t *testing.T) {
	for _, seed := range []string{"a", "b", "c", "d", "e"} {
		got, table := play(t, rehearsal.Plan{Seed: seed, Names: []string{"Anh", "Bahar", "Chai"}})
		v := table.Sessions[0].Latest().View
		b := say.English()
		names := map[string]bool{}
		for c := range v.Edition.Cards {
			names[b.Card(v.Edition, rules.Card(c))] = true
		}
		known := map[string]bool{} // to seat 0, where they are
		for _, c := range append(slices.Clone(v.Hand), v.FaceUp...) {
			known[b.Card(v.Edition, c)] = true
		}
		for line := range strings.Lines(got) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "  The Crime cards: ") || strings.Contains(line, " had guessed: ") || strings.Contains(line, " is right: ") {
				break // from here on all is open
			}
			if _, card, ok := strings.Cut(line, "shows you: "); ok {
				known[card] = true
			}
			if row := strings.Split(line, "  "); len(row) > 2 && names[row[1]] {
				if strings.Contains(line, "yes") && !known[row[1]] {
					t.Errorf("%s: the notebook places a card that was never shown: %q", seed, line)
				}
				continue
			}
			if slices.ContainsFunc(mayName, func(may string) bool { return strings.Contains(line, may) }) {
				continue
			}
			for name := range names {
				if strings.Contains(line, name) {
					t.Errorf("%s: a line names %s: %q", seed, name, line)
				}
			}
		}
	}
}
