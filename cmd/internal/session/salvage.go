package session

import (
	"io"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/p2p/store"
)

// Salvaged is what can be read of a game in a folder that may be damaged. It holds
// no secret.
type Salvaged struct {
	Table   string
	ID      feed.Hash
	Entries int
	Lost    int // entries that were kept and are not found

	charter []byte
	log     []*feed.Signed
}

// Salvage reads what can be read of all games kept in a folder, newest first. It
// changes nothing there. Games whose charter is lost are left out, and the error
// says so: the others are good all the same.
func Salvage(home string) ([]Salvaged, error) {
	found, damaged := store.Salvage(home)
	var out []Salvaged
	for _, g := range found {
		c, err := feed.ParseCharter(g.Charter)
		if err != nil {
			continue // the store reads none such
		}
		log := straighten(g.Charter, g.Log)
		out = append(out, Salvaged{Table: c.Name, ID: g.Table, Entries: len(log), Lost: g.Lost, charter: g.Charter, log: log})
	}
	return out, damaged
}

// WriteLog writes it as a log file, which is incomplete where entries are lost.
func (s Salvaged) WriteLog(w io.Writer) error { return feed.WriteLog(w, s.charter, s.log) }

// straighten puts entries in the order of a log: they were kept as they came.
// What has no place there, such as all that comes after a gap, stands at the end.
func straighten(charter []byte, kept []*feed.Signed) []*feed.Signed {
	c, err := NewCore(Config{Charter: charter, Me: Spectator}, nil)
	if err != nil {
		return kept // of an edition that this build does not know
	}
	var rest []*feed.Signed
	for i, e := range kept {
		if c.restore(kept, i) != nil {
			rest = append(rest, e)
		}
	}
	_, log := c.Log()
	return slices.Concat(log, c.Evidence(), rest)
}

// WriteEvidence writes what one finding about a log rests on, as a log of its own:
// whoever audits that comes to the same finding.
func WriteEvidence(w io.Writer, log io.Reader, f audit.Finding) error {
	charter, entries, err := feed.ReadLog(log)
	if err != nil {
		return err
	}
	return feed.WriteLog(w, charter, audit.Excerpt(entries, f))
}
