// Package engine runs the conformance suite: it plans cases for a target, sends them, judges the
// answers and decides whether the target conforms. Package suites is its door for importers.
package engine

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// DefaultSeed is the seed of a new Config, which sends the same data each time.
const DefaultSeed = 1

// NewSeed draws a seed. With it, concurrent runs on one target send different data and can be
// distinguished. Config.Seed sends the same data again.
func NewSeed() uint64 { return uint64(rand.Uint32()) }

// Config configures a run. Only Target is required.
type Config struct {
	Target   *fixtures.Target
	Contract *spec.Contract // nil for the embedded one
	Depth    judge.Depth    // Quick unless set, see NewConfig
	Seed     uint64         // determines everything that is sent, see NewSeed

	// Select reports whether a case is run; nil runs all.
	Select func(*judge.Case) bool
	// Filters describe Select in words: --case updateCampaign/401/no-key.
	Filters []string
	// Bases are the bases whose breach fails a run; empty means all but chosen. If chosen is among
	// them, notices fail it, too, except those that depend on timing. Everything is judged in any case.
	Bases []spec.Basis
	// AllowInconclusive makes the exit code of an inconclusive run 0, unless
	// the target gave no answer at all.
	AllowInconclusive bool
	// Require is the least level of a run that passes; empty requires none.
	Require report.Level
	// Baseline accepts findings; nil accepts none.
	Baseline *Baseline
	// Deadline is how long a run may send; 0 means an hour, or more if the rate of the target file
	// requires it.
	Deadline time.Duration
	// TLS holds authorities to trust and a client certificate; nil trusts the system's authorities.
	TLS *tls.Config
	// ReadOnly leaves out everything that could change the target: cases that write, and provisioning.
	ReadOnly bool
	// Disabled lists the ids of checks that are not made.
	Disabled []string
	// ReadDelay is how long a read may show a state from before a change; 0 means two seconds.
	ReadDelay time.Duration
	// Drawn limits the requests of random sequences; 0 means 2,000.
	Drawn int

	unready   string              // why nothing is sent; "" to send
	sequences map[string][]string // random sequences to send, by case; nil to draw them

	// Progress is called with each result as it comes. Findings may be dropped later, unless the
	// result is Decided.
	Progress func(done, of int, r *judge.Result)
	// Decided is called with each result again at the end of the run.
	Decided func(r *judge.Result)
	// Record is called with each exchange.
	Record func(*wire.Exchange)
	// Judging is called with each answer before it is judged, by several workers at once.
	Judging func(*judge.Test, *judge.Answer)
	// Wrap returns what sends the requests of the run in place of its client; nil is the client itself.
	Wrap func(*wire.Client) session.Client
	// Exchanges keeps each exchange, without keys, in the report.
	Exchanges bool
	// Finished is called with the report at the end of the run.
	Finished func(*report.Report)

	end time.Time // when go test ends the process; zero if it does not
}

// NewConfig returns the configuration of a standard run against a target.
func NewConfig(target *fixtures.Target) *Config {
	return &Config{Target: target, Depth: judge.Standard, Seed: DefaultSeed}
}

// Plan returns the selected cases, in the order in which they are sent.
func (c *Config) Plan() []*judge.Case { return c.selected(c.every()) }

// selected returns those of all cases that the configuration selects.
func (c *Config) selected(all []*judge.Case) []*judge.Case {
	isLeftOut := func(cs *judge.Case) bool { return c.Select != nil && !c.Select(cs) }
	return slices.DeleteFunc(slices.Clone(all), isLeftOut)
}

// Sendable returns the plan, or an error if the configuration is wrong, an operation gets no case, or a run cannot
// send any of the cases.
func (c *Config) Sendable() ([]*judge.Case, error) {
	contract := c.contract()
	if err := cmp.Or(c.check(), c.checkValues(), specs.Check(contract)); err != nil {
		return nil, err
	}
	all := c.every()
	plan := c.selected(all)
	for _, op := range contract.Operations {
		isOfIt := func(cs *judge.Case) bool { return cs.Operation == op }
		if !slices.ContainsFunc(all, isOfIt) { // otherwise a run would silently pass
			return nil, fmt.Errorf("%s %s (%s) gets no case at depth %s", op.Method, op.Path, op.ID, c.Depth)
		}
	}
	if id := repeatedID(all); id != "" {
		overlays := strings.TrimPrefix(strings.Join(contract.Overlays, ", ")+": ", ": ")
		const hint = "does an overlay give two names that differ only in letter case or signs?"
		return nil, fmt.Errorf("%stwo cases have the id %s: %s", overlays, id, hint)
	}
	switch {
	case len(plan) == 0:
		return nil, c.noCase()
	case c.ReadOnly && !slices.ContainsFunc(plan, func(cs *judge.Case) bool { return !cs.Writes }):
		return nil, errors.New("a read-only run cannot send any case of the selection, as each may change something")
	}
	return plan, nil
}

// repeatedID returns an id that two cases of a plan have, or "". Results are told apart by it.
func repeatedID(plan []*judge.Case) string {
	seen := map[string]bool{}
	for _, cs := range plan {
		if seen[cs.ID] {
			return cs.ID
		}
		seen[cs.ID] = true
	}
	return ""
}

// check returns an error if the configuration names an unknown basis or check.
func (c *Config) check() error {
	for _, basis := range c.Bases {
		if known := spec.Bases(); !slices.Contains(known, basis) {
			return fmt.Errorf("there is no basis %q; Config.Bases takes some of %v", basis, known)
		}
	}
	known := slices.Concat(oracle.Checks(), judge.Checks)
	for _, id := range c.Disabled {
		if !slices.ContainsFunc(known, func(check oracle.Check) bool { return check.ID == id }) {
			return fmt.Errorf("there is no check %q for Config.Disabled; adconform explain lists them", id)
		}
	}
	return nil
}

func (c *Config) noCase() error {
	return errors.New("no case matches " + cmp.Or(strings.Join(c.Filters, " and "), "the selection"))
}

// every returns all cases for target and depth, regardless of the selection.
func (c *Config) every() []*judge.Case {
	all := specs.Plan(c.contract(), c.Target, c.Depth)
	for i, cs := range all {
		cs.Place = i
	}
	return all
}

// described returns the target as reports name it.
func (c *Config) described() report.Target {
	return report.Target{
		Name: c.Target.Name, BaseURL: c.Target.BaseURL,
		Overlay: strings.Join(c.contract().Overlays, ","), Variables: c.variables(),
	}
}

// variables defines the variables of curl lines that are not variables of the target file, too.
func (c *Config) variables() (all []report.Variable) {
	for _, s := range c.Target.Secrets() {
		name := wire.Variable(s.Name)
		define := "export " + name + "=" + s.Shell
		switch s.Shell {
		case `"$` + name + `"`:
			continue
		case "":
			define += "…  # " + s.Path + " of " + c.Target.File
		}
		all = append(all, report.Variable{Name: name, Define: define})
	}
	return all
}

// contract returns Contract, or the embedded contract.
func (c *Config) contract() *spec.Contract { return cmp.Or(c.Contract, spec.Load()) }

// Client returns the client that a run against the target uses.
func (c *Config) Client() (*wire.Client, error) {
	t := c.Target
	return wire.New(wire.Options{
		BaseURL: t.BaseURL, Key: t.Credentials.Form(), Headers: t.Headers,
		Secrets: []wire.Credential{
			{Name: "owner", Value: t.Credentials.Owner}, {Name: "stranger", Value: t.Credentials.Stranger},
		},
		Renew:     t.Credentials.Renew,
		TLS:       c.TLS,
		Timeout:   t.Limits.Timeout,
		Rate:      t.Limits.Rate,
		UserAgent: "adconform/" + Version(),
		ReadOnly:  c.ReadOnly,
	})
}

// Version returns the version of the suite's module, or devel.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == "github.com/adconform/adconform" {
				return cmp.Or(strings.TrimSuffix(m.Version, "(devel)"), "devel")
			}
		}
	}
	return "devel"
}

func (c *Config) provisions() bool { return !c.ReadOnly && c.Target.Provision != nil }

// provision restores the objects, unless the run is read-only. A host other than the target's does not
// get the client certificate, and must have a valid certificate even if the target's is not verified.
func (c *Config) provision(ctx context.Context) error {
	if !c.provisions() {
		return nil
	}
	p := *c.Target.Provision
	target, err := url.Parse(c.Target.BaseURL)
	post, errPost := url.Parse(p.Post)
	if p.TLS = c.TLS; c.TLS != nil && (err != nil || errPost != nil || post.Hostname() != target.Hostname()) {
		p.TLS = &tls.Config{MinVersion: c.TLS.MinVersion, RootCAs: c.TLS.RootCAs}
	}
	return cmp.Or(p.Run(ctx, c.Target, 0), c.checkValues()) // its output may give other values
}

// These bounds make every run end. They judge nothing: a target may be as slow as limits.timeout allows.
const (
	restoreTime      = 30 * time.Second // for restoring objects
	leastRestoreTime = 5 * time.Second  // the minimum for that
	restoreWrites    = 20               // requests; the rate may need more time for them
	reportTime       = 5 * time.Second  // for the last answers and for reporting, before go test's -timeout
	runTime          = time.Hour
	runPerCase       = 4 // requests; the rate may need more time for them
)

// timeout returns how long one answer may take.
func (c *Config) timeout() time.Duration {
	return cmp.Or(c.Target.Limits.Timeout, wire.DefaultTimeout)
}

// restoreTime returns how long restoring may take: less if the target is gone.
func (c *Config) restoreTime(gone bool) time.Duration {
	if gone {
		return min(restoreTime, max(3*c.timeout()/2, leastRestoreTime))
	}
	return restoreTime + c.atRate(restoreWrites)
}

// atRate returns the time that this many requests take at the rate of the target file.
func (c *Config) atRate(requests int) time.Duration {
	if c.Target.Limits.Rate == 0 {
		return 0
	}
	return time.Duration(float64(requests) / c.Target.Limits.Rate * float64(time.Second))
}

// defaultWorkers is how many cases run at once if nothing limits them. More would bring no gain, as cases
// on one object run in turn.
const defaultWorkers = 8

// workers returns how many cases may run at once: limits.concurrency, or one if there is a rate.
func (c *Config) workers() int {
	l := c.Target.Limits
	if l.Concurrency == 0 && l.Rate > 0 {
		return 1
	}
	return cmp.Or(l.Concurrency, defaultWorkers)
}
