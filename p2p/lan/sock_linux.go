package lan

import "golang.org/x/sys/unix"

// shareAddress lets other programs and processes use the port as well.
func shareAddress(fd uintptr) error {
	return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
}

// ownGroupsOnly stops the kernel from delivering what arrives for groups that
// other sockets joined on other interfaces. Kernels before 4.20 do not know the
// option for IPv6; the packets are then heard twice, which does no harm.
func ownGroupsOnly(fd uintptr, six bool) {
	if six {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_ALL, 0)
		return
	}
	_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0)
}
