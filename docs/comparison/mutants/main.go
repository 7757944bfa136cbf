// Command mutants builds adconform with a sample of the mutants of the reference's source
// that break the contract, and lists them.
//
//	mutants N PATH    N of them, in a program at PATH that serves one: that whose number is in ADCONFORM_MUTANT
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"

	"github.com/adconform/adconform/internal/mutants"
)

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("want how many, and a path for the program")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return fmt.Errorf("want how many as a number from 1, not %q", args[0])
	}
	root, err := mutants.Root()
	if err != nil {
		return err
	}
	drawn, err := mutants.Draw(ctx, root, args[1], n)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(drawn)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
