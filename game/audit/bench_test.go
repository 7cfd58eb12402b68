package audit_test

import (
	"bytes"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
)

// BenchmarkCheck audits a whole game of four at the advanced card game, from the
// bytes of its log file. The aim is under 0.2 s.
func BenchmarkCheck(b *testing.B) {
	p, err := parlour.New("bench", "card-advanced", 4, rules.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Play(); err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if err := feed.WriteLog(&file, p.Charter, p.Log.Entries()); err != nil {
		b.Fatal(err)
	}
	var rep *audit.Report
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if rep, err = check(file.Bytes()); err != nil || !rep.Fair() || !rep.Complete {
			b.Fatal(err, rep)
		}
	}
	b.ReportMetric(float64(file.Len()), "log-B")
	b.ReportMetric(float64(rep.Entries), "entries")
	b.ReportMetric(float64(rep.State.Proofs.Total()), "proofs")
}
