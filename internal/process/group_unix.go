//go:build unix

// Package process starts programs that can be ended with all that they have started.
package process

import (
	"os/exec"
	"syscall"
)

// Group gives a command that is not started yet a process group of its own, so that its
// context ends what it starts too.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return Kill(cmd) }
}

// Terminate asks a started command and what it has started to end.
func Terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends them.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Shell is a command that a shell runs.
func Shell(command string) []string { return []string{"/bin/sh", "-c", command} }
