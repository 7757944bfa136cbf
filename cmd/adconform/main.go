// Command adconform tests an implementation of the interface against its
// contract, and serves a reference implementation of it.
package main

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// net/http logs surplus bytes of a response, in which a target may echo a key.
	log.SetOutput(io.Discard)
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	a := &app{stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv, interrupts: interrupts, exit: os.Exit}
	os.Exit(a.run(os.Args[1:]))
}
