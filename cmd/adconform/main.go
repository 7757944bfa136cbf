// Command adconform tests an implementation of the interface against its
// contract, and serves a reference implementation of it.
package main

import (
	"io"
	"log"
	"os"
)

func main() {
	// net/http logs surplus bytes of a response, in which a target may echo a key.
	log.SetOutput(io.Discard)
	interrupts := make(chan os.Signal, 2)
	Listen(interrupts)
	a := &app{listen: func() { Listen(interrupts) }, Terminal: Terminal{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv, Interrupts: interrupts, Exit: os.Exit,
	}}
	os.Exit(a.run(os.Args[1:]))
}
