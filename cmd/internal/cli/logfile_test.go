package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// Nothing lies beside a log while its game is played. What a program left that was
// killed while it wrote the log goes with the next try; what may be another
// program's, and what is somebody's own, stays.
func TestDraftsOfLogs(t *testing.T) {
	folder := t.TempDir()
	p, _, _ := inMemory("")
	file := filepath.Join(folder, "game")
	for name, age := range map[string]time.Duration{
		".game.alibi-17":    2 * draftLife,
		".game.alibi-18":    0,
		".game.alibi-notes": 2 * draftLife,
		".other.alibi-17":   2 * draftLife,
	} {
		at, then := filepath.Join(folder, name), time.Now().Add(-age)
		if err := os.WriteFile(at, []byte("half a l"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, then, then); err != nil {
			t.Fatal(err)
		}
	}
	stay := []string{".game.alibi-18", ".game.alibi-notes", ".other.alibi-17"}
	log, err := p.openLog(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, folder); !slices.Equal(got, stay) {
		t.Errorf("while the game is played there are %q", got)
	}
	for _, text := range []string{"a log", "the log"} {
		if err := log.keep([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := namesIn(t, folder); !slices.Equal(got, append(slices.Clone(stay), "game")) {
			t.Errorf("there are %q in the end", got)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != text {
			t.Errorf("%q is kept, %v", b, err)
		}
	}
}

// A log that cannot be given its name leaves nothing behind.
func TestLogInTheWay(t *testing.T) {
	folder := t.TempDir()
	p, _, _ := inMemory("")
	log, err := p.openLog(filepath.Join(folder, "game"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "game", "of ours"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := log.keep([]byte("the log")); err == nil {
		t.Error("a folder was written over")
	}
	if got := namesIn(t, folder); !slices.Equal(got, []string{"game"}) {
		t.Errorf("there are %q in the end", got)
	}
}
