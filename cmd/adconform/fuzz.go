package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/report"
)

// fuzzOptions are the flags of fuzz.
type fuzzOptions struct {
	flags.Options
	suites.Fuzz
	corpus string // folder
}

// fuzzTime is how long it takes where neither a time nor a number bounds it.
const fuzzTime = time.Minute

func (a *app) fuzzCommand() *cobra.Command {
	o := &fuzzOptions{Options: flags.New()}
	cmd := &cobra.Command{
		Use:   "fuzz [URL|FILE]",
		Short: "Look for the request that breaks a server",
		Long: `Sends input that no list has: valid requests with mutations of their
path, query, method, headers, key, JSON or framing. Each class of mutations comes once
before any comes twice; then those come more often beside which something new was seen.

Only what no conforming server does is judged: 5xx, broken HTTP or JSON, an error object
off its form, effects of refused requests, another user's data, no answer. Any 4xx is
right. A finding is shrunk to the shortest request that shows it, and adconform replay
sends it again.

Only objects of the target file are sent to, and put back; deletes go to unknown ids. A
target that is not on this machine has to be called yours by --i-own-this-target. Without
one it is the bundled reference.`,
		Example: `  adconform fuzz target.yaml
  adconform fuzz target.yaml --duration 10m --report fuzzed
  adconform fuzz target.yaml --requests 2000 --seed 7 --corpus corpus
  adconform replay fuzzed`,
		Args: flags.TargetArgument,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Target != "" && !cmd.Flags().Changed("seed") {
				o.Mark = suites.NewMark() // others may run on it, too
			}
			return a.fuzz(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.AddTarget(f)
	f.Uint64Var(&o.Seed, "seed", o.Seed, "`number` that the requests are drawn from")
	f.BoolVar(&o.ReadOnly, "read-only", false, "send nothing that could change the target")
	o.AddVerdict(cmd)
	o.AddReport(cmd, reportFiles)
	o.AddPace(f)
	o.AddConnection(f)
	o.AddOwn(f)
	o.AddConcurrency(f)
	flags.Add(f, &o.Duration, "duration", "time", flags.ReadTime, "how long to go on; default: 1m, unless --requests is given")
	flags.Add(f, &o.Requests, "requests", "number", flags.ReadCount,
		"that are drawn; looks at what they left, and what puts back, come on top")
	f.StringVar(&o.corpus, "corpus", "", "`folder` of requests that are sent first, and to which those are added that show something new")
	return cmd
}

func (a *app) fuzz(ctx context.Context, o *fuzzOptions) (err error) {
	defer func() { err = stale(o.Dir, err) }()
	ctx, cancel := a.Interruptible(ctx, putsBack)
	defer cancel()
	target, stop, err := a.runTarget(ctx, &o.Options, "")
	if err != nil {
		return err
	}
	defer stop()
	if err := o.MayBeHarmed(ctx, target.BaseURL, "fuzz"); err != nil {
		return err
	}
	c, err := o.Config(target)
	if err != nil {
		return err
	}
	if o.Duration == 0 && o.Requests == 0 {
		o.Duration = fuzzTime
	}
	var corpus *fuzz.Corpus
	if o.corpus != "" {
		if corpus, err = fuzz.OpenCorpus(o.corpus, c.Contract, true); err != nil {
			return err
		}
		o.Corpus, o.Keep = corpus.Inputs(), corpus.Keep
	}
	if err := report.CheckDir(o.Dir); err != nil {
		return err
	}
	if err := report.ClearDir(o.Dir); err != nil {
		return err
	}
	a.warn(&o.Options)
	p := a.Progress(false)
	if !o.Quiet {
		p.Begin("fuzzing %s (seed %d)", wording.Printable(target.BaseURL), o.Seed)
		o.Found = p.Found
		o.Progress = func(s suites.FuzzProgress) {
			p.State("%s, %d of %d classes, %s, %.0f/s, %s left", wording.Count(s.Requests, "request"), s.Classes, s.Of,
				wording.Count(s.Findings, "finding"), terminal.PerSecond(s.Requests, s.Elapsed), o.left(s).Round(time.Second))
		}
	}
	var r *report.Report
	err = a.sending(ctx, func() error {
		r, err = suites.RunFuzz(ctx, c, o.Fuzz)
		return err
	})
	p.End()
	a.TellWarnings(&target.Warnings)
	if err != nil {
		return err
	}
	if corpus != nil && corpus.Err() != nil {
		a.Note("the corpus could not be written: %v", corpus.Err())
	}
	return a.tell(&o.Options, r, "")
}

// left is about how long it still takes.
func (o *fuzzOptions) left(s suites.FuzzProgress) time.Duration {
	var left time.Duration
	if o.Duration > 0 {
		left = max(0, o.Duration-s.Elapsed)
	}
	if o.Requests > 0 {
		byRequests := time.Duration(float64(s.Elapsed) / float64(max(1, s.Requests)) * float64(o.Requests-s.Requests))
		if left == 0 || byRequests < left {
			left = byRequests
		}
	}
	return left
}
