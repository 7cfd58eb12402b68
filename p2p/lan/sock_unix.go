//go:build unix && !linux

package lan

import "golang.org/x/sys/unix"

// shareAddress lets other programs and processes use the port as well. The BSDs
// and macOS want both options.
func shareAddress(fd uintptr) error {
	if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
}

// ownGroupsOnly has nothing to do here: these kernels look at each socket's own
// memberships.
func ownGroupsOnly(uintptr, bool) {}
