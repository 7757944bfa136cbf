package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/suites/report"
)

// annotate annotates the job and adds the summary to its page.
func (a *app) annotate(o *flags.Options, r *report.Report) error {
	if !a.OnGitHub() {
		return nil
	}
	var annotated error
	if !o.Quiet {
		annotated = report.WriteAnnotations(a.Stdout, r)
	}
	return errors.Join(annotated, a.appendStepSummary(r))
}

const stepSummary = "GITHUB_STEP_SUMMARY"

func (a *app) appendStepSummary(r *report.Report) (err error) {
	path, _ := a.Env(stepSummary)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the file of the variable %s: %w", stepSummary, err)
	}
	return errors.Join(report.WriteMarkdown(f, r), f.Close())
}
