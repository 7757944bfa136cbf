package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// childRun is one run of the program.
type childRun struct {
	dir            string // with the target file and the report folder
	exit           int    // -1: ended by a signal
	seconds        float64
	memory         int64
	stdout, stderr string
	arguments      string // of the process while it ran
	report         *report.Report
	problems       []string
}

// run writes the target file of the site and runs the program on it.
func (s *site) run(ctx context.Context, program, dir string, timeout time.Duration) (*childRun, error) {
	c, err := s.start(ctx, program, dir, timeout)
	if err != nil {
		return nil, err
	}
	return c.wait(s), nil
}

type child struct {
	*childRun
	cmd      *exec.Cmd
	ctx      context.Context
	cancel   func()
	out, err bytes.Buffer
	started  time.Time
	peak     *peak
}

func (s *site) start(ctx context.Context, program, dir string, timeout time.Duration) (*child, error) {
	target := s.world.Target(s.baseURL)
	target.Name = "hostile"
	target.Limits.Timeout = timeout
	if s.arms.target != nil {
		s.arms.target(s, target)
	}
	file := filepath.Join(dir, "target.yaml")
	if err := report.WriteFile(file, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, target, fixtures.WriteOptions{})
	}); err != nil {
		return nil, err
	}
	c := &child{childRun: &childRun{dir: dir}}
	c.ctx, c.cancel = context.WithTimeout(ctx, patienceWithUs)
	c.cmd = exec.CommandContext(c.ctx, program, "run", "--target", file, "--report", reportDir(dir))
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	// Nothing of the surroundings: no proxy, no flags by environment. A summary
	// for the CI goes where it is looked at.
	c.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "step-summary.md")}
	c.peak = newPeak()
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		c.cancel()
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	c.arguments = c.peak.watch(c.cmd.Process.Pid)
	return c, nil
}

// wait waits for the end of the program and reads what it left behind.
func (c *child) wait(s *site) *childRun {
	err := c.cmd.Wait()
	c.seconds = time.Since(c.started).Seconds()
	c.memory = c.peak.of(c.cmd.ProcessState)
	c.exit = c.cmd.ProcessState.ExitCode()
	c.stdout, c.stderr = c.out.String(), c.err.String()
	var exit *exec.ExitError
	switch {
	case c.ctx.Err() != nil:
		c.note("it had to be ended after %s", patienceWithUs)
	case err != nil && !errors.As(err, &exit):
		c.note("%v", err)
	case strings.Contains(c.stderr, "goroutine "):
		c.note("it crashed: %s", firstLine(c.stderr))
	}
	c.cancel()
	c.read()
	c.problems = append(c.problems, c.inspect(s)...)
	return c.childRun
}

func (r *childRun) note(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// read reads report.json, which is there unless the run was killed.
func (r *childRun) read() {
	data, err := os.ReadFile(filepath.Join(reportDir(r.dir), report.JSONFile))
	if err != nil {
		if r.exit >= 0 {
			r.note("no report: %v", err)
		}
		return
	}
	r.report = new(report.Report)
	if err := json.Unmarshal(data, r.report); err != nil {
		r.report = nil
		r.note("%s: %v", report.JSONFile, err)
		return
	}
	for _, c := range r.report.Results {
		if c.Cause == "suite" {
			r.note("%s: %s", c.ID, c.Reason)
		}
	}
}

// outcome is the run as a row of the table, held against the bars.
func (r *childRun) outcome(t *Target) Outcome {
	o := Outcome{ID: t.ID, Sentence: t.Sentence, ExitCode: r.exit, Seconds: r.seconds, Memory: r.memory}
	if r.report != nil {
		o.Verdict = r.report.Verdict
	}
	for _, p := range r.problems {
		o.problem("%s", p)
	}
	if most := t.maxTime(); r.seconds > most.Seconds() {
		o.problem("it took %.1f s to end, more than %s", r.seconds, most)
	}
	if r.memory > MaxMemory {
		o.problem("%d MiB at the peak, more than %d", r.memory>>20, MaxMemory>>20)
	}
	return o
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
