package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"alibi/cmd/internal/rehearsal"
	"alibi/cmd/internal/say"
	"alibi/game/table"
	"alibi/game/view"
)

// atEnd serves the page of a game that is over.
func atEnd(t *testing.T) *Server {
	t.Helper()
	film, ending, _ := filmed(t, rehearsal.Plan{Seed: "b", Names: []string{"Anh", "Bahar", "Chai"}})
	scene := sceneOf(film[len(film)-1])
	scene.Game.Ended, scene.Game.Ending = true, ending
	return &Server{app: &App{scene: scene, notes: newNotes(""), changed: make(chan struct{})}, doors: newDoors(), pages: newPages()}
}

func upload(t *testing.T, s *Server, data []byte) *httptest.ResponseRecorder {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	file, err := form.CreateFormFile("log", "game.alibi")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/replay", &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	s.load(w, r)
	return w
}

func get(do func(http.ResponseWriter, *http.Request), target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	do(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

func TestALogIsSavedOpenedAndReplayed(t *testing.T) {
	s := atEnd(t)
	saved := get(s.log, "/log")
	if saved.Code != http.StatusOK || !strings.HasPrefix(saved.Header().Get("Content-Disposition"), "attachment;") {
		t.Fatalf("saving: %d, %v", saved.Code, saved.Header())
	}
	w := upload(t, s, saved.Body.Bytes())
	where := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(where, "/replay?log=") {
		t.Fatalf("opening: %d, %q", w.Code, where)
	}
	page := get(s.replay, where+"&turn=2").Body.String()
	check(t, page)
	if !strings.Contains(page, say.English().Say("report.fair")) || !strings.Contains(page, `rel="next"`) {
		t.Error("the replay lacks its report, or a way on")
	}
}

// Every line of the story stands in exactly one turn, with the cards that were
// asked about and shown.
func TestAReplayShowsEachLineOnce(t *testing.T) {
	s := atEnd(t)
	report := s.app.scene.Game.Ending.Report
	v := view.For(report.State, nil)
	first := replayed(say.English(), here, report, 0)
	lines, shown, asked := 0, 0, 0
	for n := range first.Turns {
		m := replayed(say.English(), here, report, n)
		lines, shown = lines+len(m.Lines), shown+len(m.Shown)
		if len(m.Cards) == 2 {
			asked++
		}
		if m.Back != n-1 || (m.Next == -1) != (n == len(first.Turns)-1) {
			t.Errorf("turn %d lies between %d and %d", n, m.Back, m.Next)
		}
	}
	want := map[table.EventKind]int{}
	for _, l := range v.Lines {
		want[l.Kind]++
	}
	if lines != len(v.Lines) || shown != want[table.Showed] || asked != want[table.Asked] || shown == 0 {
		t.Errorf("%d lines of %d, %d shown of %d, %d asked of %d", lines, len(v.Lines), shown, want[table.Showed], asked, want[table.Asked])
	}
	if far := replayed(say.English(), here, report, 1<<30); far.Turn != len(first.Turns)-1 {
		t.Errorf("beyond the end is turn %d", far.Turn)
	}
	if before := replayed(say.English(), here, report, -5); before.Turn != 0 {
		t.Errorf("before the beginning is turn %d", before.Turn)
	}
}

func TestWhatIsNoLogIsRefused(t *testing.T) {
	s := atEnd(t)
	for name, data := range map[string][]byte{"nothing": nil, "junk": []byte("junk"), "magic": []byte("alibi log 1\n")} {
		w := upload(t, s, data)
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), say.English().Say("web.wrong.notlog")) {
			t.Errorf("%s: %d, %q", name, w.Code, w.Body)
		}
	}
	if len(s.shelf.all()) != 0 {
		t.Error("something was kept")
	}
}

func TestOnlyAFewLogsAreKept(t *testing.T) {
	s := atEnd(t)
	for i := range maxLogs + 2 {
		if id := s.shelf.add(s.app.scene.Game.Ending.Report); id != fmt.Sprint(i+1) {
			t.Errorf("the log is %q", id)
		}
	}
	if kept := s.shelf.all(); len(kept) != maxLogs || kept[0].id != "3" {
		t.Errorf("kept %d from %q", len(kept), kept[0].id)
	}
}

func TestALanguageLeadsBackToPagesOfOursOnly(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "": "/", "/rules": "/rules", "/replay?log=1&turn=2": "/replay?log=1&turn=2",
		"//evil.example/rules": "/", "https://evil.example/rules": "/", "/log": "/", "/rules/../do/quit": "/", "\x00": "/", `/\evil.example`: "/",
	} {
		if got := back(path); got != want {
			t.Errorf("%q leads to %q", path, got)
		}
	}
}

func TestMarksAreReadStrictly(t *testing.T) {
	s := atEnd(t)
	for _, tc := range []struct {
		cell string
		ok   bool
	}{
		{"rope/1/yes", true}, {"rope/1/", true}, {"rope/2/question", true},
		{"", false}, {"rope", false}, {"rope/3/yes", false}, {"rope/-1/yes", false}, {"rope/1/sure", false}, {"gun/1/yes", false}, {"rope/1/yes/no", false},
	} {
		r := httptest.NewRequest(http.MethodPost, "/do/mark", strings.NewReader(url.Values{"cell": {tc.cell}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "text/plain")
		r.SetPathValue("deed", "mark")
		w := httptest.NewRecorder()
		s.deed(w, r)
		if (w.Code == http.StatusNoContent) != tc.ok {
			t.Errorf("%q: %d %q", tc.cell, w.Code, w.Body)
		}
	}
	if got := s.app.scene.Game.Notes.Marks; len(got) != 1 || got["rope/2"] != "question" {
		t.Errorf("kept %v", got)
	}
}
