// Package hostile runs the program against servers that mean harm, and measures
// what that costs: each run has to end, within memory, with a verdict that names
// what the server did, with reports that any reader can open, and without a key
// in anything that is left behind.
package hostile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"

	"github.com/adconform/adconform/suites/report"
)

// The bars that every run has to hold.
const (
	MaxMemory = 256 << 20 // bytes, the peak of the resident set
	MaxTime   = time.Minute
)

// patienceWithUs is when a run is ended that does not end by itself.
const patienceWithUs = 3 * time.Minute

// Target is a hostile server.
type Target struct {
	ID       string
	Sentence string
	Says     *regexp.Regexp // what a finding, or the reason of the verdict, has to say
	Timeout  time.Duration  // limits.timeout of the target file; 0 means patient
	Rounds   int            // time-outs that a run may take, where that is less than MaxTime; 0: it is not
	Arms     arms
	Exits    []int // the exit codes that are right; none: 1 and 3
	Full     bool  // of the full table only: slow, or much like another
}

// patient is a time-out that a run does not reach by itself.
const patient = 10 * time.Second

// The exit codes of a target that is found out, and of one that looks as if its base
// URL were wrong.
var (
	found    = []int{report.ExitNonconforming}
	mistaken = []int{report.ExitInconclusive}
)

// Outcome is what became of one run.
type Outcome struct {
	ID       string         `json:"target"`
	Sentence string         `json:"sentence"`
	Verdict  report.Verdict `json:"verdict,omitempty"`
	ExitCode int            `json:"exitCode"`
	Seconds  float64        `json:"seconds"`
	Memory   int64          `json:"memory"` // bytes at the peak; 0 where it cannot be measured
	First    string         `json:"first"`  // the finding or the reason that names what the server does
	Problems []string       `json:"problems,omitempty"`
}

// Options say what is run.
type Options struct {
	Program  string         // the adconform that is put to the test
	Only     *regexp.Regexp // ids; nil is all
	Parallel int            // runs at a time; 0 is twice GOMAXPROCS, as most of a run is waiting
	Quick    bool           // leave out what is of the full table only
	// Progress is told each outcome as it comes, one at a time.
	Progress func(done, of int, o Outcome)
}

// ErrNothing says that Only matches no id.
var ErrNothing = errors.New("no hostile target has such an id")

// Run tries the selected targets, several at a time, and returns the outcomes in
// the order of the table. It is an error when a server cannot be started; what
// the program does badly is in the outcomes.
func Run(ctx context.Context, o Options) ([]Outcome, error) {
	var all []Target
	for _, t := range Targets() {
		if (o.Only == nil || o.Only.MatchString(t.ID)) && (!o.Quick || !t.Full) {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, ErrNothing
	}
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = 2 * runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]Outcome, len(all))
	slots := make(chan struct{}, parallel)
	var runs sync.WaitGroup
	var telling sync.Mutex
	done := 0
	for i := range all {
		runs.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			outcome, err := all[i].try(ctx, o.Program)
			if err != nil {
				cancel(fmt.Errorf("%s: %w", all[i].ID, err))
				return
			}
			telling.Lock()
			defer telling.Unlock()
			outcomes[i] = outcome
			done++
			if o.Progress != nil && ctx.Err() == nil {
				o.Progress(done, len(all), outcome)
			}
		})
	}
	runs.Wait()
	return outcomes, context.Cause(ctx)
}

// try runs the program against one target, in a folder of its own.
func (t *Target) try(ctx context.Context, program string) (Outcome, error) {
	dir, err := os.MkdirTemp("", "adconform-hostile-*")
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	s, err := open(ctx, t.Arms)
	if err != nil {
		return Outcome{}, err
	}
	defer s.close()
	if t.Arms.kill > 0 {
		return t.tryKilled(ctx, program, s, dir)
	}
	run, err := s.run(ctx, program, dir, t.timeout())
	if err != nil {
		return Outcome{}, err
	}
	return t.judge(run, s), nil
}

func (t *Target) timeout() time.Duration {
	if t.Timeout > 0 {
		return t.Timeout
	}
	return patient
}

// maxTime is how long a run may take.
func (t *Target) maxTime() time.Duration {
	if t.Rounds > 0 {
		return min(MaxTime, time.Duration(t.Rounds)*t.timeout())
	}
	return MaxTime
}

// judge holds a run against the bars.
func (t *Target) judge(run *childRun, s *site) Outcome {
	o := run.outcome(t)
	if !t.expects(run.exit) {
		o.problem("exit code %d, want one of %v: %s", run.exit, t.exits(), lastLine(run.stderr))
	}
	if s.fired.Load() == 0 {
		o.problem("the server was never asked for what it does")
	}
	if run.report != nil {
		if o.First = naming(run.report, t.Says); o.First == "" {
			o.problem("nothing says %q; the verdict is %s", t.Says, report.VerdictLine(run.report))
			o.First = headline(run.report)
		}
	}
	if n := s.elsewhere.Load(); n > 0 {
		o.problem("%d connections to another origin", n)
	}
	return o
}

func (t *Target) exits() []int {
	if len(t.Exits) > 0 {
		return t.Exits
	}
	return []int{report.ExitNonconforming, report.ExitInconclusive}
}

func (t *Target) expects(code int) bool {
	for _, c := range t.exits() {
		if c == code {
			return true
		}
	}
	return false
}

func (o *Outcome) problem(format string, args ...any) {
	o.Problems = append(o.Problems, report.Printable(fmt.Sprintf(format, args...)))
}

// naming is the first finding or reason of a report that says what is meant, ""
// when none does.
func naming(r *report.Report, says *regexp.Regexp) string {
	for i := range r.Findings {
		f := &r.Findings[i]
		if text := f.Clause + ": " + report.Sentence(f); says.MatchString(text) {
			return text
		}
	}
	if says.MatchString(r.Reason) {
		return report.VerdictLine(r)
	}
	for _, c := range r.Results {
		if c.Reason != "" && says.MatchString(c.Reason) {
			return report.Printable(c.ID + ": " + c.Reason)
		}
	}
	return ""
}

// headline is what a reader of the report sees first.
func headline(r *report.Report) string {
	if len(r.Findings) > 0 {
		return r.Findings[0].Clause + ": " + report.Sentence(&r.Findings[0])
	}
	return report.VerdictLine(r)
}

func reportDir(dir string) string { return filepath.Join(dir, "report") }
