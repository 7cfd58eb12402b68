package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"alibi/cmd/internal/session"
	"alibi/game/audit"
)

// keepEvidence writes, for each seat that a log convicts, a file that does so
// anywhere: beside the log, or in the folder of the games.
func (p *program) keepEvidence(log *logFile, whole []byte, r *audit.Report) error {
	folder := session.Home()
	if log.path != "" {
		folder = filepath.Dir(log.path)
	}
	kept := map[int]bool{}
	for _, f := range r.Findings {
		if f.Seat < 0 || kept[f.Seat] {
			continue
		}
		kept[f.Seat] = true
		name := fmt.Sprintf("evidence-%s-%d.alibi", fileName(r.State.Charter.Name, r.State.Table[:]), f.Seat+1)
		var b bytes.Buffer
		if err := session.WriteEvidence(&b, bytes.NewReader(whole), f); err != nil {
			return err
		}
		if err := p.keepPrivate(filepath.Join(folder, name), b.Bytes()); err != nil {
			return err
		}
		p.paper.Line(p.book.Say("log.evidence", "file", filepath.Join(folder, name), "finding", p.finding(r, f)))
	}
	return nil
}

// keepPrivate writes a file that only its owner can read.
func (p *program) keepPrivate(path string, b []byte) error {
	file, err := p.openLog(path)
	if err != nil {
		return err
	}
	file.mode = 0o600
	if err := file.keep(b); err != nil {
		return p.failed("failed.log", "hint.log", "file", path, "why", reason(err))
	}
	return nil
}

// fileName makes a file's name of a table's: letters and digits, and the beginning
// of its hash, since several tables may have one name.
func fileName(table string, hash []byte) string {
	words := strings.FieldsFunc(strings.ToLower(table), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(append(words, fmt.Sprintf("%x", hash[:3])), "-")
}
