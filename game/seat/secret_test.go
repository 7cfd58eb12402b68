package seat_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/internal/parlour"
	"alibi/game/seat"
)

func drawn(t testing.TB, seed string) *seat.Secret {
	t.Helper()
	s, err := seat.Draw(parlour.Rand(seed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// prints reports whether text holds any four bytes in a row of the secret, in
// a form that fmt or an encoder gives them.
func prints(text string, secret []byte) string {
	lower := strings.ToLower(text)
	for i := 0; i+4 <= len(secret); i += 4 {
		b := secret[i : i+4]
		for _, form := range []string{
			string(b), hex.EncodeToString(b), fmt.Sprintf("% x", b), fmt.Sprintf("%#x", b), fmt.Sprint(b)[1 : len(fmt.Sprint(b))-1],
			strings.Trim(fmt.Sprintf("%#v", b), "[]byte{}"), strings.Trim(fmt.Sprintf("%o", b), "[]"), strings.Trim(fmt.Sprintf("%b", b), "[]"),
			strings.ToLower(base64.StdEncoding.EncodeToString(secret[i/3*3 : i/3*3+3])),
		} {
			if len(form) >= 4 && strings.Contains(lower, strings.ToLower(form)) {
				return form
			}
		}
	}
	return ""
}

// The test's own eyes: what it looks for is found where it is.
func TestPrintsSees(t *testing.T) {
	secret := drawn(t, "eyes").Bytes()
	for _, format := range []string{"%v", "%d", "%x", "%X", "% x", "%#v", "%s", "%o", "%b"} {
		if prints(fmt.Sprintf(format, secret), secret) == "" {
			t.Errorf("%s is not seen", format)
		}
	}
	if found := prints("seat.Secret nothing to see", secret); found != "" {
		t.Errorf("seen where it is not: %q", found)
	}
}

// No verb, flag, wrapping value, error or encoder shows a byte of a secret.
func TestSecretNeverPrints(t *testing.T) {
	s := drawn(t, "never")
	inside := struct {
		Name    string
		Pointer *seat.Secret
		Value   seat.Secret
		hidden  *seat.Secret
		within  seat.Secret
	}{"x", s, *s, s, *s}
	values := map[string]any{
		"pointer": s, "value": *s, "inside": inside, "pointer to inside": &inside,
		"slice": []*seat.Secret{s}, "values": []seat.Secret{*s}, "map": map[string]seat.Secret{"k": *s},
		"interface": []any{s, *s}, "seat": seat.New(s, 1, parlour.Rand("r")), "seat value": *seat.New(s, 1, parlour.Rand("r")),
		"error": fmt.Errorf("trouble with %v, %d: %w", s, *s, errors.New("none")),
	}
	for name, v := range values {
		for _, verb := range "vTtbcdoOxXUeEfFgGsqpw" {
			for _, flag := range []string{"", "+", "#", "-", " ", "0", "+#", "# ", "200", ".50"} {
				text := fmt.Sprintf("%"+flag+string(verb), v)
				if found := prints(text, s.Bytes()); found != "" {
					t.Errorf("%%%s%c of %s prints %q", flag, verb, name, found)
				}
			}
		}
		for _, text := range []string{fmt.Sprint(v), fmt.Sprintln(v)} {
			if found := prints(text, s.Bytes()); found != "" {
				t.Errorf("%s prints %q", name, found)
			}
		}
		if b, err := json.Marshal(v); err == nil {
			if found := prints(string(b), s.Bytes()); found != "" {
				t.Errorf("%s marshals to %q", name, found)
			}
		}
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "secret", v)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "secret", v)
		if found := prints(b.String(), s.Bytes()); found != "" {
			t.Errorf("%s is logged as %q", name, found)
		}
	}
}

func TestSecretRoundTrip(t *testing.T) {
	s := drawn(t, "round trip")
	b := s.Bytes()
	if len(b) != seat.SecretSize {
		t.Fatalf("%d bytes", len(b))
	}
	again, err := seat.ParseSecret(b)
	if err != nil || !bytes.Equal(again.Bytes(), b) {
		t.Fatal(err)
	}
	id := identity.ID{1}
	if again.Commitment(id, 4, 0) != s.Commitment(id, 4, 0) {
		t.Error("another commitment")
	}
}

func TestParseSecretRefuses(t *testing.T) {
	good := drawn(t, "refuses").Bytes()
	with := func(at int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], b)
		return out
	}
	over := bytes.Repeat([]byte{0xff}, 32)
	for name, b := range map[string][]byte{
		"nothing": nil, "short": good[:127], "long": append(bytes.Clone(good), 0), "zeros": make([]byte, 128),
		"seat key out of range": with(64, over...), "lock key out of range": with(96, over...),
		"no seat key": with(64, make([]byte, 32)...), "no lock key": with(96, make([]byte, 32)...),
	} {
		s, err := seat.ParseSecret(b)
		if err == nil || s != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if found := prints(err.Error(), good); found != "" {
			t.Errorf("%s: the error prints %q", name, found)
		}
	}
}

// Secrets drawn one after the other have nothing in common, and every byte of
// one counts for the commitment but the seed of the salts.
func TestSecretsDiffer(t *testing.T) {
	rand := parlour.Rand("differ")
	seen := map[string]bool{}
	for range 20 {
		s, err := seat.Draw(rand)
		if err != nil {
			t.Fatal(err)
		}
		b := s.Bytes()
		for _, part := range [][]byte{b[:32], b[32:64], b[64:96], b[96:]} {
			if seen[string(part)] {
				t.Error("a part was drawn twice")
			}
			seen[string(part)] = true
		}
	}
	id := identity.ID{1}
	base := drawn(t, "commitment")
	commitments := map[feed.Hash]bool{base.Commitment(id, 4, 0): true, base.Commitment(identity.ID{2}, 4, 0): true}
	for _, at := range []int{0, 31, 64, 95, 96, 127} {
		b := base.Bytes()
		b[at] ^= 1
		s, err := seat.ParseSecret(b)
		if err != nil {
			t.Fatal(err)
		}
		commitments[s.Commitment(id, 4, 0)] = true
	}
	if len(commitments) != 8 {
		t.Errorf("%d different commitments, want 8", len(commitments))
	}
}

func TestDrawReportsItsSource(t *testing.T) {
	for n := range 6 {
		source := io.MultiReader(io.LimitReader(parlour.Rand("short"), int64(n*31)), iotest.ErrReader(io.ErrClosedPipe))
		if s, err := seat.Draw(source); !errors.Is(err, io.ErrClosedPipe) || s != nil {
			t.Errorf("%d bytes: %v", n*31, err)
		}
	}
}
