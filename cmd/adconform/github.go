package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/adconform/adconform/suites/report"
)

// onGitHub says whether the program runs in a job of GitHub Actions, where lines
// of its output can be commands.
func (a *app) onGitHub() bool {
	v, _ := a.env("GITHUB_ACTIONS")
	return v == "true"
}

// harmless is the app whose output cannot command GitHub's runner. A text of the
// target could: it reads a line that begins with :: after blanks, and ##[ at any
// place of a line.
func (a *app) harmless() *app {
	if !a.onGitHub() {
		return a
	}
	b := *a
	b.stdout, b.stderr = &commandless{w: a.stdout}, &commandless{w: a.stderr}
	return &b
}

// commandless is a writer that breaks up what GitHub's runner takes for commands.
// Each write has to end a line or be a whole one, as those of this program do.
type commandless struct{ w io.Writer }

func (c *commandless) Write(p []byte) (int, error) {
	var safe bytes.Buffer
	for line := range bytes.Lines(p) {
		text := strings.ReplaceAll(string(line), "##[", "## [")
		if body := strings.TrimSpace(text); strings.HasPrefix(body, "::") {
			text = strings.Replace(text, "::", ": :", 1)
		}
		safe.WriteString(text)
	}
	if _, err := c.w.Write(safe.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// annotate annotates the job and adds the summary to its page.
func (a *app) annotate(o *options, r *report.Report) error {
	if !a.onGitHub() {
		return nil
	}
	w := a.stdout
	if o.format == jsonFormat {
		w = a.stderr // which GitHub reads too
	}
	var annotated error
	if !o.quiet {
		annotated = report.WriteAnnotations(w, r)
	}
	return errors.Join(annotated, a.appendStepSummary(r))
}

const stepSummary = "GITHUB_STEP_SUMMARY"

func (a *app) appendStepSummary(r *report.Report) (err error) {
	path, _ := a.env(stepSummary)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the file of the variable %s: %w", stepSummary, err)
	}
	return errors.Join(report.WriteMarkdown(f, r), f.Close())
}
