//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is what this process has used so far. It is a better measure of
// what something costs than the clock on a machine that does other things too.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
