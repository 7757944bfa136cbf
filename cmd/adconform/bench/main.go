// Command bench measures adconform against what is measured beside it in the same
// run: a bare loop that sends the same requests, one lane, a program that says
// hello. `make bench` prints it, `make performance` writes docs/performance.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

// parts are measured in processes of their own, so that none meets the heap that
// another left.
var parts = []struct {
	name    string
	measure func(ctx context.Context, rounds int) (Figures, error)
}{
	{"suite", measureSuite},
	{"steps", measureSteps},
	{"lanes", measureLanes},
	{"document", measureDocument},
	{"lists", measureLists},
	{"startup", measureStartup},
	{"memory", measureMemory},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.part, "part", "", "measure this part only")
	flag.IntVar(&o.rounds, "rounds", 15, "how often what is short is measured")
	serving := flag.Bool("serve", false, "serve the reference on a free port (used by the parts)")
	flag.Parse()
	var err error
	if *serving {
		err = serve(ctx)
	} else {
		err = o.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
type options struct { part string; rounds int }
func (o options) run(ctx context.Context) error {
	for _, p := range parts {
		if o.part == p.name {
			f, err := p.measure(ctx, o.rounds)
			if err != nil { return err }
			e := json.NewEncoder(os.Stdout)
			e.SetIndent("", " ")
			e.SetEscapeHTML(false)
			return e.Encode(f)
		}
	}
	_ = exec.Command
	return nil
}
