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

// What a seat prints never names a card that only others may know: neither
// their hands nor what they show each other.
func TestLinesNameNoCardOfOthers(t *testing.T) {
	for _, seed := range []string{"a", "b", "c", "d", "e"} {
		got, table := play(t, rehearsal.Plan{Seed: seed, Names: []string{"Anh", "Bahar", "Chai"}})
		v := table.Sessions[0].Latest().View
		b := say.English()
		shown := map[string]bool{}
		for line := range strings.Lines(got) {
			line = strings.TrimSpace(line)
			// Opened hands and the Crime cards are public at the end.
			if strings.Contains(line, "Crime cards: ") {
				break
			}
			if _, card, ok := strings.Cut(line, "shows you: "); ok {
				shown[card] = true
			}
			who, card, ok := strings.Cut(line, " shows ")
			if ok && who != "You" && !strings.HasPrefix(card, "you") && !strings.HasSuffix(card, " a card") {
				t.Errorf("a show between others names a card: %q", line)
			}
			cells := strings.Fields(line)
			if n := len(cells); n >= 4 && slices.Contains(cells[n-2:], "yes") {
				name := strings.TrimSpace(strings.Join(cells[:n-3], " "))
				if !shown[name] {
					t.Errorf("the notebook knows of %q, which was never shown: %q", name, line)
				}
			}
		}
		for c := range v.Edition.Cards {
			if name := b.Card(v.Edition, rules.Card(c)); name == "" || name == "card."+v.Edition.Cards[c].Key {
				t.Errorf("card %d has no name", c)
			}
		}
	}
}
