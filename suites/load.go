package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/coverage"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
)

// Load says how a target is put under load with the cases of a Config. Without VirtualUsers
// there are DefaultVirtualUsers, or as many as limits.concurrency allows.
type Load = load.Demand

// DefaultVirtualUsers is the number of virtual users of a load that names none.
const DefaultVirtualUsers = 4

// loadGrace is how much longer than its time-out an answer is waited for when the
// time of a load is over.
const loadGrace = time.Second

// RunLoad puts a target under load. It is an error when that cannot start, or
// would go beyond what the target file allows; what the target does wrong is in
// both reports.
func RunLoad(ctx context.Context, c *Config, l Load) (*load.Result, *report.Report, error) {
	var err error
	if l.VirtualUsers, err = c.virtualUsers(l); err != nil {
		return nil, nil, err
	}
	c, err = c.forVirtualUsers(l.VirtualUsers)
	if err != nil {
		return nil, nil, err
	}
	plan, err := c.Plan()
	if err != nil {
		return nil, nil, err
	}
	client, err := c.Client()
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	if err := c.provision(ctx); err != nil {
		return nil, nil, fmt.Errorf("provision: %w", err)
	}
	started := time.Now()
	out, err := load.Run(ctx, load.Options{
		Contract: c.Contract, Target: c.Target, Client: client, Plan: plan, Seed: c.Seed, Edition: c.Edition, Bases: c.Bases,
		Disabled: c.Disabled, ReadOnly: c.ReadOnly,
		CaseTime: c.caseTime(), RestoreTime: c.restoreTime(false), Grace: c.caseTime()/casePerRequest + loadGrace,
		Demand: l,
	})
	if err != nil {
		return nil, nil, err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.restoreTime(false))
	defer cancel()
	if err := c.provision(after); err != nil {
		out.Changes = append(out.Changes, session.Change{Object: "provision", Change: "not run again", Reason: err.Error()})
	}
	r := c.loadReport(started, plan, out)
	c.concludeLoad(&out.Result, r, out, l.Limits)
	return &out.Result, r, nil
}

// virtualUsers is how many virtual users a load has, if the target file allows it.
func (c *Config) virtualUsers(l Load) (int, error) {
	limits, users := c.Target.Limits, l.VirtualUsers
	if users == 0 {
		users = DefaultVirtualUsers
		if limits.Concurrency > 0 {
			users = min(users, limits.Concurrency)
		}
	}
	switch {
	case l.Duration <= 0 && l.Requests <= 0:
		return 0, errors.New("a load needs a duration or a number of requests")
	case limits.Concurrency > 0 && users > limits.Concurrency:
		return 0, fmt.Errorf("%d lanes are more than the target file allows: limits.concurrency is %d", users, limits.Concurrency)
	case limits.Rate > 0 && l.Rate > limits.Rate:
		return 0, fmt.Errorf("%g requests a second are more than the target file allows: limits.rate is %g/s", l.Rate, limits.Rate)
	}
	return users, nil
}

// atOncePerUser is how many requests a case may send at the same instant.
const atOncePerUser = 4

// forVirtualUsers is the configuration of a load: with the contract loaded, and as many
// requests at once as the virtual users send, unless the target file bounds them.
func (c *Config) forVirtualUsers(users int) (*Config, error) {
	contract, err := c.LoadContract()
	if err != nil {
		return nil, err
	}
	own, target := *c, *c.Target
	own.Contract, own.Target = contract, &target
	if target.Limits.Concurrency == 0 {
		target.Limits.Concurrency = atOncePerUser * users
	}
	return &own, nil
}

// loadReport is the report of the quiet round with what the load adds.
func (c *Config) loadReport(started time.Time, plan []*testcase.Case, out *load.Outcome) *report.Report {
	out.Suite, out.Target = load.Name{Name: "adconform", Version: Version()}, load.Target{Name: c.Target.Name, BaseURL: c.Target.BaseURL}
	out.Depth = c.Depth.String()
	e := &Execution{config: c, contract: c.Contract, plan: plan, session: out.Quiet, outcome: out.Quiet.Outcome()}
	r := e.assemble(started, out.Changes)
	r.Selected, r.Level = true, report.Selected // what uses something up is always left out
	r.Requests += out.Requests
	r.RateLimited += out.RateLimited
	r.Unavailable += out.Unavailable
	r.Resent += out.Resent
	r.Lost += out.Lost
	r.Findings = nil
	var groups []*oracle.Finding
	for _, f := range out.Findings {
		f.Finding.Seen += f.Quiet
		r.Findings = append(r.Findings, f.Finding)
		groups = append(groups, &f.Finding)
	}
	r.Clauses = coverage.Clauses(c.Contract, c.Edition, plan, out.Quiet.Outcome(), groups)
	for i := range r.Clauses {
		if cl := &r.Clauses[i]; cl.Status == report.NotTested {
			cl.Cause = testcase.ByTarget // a load is no test of conformance: what it leaves out is nobody's lack
		}
	}
	addLoadFindings(r, groups)
	return r
}

// addLoadFindings lets cases fail in which something was found under load only.
func addLoadFindings(r *report.Report, groups []*oracle.Finding) {
	for _, f := range groups {
		i := slices.IndexFunc(r.Results, func(res report.Case) bool { return res.ID == f.Case })
		if i < 0 || slices.ContainsFunc(r.Results[i].Findings, func(g oracle.Finding) bool { return g.Cause() == f.Cause() }) {
			continue
		}
		res := &r.Results[i]
		res.Findings = append(res.Findings, *f)
		if f.Severity == oracle.Violation && res.Status != testcase.Failed {
			if res.Status == testcase.Passed {
				r.Cases.Passed--
			} else {
				r.Cases.NotTested--
			}
			res.Status, res.Reason, res.Cause = testcase.Failed, "", ""
			r.Cases.Failed++
		}
	}
	r.Cases.Run = r.Cases.Passed + r.Cases.Failed
}

// concludeLoad fills in verdict, reason and exit code of both reports.
func (c *Config) concludeLoad(result *load.Result, r *report.Report, out *load.Outcome, limits []load.Limit) {
	result.Measure(limits)
	wrong, unsure := c.decideLoad(r, out, limits)
	for _, l := range result.Limits {
		switch {
		case l.Got == nil:
			unsure = append(unsure, l.String())
		case !l.Kept:
			wrong = append(wrong, l.String())
		}
	}
	if out.Silent && out.Quiet.Outcome().Liveness.Answered() > 0 {
		wrong = append(wrong, "the target gives no answers any more")
	} else if result.Cases.Passed+result.Cases.Failed == 0 && len(unsure) == 0 {
		unsure = append(unsure, "no case was judged under load")
	}
	switch {
	case len(wrong) > 0:
		result.Verdict, result.ExitCode, result.Reason = load.Failed, report.ExitNonconforming, strings.Join(wrong, "; ")
	case len(unsure) > 0:
		result.Verdict, result.ExitCode, result.Reason = load.Inconclusive, report.ExitInconclusive, strings.Join(unsure, "; ")
		r.Verdict = report.Inconclusive
	default:
		result.Verdict, result.ExitCode = load.Passed, report.ExitConforming
		result.Reason = "nothing found in " + wording.Count(result.Requests, "request")
	}
	if out.Interrupted {
		result.ExitCode = report.ExitInterrupted
		r.Interrupted, r.Stopped = true, "the load was interrupted"
	}
	r.ExitCode, r.Reason = result.ExitCode, "under load: "+result.Reason
}

// decideLoad draws the verdict of a run from what was found, and says what is
// wrong by it, or what leaves it unsure.
func (c *Config) decideLoad(r *report.Report, out *load.Outcome, limits []load.Limit) (wrong, unsure []string) {
	all := r.Findings
	if slices.ContainsFunc(limits, func(l load.Limit) bool { return l.Name == load.Errors }) {
		r.Findings = slices.DeleteFunc(slices.Clone(all), isError) // the limit says how many are borne
	}
	c.rules().Decide(r, out.Quiet.Outcome().Liveness.Answered(), out.KeyRefused, "")
	r.Findings = all
	for i := range all {
		c.rules().Accept(&all[i], r.Started)
	}
	switch r.ExitCode {
	case report.ExitNonconforming:
		wrong = []string{r.Reason}
		if n := out.OnlyUnderLoad(); n > 0 {
			wrong[0] += fmt.Sprintf(", %d only under load", n)
		}
	case report.ExitInconclusive:
		unsure = []string{r.Reason}
	}
	return wrong, unsure
}

// isError says whether a finding is one of those that a limit of errors counts.
func isError(f oracle.Finding) bool {
	return f.Severity == oracle.Transport || f.Severity == oracle.Violation && f.Clause == "HTTP-1"
}
