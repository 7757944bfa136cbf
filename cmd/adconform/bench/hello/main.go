// Command hello sends one request and ends: the least that a Go program which
// speaks HTTP takes to start.
package main

import (
	"net/http"
	"os"
)

func main() {
	if answer, err := http.Get(os.Args[1]); err == nil {
		answer.Body.Close()
	}
}
