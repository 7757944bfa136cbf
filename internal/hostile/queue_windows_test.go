package hostile

import "syscall"

// shortenQueue gives a listener the shortest queue of connections.
func shortenQueue(fd uintptr) error { return syscall.Listen(syscall.Handle(fd), 0) }
