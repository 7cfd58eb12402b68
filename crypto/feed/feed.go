// Package feed is the signed log that a game is: entries that say which place
// they are for, rounds of entries chained by hash, and the evidence that two
// entries for one place are. It knows no rule of any game: bodies are opaque.
//
// A log is a sequence of rounds. In each, some seats owe one entry; what they
// owe follows from the rounds before. A round closes when all of them have
// spoken, and its hash is over the entries in seat order, so the order of
// arrival never matters and every peer computes the same chain.
//
// Most callers seal with Seal, hand everything that arrives to Log.Offer, and
// call Log.Close when Log.Complete says so. Nothing here reads a clock, a
// socket or a file.
package feed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"alibi/crypto/identity"
	"alibi/crypto/transcript"
)

// Version of the entry encoding. An entry with another is refused.
const Version = 1

// Sizes in bytes. MaxEntry bounds a signed entry; the largest honest one, three
// shuffles of a classic deck or a deal for six, is under 8 KiB.
const (
	MaxEntry   = 64 << 10
	signedBase = identity.SignatureSize
)

// Hash is a 32-byte tuple hash (crypto/transcript).
type Hash [32]byte

// Entry is what a seat says in one round. Its encoding is the CBOR array
// [version, game, round, seat, prev, kind, body], RFC 8949 section 4.2.1 core
// deterministic. A field is never added or removed within a version; what
// varies lives in Body.
type Entry struct {
	_       struct{} `cbor:",toarray"`
	Version uint64
	Game    Hash   // table hash in rounds 0 and 1, game id from round 2 on
	Round   uint32 // counted from 0
	Seat    uint8
	Prev    Hash // hash of everything before this round
	Kind    uint8
	Body    []byte
}

// Signed is an entry with its seat's signature. Its wire form is the 64-byte
// Ed25519 signature followed by the entry.
type Signed struct {
	Entry
	raw    []byte
	ballot Ballot // of an entry of kind KindBallot
}

// Raw returns the wire form. The caller must not change it.
func (s *Signed) Raw() []byte { return s.raw }

// Signature returns the 64 bytes of the signature.
func (s *Signed) Signature() []byte { return s.raw[:signedBase] }

// Content returns the encoded entry, which the signature is over.
func (s *Signed) Content() []byte { return s.raw[signedBase:] }

// Errors of Decode. What they refuse cannot be attributed to a seat.
var (
	ErrTooLong   = errors.New("feed: entry is too long")
	ErrTooShort  = errors.New("feed: entry is too short")
	ErrEncoding  = errors.New("feed: entry is not in deterministic encoding")
	ErrVersion   = errors.New("feed: entry has another version")
	ErrSignature = errors.New("feed: signature does not verify")
)

var (
	encoder = mustEncoder()
	decoder = mustDecoder()
)

func mustEncoder() cbor.EncMode {
	options := cbor.CoreDetEncOptions()
	options.NilContainers = cbor.NilContainerAsEmpty // so that an empty list has one encoding
	mode, err := options.EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

func mustDecoder() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		MaxNestedLevels:   8,
		MaxArrayElements:  256,
		MaxMapPairs:       64,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

// Marshal encodes v in the deterministic CBOR that all of Alibi uses.
func Marshal(v any) ([]byte, error) { return encoder.Marshal(v) }

// Unmarshal decodes b into v and refuses every encoding but the one that
// Marshal makes of the result: unknown, repeated, trailing, over-long,
// indefinite and non-minimal items, and byte strings of another length than
// the array they are for. On an error v holds no usable value.
func Unmarshal(b []byte, v any) error {
	if err := decoder.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	again, err := encoder.Marshal(v)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if !bytes.Equal(again, b) {
		return ErrEncoding
	}
	return nil
}

// Seal encodes and signs an entry.
func Seal(key identity.Key, e Entry) (*Signed, error) {
	e.Version = Version
	if e.Body == nil {
		e.Body = []byte{}
	}
	content, err := encoder.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("feed: encoding an entry: %w", err)
	}
	if signedBase+len(content) > MaxEntry {
		return nil, ErrTooLong
	}
	s := &Signed{Entry: e}
	if err := s.readBallot(); err != nil {
		return nil, err
	}
	sig := key.Sign(signPurpose, content)
	s.raw = append(sig[:], content...)
	return s, nil
}

func (s *Signed) readBallot() (err error) {
	if s.Kind == KindBallot {
		s.ballot, err = ParseBallot(s.Body)
	}
	return err
}

// Decode reads a signed entry strictly. It does not check the signature: that
// needs the seat's identity (Signed.Verify).
func Decode(raw []byte) (*Signed, error) {
	if len(raw) > MaxEntry {
		return nil, ErrTooLong
	}
	if len(raw) <= signedBase {
		return nil, ErrTooShort
	}
	s := &Signed{raw: bytes.Clone(raw)}
	if err := Unmarshal(s.Content(), &s.Entry); err != nil {
		return nil, err
	}
	if s.Version != Version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, s.Version)
	}
	if err := s.readBallot(); err != nil {
		return nil, err
	}
	return s, nil
}

// Verify checks the signature against the seat's identity.
func (s *Signed) Verify(id identity.ID) error {
	if !id.Verify(signPurpose, s.Content(), s.Signature()) {
		return ErrSignature
	}
	return nil
}

const signPurpose = "entry"

// Next is the hash of everything up to and with a closed round: of the hash
// before it, its number and its entries in seat order. Signatures are left
// out: their signer could make a second one for the same words, and peers that
// hold different ones would disagree.
func Next(prev Hash, round uint32, entries []*Signed) Hash {
	parts := make([][]byte, 0, 2+len(entries))
	parts = append(parts, prev[:], binary.BigEndian.AppendUint32(nil, round))
	for _, e := range entries {
		parts = append(parts, e.Content())
	}
	return transcript.Hash("round", parts...)
}
