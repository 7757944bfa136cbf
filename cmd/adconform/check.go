package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive/recording"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// checkOptions are the flags of check.
type checkOptions struct {
	flags.Options
	baseURL, basePath string
}

func (a *app) checkCommand() *cobra.Command {
	o := &checkOptions{Options: flags.Options{Depth: testcase.Standard, Format: flags.Text}}
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Judge recorded traffic",
		Long: `Judges traffic that a browser, a proxy or an API client has recorded, and sends
nothing. A recording is a HTTP Archive (.har, .har.gz), a Postman collection with
saved examples, or a report of Newman's JSON reporter. A folder stands for the
recordings in it, - for standard input.

Each exchange of the five operations is judged alone, and against the others of its
file where they tell that nobody else can have been at work. What a recorder changed
or left out is no finding. What no exchange shows is not tested. A recording in which
nothing is wrong says no more than that, and how many clauses could be judged; one
without any exchange of the operations is inconclusive.`,
		Example: `  adconform check session.har
  adconform check recordings/ --base-path /v2 --report report
  mitmdump -nr flows --set hardump=- | adconform check -`,
		Args: flags.Arguments(1, math.MaxInt, "a recording is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.baseURL != "" && o.basePath != "" {
				return flags.Usagef(cmd, "--base-url and --base-path exclude one another")
			}
			return a.check(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.baseURL, "base-url", "", "judge what was sent below this `URL`; default: the only one there is")
	f.StringVar(&o.basePath, "base-path", "", "judge what was sent below this `path`, such as /v2, on any host")
	o.AddOverlay(f)
	o.AddVerdict(cmd)
	o.AddReport(cmd, reportFiles)
	return cmd
}

func (a *app) check(ctx context.Context, o *checkOptions, args []string) (err error) {
	defer func() { err = stale(o.Dir, err) }()
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	if err := report.CheckDir(o.Dir); err != nil {
		return err
	}
	target := &fixtures.Target{Version: 1, Credentials: fixtures.Credentials{Header: fixtures.DefaultKeyHeader}}
	c, err := o.Config(target)
	if err != nil {
		return err
	}
	files, err := recordingsOf(args)
	if err != nil {
		return err
	}
	var recordings []*recording.Recording
	for _, file := range files {
		r, err := recording.Open(file, os.Stdin, c.Contract)
		if err != nil {
			return err
		}
		recordings = append(recordings, r)
	}
	bases := recording.Bases(recordings)
	base, err := recording.ChooseBase(bases, o.baseURL, o.basePath)
	if err != nil {
		return err
	}
	target.Name, target.BaseURL = "recorded traffic", cmp.Or(base, "http://nobody.invalid")
	j, err := suites.NewJudge(c, recording.Keys(recordings, base))
	if err != nil {
		return err
	}
	n := &report.Recording{Files: files, Skipped: map[string]int{}}
	for _, r := range recordings {
		if err := r.Judge(ctx, j, base, n); ctx.Err() != nil {
			return terminal.Interrupted
		} else if err != nil {
			return err
		}
	}
	r := j.Report()
	r.Recording = n
	if base == "" {
		r.Target.BaseURL = "no base URL"
	}
	return a.tell(&o.Options, r, nothingJudged(o, n, bases, base))
}

// recordingsOf are the files that are meant: a folder stands for those in it.
func recordingsOf(args []string) ([]string, error) {
	var paths []string
	stdin := false
	for _, path := range args {
		if path == "-" && stdin {
			return nil, errors.New("standard input (-) is named twice")
		}
		stdin = stdin || path == "-"
		info, err := os.Stat(path)
		switch {
		case path == "-":
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, files.WithoutPath(err))
		case info.IsDir():
			found, err := recording.Find(path)
			if err != nil {
				return nil, err
			}
			paths = append(paths, found...)
			continue
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// nothingJudged says why no exchange was judged; "" where one was.
func nothingJudged(o *checkOptions, n *report.Recording, bases []recording.Base, base string) string {
	asked := cmp.Or(o.baseURL, o.basePath)
	switch {
	case n.Judged > 0:
		return ""
	case len(bases) == 0:
		return fmt.Sprintf("nothing to judge: none of %s belongs to one of the operations", wording.Count(n.Others, "exchange"))
	case base == "":
		return fmt.Sprintf("nothing to judge below %s: the operations were called at %s", asked, recording.Name(bases))
	}
	var reasons []string
	for reason, times := range n.Skipped {
		reasons = append(reasons, fmt.Sprintf("%d %s", times, reason))
	}
	return "nothing could be judged: " + strings.Join(reasons, ", ")
}
