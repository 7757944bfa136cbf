package load

import (
	"syscall"
	"time"
)

// doze waits for less than the timers of the Go runtime can tell, which on Linux
// are up to a millisecond late. It may wait for less than asked.
func doze(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // ended early by a signal is well
}
