package feed_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"alibi/crypto/feed"
)

var rewrite = flag.Bool("rewrite", false, "record testdata/golden.txt anew: the protocol has changed; read the diff")

// TestGoldenBytes pins what goes over the wire and what is hashed. A change here
// is another version of the protocol.
func TestGoldenBytes(t *testing.T) {
	c := newCircle(t, "golden", 2)
	l := c.log()
	opened := []*feed.Signed{c.say(t, l, 0, ""), c.say(t, l, 1, "body")}
	long := l.Template(1)
	long.Round, long.Kind, long.Body = 70000, 200, make([]byte, 300)
	var log strings.Builder
	if err := feed.WriteLog(&log, c.encoded, opened); err != nil {
		t.Fatal(err)
	}
	table := feed.TableHash(c.encoded)
	var b strings.Builder
	for _, line := range []struct {
		name  string
		bytes []byte
	}{
		{"charter", c.encoded},
		{"table hash", table[:]},
		{"game id", c.game[:]},
		{"empty entry", opened[0].Raw()},
		{"entry", opened[1].Raw()},
		{"long entry", c.seal(t, 1, long).Raw()},
		{"next", hashBytes(feed.Next(table, 0, opened))},
		{"next, round 66051", hashBytes(feed.Next(table, 0x010203, opened))},
		{"next, nothing said", hashBytes(feed.Next(table, 0, nil))},
		{"log file", []byte(log.String())},
	} {
		fmt.Fprintf(&b, "%s: %x\n", line.name, line.bytes)
	}
	const file = "testdata/golden.txt"
	if *rewrite {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Fatalf("line %d\nrecorded: %s\nmade:     %s", i+1, line, got[min(i, len(got)-1)])
		}
	}
}

func hashBytes(h feed.Hash) []byte { return h[:] }
