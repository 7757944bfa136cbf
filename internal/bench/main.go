// Command bench measures adconform against what is measured beside it in the same
// run: a bare loop that sends the same requests, one lane, a program that does
// nothing else. `make bench` prints it, `make performance` writes
// docs/performance.md. What was measured "before" is this program's output in a
// worktree of that commit, with -json docs/performance-before.json.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"
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
	{"costs", measureCosts},
}

// options are what the command line says.
type options struct {
	part, json string
	rounds     int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.part, "part", "", "measure this part only and print its figures: "+partNames())
	flag.IntVar(&o.rounds, "rounds", 11, "how often each figure is measured, where a round is short")
	flag.StringVar(&o.json, "json", "", "write the results to this `file` (docs/performance.json)")
	flag.StringVar(&profileFile, "cpuprofile", "", "keep the CPU profile of -part costs in this `file`")
	serving := flag.Bool("serve", false, "serve the reference on a free port, for the parts")
	flag.Parse()
	err := o.check(flag.Args())
	switch {
	case err != nil:
	case *serving:
		err = serve(ctx)
	case o.part != "":
		err = measurePart(ctx, o)
	default:
		err = measureAll(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o options) check(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("%q is too much: there are flags only, see -help", args[0])
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case profileFile != "" && o.part != "costs":
		return errors.New("-cpuprofile keeps the profile of -part costs: give both")
	case o.json != "" && o.part != "":
		return errors.New("-json takes the results of all parts: leave -part out")
	}
	return nil
}

func partNames() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// measurePart prints the figures of one part as JSON.
func measurePart(ctx context.Context, o options) error {
	for _, p := range parts {
		if p.name != o.part {
			continue
		}
		figures, err := p.measure(ctx, o.rounds)
		if err != nil {
			return err
		}
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(figures)
	}
	return fmt.Errorf("-part %s: there are %s", o.part, partNames())
}

// measureAll runs each part in a process of its own, and prints what they found.
func measureAll(ctx context.Context, o options) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	all := &Results{Commit: commit(ctx), Machine: thisMachine(), Figures: Figures{}}
	if l := all.Machine.Load; l >= tooBusy {
		fmt.Fprintf(os.Stderr, "bench: the machine is busy (a load of %.1f for each core): figures of the clock will be off\n", l)
	}
	for _, p := range parts {
		start := time.Now()
		cmd := exec.CommandContext(ctx, program, "-part", p.name, "-rounds", strconv.Itoa(o.rounds))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		figures := Figures{}
		if err := json.NewDecoder(bytes.NewReader(out)).Decode(&figures); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		maps.Copy(all.Figures, figures)
		fmt.Fprintf(os.Stderr, "bench: %s measured in %.0f s\n", p.name, time.Since(start).Seconds())
	}
	if o.json != "" {
		if err := all.write(o.json); err != nil {
			return err
		}
	}
	return writeTables(os.Stdout, nil, all)
}
