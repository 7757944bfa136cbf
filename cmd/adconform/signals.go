package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Listen makes interrupts come to a channel: those of a key, of a CI system, and
// that of a terminal that is closed, unless nohup keeps it away.
func Listen(interrupts chan<- os.Signal) {
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(interrupts, syscall.SIGHUP)
	}
}

// IgnoreBrokenPipe lets a run go on when nobody reads its output any more, as in
// adconform run 2>&1 | head: the signal would end it with the target's objects
// changed. It is caught and not ignored, as programs that we start would inherit
// that.
func IgnoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// BrokenPipe says whether an error only means that nobody reads the output.
func BrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
