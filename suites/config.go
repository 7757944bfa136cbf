// Package suites runs the conformance suite: it plans cases for a target, sends them, judges the
// answers and decides whether the target conforms. Run embeds it in a Go test, Execute runs it alone,
// and RunGinkgo runs it as a Ginkgo suite.
package suites

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/wire"
)

// DefaultSeed is the seed of a new Config: it sends the same data each time.
const DefaultSeed = 1

// NewSeed draws a seed. Two runs at once on one target can be distinguished by data that no other run
// sends, and Config.Seed sends the same data again.
func NewSeed() uint64 { return uint64(rand.Uint32()) }

// Config configures a run. Only Target is needed.
type Config struct {
	Target   *fixtures.Target
	Contract *spec.Contract // nil: the embedded one
	Depth    judge.Depth    // Quick, unless set: see NewConfig
	Seed     uint64         // determines all that is sent; see NewSeed

	// Select reports whether a case is run; nil runs all.
	Select func(*judge.Case) bool
	// Filters describe Select in words: --case updateCampaign/401/no-key.
	Filters []string
	// Bases are those that fail a run; empty means all but chosen. With chosen among them notices
	// fail it too, except those that depend on timing.
	Bases []spec.Basis
	// AllowInconclusive makes the exit code of an inconclusive run 0, unless
	// the target gave no answer at all.
	AllowInconclusive bool
	// Require is the least level of a run that passes; empty requires none.
	Require report.Level
	// Baseline accepts findings; nil accepts none.
	Baseline *Baseline
	// Deadline is when sending stops; 0 is an hour, and more where the rate of the target file needs
	// it.
	Deadline time.Duration
	// TLS has authorities to trust and a client certificate; nil trusts the system's authorities.
	TLS *tls.Config
	// ReadOnly sends nothing that could change the target: no case that writes, no provisioning.
	ReadOnly bool
	// Disabled are the ids of checks that do not judge.
	Disabled []string
	// Drawn is how many requests random sequences take at most; 0 is 2,000.
	Drawn int

	sequences map[string][]string // random ones to be sent, by case; nil: they are drawn

	// Progress is called with each result as it comes. Its findings may be dropped later, unless the
	// result is Decided.
	Progress func(done, of int, r *judge.Result)
	// Decided is called with each result once more at the end of the run.
	Decided func(r *judge.Result)
	// Record is called with each exchange.
	Record func(*wire.Exchange)
	// Exchanges keeps each exchange, without keys, in the report.
	Exchanges bool
}

// NewConfig returns the configuration of a standard run against a target.
func NewConfig(target *fixtures.Target) *Config {
	return &Config{Target: target, Depth: judge.Standard, Seed: DefaultSeed}
}

// Plan returns the selected cases, in the order in which they are sent.
func (c *Config) Plan() ([]*judge.Case, error) {
	_, plan, err := c.load()
	return plan, err
}

// load returns the contract and the plan.
func (c *Config) load() (*spec.Contract, []*judge.Case, error) {
	contract, err := c.LoadContract()
	if err == nil {
		err = specs.Check(contract)
	}
	if err != nil {
		return nil, nil, err
	}
	all := c.every(contract)
	for _, op := range contract.Operations {
		if !slices.ContainsFunc(all, func(cs *judge.Case) bool { return cs.Operation == op }) { // a run would pass silently
			return nil, nil, fmt.Errorf("%s %s (%s) gets no case at depth %s", op.Method, op.Path, op.ID, c.Depth)
		}
	}
	return contract, slices.DeleteFunc(all, func(cs *judge.Case) bool { return c.Select != nil && !c.Select(cs) }), nil
}

// every returns the cases for target and depth, whatever is selected.
func (c *Config) every(contract *spec.Contract) []*judge.Case {
	all := specs.Plan(contract, c.Target, c.Depth)
	for i, cs := range all {
		cs.Place = i
	}
	return all
}

// LoadContract returns Contract, or the embedded contract.
func (c *Config) LoadContract() (*spec.Contract, error) {
	if c.Contract != nil {
		return c.Contract, nil
	}
	return spec.Load()
}

// Client returns the client that a run against the target uses.
func (c *Config) Client() (*wire.Client, error) {
	t := c.Target
	return wire.New(wire.Options{
		BaseURL: t.BaseURL, KeyHeader: t.Credentials.Header,
		Secrets:   []wire.Secret{{Name: "owner", Value: t.Credentials.Owner}, {Name: "stranger", Value: t.Credentials.Stranger}},
		TLS:       c.TLS,
		Timeout:   t.Limits.Timeout,
		Rate:      t.Limits.Rate,
		UserAgent: "adconform/" + Version(),
		ReadOnly:  c.ReadOnly,
	})
}

// Version returns the version of the suite's module, or devel.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	version := ""
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/adconform/adconform" {
			version = strings.TrimSuffix(m.Version, "(devel)")
		}
	}
	return cmp.Or(version, "devel")
}

func (c *Config) provisions() bool { return !c.ReadOnly && c.Target.Provision != nil }

// provision brings the objects back, unless the target is only read. Another host than the target's does
// not get the client certificate, and has to have a valid certificate even where the target's is not checked.
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
	return p.Run(ctx, c.Target, 0)
}

// These let a run end. They do not judge: a target may be as slow as limits.timeout allows.
const (
	casePerRequest   = 30               // time-outs that one case may wait for answers
	restoreTime      = 30 * time.Second // for putting back what was changed
	leastRestoreTime = 5 * time.Second  // the least of that
	restoreWrites    = 20               // requests; the rate may need more time for them
	runTime          = time.Hour
	runPerCase       = 4 // requests; the rate may need more time for them
)

// timeout returns how long one answer may take.
func (c *Config) timeout() time.Duration {
	return cmp.Or(c.Target.Limits.Timeout, wire.DefaultTimeout)
}

// caseTime returns how long one case may wait for answers, without the waiting for the rate.
func (c *Config) caseTime() time.Duration { return casePerRequest * c.timeout() }

// deadline returns when sending stops: Deadline, or what suffices for so many cases at the rate of
// the target file.
func (c *Config) deadline(cases int) time.Duration {
	return cmp.Or(c.Deadline, runTime+c.atRate(runPerCase*cases))
}

// restoreTime returns how long putting back may take: less on a target that is gone.
func (c *Config) restoreTime(gone bool) time.Duration {
	if gone {
		return min(restoreTime, max(3*c.timeout()/2, leastRestoreTime))
	}
	return restoreTime + c.atRate(restoreWrites)
}

// atRate returns the time that so many requests take at the rate of the target file.
func (c *Config) atRate(requests int) time.Duration {
	if c.Target.Limits.Rate == 0 {
		return 0
	}
	return time.Duration(float64(requests) / c.Target.Limits.Rate * float64(time.Second))
}

// defaultWorkers is how many cases run at once where nothing limits it. More gain nothing, as cases on
// one object run in turn.
const defaultWorkers = 8

// workers returns how many cases may run at once: limits.concurrency, or one where there is a rate.
func (c *Config) workers() int {
	l := c.Target.Limits
	switch {
	case l.Concurrency > 0:
		return l.Concurrency
	case l.Rate > 0:
		return 1
	}
	return defaultWorkers
}
