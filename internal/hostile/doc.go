// Package hostile runs the program against hostile servers, and measures what that
// costs: each run has to end, within memory, with a verdict that names what the server
// did, with reports that any reader can open, and without a key in anything that is
// left behind. `make hostile` prints a line for each; `go test -run 'Hostile/gzip'`
// picks some. `go test -short` tries one of each kind.
package hostile
