package audit_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
)

// FuzzCheck reads any bytes as a log file. What passes as fair and complete can
// only be the recorded game.
func FuzzCheck(f *testing.F) {
	r := recordedGame(f)
	f.Add(r.file)
	f.Add(r.file[:len(r.file)-1])
	f.Add(r.file[:len(feed.Magic)])
	f.Add([]byte{})
	for n := 0; n < len(r.entries); n += 7 {
		file, err := r.with(r.entries[:n])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		rep, err := check(file)
		if err != nil {
			if rep != nil {
				t.Fatal("a report beside an error")
			}
			return
		}
		again, err := check(file)
		if err != nil || !slices.Equal(rep.Findings, again.Findings) || rep.Complete != again.Complete || rep.Entries != again.Entries {
			t.Fatal("one log, two reports")
		}
		if rep.Fair() && rep.Complete && !bytes.Equal(file, r.file) {
			t.Fatal("another game passes")
		}
		if rep.Complete && !rep.Fair() {
			t.Fatal("complete without being fair")
		}
	})
}

// FuzzCheckSigned changes one entry and signs it anew with its seat's own key:
// that seat is blamed, or nobody is; never another.
func FuzzCheckSigned(f *testing.F) {
	r := recordedGame(f)
	for i := range r.entries {
		f.Add(uint16(i), uint16(5), byte(1), byte(0), uint32(0))
		f.Add(uint16(i), uint16(40), byte(0x80), byte(1), uint32(0))
		f.Add(uint16(i), uint16(0), byte(0), byte(3), uint32(1))
		f.Add(uint16(i), uint16(0), byte(0), byte(0), uint32(1<<31))
	}
	f.Fuzz(func(t *testing.T, i, at uint16, by, kind byte, round uint32) {
		k := int(i) % len(r.entries)
		e := r.entries[k].Entry
		e.Kind, e.Round, e.Body = e.Kind^kind, e.Round+round, slices.Clone(e.Body)
		e.Body[int(at)%len(e.Body)] ^= by
		lie, err := feed.Seal(r.Keys[e.Seat], e)
		if errors.Is(err, feed.ErrTooLong) || e.Kind == feed.KindBallot {
			return // nothing that could stand in a log
		}
		if err != nil {
			t.Fatal(err)
		}
		entries := slices.Clone(r.entries)
		entries[k] = lie
		rep, err := audit.Check(r.Charter, entries)
		if err != nil {
			t.Fatal(err)
		}
		same := reflect.DeepEqual(lie.Entry, r.entries[k].Entry)
		if same != (rep.Fair() && rep.Complete) {
			t.Fatalf("entry %d, the same %v: %v, complete %v", k, same, rep.Findings, rep.Complete)
		}
		for _, finding := range rep.Findings {
			if finding.Seat >= 0 && finding.Seat != int(e.Seat) {
				t.Fatalf("%v for what seat %d signed", finding, e.Seat)
			}
		}
	})
}
