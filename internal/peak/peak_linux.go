package peak

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

func processID(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }

// highWater is the peak of the resident set of a running process in bytes, 0 when it
// has ended.
func highWater(pid string) int64 {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 { // other lines do not match
			return kb << 10
		}
	}
	return 0
}

// atMost is the kernel's figure for a process that has ended, in bytes.
func atMost(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
