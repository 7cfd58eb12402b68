package web

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// filmed plays a whole game of which seat 0 is a person's, and returns every
// update that person's page was made from, with the ending.
func filmed(t testing.TB, p rehearsal.Plan) ([]*session.Update, *Ending, *rehearsal.Table) {
	t.Helper()
	p.People, p.Wait = []int{0}, true
	table, err := rehearsal.New(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var film []*session.Update
	watched := make(chan error, 1)
	me := table.Sessions[0]
	go func() { watched <- person(ctx, me, func(u *session.Update) { film = append(film, u) }) }()
	for i, err := range table.Run(ctx) {
		if err != nil {
			t.Fatalf("seat %d: %v", i, err)
		}
	}
	if err := <-watched; err != nil {
		t.Fatal(err)
	}
	ending := new(Ending)
	var b bytes.Buffer
	if err := me.WriteLog(&b); err != nil {
		t.Fatal(err)
	}
	ending.Log = bytes.Clone(b.Bytes())
	if ending.Report, err = session.Verify(&b); err != nil {
		t.Fatal(err)
	}
	return film, ending, table
}

// person decides as a bot would, and shows everything to see.
func person(ctx context.Context, s *session.Session, see func(*session.Update)) error {
	mind := bot.Bot{Seed: [32]byte{9}}
	acted := uint32(0)
	for {
		select {
		case <-s.Changed():
		case <-s.Over():
			see(s.Latest())
			return nil
		}
		u := s.Latest()
		see(u)
		switch v := u.View; {
		case u.Compare:
			if err := s.Ready(ctx); err != nil {
				return err
			}
		case v.Choices.Any() && v.Round > acted:
			acted = v.Round
			if err := s.Do(ctx, mind.Decide(v)); err != nil {
				return err
			}
		}
	}
}

func sceneOf(u *session.Update) *Scene {
	return &Scene{Name: u.View.Players[max(u.View.Me, 0)].Name, Game: &Game{ID: "00", Update: u}}
}

func rendered(t testing.TB, s *Scene, b *say.Book) string {
	t.Helper()
	var out bytes.Buffer
	if err := newPages().page(&out, s, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// when is the first update of a film that something holds for.
func when(t testing.TB, film []*session.Update, holds func(*view.View) bool) *session.Update {
	t.Helper()
	for _, u := range film {
		if holds(u.View) {
			return u
		}
	}
	t.Fatal("the film has no such scene")
	return nil
}

// scenes are pages of every kind: a moment of each phase of two games, and what
// leads up to them and comes after.
func scenes(t *testing.T) map[string]*Scene {
	t.Helper()
	e, _ := rules.Lookup("card-advanced")
	options := rules.DefaultOptions()
	options.First, options.Order, options.Timer, options.Watch = "vote", "agreed", 60, true
	room := &session.Room{Table: "Friday", Edition: e, Options: options, Seats: 5, Leavers: 2,
		Players: []session.Guest{{Name: "Anh", Me: true}, {Name: "<b>Bahar</b>", Ready: true}}}
	out := map[string]*Scene{
		"new":   {},
		"empty": {Name: "Anh", Trouble: session.ErrLost},
		"lobby": {Name: "Anh", Tables: []session.Found{
			{Name: "a", Host: "b", Edition: "card", Seats: 3, Taken: 1}, {Name: "c", Host: "d", Seats: 3, Taken: 3},
			{Name: "e", Host: "f", Seats: 3, Taken: 3, Playing: true}, {Name: "g", Host: "h", Problem: "old"},
		}, Games: []session.Kept{{Table: "i", Edition: e, Players: []string{"Anh", "Chai"}}}},
		"room": {Name: "Anh", Room: room, Addrs: []string{"192.168.1.20:40001", "[::1]:40001"}},
	}
	for _, plan := range []rehearsal.Plan{
		{Seed: "b", Names: []string{"Anh", "Bahar", "Chai"}},
		{Seed: "b", Edition: "card-advanced", Options: options, Leavers: 1, Names: []string{"Anh", "Bahar", "Chai", "Dorota", "Emil"}},
	} {
		film, ending, _ := filmed(t, plan)
		for _, u := range film {
			name := fmt.Sprint(len(plan.Names), u.View.Stage, u.View.Phase, u.Compare, u.View.Choices)
			if out[name] == nil {
				out[name] = sceneOf(u)
			}
		}
		last := film[len(film)-1]
		over := sceneOf(last)
		over.Game.Ended, over.Game.Ending = true, ending
		over.Game.Notes = Notes{Marks: map[string]string{"rope/1": "maybe"}, Text: "<script>"}
		out[fmt.Sprint(len(plan.Names), "over")] = over
		out[fmt.Sprint(len(plan.Names), "hindered")] = sceneOf(hindered(when(t, film, func(v *view.View) bool { return v.Turns > 2 })))
	}
	return out
}

// hindered is an update with everything that can be in the way of a game.
func hindered(u *session.Update) *session.Update {
	h := *u
	since := time.Date(2026, 1, 2, 14, 3, 0, 0, time.UTC)
	h.Away = []session.Absence{{Seat: 1, Since: since}, {Seat: 2, Shaky: true, Since: since}}
	h.Droppable, h.Late, h.Deadline = []int{1}, []int{0, 1}, since
	h.Motions = []session.Motion{{Without: []int{1}, Yes: []int{2}, Need: []int{0}}, {Without: []int{2}, Yes: []int{1}, Need: []int{0}},
		{Without: []int{0}, Yes: []int{1}}, {Abandon: true, Yes: []int{1}, Need: []int{0}}}
	h.Trouble = &session.Trouble{Round: 7}
	h.Blamed = []table.Fault{{Seat: 2, Round: 3, Rule: table.RuleFork}}
	return &h
}

func TestPagesAreSoundInEveryLanguage(t *testing.T) {
	all := scenes(t)
	if len(all) < 25 {
		t.Fatalf("only %d scenes", len(all))
	}
	p := newPages()
	for _, l := range say.Languages() {
		t.Run(l.Tag, func(t *testing.T) {
			b, _ := say.In(l.Tag)
			for name, s := range all {
				t.Run(name, func(t *testing.T) { checkLanguage(t, l, rendered(t, s, b)) })
			}
			ending := all["3over"].Game.Ending
			for name, m := range map[string]body{
				"rules":  {Name: "rules", Title: "-", Data: newRules(b)},
				"replay": {Name: "replay", Title: "-", Data: replayed(b, here, ending.Report, 3)},
				"load":   {Name: "replay", Title: "-", Data: replayPage{}},
				"note":   {Name: "note", Title: "-", Data: b.Say("web.refused")},
			} {
				t.Run(name, func(t *testing.T) {
					var out bytes.Buffer
					if err := p.whole(&out, b, m, frame{Path: "/rules"}); err != nil {
						t.Fatal(err)
					}
					checkLanguage(t, l, out.String())
				})
			}
		})
	}
}

func checkLanguage(t *testing.T, l say.Language, page string) {
	t.Helper()
	all := check(t, page)
	direction := "ltr"
	if l.RTL {
		direction = "rtl"
	}
	if root := all[0]; root.tag != "html" || root.attr["lang"] != l.Tag || root.attr["dir"] != direction {
		t.Errorf("is %v", root.attr)
	}
}

// Each form of a game carries the round that it was made in.
func TestFormsCarryTheRoundOfTheirPage(t *testing.T) {
	forms := 0
	for name, s := range scenes(t) {
		if s.Game == nil {
			continue
		}
		for _, e := range elements(t, rendered(t, s, say.English())) {
			if e.attr["name"] == "round" {
				forms++
				if want := (moment{s.Game.Update.View.Round, s.Game.ID}).String(); e.attr["value"] != want {
					t.Errorf("%s: round %s, want %s", name, e.attr["value"], want)
				}
			}
			if keep := e.attr["data-keep"]; e.tag == "form" && !strings.HasSuffix(keep, moment{s.Game.Update.View.Round, s.Game.ID}.String()) && keep != "" {
				t.Errorf("%s: %q outlives its round", name, keep)
			}
		}
	}
	if forms < 20 {
		t.Errorf("only %d forms", forms)
	}
}

// Over a whole game the page of a seat shows no card of which that seat does not
// know where it is: cards stand in the hand, face up, shown, laid open, or where
// the whole deck is chosen from or asked about by all.
func TestPageShowsNoCardOfOthers(t *testing.T) {
	for _, seed := range []string{"a", "b", "c"} {
		film, _, _ := filmed(t, rehearsal.Plan{Seed: seed, Names: []string{"Anh", "Bahar", "Chai", "Dorota"}})
		placed, shown := 0, 0
		for _, u := range film {
			v := u.View
			known := map[string]bool{}
			for _, c := range slices.Concat(v.Hand, v.FaceUp, v.Crime) {
				known[v.Edition.Cards[c].Key] = true
			}
			for _, p := range v.Players {
				for _, c := range p.Hand {
					known[v.Edition.Cards[c].Key] = true
				}
			}
			for _, l := range v.Lines {
				if l.Kind == table.Showed && l.To == v.Me {
					known[v.Edition.Cards[l.Card].Key] = true
				}
			}
			p, s := checkSecrets(t, u, known)
			placed, shown = placed+p, shown+s
		}
		if placed == 0 || shown == 0 {
			t.Errorf("%s: %d cards placed, %d shown: nothing was looked at", seed, placed, shown)
		}
	}
}

// checkSecrets counts the cards that the notebook places, and those that are drawn.
func checkSecrets(t *testing.T, u *session.Update, known map[string]bool) (placed, shown int) {
	t.Helper()
	b := say.English()
	all := elements(t, rendered(t, sceneOf(u), b))
	open := func(e *element) bool { return e.class("act") || e.attr["id"] == "asked" } // the deck, or what all heard
	for _, e := range all {
		_, key, _ := strings.Cut(e.attr["href"], "#")
		if e.tag == "use" && e.in.class("art") && !e.within(open) {
			shown++
			if !known[key] {
				t.Errorf("round %d: %s is drawn", u.View.Round, key)
			}
		}
		if !e.class("auto") || !e.class("yes") || !e.within(func(e *element) bool { return e.tag == "td" }) {
			continue
		}
		placed++
		name, _, _ := strings.Cut(e.text, ", ")
		if !slices.ContainsFunc(u.View.Edition.Cards, func(f rules.Face) bool { return known[f.Key] && b.Say("card."+f.Key) == name }) {
			t.Errorf("round %d: the notebook places %q", u.View.Round, e.text)
		}
	}
	return placed, shown
}

func TestEveryRefusalHasWords(t *testing.T) {
	b := say.English()
	for _, r := range reasons {
		if !b.Has(why(r.err)) {
			t.Errorf("%v: no text %q", r.err, why(r.err))
		}
	}
	for _, err := range []error{context.Canceled, session.ErrRefused} {
		if !b.Has(why(err)) || b.Say(why(err)) != b.Say("web.wrong") {
			t.Errorf("%v: %q", err, why(err))
		}
	}
}
