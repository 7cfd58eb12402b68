package web

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"alibi/cmd/internal/web/art"
)

// element is one element of a page, with those it stands in.
type element struct {
	tag  string
	attr map[string]string
	in   *element
	text string // all text within it
}

func (e *element) class(name string) bool {
	return slices.Contains(strings.Fields(e.attr["class"]), name)
}

// within reports whether an element or one around it has what is wanted.
func (e *element) within(want func(*element) bool) bool {
	for ; e != nil; e = e.in {
		if want(e) {
			return true
		}
	}
	return false
}

var void = strings.Fields("area base br col embed hr img input link meta source track wbr")

// closed are drawings, whose elements may close themselves.
var closed = strings.Fields("use rect path")

// elements takes a page apart and fails if it is not nested as it should be.
func elements(t *testing.T, page string) []*element {
	t.Helper()
	var all []*element
	var at *element
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			if at != nil {
				t.Errorf("<%s> is not closed", at.tag)
			}
			return all
		case html.TextToken:
			text := string(z.Text())
			for e := at; e != nil; e = e.in {
				e.text += text
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			e := &element{tag: tok.Data, attr: map[string]string{}, in: at}
			for _, a := range tok.Attr {
				if _, twice := e.attr[a.Key]; twice {
					t.Errorf("<%s> has %s twice", tok.Data, a.Key)
				}
				e.attr[a.Key] = a.Val
			}
			all = append(all, e)
			if !slices.Contains(void, tok.Data) && !slices.Contains(closed, tok.Data) {
				at = e
			}
		case html.EndTagToken:
			tok := z.Token()
			if at == nil || at.tag != tok.Data {
				t.Fatalf("</%s> where another end was due", tok.Data)
			}
			at = at.in
		}
	}
}

// rawKey is a key that a catalogue had no text for.
var rawKey = regexp.MustCompile(`\b(web|story|wait|step|card|short|who|mark|report|proof|table|result|failed)\.[a-z]+(\.[a-z0-9-]+)*\b`)

// roundless are forms that mean the same in every round.
var roundless = strings.Fields("open join address watch resume name ready same quit mark note phone/code phone/away")

// check finds what no page may have.
func check(t *testing.T, page string) []*element {
	t.Helper()
	all := elements(t, page)
	ids, level := map[string]bool{}, 0
	for _, e := range all {
		if id := e.attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements are %q", id)
			}
			ids[id] = true
		}
	}
	for _, e := range all {
		checkElement(t, all, ids, e)
		if len(e.tag) == 2 && e.tag[0] == 'h' && e.tag[1] >= '1' && e.tag[1] <= '6' {
			if now := int(e.tag[1] - '0'); now > level+1 {
				t.Errorf("heading %q skips a level", e.text)
			} else {
				level = now
			}
		}
	}
	if all[0].text == "" || rawKey.MatchString(all[0].text) || strings.ContainsAny(all[0].text, "{}") {
		t.Errorf("says %q", rawKey.FindString(all[0].text))
	}
	return all
}

func checkElement(t *testing.T, all []*element, ids map[string]bool, e *element) {
	t.Helper()
	for name, value := range e.attr {
		if name == "style" || strings.HasPrefix(name, "on") {
			t.Errorf("<%s> carries %s", e.tag, name)
		}
		if strings.HasPrefix(name, "aria-label") && value == "" {
			t.Errorf("<%s> has no %s", e.tag, name)
		}
		if rawKey.MatchString(value) && name != "href" && name != "src" && name != "action" {
			t.Errorf("<%s %s> says %q", e.tag, name, value)
		}
	}
	for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "data-copy"} {
		if id, ok := e.attr[name]; ok && !ids[id] {
			t.Errorf("%s=%q leads nowhere", name, id)
		}
	}
	switch e.tag {
	case "script", "style":
		if e.text != "" {
			t.Errorf("an inline <%s>", e.tag)
		}
	case "use":
		if _, key, _ := strings.Cut(e.attr["href"], "#"); !art.Has(key) {
			t.Errorf("no picture %q", key)
		}
	case "form":
		if deed, ok := strings.CutPrefix(e.attr["action"], "/do/"); ok {
			checkForm(t, all, e, deed)
		}
	case "button":
		if e.text == "" && e.attr["aria-label"] == "" {
			t.Error("a button without a name")
		}
	}
}

func checkForm(t *testing.T, all []*element, form *element, deed string) {
	t.Helper()
	if _, known := deeds[deed]; !known && !strings.HasPrefix(deed, "phone/") {
		t.Errorf("a form for %q", deed)
	}
	round := slices.ContainsFunc(all, func(e *element) bool {
		return e.attr["name"] == "round" && e.attr["value"] != "" && e.within(func(in *element) bool { return in == form })
	})
	if round == slices.Contains(roundless, deed) {
		t.Errorf("the form for %q has a round: %v", deed, round)
	}
	for _, e := range all {
		_, on := e.attr["checked"]
		if on && form.attr["data-need"] != "" && e.within(func(in *element) bool { return in == form }) {
			t.Errorf("the form for %q has a choice preset", deed)
		}
	}
}
