package web

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/audit"
	"alibi/game/view"
)

// What a form gets wrong is said with what would be right, as the command line does.
func TestMisfilledForms(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	fine := url.Values{"edition": {"card"}, "timer": {"0"}, "seats": {"3"}, "leavers": {"0"}, "table": {"Friday"}}
	for _, o := range newOffer("Anh", say.English()).Options {
		fine.Set(o.Field, o.Choices[0].Value)
	}
	with := func(field, value string) url.Values {
		out := maps.Clone(fine)
		out.Set(field, value)
		return out
	}
	for _, tt := range []struct {
		deed string
		form url.Values
		want []string
	}{
		{"name", url.Values{"name": {" Anh"}}, []string{`" Anh" cannot be a player's name`, "1 to 64 bytes"}},
		{"name", url.Values{"name": {"A\u202enh\x00"}}, []string{"\"A\ufffdnh\ufffd\" cannot"}},
		{"name", url.Values{"name": {strings.Repeat("x", 5000)}}, []string{strings.Repeat("x", session.MaxName) + "x…"}},
		{"open", with("table", ""), []string{`"" cannot be a table's name`, "1 to 64 bytes"}},
		{"open", with("leavers", "2"), []string{"2 of 3 players cannot leave", "at most 1 of 3"}},
		{"address", url.Values{"address": {"192.168.1.20"}}, []string{`"192.168.1.20" is no address`, "192.168.1.20:40001"}},
	} {
		out := w.ask("POST", "/do/"+tt.deed, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Accept", "text/plain")
			r.Body = io.NopCloser(strings.NewReader(tt.form.Encode()))
		})
		for _, want := range tt.want {
			if out.Code != http.StatusConflict || !strings.Contains(out.Body.String(), want) {
				t.Errorf("%s %.60v: %d, %q, want %q", tt.deed, tt.form, out.Code, out.Body, want)
			}
		}
	}
}

// A table keeps its place in the lobby while others come and go.
func TestTablesKeepTheirPlace(t *testing.T) {
	list := func(names string) (out []session.Found) {
		for n := range strings.FieldsSeq(names) {
			out = append(out, session.Found{Name: n, Host: "Anh"})
		}
		return out
	}
	var seen []session.Found
	for _, tt := range []struct{ now, want string }{
		{"m t", "m t"}, {"a m t", "m t a"}, {"a m s t z", "m t a s z"}, {"a s z", "a s z"}, {"a m s z", "a s z m"}, {"", ""}, {"b a", "b a"},
	} {
		seen = steady(seen, list(tt.now))
		var got []string
		for _, f := range seen {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.now, got, tt.want)
		}
	}
	same := []session.Found{{Name: "a", Host: "Bahar"}, {Name: "a", Host: "Anh"}}
	if got := steady(same, []session.Found{same[1], same[0]}); got[0].Host != "Bahar" {
		t.Errorf("two of one name: %v", got)
	}
}

// Whoever is over their time hears that others can go on only where they can.
func TestOvertimeSaysWhoCanGoOn(t *testing.T) {
	for leavers, want := range []string{"late.you.stay", "late.you"} {
		film, _, _ := filmed(t, rehearsal.Plan{Seed: "b", Leavers: leavers, Names: []string{"Anh", "Bahar", "Chai"}})
		u := *when(t, film, func(v *view.View) bool { return v.Choices.Turn })
		u.Late = []int{u.View.Me}
		if page := rendered(t, sceneOf(&u), say.English()); !strings.Contains(page, say.English().Say(want)) {
			t.Errorf("with %d leavers the page does not say %s", leavers, want)
		}
	}
}

// A log that is not fair says so on top of every turn: who, when, and against what.
func TestAnUnfairReplaySaysSoThroughout(t *testing.T) {
	s := atEnd(t)
	fair := s.app.scene.Game.Ending.Report
	unfair := *fair
	unfair.Findings = []audit.Finding{{Seat: 1, Round: 9, Check: "card deck, proof of shuffle"}}
	id := s.shelf.add(&unfair)
	for _, turn := range []string{"0", "1", "3"} {
		page := get(s.replay, "/replay?log="+id+"&turn="+turn).Body.String()
		check(t, page)
		top, _, _ := strings.Cut(page, `class="turns"`)
		for _, want := range []string{say.English().Say("report.unfair"), "Bahar", "9", "proof of shuffle"} {
			if !strings.Contains(top, want) {
				t.Errorf("turn %s: the top does not say %q", turn, want)
			}
		}
		if top, _, _ := strings.Cut(get(s.replay, "/replay?log=here&turn="+turn).Body.String(), `class="turns"`); strings.Contains(top, "verdict") {
			t.Errorf("turn %s of a fair log has a verdict on top", turn)
		}
	}
}
