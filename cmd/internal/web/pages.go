package web

import (
	"bytes"
	"html/template"
	"io"
	"time"

	"alibi/cmd/internal/say"
)

// pages renders scenes. It is a pure function of what it is given: it reads no
// clock and keeps nothing.
type pages struct {
	books  map[string]*template.Template // by language
	phones bool                          // a page lets them in
	beat   time.Duration                 // how often at least a window hears of this program
}

func newPages() *pages {
	base := template.Must(template.New("").Funcs(template.FuncMap{"say": say.English().Say}).
		ParseFS(files, "templates/*.html"))
	p := &pages{books: map[string]*template.Template{}, beat: beat}
	for _, l := range say.Languages() {
		b, _ := say.In(l.Tag)
		p.books[l.Tag] = template.Must(base.Clone()).Funcs(template.FuncMap{"say": b.Say})
	}
	return p
}

// body is what stands in <main>: a template, what it shows, and what the window
// as a whole says of it.
type body struct {
	Name  string // of the template
	Title string
	Turn  bool // this player is to do something
	Data  any
	Inner template.HTML
}

// frame is a whole document.
type frame struct {
	Lang      say.Language
	Languages []say.Language
	Path      string // where the choice of a language leads back to
	At        string // the template of what is shown
	Live      string // the events that it follows
	Beat      int64  // ms in which something is heard at least
	Bare      bool   // leads nowhere: for somebody who is not in yet
	Phones    bool   // there is a page that lets phones in
	Title     string
	Turn      bool
	Main      template.HTML
}

// of is what a scene shows.
func of(s *Scene, b *say.Book) body {
	switch {
	case s.Game != nil:
		return gameBody(s, b)
	case s.Room != nil:
		return roomBody(s, b)
	}
	return lobbyBody(s, b)
}

// page writes the whole document of a scene.
func (p *pages) page(w io.Writer, s *Scene, b *say.Book) error {
	return p.whole(w, b, of(s, b), frame{Path: "/", Live: "/events"})
}

// note writes a small page with one sentence.
func (p *pages) note(w io.Writer, b *say.Book, sentence string) error {
	title := b.Say("web.brand")
	return p.whole(w, b, body{Name: "note", Title: title, Data: sentence}, frame{Path: "/"})
}

func (p *pages) inner(w io.Writer, b *say.Book, m body) error {
	t := p.books[b.Language().Tag]
	var in bytes.Buffer
	if err := t.ExecuteTemplate(&in, m.Name, m.Data); err != nil {
		return err
	}
	m.Inner = template.HTML(in.String()) // rendered just now
	return t.ExecuteTemplate(w, "view", m)
}

func (p *pages) whole(w io.Writer, b *say.Book, m body, f frame) error {
	var in bytes.Buffer
	if err := p.inner(&in, b, m); err != nil {
		return err
	}
	f.Lang, f.Languages = b.Language(), say.Languages()
	f.Phones, f.Beat = p.phones, p.beat.Milliseconds()
	f.At, f.Title, f.Turn, f.Main = m.Name, m.Title, m.Turn, template.HTML(in.String()) // rendered just now
	return p.books[f.Lang.Tag].ExecuteTemplate(w, "layout", f)
}
