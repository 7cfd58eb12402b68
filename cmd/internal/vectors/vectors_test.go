// Package vectors_test keeps docs/protocol.md true: the hexadecimal blocks of
// the document are made here from the code that plays, and compared; so are its
// lists of purposes, kinds, rules and sizes. After a deliberate change run
//
//	go test ./cmd/internal/vectors -rewrite
//
// and read the difference before committing it.
package vectors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/crypto/transcript"
	"alibi/game/audit"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/p2p/wire"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the examples in docs/protocol.md")

const (
	root     = "../../.."
	document = root + "/docs/protocol.md"
	logFile  = "testdata/two-seats.alibi"
)

var block = regexp.MustCompile("(?s)```hex ([a-z]+)\n(.*?)```\n")

func TestExamplesOfTheProtocol(t *testing.T) {
	x := play(t)
	want := map[string]string{
		"hash":       hashes(),
		"generators": generators(),
		"secrets":    x.secretsBlock(),
		"charter":    x.charterBlock(),
		"terms":      x.termsBlock(),
		"accept":     entryBlock(x.first(t, move.KindAccept), "accept"),
		"keys":       entryBlock(x.first(t, move.KindKeys), "keys", "nonce", "seat key", "lock keys", "lock key", "proof"),
		"ask":        entryBlock(x.first(t, move.KindAsk), "ask", "cards"),
		"leave":      entryBlock(x.first(t, move.KindLeave), "leave", "key"),
		"chain":      x.chainBlock(),
		"logfile":    x.logBlock(t),
		"frames":     x.framesBlock(t),
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	fresh := block.ReplaceAllFunc(text, func(old []byte) []byte {
		m := block.FindSubmatch(old)
		name, got := string(m[1]), string(m[2])
		seen[name] = true
		made, known := want[name]
		switch {
		case !known:
			t.Errorf("nothing makes the block %q", name)
			return old
		case made != got && !*rewrite:
			t.Errorf("the block %q is not what the code makes:\n%s\nthe document has:\n%s", name, made, got)
		}
		return fmt.Appendf(nil, "```hex %s\n%s```\n", name, made)
	})
	for name := range want {
		if !seen[name] {
			t.Errorf("the document has no block %q", name)
		}
	}
	if *rewrite && !t.Failed() && !bytes.Equal(fresh, text) {
		if err := os.WriteFile(document, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExampleLog compares the log file that the document points to, byte for
// byte, and audits it.
func TestExampleLog(t *testing.T) {
	x := play(t)
	made := x.file(t)
	if *rewrite {
		if err := os.WriteFile(logFile, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, made) {
		t.Errorf("%s is not what the code makes", logFile)
	}
	charter, entries, err := feed.ReadLog(bytes.NewReader(kept))
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Check(charter, entries)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Fair() || !report.Complete || report.Replay == nil || !report.Replay.Whole {
		t.Errorf("the example is not fair and complete: %+v", report.Findings)
	}
}

func line(name string, b []byte) string { return fmt.Sprintf("%-32s %x\n", name, b) }

func hashes() string {
	ab := [][]byte{[]byte("ab"), []byte("c")}
	h1, h2 := transcript.Hash("example", ab...), transcript.Hash("example", []byte("a"), []byte("bc"))
	stream := make([]byte, 32)
	_, _ = io.ReadFull(transcript.XOF("example", ab...), stream) // does not end
	tr := transcript.New("example")
	tr.Append("name", []byte("ab"))
	tr.AppendUint64("number", 7)
	challenge := tr.Challenge("c")
	digest := tr.Digest("d")
	return line(`H[example]("ab", "c")`, h1[:]) +
		line(`H[example]("a", "bc")`, h2[:]) +
		line(`Hs[example]("ab", "c")`, transcript.HashToScalar("example", ab...).Bytes()) +
		line(`He[example]("ab", "c")`, transcript.HashToElement("example", ab...).Bytes()) +
		line(`XOF[example]("ab", "c"), begin`, stream) +
		"transcript example: bytes \"name\" = \"ab\", number \"number\" = 7, then\n" +
		line(`challenge "c"`, challenge.Bytes()) +
		line(`digest "d"`, digest[:])
}

func generators() string {
	row := func(i uint64) []byte {
		return transcript.HashToElement("shuffle/generator", []byte("row"), binary.BigEndian.AppendUint64(nil, i)).Bytes()
	}
	cards := deck.New("card", 12)
	return line("H", transcript.HashToElement("shuffle/generator", []byte("blind")).Bytes()) +
		line("H_1", row(1)) + line("H_2", row(2)) + line("H_1024", row(1024)) +
		line("M_0 of deck \"card\"", cards.Card(0).Bytes()) +
		line("M_11 of deck \"card\"", cards.Card(11).Bytes())
}

func (x *example) secretsBlock() string {
	var out strings.Builder
	for i, s := range x.secrets {
		seed, b := x.keys[i].Seed(), s.Bytes()
		for _, v := range []struct {
			name string
			b    []byte
		}{{"seed of the identity", seed[:]}, {"nonce", b[:32]}, {"seed of the salts", b[32:64]}, {"y", b[64:96]}, {"x", b[96:]}} {
			out.WriteString(line(fmt.Sprintf("seat %d, %s", i, v.name), v.b))
		}
	}
	return out.String()
}

func (x *example) charterBlock() string {
	var l lines
	l.cbor(x.charter, "charter", "version", "name", "terms", "leavers", "seats",
		"seat", "name", "identity", "commitment", "seat", "name", "identity", "commitment")
	return l.String()
}

func (x *example) termsBlock() string {
	var l lines
	l.cbor(x.terms, "terms", "edition", "deck", "first", "order", "last", "book", "timer", "watch")
	return l.String()
}

func entryBlock(e *feed.Signed, body ...string) string {
	var l lines
	l.wrapped(e.Signature(), "signature")
	l.cbor(e.Content(), append([]string{"entry", "version", "game", "round", "seat", "prev", "kind", "body" + nested}, body...)...)
	return l.String()
}

func (x *example) chainBlock() string {
	game := x.state.Game
	words := identity.Words(game)
	return line("hash of the charter, prev of 0", x.heads[0][:]) +
		line("prev of round 1", x.heads[1][:]) +
		line("prev of round 2", x.heads[2][:]) +
		line("game id", game[:]) +
		fmt.Sprintf("%-32s %s\n", "words", strings.Join(words[:], " ")) +
		line("prev of round 3", x.heads[3][:])
}

func (x *example) logBlock(t *testing.T) string {
	file := x.file(t)
	entries := x.log.Entries()
	var l lines
	l.put(file[:len(feed.Magic)], "first line")
	at := len(feed.Magic)
	head, n := headOf(file[at:])
	l.put(file[at:at+head], fmt.Sprintf("the charter, %d bytes, follows", n))
	at += head + n
	head, n = headOf(file[at:])
	l.put(file[at:at+head], fmt.Sprintf("the first entry, %d bytes, follows", n))
	last := x.heads[len(x.heads)-1]
	fmt.Fprintf(&l, "%d bytes, %d entries, %d rounds; the hash after the last is\n%s\n",
		len(file), len(entries), len(x.heads)-1, hex.EncodeToString(last[:]))
	return l.String()
}

func (x *example) framesBlock(t *testing.T) string {
	var l lines
	frame := func(m wire.Message, names ...string) {
		content, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		framed := wire.AppendFrame(nil, content)
		l.put(framed[:len(framed)-len(content)], fmt.Sprintf("length %d", len(content)))
		l.put(content[:1], fmt.Sprintf("kind %d", content[0]))
		l.cbor(content[1:], names...)
	}
	frame(&wire.Hello{Version: wire.Version, Table: x.state.Table, At: wire.Position{Round: 1, Heard: 0b01}, Links: 0b10},
		"hello", "version", "table", "position", "epoch", "round", "heard: seat 0", "links: seat 1")
	frame(&wire.Sit{Name: "Bob", Commitment: x.state.Charter.Seats[1].Commitment, Addrs: []string{"10.0.0.7:4001"}},
		"sit", "name", "commitment", "addresses", "address")
	frame(&wire.Ready{Yes: true}, "ready", "yes")
	return l.String()
}

// sources returns the text of all Go files below some folders, tests left out.
func sources(t *testing.T, folders ...string) string {
	t.Helper()
	var out strings.Builder
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			b, err := os.ReadFile(name)
			out.Write(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func section(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n"+from)
	if !ok {
		t.Fatalf("the document has no section %q", from)
	}
	part, _, ok := strings.Cut(rest, "\n"+to)
	if !ok {
		t.Fatalf("the document has no section %q", to)
	}
	return part
}

// TestEveryPurposeIsListed compares section 2.4 with the code, both ways.
func TestEveryPurposeIsListed(t *testing.T) {
	code := sources(t, "crypto", "game", "p2p", "cmd")
	inCode := map[string]bool{}
	for prefix, pattern := range map[string]string{
		"":       `transcript\.(?:Hash|HashToElement|HashToScalar|XOF|New)\("([^"]+)"`,
		"hedge/": `hedge\.New\("([^"]+)"`,
		"deck/":  `\bplace\("([^"]+)"`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(code, -1) {
			inCode[prefix+m[1]] = true
		}
	}
	delete(inCode, "hedge/")
	delete(inCode, "deck/")
	part := section(t, "### 2.4", "### 2.5")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(part, -1) {
		listed[m[1]] = true
	}
	_, private, _ := strings.Cut(part, "Purposes that no other peer can observe")
	for _, m := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(private, -1) {
		listed[m[1]] = true
	}
	for p := range inCode {
		if !listed[p] {
			t.Errorf("section 2.4 does not list the purpose %q", p)
		}
	}
	for p := range listed {
		if !inCode[p] {
			t.Errorf("section 2.4 lists the purpose %q, which the code does not use", p)
		}
	}
}

// TestEveryKindAndRuleIsListed looks for each in its table.
func TestEveryKindAndRuleIsListed(t *testing.T) {
	kinds := section(t, "### 10.5", "### 10.6")
	for k := move.Kind(0); k <= move.KindLeave; k++ {
		if row := fmt.Sprintf("\n| %d | %s |", uint8(k), k); !strings.Contains(kinds, row) {
			t.Errorf("section 10.5 has no row %q", row)
		}
	}
	refused := section(t, "## 13", "## 14")
	for _, m := range regexp.MustCompile(`Rule\w+ +Rule = "(.*)"\n`).FindAllStringSubmatch(sources(t, "game/table"), -1) {
		if text := strings.ReplaceAll(m[1], `\"`, `"`); !strings.Contains(refused, "\n| "+text+" |") {
			t.Errorf("section 13 does not list the rule %q", text)
		}
	}
	for _, m := range regexp.MustCompile(`sigma\.NewClaim\("([^"]+)"\)`).FindAllStringSubmatch(sources(t, "crypto", "game"), -1) {
		if !strings.Contains(section(t, "## 7", "## 8"), "`"+m[1]+"`") {
			t.Errorf("section 7 does not list the claim %q", m[1])
		}
	}
}

// TestSizesAreAsWritten evaluates the formulas of section 7.
func TestSizesAreAsWritten(t *testing.T) {
	for h := 1; h <= 9; h++ {
		for q := 1; q <= 3; q++ {
			if got, want := deck.DenialSize(h, q), 160*h*q; got != want {
				t.Errorf("denial of %d cards to %d: %d bytes, written is %d", h, q, got, want)
			}
			if got, want := deck.ShowingSize(h, q), 192*h+128*q; got != want {
				t.Errorf("showing of %d cards to %d: %d bytes, written is %d", h, q, got, want)
			}
		}
	}
	for m := 1; m <= 6; m++ {
		if got, want := deck.OpeningSize(m), 32*(m+2); got != want {
			t.Errorf("opening of %d: %d bytes, written is %d", m, got, want)
		}
		if got, want := deck.DifferenceSize(m), 32*(3*m+2); got != want {
			t.Errorf("difference of %d: %d bytes, written is %d", m, got, want)
		}
	}
	for _, e := range rules.Editions() {
		var lens []int
		want := 0
		for c := range e.CategoryCount {
			n := len(e.Of(rules.Category(c)))
			lens, want = append(lens, n), want+32*(4*n+1)
		}
		if got := deck.GuessSize(lens); got != want {
			t.Errorf("guess in %s: %d bytes, written is %d", e.Name, got, want)
		}
	}
}
