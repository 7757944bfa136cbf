package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/k6"
	"github.com/adconform/adconform/suites/testcase"
)

// exportOptions are the flags of export k6.
type exportOptions struct {
	flags.Options
	output string
	force  bool
}

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the plan for another tool",
		Long:  "Writes the cases of the suite for a tool that sends them in its own way.",
		Args:  cobra.ArbitraryArgs, RunE: flags.UnknownCommand,
		Example: "  adconform export k6 --target target.yaml -o load.js",
	}
	cmd.AddCommand(a.exportK6Command())
	return cmd
}

func (a *app) exportK6Command() *cobra.Command {
	o := &exportOptions{Options: flags.New()}
	cmd := &cobra.Command{
		Use:   "k6",
		Short: "Write the plan as a load script for k6",
		Long: `Writes the cases as a script for k6, whose operator spreads load over a cluster.
Nothing is sent to the target, and neither its base URL nor a key is written.

The script judges each answer alone; what several answers show together is judged
by run. Cases that delete are left out. Cases that change something run in one VU
for each set of objects (lanes in the target file), all others in many.`,
		Example: `  adconform export k6 --target target.yaml -o load.js
  k6 run -e BASE_URL=http://127.0.0.1:8080/v2 load.js`,
		Args: flags.Arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.exportK6(cmd.Context(), o) },
	}
	f := cmd.Flags()
	o.AddTarget(f)
	o.AddPlan(cmd)
	f.StringVarP(&o.output, "output", "o", "", "`file` to write; default: standard output")
	f.BoolVar(&o.force, "force", false, "overwrite the file")
	return cmd
}

func (a *app) exportK6(ctx context.Context, o *exportOptions) error {
	if _, err := os.Lstat(o.output); o.output != "" && err == nil && !o.force {
		return fmt.Errorf("%s is already there; name another file, or overwrite it with --force", o.output)
	}
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	c, plan, err := o.Planned(&a.Terminal)
	if err != nil {
		return err
	}
	script, err := planK6(ctx, c, plan)
	if err != nil {
		if ctx.Err() != nil {
			return terminal.Interrupted
		}
		return err
	}
	var text bytes.Buffer
	if err := script.Write(&text); err != nil {
		return err
	}
	a.describeScript(script, text.Len())
	if o.output == "" {
		_, err = a.Stdout.Write(text.Bytes())
		return err
	}
	return files.Write(o.output, 0o644, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// planK6 finds out on a simulated target what the cases send.
func planK6(ctx context.Context, c *suites.Config, plan []*testcase.Case) (*k6.Script, error) {
	simulated, stop, err := startSimulated(ctx, c)
	if err != nil {
		return nil, err
	}
	defer stop()
	twin := *c
	twin.Target = simulated
	return k6.New(ctx, k6.Options{Config: &twin, Cases: plan, Target: c.Target})
}

// configMap is how much a ConfigMap of Kubernetes holds, where k6's operator
// usually keeps scripts.
const configMap = 1 << 20

// describeScript says what is in a script and what is not.
func (a *app) describeScript(s *k6.Script, size int) {
	say := a.Note
	words := []string{}
	if n := len(s.Reading); n > 0 {
		words = append(words, wording.Count(n, "case")+" for any number of VUs")
	}
	if users := len(s.Writing); users > 0 {
		words = append(words, fmt.Sprintf("%s that may change something for %s",
			wording.Count(len(s.Writing[0]), "case"), wording.Count(users, "VU")))
	}
	say("the script has %s: %s in all", strings.Join(words, ", "), wording.Count(s.Requests(), "request"))
	if s.UsedUp > 0 {
		say("%s left out: what a case deletes or uses up is there once", wording.Count(s.UsedUp, "case"))
	}
	if s.Lacking > 0 {
		say("%s left out: the target file lacks what they need; adconform doctor says what", wording.Count(s.Lacking, "case"))
	}
	for _, o := range s.Changed {
		if len(o.Lost) > 0 {
			say("%s at %s cannot be put back after the load: the target file does not give it", o, o.Path)
		}
	}
	if size > configMap {
		say("the script has %d bytes, a ConfigMap holds %d: give it to the cluster on a volume, or select less", size, configMap)
	}
}
