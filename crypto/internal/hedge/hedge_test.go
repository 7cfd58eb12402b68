package hedge

import (
	"bytes"
	"testing"

	"alibi/crypto/group"
)

type constant byte

func (c constant) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte{byte(c)}, len(b)))
	return len(b), nil
}

// Each input alone changes the stream: randomness, purpose, secrets, statement
// and where one part of it ends.
func TestEveryInputChangesTheStream(t *testing.T) {
	one, two := group.ScalarFromUint64(1), group.ScalarFromUint64(2)
	type input struct {
		purpose   string
		rand      constant
		secrets   []*group.Scalar
		statement [][]byte
	}
	inputs := []input{
		{"a", 0, []*group.Scalar{one}, [][]byte{[]byte("xy")}},
		{"b", 0, []*group.Scalar{one}, [][]byte{[]byte("xy")}},
		{"a", 1, []*group.Scalar{one}, [][]byte{[]byte("xy")}},
		{"a", 0, []*group.Scalar{two}, [][]byte{[]byte("xy")}},
		{"a", 0, []*group.Scalar{one, one}, [][]byte{[]byte("xy")}},
		{"a", 0, nil, [][]byte{[]byte("xy")}},
		{"a", 0, []*group.Scalar{one}, [][]byte{[]byte("xz")}},
		{"a", 0, []*group.Scalar{one}, [][]byte{[]byte("x"), []byte("y")}},
		{"a", 0, []*group.Scalar{one}, nil},
	}
	seen := make(map[string]int)
	for i, in := range inputs {
		s, err := New(in.purpose, in.rand, in.secrets, in.statement...)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.Scalars(3) {
			if j, ok := seen[string(k.Bytes())]; ok {
				t.Errorf("inputs %d and %d share a scalar", i, j)
			}
			seen[string(k.Bytes())] = i
		}
	}
}

func TestSameInputsSameStream(t *testing.T) {
	a, err := New("a", constant(3), nil, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := New("a", constant(3), nil, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if !a.Scalar().Equal(b.Scalar()) {
			t.Error("the stream is not determined by its inputs")
		}
	}
}

func TestShortRandomness(t *testing.T) {
	if _, err := New("a", bytes.NewReader(make([]byte, 31)), nil); err == nil {
		t.Error("31 bytes are enough")
	}
}
