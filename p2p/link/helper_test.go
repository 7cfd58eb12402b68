package link

import (
	"strconv"
	"testing"

	ma "github.com/multiformats/go-multiaddr"
)

func itoa(n int) string { return strconv.Itoa(n) }

func multiaddrOf(t *testing.T, s string) ma.Multiaddr {
	t.Helper()
	m, err := ma.NewMultiaddr(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
