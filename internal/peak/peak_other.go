//go:build !linux

package peak

import (
	"os"
	"os/exec"
)

func processID(*exec.Cmd) string { return "" }

func highWater(string) int64 { return 0 }

func atMost(*os.ProcessState) int64 { return 0 }
