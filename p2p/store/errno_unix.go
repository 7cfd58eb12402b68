//go:build !windows

package store

import (
	"errors"
	"strings"
	"syscall"
)

var (
	noRoom    = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	noWriting = []syscall.Errno{syscall.EROFS}
)

// isAny reports whether err is one of the numbers. bbolt passes some errors on
// as text only.
func isAny(err error, numbers []syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) || strings.HasSuffix(err.Error(), n.Error()) {
			return true
		}
	}
	return false
}
