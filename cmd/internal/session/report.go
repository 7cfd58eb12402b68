package session

import (
	"io"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/audit"
	"alibi/p2p/link"
)

// PeerID is an identity as libp2p writes it.
func PeerID(id identity.ID) string { return link.PeerID(id) }

// ErrNotLog is wrapped when a file is no log at all.
var ErrNotLog = feed.ErrNotLog

// MaxLog bounds a log file.
const MaxLog = feed.MaxLogFile

// WriteLog writes the log of a game whose Run has returned. Entries that convict
// their author and have no place in the log stand at its end, where an audit
// finds them.
func (s *Session) WriteLog(w io.Writer) error {
	return feed.WriteLog(w, s.core.log.Charter(), append(s.core.log.Entries(), s.core.Evidence()...))
}

// Verify audits a log file. ErrNotLog is wrapped when it is none; everything
// that is wrong with a log is in the report.
func Verify(r io.Reader) (*audit.Report, error) {
	charter, entries, err := feed.ReadLog(r)
	if err != nil {
		return nil, err
	}
	report, err := audit.Check(charter, entries)
	if err == nil {
		err = shown(report.State.Edition)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}
