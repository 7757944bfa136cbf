package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) checkCommand() *cobra.Command {
	o, baseURL := newOptions(), ""
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Judge recorded traffic",
		Long: `Judges the traffic in an HTTP Archive (HAR), as browsers, proxies and API clients
export it, and sends nothing.

Each answer of the five operations is judged alone, against its own request.
Anything that a recorder changed or left out is not a finding. Clauses that no exchange
shows are not tested. For a clean archive the result is NOTHING WRONG SEEN, and how many
clauses could be judged; an archive without exchanges of the operations is inconclusive.`,
		Example: `  adconform check session.har
  adconform check session.har --base-url https://staging.example.com/v2`,
		Args: arguments(1, 1, "a recording is missing"),
		RunE: func(_ *cobra.Command, args []string) error { return a.check(&o, args[0], baseURL) },
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "", "judge requests below this `URL`; default: the only base URL in the file")
	o.add(cmd, "overlay basis baseline report quiet")
	return cmd
}

func (a *app) check(o *options, file, baseURL string) error {
	target := &fixtures.Target{Version: 1, Name: "recorded traffic", Credentials: fixtures.Credentials{Header: fixtures.DefaultKeyHeader}}
	c, err := o.config(target)
	if err != nil {
		return err
	}
	archive, err := passive.Open(file, c.Contract)
	if err != nil {
		return err
	}
	if err := report.PrepareDir(o.dir); err != nil { // which may contain the archive
		return err
	}
	base, err := archive.Base(baseURL)
	if err != nil {
		return err
	}
	target.BaseURL = cmp.Or(base, "http://nobody.invalid")
	r, err := suites.Check(c, archive)
	if err != nil {
		return err
	}
	r.Recording.File = file
	if base == "" {
		r.Target.BaseURL = "no base URL"
	}
	return a.finish(o, r, nothingJudged(r.Recording))
}

// nothingJudged returns the reason why no exchange was judged; "" if one was.
func nothingJudged(n *report.Recording) string {
	switch {
	case n.Judged > 0:
		return ""
	case len(n.Skipped) == 0:
		return fmt.Sprintf("nothing to judge: none of %s belongs to one of the operations", wording.Count(n.Others, "exchange"))
	}
	return "nothing could be judged: " + n.String()
}
