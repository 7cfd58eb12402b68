package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const lanHost = "192.168.1.20:4712"

// lan is a player's own server and the one for phones, with a window at either. No
// socket is opened.
func lan(t *testing.T) (own, phone *window) {
	t.Helper()
	own = newWindow(t)
	door := own.server.Phones([]netip.AddrPort{netip.MustParseAddrPort(lanHost), netip.MustParseAddrPort("10.0.0.7:4712")})
	own.enter(own.server.Address())
	return own, &window{t: t, server: door}
}

// far is a request as the browser of a phone sends it: it says nothing of fetches
// to an address without TLS.
func far(r *http.Request) {
	r.Host = lanHost
	r.Header.Del("Sec-Fetch-Site")
	if r.Method == http.MethodPost {
		r.Header.Set("Origin", "http://"+lanHost)
	}
}

func (w *window) get(path string) *httptest.ResponseRecorder {
	w.t.Helper()
	return w.ask(http.MethodGet, path, far)
}

// types sends a code, and keeps the cookie that it gives.
func (w *window) types(code string) int {
	w.t.Helper()
	out := w.ask(http.MethodPost, "/enter", func(r *http.Request) {
		far(r)
		r.Body = io.NopCloser(strings.NewReader(url.Values{"code": {code}}.Encode()))
	})
	for _, c := range out.Result().Cookies() {
		w.cookie = c
	}
	return out.Code
}

func (w *window) code() string {
	scene, _ := w.server.app.Scene()
	return scene.Phone.Code
}

func TestACodeLetsInOnePhoneOnce(t *testing.T) {
	own, phone := lan(t)
	code := own.code()
	if page := own.ask("GET", "/phone", nil); page.Code != 200 || !strings.Contains(page.Body.String(), code[:4]+"-"+code[4:]) {
		t.Fatalf("the player's page shows no code: %d", page.Code)
	}
	if page := phone.get("/enter?code=" + code); page.Code != 200 || !strings.Contains(page.Body.String(), `value="`+code+`"`) {
		t.Errorf("the form is not filled in: %d", page.Code)
	}
	if own.code() != code {
		t.Fatal("to look at the address has used up the code")
	}
	if got := phone.types(strings.ToLower(code[:4]) + " - " + code[4:]); got != http.StatusSeeOther || phone.cookie == nil {
		t.Fatalf("the code does not open: %d", got)
	}
	if c := phone.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
		t.Errorf("cookie %v", c)
	}
	if page := phone.get("/"); page.Code != 200 || !strings.Contains(page.Body.String(), "Anh") {
		t.Errorf("the phone is in and sees nothing: %d", page.Code)
	}
	second := &window{t: t, server: phone.server}
	if got := second.types(code); got != http.StatusForbidden || second.cookie != nil {
		t.Errorf("a second phone with the same code: %d", got)
	}
	if page := own.ask("GET", "/phone", nil).Body.String(); strings.Contains(page, code[:4]) || !strings.Contains(page, "A phone has come in") {
		t.Error("the player's page does not say that the code was used")
	}
}

func TestWrongCodesEndTheCode(t *testing.T) {
	own, phone := lan(t)
	code := own.code()
	for range codeTries {
		if got := phone.types("AAAA-AAAA"); got != http.StatusForbidden {
			t.Fatalf("a guess: %d", got)
		}
	}
	if got := phone.types(code); got != http.StatusForbidden || phone.cookie != nil {
		t.Errorf("the right code after %d wrong ones: %d", codeTries, got)
	}
	own.ask("POST", "/do/phone/code", nil)
	if next := own.code(); next == "" || next == code || phone.types(next) != http.StatusSeeOther {
		t.Error("the player cannot make another")
	}
}

// What another site's page sends from the player's own network spends no try.
func TestForeignFormsDoNotSpendTheCode(t *testing.T) {
	own, phone := lan(t)
	for range 2 * codeTries {
		for _, origin := range []string{"http://evil.example", "null", "http://127.0.0.1:4711"} {
			out := phone.ask("POST", "/enter", func(r *http.Request) {
				far(r)
				r.Body = io.NopCloser(strings.NewReader("code=AAAA"))
				r.Header.Set("Origin", origin)
			})
			if out.Code != http.StatusForbidden {
				t.Fatalf("from %s: %d", origin, out.Code)
			}
		}
	}
	if phone.types(own.code()) != http.StatusSeeOther {
		t.Error("the code was spent by others")
	}
}

func TestACodeGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, phone := lan(t)
		code := own.code()
		ctx := t.Context()
		go phone.server.phones.run(ctx)
		<-time.After(codeLife - time.Second)
		if own.code() != code {
			t.Fatal("the code is gone before its time")
		}
		<-time.After(time.Second)
		synctest.Wait()
		scene, _ := own.server.app.Scene()
		if scene.Phone.Code != "" || scene.Phone.Fate != CodeOld || phone.types(code) != http.StatusForbidden {
			t.Error("the code outlives its time")
		}
		phone.server.phones.renew()
		<-time.After(codeLife)
		synctest.Wait()
		if own.code() != "" {
			t.Error("the next code outlives its time")
		}
	})
}

// Without the code there is the form, its style, and nothing else; and neither
// server's secrets open the other.
func TestNothingForPhonesWithoutTheCode(t *testing.T) {
	own, phone := lan(t)
	for _, c := range []*http.Cookie{
		nil, {Name: crumb(4712), Value: "guess"}, {Name: crumb(4712), Value: own.cookie.Value}, {Name: crumb(4712), Value: own.server.token},
		{Name: crumb(4712), Value: own.code()}, {Name: crumb(4712)}, own.cookie,
	} {
		phone.cookie = c
		for _, at := range everywhere {
			out := phone.ask(at.method, at.path, far)
			switch {
			case at.path == "/" && out.Code == http.StatusSeeOther && out.Header().Get("Location") == "/enter":
			case strings.HasPrefix(at.path, "/static/") && out.Code == http.StatusOK:
			case out.Code != http.StatusForbidden || strings.Contains(out.Body.String(), "Anh"):
				t.Errorf("%s %s with %v: %d", at.method, at.path, c, out.Code)
			}
		}
	}
	phone.cookie = nil
	if got := phone.types(own.server.token); got != http.StatusForbidden {
		t.Errorf("the token of the player's own page: %d", got)
	}
	phone.types(own.code())
	own.cookie = &http.Cookie{Name: crumb(testPort), Value: phone.cookie.Value}
	if out := own.ask("GET", "/", nil); out.Code != http.StatusForbidden {
		t.Errorf("a phone's cookie on the player's own page: %d", out.Code)
	}
}

func TestPhonesAreReachedByTheirAddressOnly(t *testing.T) {
	own, phone := lan(t)
	phone.types(own.code())
	for host, fine := range map[string]bool{
		lanHost: true, "10.0.0.7:4712": true, "127.0.0.1:4712": false, "localhost:4712": false, "192.168.1.20:4711": false, "192.168.1.20": false,
		"192.168.1.21:4712": false, "evil.example:4712": false, "192.168.1.20.evil.example:4712": false, "": false, "0.0.0.0:4712": false,
	} {
		out := phone.ask("GET", "/", func(r *http.Request) { far(r); r.Host = host })
		if (out.Code == http.StatusOK) != fine || !fine && strings.Contains(out.Body.String(), "Anh") {
			t.Errorf("host %q: %d", host, out.Code)
		}
	}
	for _, host := range []string{lanHost, "10.0.0.7:4712"} {
		if out := own.ask("GET", "/", func(r *http.Request) { r.Host = host }); out.Code != http.StatusMisdirectedRequest {
			t.Errorf("the player's own page as %s: %d", host, out.Code)
		}
	}
	for origin, fine := range map[string]bool{"http://" + lanHost: true, "http://evil.example": false, "null": false, "http://192.168.1.20:80": false} {
		out := phone.ask("POST", "/do/same", func(r *http.Request) { far(r); r.Header.Set("Origin", origin) })
		if (out.Code != http.StatusForbidden) != fine {
			t.Errorf("from %s: %d", origin, out.Code)
		}
	}
}

// The browser of a phone says null for the origin of a form where no referrer may be.
func TestHeadersForPhones(t *testing.T) {
	own, phone := lan(t)
	phone.types(own.code())
	for _, path := range []string{"/", "/rules", "/enter", "/nowhere"} {
		h := phone.get(path).Header()
		if p := h.Get("Content-Security-Policy"); p != policy || h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// A phone neither sees nor makes codes, so that who holds one cannot let in another.
func TestPhonesLetNobodyIn(t *testing.T) {
	own, phone := lan(t)
	phone.types(own.code())
	own.ask("POST", "/do/phone/code", nil)
	code := own.code()
	for _, at := range []struct{ method, path string }{
		{"GET", "/"}, {"GET", "/phone"}, {"GET", "/events"}, {"GET", "/events?page=phone"}, {"GET", "/rules"},
		{"POST", "/do/phone/code"}, {"POST", "/do/phone/away"}, {"GET", "/enter"},
	} {
		out := phone.ask(at.method, at.path, far)
		if body := out.Body.String(); strings.Contains(body, code) || strings.Contains(body, code[:4]+"-") || strings.Contains(body, "/phone") {
			t.Errorf("%s %s: %d tells the code", at.method, at.path, out.Code)
		}
		if strings.Contains(at.path, "/phone") && out.Code != http.StatusNotFound {
			t.Errorf("%s %s: %d", at.method, at.path, out.Code)
		}
	}
	if own.code() != code {
		t.Error("a phone has made a code")
	}
}

func TestPhonesAreSentAway(t *testing.T) {
	own, phone := lan(t)
	phone.types(own.code())
	in, ok := phone.server.phones.find(phone.cookie.Value)
	if !ok {
		t.Fatal("the phone is not in")
	}
	own.ask("POST", "/do/phone/away", nil)
	select {
	case <-in.ctx.Done(): // what it is shown ends
	default:
		t.Error("the phone goes on seeing the page")
	}
	if out := phone.get("/rules"); out.Code != http.StatusForbidden {
		t.Errorf("after it was sent away: %d", out.Code)
	}
}

// The pages have what all pages must have, in every state of the code.
func TestPhonePages(t *testing.T) {
	own, phone := lan(t)
	check(t, own.ask("GET", "/phone", nil).Body.String())
	check(t, phone.get("/enter").Body.String())
	phone.types("AAAAAAAA")
	phone.types(own.code())
	check(t, own.ask("GET", "/phone", nil).Body.String())
	check(t, phone.get("/").Body.String())
	if out := own.ask("GET", "/events?page=phone", nil).Body.String(); !strings.Contains(out, "view-phone") {
		t.Errorf("the page does not follow: %s", out)
	}
}

// Who does not ask for phones has no page about them.
func TestNoPhonesUnlessAskedFor(t *testing.T) {
	w := newWindow(t)
	w.enter(w.server.Address())
	for _, at := range []struct{ method, path string }{{"GET", "/phone"}, {"POST", "/do/phone/code"}, {"POST", "/do/phone/away"}} {
		if out := w.ask(at.method, at.path, nil); out.Code != http.StatusNotFound {
			t.Errorf("%s %s: %d", at.method, at.path, out.Code)
		}
	}
	if strings.Contains(w.ask("GET", "/", nil).Body.String(), "/phone") {
		t.Error("the page leads to phones")
	}
	if scene, _ := w.server.app.Scene(); scene.Phone != nil {
		t.Error("there is a code")
	}
}

func TestTypedCode(t *testing.T) {
	for typed, want := range map[string]string{"abcd-2345": "ABCD2345", " o0i1 ": "OOII", "\u2068abcd\u2069": "ABCD", "8 9": "", "": ""} {
		if got := typedCode(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
