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
	listen(interrupts)
	a := &app{listen: func() { listen(interrupts) }, terminal: terminal{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv, interrupts: interrupts, exit: exitAtOnce,
	}}
	os.Exit(a.run(os.Args[1:]))
}
