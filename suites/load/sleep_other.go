//go:build !linux

package load

import "time"

// doze waits for a short time.
func doze(d time.Duration) { time.Sleep(d) }
