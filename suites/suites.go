// Package suites runs the conformance suite against a server: Run as a test in Go, Describe in a Ginkgo suite, Execute
// alone.
package suites

import (
	"context"
	"crypto/tls"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Config configures a run. Only Target is required.
type Config struct {
	Target   *fixtures.Target
	Contract *spec.Contract // nil for the embedded one
	Depth    report.Depth   // report.Quick unless set, see NewConfig
	Seed     uint64         // determines everything that is sent

	// Select reports whether a case is run; nil runs all. It gets cases without a result.
	Select func(report.Case) bool
	// Bases are the bases whose breach fails a run; empty means all but chosen. If chosen is among
	// them, notices fail it, too, except those that depend on timing. Everything is judged in any case.
	Bases []spec.Basis
	// AllowInconclusive makes the exit code of an inconclusive run 0, unless the target gave no answer at all.
	AllowInconclusive bool
	// Require is the least level of a run that passes; empty requires none.
	Require report.Level
	// Baseline is a file of accepted findings, as adconform baseline writes it; empty accepts none.
	Baseline string
	// Deadline is how long a run may send; 0 means an hour, or more if the rate of the target file requires it.
	Deadline time.Duration
	// TLS holds authorities to trust and a client certificate; nil trusts the system's authorities.
	TLS *tls.Config
	// ReadOnly leaves out everything that could change the target: cases that write, and provisioning.
	ReadOnly bool
	// Disabled lists the ids of checks that are not made.
	Disabled []string
	// Exchanges keeps each exchange, without keys, in the report.
	Exchanges bool

	// Progress is called with each result as it comes, whose findings may be dropped later.
	Progress func(done, of int, c report.Case)
	// Finished is called with the report at the end of the run.
	Finished func(*report.Report)
}

// NewConfig returns the configuration of a standard run against a target, which sends the same data each time.
func NewConfig(target *fixtures.Target) *Config {
	c := engine.NewConfig(target)
	return &Config{Target: target, Depth: c.Depth, Seed: c.Seed}
}

// Plan returns the selected cases, without results, in the order in which they are sent. It returns an error if a run
// cannot begin.
func (c *Config) Plan() (cases []report.Case, err error) {
	own, err := c.engine()
	if err != nil {
		return nil, err
	}
	plan, err := own.Sendable()
	for _, cs := range plan {
		cases = append(cases, engine.Planned(cs))
	}
	return cases, err
}

// Execute runs the suite and returns its report. It returns an error only if the run cannot start. If ctx ends, the run
// ends early: changed objects are restored, and the report says so.
func Execute(ctx context.Context, c *Config) (*report.Report, error) {
	own, err := c.engine()
	if err != nil {
		return nil, err
	}
	return engine.Execute(ctx, own)
}

// Run runs the standard suite against a target in a Go test, and fails the test if the target does not conform or the
// run is inconclusive. go test does not cache the result, as it cannot know whether the target changed. Unless an
// option sets a seed, each run sends other data.
//
// Run leaves Ginkgo's tree alone, so the package may have a Ginkgo suite of its own; Describe registers the cases in
// one. Ginkgo's flags that select specs (-ginkgo.focus, -ginkgo.label-filter, …) and -ginkgo.dry-run work as there.
// Of the processes of ginkgo -p, only the first runs the suite.
//
// A run that is interrupted, or that would outlast go test's -timeout, ends early, restores and reports. Of the
// time-out, it leaves what restoring may take and five seconds more, but at most half.
func Run(t testing.TB, target *fixtures.Target, options ...func(*Config)) *report.Report {
	t.Helper()
	c := NewConfig(target)
	c.Seed = engine.NewSeed()
	for _, option := range options {
		option(c)
	}
	own, err := c.engine()
	if err != nil {
		t.Fatal("adconform: " + err.Error())
	}
	return engine.Run(t, own)
}

// Describe registers the suite in the caller's own Ginkgo suite, at its top level or in a container: a spec for each
// case, in the containers of its operation and class.
//
//	config := suites.NewConfig(target)
//	var _ = suites.Describe(config)
//	var _ = BeforeSuite(func() { config.Target.BaseURL = start() })
//
// The configuration is read twice. When RunSpecs builds the tree, Contract, Depth, Select and the objects that Target
// names (a nil Target names none) say which specs there are. When the first of them begins, all else counts: address,
// keys, ids, TLS, callbacks. A caller's BeforeSuite, BeforeAll or BeforeEach may still set those, or Target as a whole;
// cases for objects that it adds have no spec and run with the others.
//
// Only the cases are sent whose specs Ginkgo selects. The specs are in one ordered container, which ginkgo -p runs on
// one process. They are shown one after another; the requests of several are sent at once, as limits.concurrency
// says. When the last has ended, objects are restored, and the container fails if the run does
// (report.Report.ExitCode) although no spec did. Config.Finished gets the report.
func Describe(c *Config) bool { return engine.Describe(c.engine, types.NewCodeLocation(1)) }

// Write writes a report to a folder, in all formats.
func Write(dir string, r *report.Report) error {
	if err := render.PrepareDir(dir); err != nil {
		return err
	}
	return render.WriteDir(dir, render.NewView(r))
}

// engine returns the configuration for the engine.
func (c *Config) engine() (*engine.Config, error) {
	own := &engine.Config{
		Target: c.Target, Contract: c.Contract, Depth: c.Depth, Seed: c.Seed, Bases: c.Bases, Require: c.Require,
		AllowInconclusive: c.AllowInconclusive, Deadline: c.Deadline, TLS: c.TLS, ReadOnly: c.ReadOnly,
		Disabled: c.Disabled, Exchanges: c.Exchanges, Finished: c.Finished,
	}
	if c.Select != nil {
		own.Select = func(cs *judge.Case) bool { return c.Select(engine.Planned(cs)) }
	}
	if c.Progress != nil {
		own.Progress = func(done, of int, r *judge.Result) { c.Progress(done, of, engine.Ran(r)) }
	}
	if c.Baseline == "" {
		return own, nil
	}
	var err error
	own.Baseline, err = engine.Load(c.Baseline)
	return own, err
}
