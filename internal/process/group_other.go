//go:build !unix

// Package process starts programs that can be ended with all that they have started.
package process

import (
	"os/exec"
	"strconv"
)

// Group lets the context of a command that is not started yet end what it starts too.
func Group(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return Kill(cmd) }
}

// Terminate ends a started command and what it has started: they cannot be asked to.
func Terminate(cmd *exec.Cmd) error { return Kill(cmd) }

// Kill ends them.
func Kill(cmd *exec.Cmd) error {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// Shell is a command that a shell runs.
func Shell(command string) []string { return []string{"cmd", "/C", command} }
