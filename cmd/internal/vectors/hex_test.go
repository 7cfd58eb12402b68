package vectors_test

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// lines writes a block of bytes with a remark behind each line.
type lines struct{ strings.Builder }

const (
	perLine = 32
	column  = 66
)

func (l *lines) put(b []byte, remark string) {
	text := hex.EncodeToString(b)
	if remark == "" {
		fmt.Fprintf(l, "%s\n", text)
		return
	}
	fmt.Fprintf(l, "%-*s# %s\n", column, text, remark)
}

// wrapped writes b over as many lines as it needs, the remark on the first.
func (l *lines) wrapped(b []byte, remark string) {
	for len(b) > perLine {
		l.put(b[:perLine], remark)
		b, remark = b[perLine:], ""
	}
	l.put(b, remark)
}

// nested marks the name of a byte string that is CBOR itself.
const nested = ">"

// cbor writes one item of deterministic CBOR, which must fill b, and takes the
// name of each item it contains, itself first, from names.
func (l *lines) cbor(b []byte, names ...string) {
	rest, left := l.item(b, names)
	if len(rest) > 0 || len(left) > 0 {
		panic(fmt.Sprintf("%d bytes and names %q are left over", len(rest), left))
	}
}

func (l *lines) item(b []byte, names []string) (rest []byte, left []string) {
	name, names := names[0], names[1:]
	head, n := headOf(b)
	switch major := b[0] >> 5; major {
	case 2, 3:
		content := b[head : head+n]
		switch {
		case strings.HasSuffix(name, nested):
			l.put(b[:head], fmt.Sprintf("%s: byte string of %d", strings.TrimSuffix(name, nested), n))
			_, names = l.item(content, names)
		case n == 0:
			l.put(b[:head], name+": empty byte string")
		case major == 3:
			l.put(b[:head+n], fmt.Sprintf("%s: %q", name, content))
		default:
			l.put(b[:head], fmt.Sprintf("%s: byte string of %d", name, n))
			l.wrapped(content, "")
		}
		return b[head+n:], names
	case 4:
		l.put(b[:head], fmt.Sprintf("%s: array of %d", name, n))
		b = b[head:]
		for range n {
			b, names = l.item(b, names)
		}
		return b, names
	case 0:
		l.put(b[:head], fmt.Sprintf("%s: %d", name, n))
	default:
		l.put(b[:head], fmt.Sprintf("%s: %v", name, b[0] == 0xf5))
	}
	return b[head:], names
}

// headOf returns the length of an item's head and its argument.
func headOf(b []byte) (head, n int) {
	n = int(b[0] & 31)
	if n < 24 {
		return 1, n
	}
	head = 1 + 1<<(n-24)
	n = 0
	for _, c := range b[1:head] {
		n = n<<8 | int(c)
	}
	return head, n
}
