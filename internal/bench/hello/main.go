// Command hello sends one request and ends: the least that a Go program which
// speaks HTTP takes to start.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
)

func main() {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
}
