package transcript

import (
	"crypto/sha3"
	"io"
	"math/bits"
)

// tuple is TupleHash256 in the making (SP 800-185, section 5): cSHAKE256 over
// encode_string of every member, closed by right_encode of the output length.
type tuple struct{ h *sha3.SHAKE }

func newTuple(customisation string) tuple {
	return tuple{sha3.NewCSHAKE256([]byte("TupleHash"), []byte(customisation))}
}

// add absorbs encode_string(b) = left_encode(bits of b) || b.
func (t tuple) add(b []byte) {
	var buf [9]byte
	t.h.Write(leftEncode(&buf, uint64(len(b))*8))
	t.h.Write(b)
}

// sum closes the tuple for len(out) bytes and fills out. The tuple is spent.
func (t tuple) sum(out []byte) {
	var buf [9]byte
	t.h.Write(rightEncode(&buf, uint64(len(out))*8))
	t.h.Read(out)
}

// stream closes the tuple for output of any length (TupleHashXOF256, section
// 5.3.1). The tuple is spent.
func (t tuple) stream() io.Reader {
	var buf [9]byte
	t.h.Write(rightEncode(&buf, 0))
	return t.h
}

// leftEncode is the shortest big-endian form of n, at least one byte, after
// its own length (SP 800-185, section 2.3.1).
func leftEncode(buf *[9]byte, n uint64) []byte {
	size := putShortest(buf[1:], n)
	buf[0] = byte(size)
	return buf[:1+size]
}

// rightEncode is the same with the length behind.
func rightEncode(buf *[9]byte, n uint64) []byte {
	size := putShortest(buf[:], n)
	buf[size] = byte(size)
	return buf[:size+1]
}

func putShortest(b []byte, n uint64) int {
	size := max(1, (bits.Len64(n)+7)/8)
	for i := size - 1; i >= 0; i-- {
		b[i] = byte(n)
		n >>= 8
	}
	return size
}
