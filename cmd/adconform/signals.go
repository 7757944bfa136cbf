package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// listen makes interrupts come to a channel: those of a key, of a CI system, and
// that of a terminal that is closed, unless nohup keeps it away.
func listen(interrupts chan<- os.Signal) {
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(interrupts, syscall.SIGHUP)
	}
}

// ignoreBrokenPipe lets a run go on when nobody reads its output any more, as in
// adconform run 2>&1 | head: the signal would end it with the target's objects
// changed. It is caught and not ignored, as programs that we start would inherit
// that.
func ignoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// brokenPipe says whether an error only means that nobody reads the output.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
