// Command adconform tests an implementation of the interface against its
// contract, and serves a reference implementation of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

func main() {
	// net/http logs surplus bytes of a response, which may echo a key.
	log.SetOutput(io.Discard)
	interrupts := make(chan os.Signal, 2)
	// Ctrl-C, the SIGTERM of a CI system, and the SIGHUP of a closed terminal, which nohup ignores.
	nohup := signal.Ignored(syscall.SIGHUP)
	listen := func() {
		if signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP); nohup {
			signal.Ignore(syscall.SIGHUP)
		}
	}
	listen()
	a := &app{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interrupts: interrupts, Exit: os.Exit,
		Env: os.LookupEnv, Variables: os.Environ(), listen: listen,
	}
	os.Exit(a.run(os.Args[1:]))
}

// app runs command lines in the environment of a process.
type app struct {
	Stdin          io.Reader // nil to ask no questions
	Stdout, Stderr io.Writer
	Env            func(string) (string, bool)
	Variables      []string // NAME or NAME=VALUE of every variable that Env knows
	Interrupts     <-chan os.Signal
	Exit           func(code int) // ends the process at once
	Clock          clock          // paces the lines about progress; nil for that of the system
	listen         func()         // makes Interrupts receive signals again after Ginkgo stopped that; may be nil
}

// run runs a command line and returns the exit code (report.Exit…).
func (a *app) run(args []string) int {
	a.Stdout = wording.InertWriter(a.Stdout)
	a.Stderr = wording.InertWriter(a.Stderr)
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(context.Background())
	if err != nil && !errors.As(err, new(exitCode)) {
		a.clearReport(cmd)
	}
	return a.conclude(err)
}

// clearReport removes the report of an earlier run from the folder that a command was given before it failed, as
// a pipeline could mistake that report for its own. A file that the command names is kept.
func (a *app) clearReport(cmd *cobra.Command) {
	f := cmd.Flags().Lookup("report")
	if f == nil {
		return
	}
	dir := f.Value.String()
	if given, _ := a.Env(variable(f.Name)); !f.Changed {
		dir = given
	}
	render.Clear(dir, cmd.Flags().Args()...)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adconform",
		Short: "Test an implementation of the interface against its contract",
		Long: `adconform sends requests to an implementation of the interface, judges the
answers against the contract, and reports what is wrong and how to reproduce it.

Every flag can also be set by an environment variable: --read-only by
ADCONFORM_READ_ONLY, and the target by ADCONFORM_TARGET. Separate the items of a
list by commas or, in a variable, by line breaks. The command line overrides a
variable, and a variable overrides the target file.

Exit codes: 0 conforming, 1 nonconforming, 2 wrong usage or configuration, 3
inconclusive, 130 interrupted.`,
		Example: `  adconform run                       # the bundled reference
  adconform init                      # writes target.yaml, to be filled in
  adconform run target.yaml           # your implementation`,
		SilenceUsage: true, SilenceErrors: true,
		Args:              cobra.ArbitraryArgs,
		RunE:              unknownCommand,
		PersistentPreRunE: a.readEnvironment,
	}
	root.Version = fmt.Sprintf("%s (%s %s/%s)", engine.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root.SetVersionTemplate("adconform {{.Version}}\n")
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(flagError)
	a.useHelp(root)
	root.SetHelpCommandGroupID(aboutTheSuite)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	examples := map[string]string{
		"help":       "adconform help run",
		"completion": "source <(adconform completion bash)",
	}
	for name, example := range examples {
		if cmd, _, err := root.Find([]string{name}); err == nil {
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = unknownCommand
			cmd.Example = "  " + example
		}
	}
	return root
}

// ignoreBrokenPipe lets a run continue after the reader of its output has gone, as in
// adconform run 2>&1 | head: SIGPIPE would end it before the target's objects are restored.
// The signal is caught rather than ignored, as child processes would inherit the latter.
func ignoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// exitCode is an error that ends the program with a code, without a message.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// interrupted ends the program after an interrupt.
const interrupted = exitCode(report.ExitInterrupted)

// conclude prints an error, one line for each of its problems, and returns the
// exit code. An error other than an exitCode is wrong usage or configuration.
func (a *app) conclude(err error) int {
	var code exitCode
	switch {
	case err == nil:
		return report.ExitConforming
	case errors.As(err, &code):
		return int(code)
	}
	a.mistake(err.Error())
	return report.ExitUsage
}
