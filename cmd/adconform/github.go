package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/adconform/adconform/suites/report"
)

// stepSummary is the variable that names the file which GitHub shows on the page of a job.
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
