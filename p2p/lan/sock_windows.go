package lan

import "golang.org/x/sys/windows"

// shareAddress lets other programs and processes use the port as well.
func shareAddress(fd uintptr) error {
	return windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_REUSEADDR, 1)
}

// ownGroupsOnly has nothing to do here: Windows looks at each socket's own
// memberships.
func ownGroupsOnly(uintptr, bool) {}
