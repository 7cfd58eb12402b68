package shuffle

import (
	"encoding/binary"
	"sync"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// generators are the bases of the commitment
//
//	com(v; r) = sum v_i row[i] + r blind
//
// Nobody knows a linear relation between them, since each is hashed to the
// group. That alone makes the commitment binding, so nothing here takes a
// generator from a caller or a peer, and a test pins them byte for byte.
type generators struct {
	blind *group.Element   // H
	row   []*group.Element // H_1..H_n
	tag   [32]byte         // hash of all of them
}

// made keeps the generators already hashed: they are constants that are too
// many to compute before they are needed.
var made struct {
	sync.Mutex
	blind *group.Element
	row   []*group.Element
}

// newGenerators returns the generators for decks of n cards, MinCards <= n <=
// MaxCards.
func newGenerators(n int) generators {
	made.Lock()
	defer made.Unlock()
	if made.blind == nil {
		made.blind = transcript.HashToElement("shuffle/generator", []byte("blind"))
	}
	for i := len(made.row); i < n; i++ {
		var index [8]byte
		binary.BigEndian.PutUint64(index[:], uint64(i)+1)
		made.row = append(made.row, transcript.HashToElement("shuffle/generator", []byte("row"), index[:]))
	}
	g := generators{blind: made.blind, row: made.row[:n:n]}
	all := make([]byte, 0, (n+1)*group.ElementSize)
	all = append(all, g.blind.Bytes()...)
	for _, h := range g.row {
		all = append(all, h.Bytes()...)
	}
	g.tag = transcript.Hash("shuffle/generators", all)
	return g
}

// commit returns sum values_i row[i] + r blind, in constant time. Fewer values
// than generators stand for zeros at the end.
func (g generators) commit(values []*group.Scalar, r *group.Scalar) *group.Element {
	s := make([]*group.Scalar, 0, len(values)+1)
	e := make([]*group.Element, 0, len(values)+1)
	s = append(append(s, values...), r)
	e = append(append(e, g.row[:len(values)]...), g.blind)
	return secretSum(s, e)
}

// piece is how many points one constant-time multiplication takes at most:
// the tables of more would outgrow the cache.
const piece = 128

// secretSum returns sum s_i e_i in constant time.
func secretSum(s []*group.Scalar, e []*group.Element) *group.Element {
	if len(s) <= piece {
		return group.MultiMul(s, e)
	}
	sum := group.MultiMul(s[:piece], e[:piece])
	for from := piece; from < len(s); from += piece {
		to := min(from+piece, len(s))
		sum = sum.Add(group.MultiMul(s[from:to], e[from:to]))
	}
	return sum
}
