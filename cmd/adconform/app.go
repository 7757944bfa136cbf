package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/selftest"
	"github.com/adconform/adconform/suites"
)

// app is the command line.
type app struct {
	Terminal
	listen func() // makes signals come to interrupts again, which Ginkgo ends; nil: they need not
}

// run carries out a command line and returns the exit code (report.Exit…).
func (a *app) run(args []string) int {
	root := a.root()
	root.SetArgs(args)
	return a.Conclude(root.ExecuteContext(context.Background()))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adconform",
		Short: "Test an implementation of the interface against its contract",
		Long: `adconform sends requests to an implementation of the interface, judges the
answers against the contract, and says what is wrong and how to see it again.

Every flag can also be given by an environment variable: --read-only by
ADCONFORM_READ_ONLY, and the target by ADCONFORM_TARGET. What is on the command line wins
over a variable, a variable over the target file.

Exit codes: 0 conforming, 1 nonconforming, 2 wrong usage or configuration,
3 inconclusive, 130 interrupted.`,
		Example: `  adconform run                       # the bundled reference
  adconform init                      # writes target.yaml, to be filled in
  adconform run target.yaml           # your implementation`,
		SilenceUsage: true, SilenceErrors: true,
		Args:              cobra.ArbitraryArgs,
		RunE:              UnknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return ReadEnvironment(cmd, a.Env) },
	}
	root.Flags().Bool("version", false, "print the version")
	root.Version = fmt.Sprintf("%s (%s %s/%s)", suites.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root.SetVersionTemplate("adconform {{.Version}}\n")
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(FlagError)
	a.useHelp(root)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd("completion")
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args, completion.RunE = cobra.ArbitraryArgs, UnknownCommand
		completion.Example = "  source <(adconform completion bash)"
	}
	return root
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
				return UnknownCommand(topic, rest)
			}
			return topic.Help()
		},
	}
}

func (a *app) selftestCommand() *cobra.Command {
	return selftest.Command(selftest.Surroundings{
		Exit:          func(code int) error { return ExitCode(code) },
		Interruptible: func(ctx context.Context) (context.Context, func()) { return a.Interruptible(ctx, "") },
	})
}
