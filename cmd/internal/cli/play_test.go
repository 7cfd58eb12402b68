package cli

import (
	"bufio"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/say"
)

// served is a program that serves the page on the loopback interface only.
type served struct {
	t    *testing.T
	p    *program
	said chan string // its lines; they are read whether or not anybody looks
	done chan int
}

func serve(t *testing.T, args ...string) *served {
	t.Helper()
	t.Setenv("ALIBI_HOME", t.TempDir())
	r, w := io.Pipe()
	s := &served{t: t, said: make(chan string, 100), done: make(chan int, 1)}
	s.p = &program{book: say.English(), paper: line.Paper{W: w}, err: io.Discard, interrupts: make(chan os.Signal, 1)}
	go func() {
		defer close(s.said)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			s.said <- lines.Text()
		}
	}()
	go func() {
		s.done <- s.p.run(t.Context(), append([]string{"play", "--no-browser", "--loopback", "--name", "Anh"}, args...))
		_ = w.Close()
	}()
	return s
}

// find reads what the program says until a line has what is looked for, and is the
// first group of it.
func (s *served) find(what string) string {
	s.t.Helper()
	want := regexp.MustCompile(what)
	for text := range s.said {
		if m := want.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	s.t.Fatalf("no %s, and exit code %d", what, <-s.done)
	return ""
}

// end interrupts the program, and is all it said since.
func (s *served) end() string {
	s.t.Helper()
	s.p.interrupts <- os.Interrupt
	var rest strings.Builder
	for text := range s.said {
		rest.WriteString(text + "\n")
	}
	if code := <-s.done; code != 0 {
		s.t.Errorf("exit code %d", code)
	}
	return rest.String()
}

// browser is a client that keeps cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func answer(t *testing.T) func(*http.Response, error) (int, string) {
	return func(resp *http.Response, err error) (int, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
}

// The command says where the page is; that address opens the lobby, any other one
// on the same port nothing; and an interrupt ends it without an error.
func TestPlayServesThePage(t *testing.T) {
	s := serve(t)
	address := s.find(`(http://127\.0\.0\.1:\S+)`)
	stranger := address[:strings.Index(address, "/enter")]
	if status, page := answer(t)(http.Get(stranger)); status != http.StatusForbidden || strings.Contains(page, "Anh") {
		t.Errorf("without the token: %d, %q", status, page)
	}
	if status, page := answer(t)(browser(t).Get(address)); status != http.StatusOK || !strings.Contains(page, `value="Anh"`) {
		t.Errorf("with the token: %d, %q", status, page)
	}
	if rest := s.end(); strings.Contains(rest, "http://") {
		t.Errorf("there is another page: %s", rest)
	}
}

// With --lan a phone comes in by the code, once, at a port of its own; the code is
// in no file.
func TestPlayLetsAPhoneIn(t *testing.T) {
	s := serve(t, "--lan")
	own := s.find(`(http://127\.0\.0\.1:\S+)`)
	found := s.find(`(http://127\.0\.0\.1:\d+, code [A-Z2-7-]+)`)
	address, code, _ := strings.Cut(found, ", code ")
	if strings.HasPrefix(own, address) {
		t.Error("the phone's page is the player's own")
	}
	for range 2 { // looking uses nothing up
		if status, page := answer(t)(http.Get(address + "/enter?code=" + code)); status != http.StatusOK || strings.Contains(page, "Anh") {
			t.Errorf("the form: %d, %q", status, page)
		}
	}
	typed := url.Values{"code": {code}}
	phone := browser(t)
	if status, page := answer(t)(phone.PostForm(address+"/enter", typed)); status != http.StatusOK || !strings.Contains(page, `value="Anh"`) {
		t.Errorf("with the code: %d, %q", status, page)
	}
	if status, page := answer(t)(browser(t).PostForm(address+"/enter", typed)); status != http.StatusForbidden || strings.Contains(page, "Anh") {
		t.Errorf("a second phone: %d, %q", status, page)
	}
	bare := strings.ReplaceAll(code, "-", "")
	if said := s.end(); strings.Contains(said, code) || strings.Contains(said, bare) {
		t.Errorf("said again: %s", said)
	}
	err := filepath.WalkDir(os.Getenv("ALIBI_HOME"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), code) || strings.Contains(string(data), bare) {
			t.Errorf("%s holds the code", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Nobody beyond the local network can reach where phones are let in.
func TestPhonesAreServedOnTheLocalNetworkOnly(t *testing.T) {
	got := lanAddrs([]string{"203.0.113.9:4000", "192.168.1.20:4000", "[2001:db8::1]:4000", "100.64.0.3:4000", "[fd00::2]:4000",
		"169.254.7.7:4000", "10.0.0.7:4000", "0.0.0.0:4000", "[::]:4000", "[fe80::1]:4000", "what"})
	want := []string{"192.168.1.20", "fd00::2", "169.254.7.7", "10.0.0.7"}
	var texts []string
	for _, ip := range got {
		texts = append(texts, ip.String())
	}
	if !slices.Equal(texts, want) {
		t.Errorf("%v, want %v", texts, want)
	}
}

// Each address is listened at by itself, at one port.
func TestListenLAN(t *testing.T) {
	local := netip.MustParseAddr("127.0.0.1")
	out, at, err := listenLAN(t.Context(), []netip.Addr{local, local}, 0) // the second finds the port taken
	if err != nil || len(out) != 1 || at[0].Addr() != local || at[0].Port() == 0 {
		t.Fatal(out, at, err)
	}
	defer func() { _ = out[0].Close() }()
	if a := out[0].Addr().(*net.TCPAddr); !a.IP.IsLoopback() || a.Port != int(at[0].Port()) {
		t.Errorf("listens at %v", a)
	}
	if _, _, err := listenLAN(t.Context(), []netip.Addr{local}, at[0].Port()); err == nil {
		t.Error("a port that is taken is no error")
	}
	if out, _, err := listenLAN(t.Context(), nil, 0); err != nil || len(out) != 0 {
		t.Error("no address, and yet it listens")
	}
}
