package dkg

import (
	"bytes"
	"testing"

	"alibi/crypto/sigma"
)

// seeds adds an honest message and some that are nearly honest.
func seeds(f *testing.F, honest []byte) {
	f.Add(honest)
	f.Add(honest[:len(honest)-1])
	f.Add(make([]byte, len(honest)))
	f.Add(bytes.Repeat([]byte{0xff}, len(honest)))
	for at := 0; at < len(honest); at += 32 {
		b := bytes.Clone(honest)
		b[at] ^= 1
		f.Add(b)
	}
}

func verifies(t *testing.T, want bool, c *sigma.Check, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("what was read has the wrong shape: %v", err)
	} else if ok := c.Verify() == nil; ok != want {
		t.Errorf("verification says %v", ok)
	}
}

// Nothing panics, what is read re-encodes to itself, and only the honest message
// verifies. A dealing that is none still opens to something.
func FuzzParseDealing(f *testing.F) {
	sc := newScene(f)
	y := newParty(f, 4, 3).y[2]
	honest := sc.dealing.Bytes()
	seeds(f, honest)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDealing(len(sc.receivers), b)
		if err != nil {
			if bytes.Equal(b, honest) {
				t.Error(err)
			}
			return
		}
		if !bytes.Equal(d.Bytes(), b) {
			t.Error("accepted bytes are not the encoding")
		}
		check, err := CheckDealing(sc.ctx, sc.receivers, sc.keys, d)
		verifies(t, bytes.Equal(b, honest), check, err)
		if share, err := d.Open(sc.ctx, sc.at, y); err != nil || share == nil {
			t.Errorf("opens to nothing: %v", err)
		}
	})
}

func FuzzParseComplaint(f *testing.F) {
	sc := newScene(f)
	honest := sc.complaint.Bytes()
	seeds(f, honest)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseComplaint(b)
		if err != nil {
			if bytes.Equal(b, honest) {
				t.Error(err)
			}
			return
		}
		if !bytes.Equal(c.Bytes(), b) {
			t.Error("accepted bytes are not the encoding")
		}
		check, err := CheckComplaint(sc.here, sc.dealing, sc.at, sc.keys[sc.at], c)
		verifies(t, bytes.Equal(b, honest), check, err)
		if share, err := c.Opened(sc.ctx, sc.dealing, sc.at); err != nil || share == nil {
			t.Errorf("opens to nothing: %v", err)
		}
	})
}
