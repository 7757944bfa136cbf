//go:build unix

package hostile

import "syscall"

// shortenQueue gives a listener the shortest queue of connections.
func shortenQueue(fd uintptr) error { return syscall.Listen(int(fd), 0) }
