// Package wire is what two peers say to each other: frames on one long-lived
// stream, and the messages in them.
//
// A frame is a length (unsigned LEB128, minimal) and that many bytes: one byte
// for the kind of message, then the message in deterministic CBOR (or, for an
// entry of a game, its signed bytes as they are). The length is compared with
// the limit before anything is allocated, and everything a message holds is
// bounded when it is decoded, so a caller may rely on what it gets.
//
// Most callers want NewStream, Stream.Send and Stream.Receive. Any error ends
// a stream: the caller closes it and, if it still wants to talk, dials again.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"alibi/crypto/feed"
)

// Limits of one frame's content in bytes, by protocol.
const (
	LobbyLimit = 16 << 10
	GameLimit  = feed.MaxEntry + 1
)

// Errors of frames. None of them can be recovered from.
var (
	ErrTooLong = errors.New("wire: frame is too long")
	ErrFrame   = errors.New("wire: frame has no proper length")
	ErrMessage = errors.New("wire: message refused")
)

// maxPrefix is the longest length prefix, for lengths under 2^21.
const maxPrefix = 3

// ReadFrame reads one frame of 1 to limit bytes. The result is fresh memory.
func ReadFrame(r *bufio.Reader, limit int) ([]byte, error) {
	n, err := readLength(r)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, ErrFrame
	}
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLong, n, limit)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

func readLength(r *bufio.Reader) (int, error) {
	n := 0
	for i := range maxPrefix {
		c, err := r.ReadByte()
		if err != nil {
			if i > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		n |= int(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, ErrFrame // a shorter prefix would do
			}
			return n, nil
		}
	}
	return 0, ErrTooLong
}

// AppendFrame appends a frame with the given content to b.
func AppendFrame(b, content []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

// Pipe is the stream below: a libp2p stream, or a net.Conn in tests.
type Pipe interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Stream sends and receives messages. One goroutine may send while another
// receives.
type Stream struct {
	pipe   Pipe
	reader *bufio.Reader
	limit  int
	decode func([]byte) (Message, error)
}

// NewLobbyStream speaks the lobby's messages over p, NewGameStream a game's.
func NewLobbyStream(p Pipe) *Stream { return newStream(p, LobbyLimit, DecodeLobby) }

// NewGameStream speaks a game's messages over p.
func NewGameStream(p Pipe) *Stream { return newStream(p, GameLimit, DecodeGame) }

func newStream(p Pipe, limit int, decode func([]byte) (Message, error)) *Stream {
	return &Stream{pipe: p, reader: bufio.NewReaderSize(p, 4<<10), limit: limit, decode: decode}
}

// Send writes one message, within the time given.
func (s *Stream) Send(m Message, within time.Duration) error {
	content, err := Encode(m)
	if err != nil {
		return err
	}
	if len(content) > s.limit {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLong, len(content), s.limit)
	}
	if err := s.pipe.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err = s.pipe.Write(AppendFrame(make([]byte, 0, maxPrefix+len(content)), content))
	return err
}

// Receive reads one message that has to be complete within the time given.
func (s *Stream) Receive(within time.Duration) (Message, error) {
	if err := s.pipe.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	content, err := ReadFrame(s.reader, s.limit)
	if err != nil {
		return nil, err
	}
	return s.decode(content)
}
