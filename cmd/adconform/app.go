package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/selftest"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
)

// app is the program with all that it gets from outside.
type app struct {
	stdin          io.Reader // nil: there is nobody to ask
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	interrupts     <-chan os.Signal
	listen         func()         // makes signals come to interrupts again, which Ginkgo ends; nil: they need not
	exit           func(code int) // at once
	editions       spec.Editions  // nil: those of the contract
}

// run carries out a command line and returns the exit code (report.Exit…).
func (a *app) run(args []string) int {
	root := a.root()
	root.SetArgs(args)
	return a.conclude(root.ExecuteContext(context.Background()))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adconform",
		Short: "Test an implementation of the interface against its contract",
		Long: `adconform sends requests to an implementation of the interface, judges the
answers against the contract, and says what is wrong and how to see it again.

Every flag can also be given by an environment variable: --label-filter by
ADCONFORM_LABEL_FILTER. A flag wins over its variable, a variable over the target
file.

Exit codes: 0 conforming, 1 nonconforming, 2 wrong usage or configuration,
3 inconclusive, 130 interrupted.`,
		Example: `  adconform run                       # the bundled reference
  adconform init                      # writes target.yaml, to be filled in
  adconform run --target target.yaml  # your implementation`,
		SilenceUsage: true, SilenceErrors: true,
		Args:              cobra.ArbitraryArgs,
		RunE:              unknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.readEnvironment(cmd) },
	}
	root.Flags().Bool("version", false, "print the version")
	root.Version = fmt.Sprintf("%s (%s %s/%s)", suites.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root.SetVersionTemplate("adconform {{.Version}}\n")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	a.useHelp(root)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd("completion")
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args, completion.RunE = cobra.ArbitraryArgs, unknownCommand
		completion.Example = "  source <(adconform completion bash)"
	}
	return root
}

// unknownCommand is run where a command has only commands below it.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return usagef(cmd, "unknown command %q%s", args[0], wording.DidYouMean(args[0], names(cmd)))
}

// names of the commands below a command.
func names(cmd *cobra.Command) []string {
	var all []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			all = append(all, c.Name())
		}
	}
	return all
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		GroupID: aboutTheSuite,
		Short:   "Say what a command does",
		Long:    "Says what a command does, with its flags and an example.",
		Example: "  adconform help run",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(topic, rest)
			}
			return topic.Help()
		},
	}
}

// arguments asks for at least min and at most max arguments; missing is
// what it says where there are fewer.
func arguments(min, max int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return usagef(cmd, "%s", missing)
		case len(args) > max && max == 0:
			return usagef(cmd, "unexpected argument %q: %s takes none", args[0], cmd.Name())
		case len(args) > max:
			return usagef(cmd, "unexpected argument %q", args[max])
		}
		return nil
	}
}

// printJSON prints a value, indented.
func (a *app) printJSON(v any) error { return files.WriteJSON(a.stdout, v, "  ") }

func (a *app) selftestCommand() *cobra.Command {
	return selftest.Command(selftest.Surroundings{
		Exit:          func(code int) error { return exitCode(code) },
		Interruptible: func(ctx context.Context) (context.Context, func()) { return a.interruptible(ctx, "") },
	})
}

// interruptible is a context that the first interrupt ends. The second one ends
// the program.
func (a *app) interruptible(ctx context.Context, note string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-a.interrupts:
		}
		if note != "" {
			fmt.Fprintln(a.stderr, strings.TrimSpace(note))
		}
		cancel()
		<-a.interrupts
		running.Lock()
		defer running.Unlock()
		if running.server != nil {
			running.server.kill()
		}
		a.exit(interrupted)
	}()
	return ctx, cancel
}
