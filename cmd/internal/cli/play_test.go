package cli

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/say"
)

// The command says where the page is; that address opens the lobby, any other one
// on the same port nothing; and an interrupt ends it without an error.
func TestPlayServesThePage(t *testing.T) {
	t.Setenv("ALIBI_HOME", t.TempDir())
	r, w := io.Pipe()
	p := &program{book: say.English(), paper: line.Paper{W: w}, err: io.Discard, interrupts: make(chan os.Signal, 1)}
	done := make(chan int, 1)
	go func() {
		done <- p.run(t.Context(), []string{"play", "--no-browser", "--loopback", "--name", "Anh"})
		_ = w.Close()
	}()
	said := bufio.NewScanner(r)
	address := ""
	for address == "" && said.Scan() {
		for _, word := range strings.Fields(said.Text()) {
			if strings.HasPrefix(word, "http://127.0.0.1:") {
				address = word
			}
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	if address == "" {
		t.Fatalf("no address, and exit code %d", <-done)
	}
	get := func(c *http.Client, url string) (int, string) {
		t.Helper()
		resp, err := c.Get(url)
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
	stranger := address[:strings.Index(address, "/enter")]
	if status, page := get(http.DefaultClient, stranger); status != http.StatusForbidden || strings.Contains(page, "Anh") {
		t.Errorf("without the token: %d, %q", status, page)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if status, page := get(&http.Client{Jar: jar}, address); status != http.StatusOK || !strings.Contains(page, `value="Anh"`) {
		t.Errorf("with the token: %d, %q", status, page)
	}
	p.interrupts <- os.Interrupt
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
