package web

import (
	"context"
	"io"
	"net/http"
	"net/netip"

	"alibi/cmd/internal/say"
)

// Phones are the pages of the same App for phones on the local network, at these
// addresses. It is called before either server runs. They have a way in of their
// own: no token and no cookie of one server opens the other.
func (s *Server) Phones(at []netip.AddrPort) *Server {
	s.phones = newPhones(s.app, at)
	s.pages.phones = true
	out := &Server{app: s.app, pages: newPages(), port: int(at[0].Port()), phones: s.phones, lan: true, prefer: s.prefer}
	out.pages.beat = s.pages.beat
	out.names = func(host string) bool {
		ip, err := netip.ParseAddr(host)
		for _, a := range at {
			if err == nil && ip == a.Addr() {
				return true
			}
		}
		return false
	}
	return out
}

// lanGuard stands before the pages on the local network. The browsers of phones
// send no Sec-Fetch-Site to an address without TLS, so it is the Origin that tells
// other sites' forms from ours; it is sent as null where no referrer may be.
func (s *Server) lanGuard(mux http.Handler) *guard {
	enter := http.NewServeMux()
	enter.HandleFunc("GET /enter", s.askCode)
	enter.HandleFunc("POST /enter", s.takeCode)
	enter.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/enter", http.StatusSeeOther)
	})
	enter.Handle("GET /static/", mux) // the same in every copy of Alibi, and the form is made with it
	enter.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, http.StatusForbidden) })
	return &guard{
		hosts: s.here, referrer: "same-origin", admit: s.admitPhone, refuse: s.refuse,
		outside: http.NewCrossOriginProtection().Handler(enter), next: mux,
	}
}

// admitPhone finds the phone that asks; what it is shown ends when it is sent away.
func (s *Server) admitPhone(r *http.Request) (context.Context, bool) {
	for _, c := range r.CookiesNamed(crumb(s.port)) {
		if in, ok := s.phones.find(c.Value); ok {
			return in.ctx, true
		}
	}
	return nil, false
}

// askCode asks for the code. The address in a QR code fills it in and no more: who
// looks at an address before the person does, as messengers do, must not use it up.
func (s *Server) askCode(w http.ResponseWriter, r *http.Request) {
	s.codeForm(w, r, http.StatusOK, typedCode(r.URL.Query().Get("code")), "")
}

// takeCode lets the phone in that sends the code.
func (s *Server) takeCode(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	pass, ok := s.phones.enter(r.PostFormValue("code"))
	if !ok {
		s.codeForm(w, r, http.StatusForbidden, "", s.book(r).Say("web.phone.wrong"))
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: crumb(s.port), Value: pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) codeForm(w http.ResponseWriter, r *http.Request, status int, code, trouble string) {
	b := s.book(r)
	data := struct {
		Code, Trouble string
		Most          int
	}{code[:min(len(code), codeLetters)], trouble, 2 * codeLetters}
	s.writeStatus(w, status, func(out io.Writer) error {
		return s.pages.whole(out, b, body{Name: "enter", Title: b.Say("web.brand"), Data: data}, frame{Bare: true})
	})
}

// phonePage is the page of the player's own computer that lets a phone in.
type phonePage struct {
	Code, Until string
	Address     string // without the code
	Others      []string
	QR          qrCode
	State       string // why there is no code
	In          string
	Some        bool
}

func phoneBody(s *Scene, b *say.Book) body {
	p := s.Phone
	m := phonePage{Address: p.Address(), Some: p.In > 0, In: b.Say("web.phone.in", "n", p.In)}
	for _, a := range p.At[1:] {
		m.Others = append(m.Others, "http://"+a.String())
	}
	if p.Code != "" {
		m.Code, m.Until = p.Spelled(), b.Clock(p.Until)
		m.QR = newCode(m.Address + "/enter?code=" + p.Code)
	} else {
		m.State = b.Say([]string{CodeUsed: "web.phone.used", CodeOld: "web.phone.old", CodeTried: "web.phone.tried"}[p.Fate])
	}
	return body{Name: "phone", Title: b.Say("web.phone"), Data: m}
}

// phone shows the way in for phones.
func (s *Server) phone(w http.ResponseWriter, r *http.Request) {
	scene, _ := s.app.Scene()
	b := s.book(r)
	s.write(w, func(out io.Writer) error {
		return s.pages.whole(out, b, phoneBody(scene, b), frame{Path: "/phone", Live: "/events?page=phone"})
	})
}

// phoneDeed makes a code, or sends the phones away.
func (s *Server) phoneDeed(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("deed") {
	case "code":
		s.phones.renew()
	case "away":
		s.phones.away()
	default:
		s.refuse(w, r, http.StatusNotFound)
		return
	}
	if scripted(r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(w, r, "/phone", http.StatusSeeOther)
}

// scene is what this server's pages may show: a phone has no use for the code that
// lets in another.
func (s *Server) scene() (*Scene, <-chan struct{}) {
	scene, changed := s.app.Scene()
	if s.lan && scene.Phone != nil {
		own := *scene
		own.Phone = nil
		scene = &own
	}
	return scene, changed
}
