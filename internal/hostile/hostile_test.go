package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gexec"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/peak"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// The bars that every run has to hold.
const (
	maxMemory = 256 << 20 // bytes, the peak of the resident set
	maxTime   = time.Minute
)

// endAfter is when a run is ended that does not end by itself.
const endAfter = 3 * time.Minute

func TestMain(m *testing.M) {
	// Most of a run is waiting.
	if err := flag.Set("test.parallel", strconv.Itoa(6*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	code := m.Run()
	gexec.CleanupBuildArtifacts()
	os.Exit(code)
}

// TestHostile runs the program on each hostile server.
func TestHostile(t *testing.T) {
	program, err := gexec.Build("github.com/adconform/adconform/cmd/adconform")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, m := range modes(t) {
		if testing.Short() && !m.short {
			continue
		}
		t.Run(m.id, func(t *testing.T) {
			if !m.computed {
				t.Parallel()
			}
			t.Log("the server " + m.does)
			s := open(t, &m)
			try := tryOnce
			if m.kill > 0 {
				try = tryKilled
			}
			run := try(t, program, s)
			t.Logf("exit code %d in %.1f s, at most %d MiB: %s", run.exit, run.took.Seconds(), run.memory>>20, run.headline)
			for _, p := range run.problems {
				t.Error(wording.Printable(p))
			}
		})
	}
}

// run is one run of the program, with what is wrong with it.
type run struct {
	dir            string // with the target file and the report folder
	exit           int    // -1: ended by a signal
	took           time.Duration
	memory         int64 // bytes at the peak; 0 where it cannot be measured
	stdout, stderr string
	report         *report.Report
	headline       string // the finding or the reason that names what the server does
	problems       []string
}

func (r *run) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func tryOnce(t *testing.T, program string, s *site) *run {
	r := start(t, program, s).wait()
	r.judge(s)
	return r
}

// judge holds a run against the bars.
func (r *run) judge(s *site) {
	r.bounds(s.mode)
	if s.fired.Load() == 0 {
		r.problem("the server was never asked for what it does")
	}
	if n := s.elsewhere.Load(); n > 0 {
		r.problem("%d connections to another origin", n)
	}
	if r.report == nil {
		return
	}
	if r.headline = naming(r.report, s.mode.says); r.headline == "" {
		r.headline = report.VerdictLine(r.report)
		r.problem("nothing says %q", s.mode.says)
	}
}

// bounds are time, memory and exit code.
func (r *run) bounds(m *mode) {
	most := maxTime
	if m.rounds > 0 {
		most = min(most, time.Duration(m.rounds)*m.limit())
	}
	if r.took > most {
		r.problem("it took %s to end, more than %s", r.took, most)
	}
	if r.memory > maxMemory {
		r.problem("%d MiB at the peak, more than %d", r.memory>>20, maxMemory>>20)
	}
	exits := m.exits
	if len(exits) == 0 {
		exits = []int{report.ExitNonconforming, report.ExitInconclusive}
	}
	if !slices.Contains(exits, r.exit) {
		r.problem("exit code %d, want one of %v: %s", r.exit, exits, r.stderr[strings.LastIndexByte(strings.TrimSpace(r.stderr), '\n')+1:])
	}
}

func (m *mode) limit() time.Duration {
	if m.timeout > 0 {
		return m.timeout
	}
	return patient
}

// naming is the first finding or reason of a report that says what is meant, "" when
// none does.
func naming(r *report.Report, says *regexp.Regexp) string {
	for i := range r.Findings {
		if text := r.Findings[i].Clause + ": " + report.Sentence(&r.Findings[i]); says.MatchString(text) {
			return text
		}
	}
	if says.MatchString(r.Reason) {
		return report.VerdictLine(r)
	}
	for _, c := range r.Results {
		if c.Reason != "" && says.MatchString(c.Reason) {
			return c.ID + ": " + c.Reason
		}
	}
	return ""
}

// child is a run that has not ended.
type child struct {
	run
	site     *site
	ctx      context.Context
	cmd      *exec.Cmd
	out, err bytes.Buffer
	started  time.Time
	peak     *peak.Watch
}

// start writes the target file of the site and starts the program on it.
func start(t *testing.T, program string, s *site) *child {
	t.Helper()
	c := &child{run: run{dir: t.TempDir()}, site: s}
	target := s.world.Target(s.baseURL)
	target.Name = "hostile"
	target.Limits.Timeout = s.mode.limit()
	if s.mode.target != nil {
		s.mode.target(target)
	}
	file := filepath.Join(c.dir, "target.yaml")
	write := func(w io.Writer) error { return fixtures.WriteTarget(w, target, fixtures.WriteOptions{}) }
	NewWithT(t).Expect(files.Write(file, 0o600, write)).To(Succeed())
	ctx, cancel := context.WithTimeout(t.Context(), endAfter)
	t.Cleanup(cancel)
	c.ctx, c.cmd = ctx, exec.CommandContext(ctx, program, "run", file, "--report", reportDir(c.dir))
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	// Nothing of the surroundings: no proxy, no flags by environment. A summary for the
	// CI goes where it is looked at.
	summary := "GITHUB_STEP_SUMMARY=" + filepath.Join(c.dir, "step-summary.md")
	c.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.dir, summary}
	c.started = time.Now()
	var err error
	c.peak, err = peak.Start(c.cmd)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return c
}

func reportDir(dir string) string { return filepath.Join(dir, "report") }

// wait waits for the end of the program and reads what it left behind.
func (c *child) wait() *run {
	var err error
	c.memory, err = c.peak.Wait()
	c.took = time.Since(c.started)
	c.exit = c.cmd.ProcessState.ExitCode()
	c.stdout, c.stderr = c.out.String(), c.err.String()
	switch {
	case c.ctx.Err() != nil:
		c.problem("it had to be ended after %s", endAfter)
	case err != nil && !errors.As(err, new(*exec.ExitError)):
		c.problem("%v", err)
	case strings.Contains(c.stderr, "goroutine "):
		c.problem("it crashed: %.200s", c.stderr)
	}
	c.read()
	c.inspect(c.site.world)
	return &c.run
}

// read reads report.json, which is there unless the run was killed.
func (r *run) read() {
	data, err := os.ReadFile(filepath.Join(reportDir(r.dir), report.JSONFile))
	if err != nil {
		if r.exit >= 0 {
			r.problem("no report: %v", err)
		}
		return
	}
	r.report = new(report.Report)
	if err := json.Unmarshal(data, r.report); err != nil {
		r.report = nil
		r.problem("%s: %v", report.JSONFile, err)
		return
	}
	for _, c := range r.report.Results {
		if c.Cause == "suite" {
			r.problem("%s: %s", c.ID, c.Reason)
		}
	}
}
