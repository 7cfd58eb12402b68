package deck

import (
	"bytes"
	"testing"
)

// fuzzMessage feeds bytes to the parser and the check of one kind: nothing
// panics, what is accepted re-encodes to itself (the checks of the kinds parse,
// see kinds), and only the honest message verifies.
func fuzzMessage(f *testing.F, name string) {
	sc := newScene(f)
	var k kind
	for _, k = range kinds {
		if k.name == name {
			break
		}
	}
	honest := k.message(f, sc)
	f.Add(honest)
	f.Add(honest[:len(honest)-1])
	f.Add(make([]byte, len(honest)))
	f.Add(bytes.Repeat([]byte{0xff}, len(honest)))
	for at := 0; at < len(honest); at += 32 {
		b := bytes.Clone(honest)
		b[at] ^= 1
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		again, err := reencode(sc, name, b)
		if err == nil && !bytes.Equal(again, b) {
			t.Error("accepted bytes are not the encoding")
		}
		c, err := k.check(sc, b)
		if ok := err == nil && c.Verify() == nil; ok != bytes.Equal(b, honest) {
			t.Errorf("verification says %v", ok)
		}
	})
}

func reencode(sc *scene, name string, b []byte) ([]byte, error) {
	var m interface{ Bytes() []byte }
	var err error
	switch name {
	case "share":
		m, err = ParseShare(sc.tasks, b)
	case "denial":
		m, err = ParseDenial(len(sc.hand), len(sc.notAsked), b)
	case "showing":
		m, err = ParseShowing(len(sc.hand), len(sc.asked), b)
	case "guess":
		m, err = ParseGuess(sc.lens(), b)
	case "opening":
		m, err = ParseOpening(len(sc.guess), b)
	default:
		m, err = ParseDifference(len(sc.guess), b)
	}
	if err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

func FuzzParseShare(f *testing.F)      { fuzzMessage(f, "share") }
func FuzzParseDenial(f *testing.F)     { fuzzMessage(f, "denial") }
func FuzzParseShowing(f *testing.F)    { fuzzMessage(f, "showing") }
func FuzzParseGuess(f *testing.F)      { fuzzMessage(f, "guess") }
func FuzzParseOpening(f *testing.F)    { fuzzMessage(f, "opening") }
func FuzzParseDifference(f *testing.F) { fuzzMessage(f, "difference") }
