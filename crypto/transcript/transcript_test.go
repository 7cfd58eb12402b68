package transcript

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"alibi/crypto/group"
	"pgregory.net/rapid"
)

// The samples NIST publishes beside SP 800-185: TupleHash256 numbers 4 to 6
// and TupleHashXOF256 numbers 4 to 6, 512 bits each.
func TestSamplesOfNIST(t *testing.T) {
	a, b := []byte{0, 1, 2}, []byte{0x10, 0x11, 0x12, 0x13, 0x14, 0x15}
	c := []byte{0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28}
	for _, sample := range []struct {
		customisation string
		parts         [][]byte
		fixed, xof    string
	}{
		{"", [][]byte{a, b},
			"CFB7058CACA5E668F81A12A20A2195CE97A925F1DBA3E7449A56F82201EC607311AC2696B1AB5EA2352DF1423BDE7BD4BB78C9AED1A853C78672F9EB23BBE194",
			"03DED4610ED6450A1E3F8BC44951D14FBC384AB0EFE57B000DF6B6DF5AAE7CD568E77377DAF13F37EC75CF5FC598B6841D51DD207C991CD45D210BA60AC52EB9"},
		{"My Tuple App", [][]byte{a, b},
			"147C2191D5ED7EFD98DBD96D7AB5A11692576F5FE2A5065F3E33DE6BBA9F3AA1C4E9A068A289C61C95AAB30AEE1E410B0B607DE3620E24A4E3BF9852A1D4367E",
			"6483CB3C9952EB20E830AF4785851FC597EE3BF93BB7602C0EF6A65D741AECA7E63C3B128981AA05C6D27438C79D2754BB1B7191F125D6620FCA12CE658B2442"},
		{"My Tuple App", [][]byte{a, b, c},
			"45000BE63F9B6BFD89F54717670F69A9BC763591A4F05C50D68891A744BCC6E7D6D5B5E82C018DA999ED35B0BB49C9678E526ABD8E85C13ED254021DB9E790CE",
			"0C59B11464F2336C34663ED51B2B950BEC743610856F36C28D1D088D8A2446284DD09830A6A178DC752376199FAE935D86CFDEE5913D4922DFD369B66A53C897"},
	} {
		fill := func() tuple {
			h := newTuple(sample.customisation)
			for _, p := range sample.parts {
				h.add(p)
			}
			return h
		}
		out := make([]byte, 64)
		fill().sum(out)
		if got := strings.ToUpper(hex.EncodeToString(out)); got != sample.fixed {
			t.Errorf("%q, %d parts: %s", sample.customisation, len(sample.parts), got)
		}
		io.ReadFull(fill().stream(), out)
		if got := strings.ToUpper(hex.EncodeToString(out)); got != sample.xof {
			t.Errorf("%q, %d parts, XOF: %s", sample.customisation, len(sample.parts), got)
		}
	}
}

func TestLengthsAreEncodedShortest(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0100", 1: "0101", 255: "01ff", 256: "020100", 65535: "02ffff",
		1 << 16: "03010000", 1<<64 - 1: "08ffffffffffffffff",
	} {
		var left, right [9]byte
		if got := hex.EncodeToString(leftEncode(&left, n)); got != want {
			t.Errorf("left_encode(%d) = %s, want %s", n, got, want)
		}
		if got := hex.EncodeToString(rightEncode(&right, n)); got != want[2:]+want[:2] {
			t.Errorf("right_encode(%d) = %s", n, got)
		}
	}
}

func TestHashIsPinned(t *testing.T) {
	got := Hash("test", []byte("a"), nil, []byte("bc"))
	const want = "faadf632c1f0cb828365572c440ba1923c8eb4cb7be58479f8be582d5a373a8d"
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("%x", got)
	}
}

// Two lists of parts give one hash only if they are one list.
func TestListsAreUnambiguous(t *testing.T) {
	parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 3), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if rapid.Bool().Draw(t, "split") && len(a) > 0 {
			// the same bytes, cut elsewhere
			flat := bytes.Join(a, nil)
			at := rapid.IntRange(0, len(flat)).Draw(t, "at")
			b = [][]byte{flat[:at], flat[at:]}
		}
		same := len(a) == len(b)
		for i := 0; same && i < len(a); i++ {
			same = bytes.Equal(a[i], b[i])
		}
		if (Hash("p", a...) == Hash("p", b...)) != same {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

func TestPurposesAndKindsOfOutputAreApart(t *testing.T) {
	seen := map[string]string{}
	note := func(name string, b []byte) {
		key := string(b[:32])
		if other, ok := seen[key]; ok {
			t.Errorf("%s equals %s", name, other)
		}
		seen[key] = name
	}
	for _, purpose := range []string{"", "p", "pp", "q"} {
		h := Hash(purpose, []byte("x"))
		note(purpose+" hash", h[:])
		note(purpose+" element", HashToElement(purpose, []byte("x")).Bytes())
		note(purpose+" scalar", HashToScalar(purpose, []byte("x")).Bytes())
		stream := make([]byte, 32)
		io.ReadFull(XOF(purpose, []byte("x")), stream)
		note(purpose+" stream", stream)
		tr := New(purpose)
		tr.Append("x", nil)
		note(purpose+" challenge", tr.Challenge("").Bytes())
		tr = New(purpose)
		tr.Append("x", nil)
		d := tr.Digest("")
		note(purpose+" digest", d[:])
	}
}

func TestStreamContinues(t *testing.T) {
	long := make([]byte, 1000)
	io.ReadFull(XOF("p", []byte("x")), long)
	short := XOF("p", []byte("x"))
	var got []byte
	for n := 1; len(got) < len(long); n++ {
		b := make([]byte, min(n, len(long)-len(got)))
		io.ReadFull(short, b)
		got = append(got, b...)
	}
	if !bytes.Equal(got, long) {
		t.Error("reading in pieces gives other bytes")
	}
}

// message is one call on a transcript, comparable to others.
type message struct {
	kind        int
	label, data string
}

var drawMessage = rapid.Custom(func(t *rapid.T) message {
	m := message{rapid.IntRange(0, 5).Draw(t, "kind"), rapid.StringMatching(`[ab]{0,2}`).Draw(t, "label"), ""}
	if m.kind < 4 {
		m.data = rapid.StringMatching(`[ab]{0,2}`).Draw(t, "data")
	}
	return m
})

// apply makes the call. A letter stands for an element, a scalar or a number.
func (m message) apply(t *Transcript) {
	var elements []*group.Element
	var scalars []*group.Scalar
	var number uint64
	for _, c := range m.data {
		s := group.ScalarFromUint64(uint64(c))
		scalars = append(scalars, s)
		elements = append(elements, group.BaseMul(s))
		number = number<<8 | uint64(c)
	}
	switch m.kind {
	case 0:
		t.Append(m.label, []byte(m.data))
	case 1:
		t.AppendElements(m.label, elements...)
	case 2:
		t.AppendScalars(m.label, scalars...)
	case 3:
		t.AppendUint64(m.label, number)
	case 4:
		t.Challenge(m.label)
	case 5:
		t.Digest(m.label)
	}
}

// Two transcripts give one challenge only if they say the same.
func TestTranscriptsAreUnambiguous(t *testing.T) {
	messages := rapid.SliceOfN(drawMessage, 0, 3)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := messages.Draw(rt, "a"), messages.Draw(rt, "b")
		if rapid.Bool().Draw(rt, "near") {
			b = append([]message(nil), a...)
			if len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(rt, "at")] = drawMessage.Draw(rt, "instead")
			}
		}
		ta, tb := New("p"), New("p")
		same := len(a) == len(b)
		for i, m := range a {
			m.apply(ta)
			same = same && i < len(b) && m == b[i]
		}
		for _, m := range b {
			m.apply(tb)
		}
		if ta.Challenge("c").Equal(tb.Challenge("c")) != same {
			rt.Fatalf("%v and %v", a, b)
		}
		if (ta.Digest("d") == tb.Digest("d")) != same {
			rt.Fatalf("%v and %v after a challenge", a, b)
		}
	})
}

// An element is not its bytes, nor two elements one of their lengths.
func TestKindsOfMessageAreApart(t *testing.T) {
	one := group.ScalarFromUint64(1)
	calls := map[string]func(*Transcript){
		"bytes of element":  func(t *Transcript) { t.Append("x", group.Base().Bytes()) },
		"element":           func(t *Transcript) { t.AppendElements("x", group.Base()) },
		"element, element":  func(t *Transcript) { t.AppendElements("x", group.Base(), group.Base()) },
		"element; element":  func(t *Transcript) { t.AppendElements("x", group.Base()); t.AppendElements("x", group.Base()) },
		"no element":        func(t *Transcript) { t.AppendElements("x") },
		"bytes of scalar":   func(t *Transcript) { t.Append("x", one.Bytes()) },
		"scalar":            func(t *Transcript) { t.AppendScalars("x", one) },
		"no scalar":         func(t *Transcript) { t.AppendScalars("x") },
		"number":            func(t *Transcript) { t.AppendUint64("x", 1) },
		"bytes of number":   func(t *Transcript) { t.Append("x", []byte{0, 0, 0, 0, 0, 0, 0, 1}) },
		"challenge":         func(t *Transcript) { t.Challenge("x") },
		"digest":            func(t *Transcript) { t.Digest("x") },
		"nothing":           func(*Transcript) {},
		"empty":             func(t *Transcript) { t.Append("x", nil) },
		"label with kind":   func(t *Transcript) { t.Append("bx", nil) },
		"label inside data": func(t *Transcript) { t.Append("", []byte("x")) },
	}
	seen := map[string]string{}
	for name, call := range calls {
		tr := New("p")
		call(tr)
		key := string(tr.Challenge("c").Bytes())
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s give one challenge", name, other)
		}
		seen[key] = name
	}
}

func TestChallengesInARowDiffer(t *testing.T) {
	tr := New("p")
	a, b := tr.Challenge("c"), tr.Challenge("c")
	if a.Equal(b) {
		t.Error("the challenge is not absorbed")
	}
	first, second := tr.Digest("d"), tr.Digest("d")
	if first == second {
		t.Error("the digest is not absorbed")
	}
}

func TestTranscriptIsPinned(t *testing.T) {
	tr := New("test")
	tr.Append("bytes", []byte{1, 2, 3})
	tr.AppendElements("elements", group.Identity(), group.Base())
	tr.AppendScalars("scalars", group.ScalarFromUint64(5))
	tr.AppendUint64("number", 6)
	c, d := tr.Challenge("c"), tr.Digest("d")
	const wantC = "67f60e744f4605208ca70746efb2a0f8afb68c07b47b32acc66a41e975c0f606"
	const wantD = "32707f8b61336255ca4461ce1c31820b924296bb96c10dae308d2111573e073b"
	if hex.EncodeToString(c.Bytes()) != wantC || hex.EncodeToString(d[:]) != wantD {
		t.Errorf("%x\n%x", c.Bytes(), d)
	}
}

func TestDerivedElementsArePinned(t *testing.T) {
	const want = "e8f9219c0f140a2a32c034bbd9ec870767381f0e9d25dc4c3d57ad01ea994043"
	if got := hex.EncodeToString(HashToElement("test", []byte("a")).Bytes()); got != want {
		t.Error(got)
	}
	const wantS = "b76c61d2a5ecd9db0e3ff6567968cae52354ba4dc9818dec5de49646127a0702"
	if got := hex.EncodeToString(HashToScalar("test", []byte("a")).Bytes()); got != wantS {
		t.Error(got)
	}
}
