package suites

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/verdict"
	"github.com/adconform/adconform/suites/wire"
)

// Judge judges exchanges that others send to a target, as a run judges its own:
// see passive.Monitor for what it does without. It is safe for concurrent use.
type Judge struct {
	config  *Config
	client  *wire.Client
	base    string // path of the base URL
	started time.Time

	mu      sync.Mutex
	monitor *passive.Monitor
	run     *Execution // what a report is made from
	judged  int
	others  int
}

// Flight is a request under way; nil where it belongs to none of the operations.
type Flight struct {
	flight *passive.Flight
	path   string // from the base URL on
}

// NewJudge returns a judge of traffic to Config.Target, of which only the base
// URL is needed. Without keys, what comes is taken to lack the keys that were
// sent, as a recording that somebody has cleaned.
func NewJudge(c *Config, keys bool) (*Judge, error) {
	contract, err := c.LoadContract()
	if err != nil {
		return nil, err
	}
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(c.Target.BaseURL)
	if err != nil {
		return nil, err
	}
	j := &Judge{config: c, client: client, base: strings.TrimRight(base.EscapedPath(), "/"), started: time.Now()}
	j.run = &Execution{config: c, contract: contract}
	j.monitor = passive.NewMonitor(judge.ModelOptions{
		Contract: contract, Target: c.Target, Redact: client.Redact, Bases: c.Bases, Disabled: c.Disabled,
	}, keys)
	j.run.outcome = j.monitor.Outcome()
	return j, nil
}

// Concerns says whether a request belongs to one of the operations, at once.
func (j *Judge) Concerns(method, target string) bool {
	path, _, _ := strings.Cut(target, "?")
	below, ok := strings.CutPrefix(path, j.base)
	return ok && j.monitor.Concerns(method, below)
}

// Begin notes a request at its start; target is that of its request line, an
// absolute path with query. Requests whose times overlap have to be begun before
// either is ended. It is nil for a request of no operation, which is counted.
func (j *Judge) Begin(method, target string) *Flight {
	j.mu.Lock()
	defer j.mu.Unlock()
	path, _, _ := strings.Cut(target, "?")
	if below, ok := strings.CutPrefix(path, j.base); ok {
		if f := j.monitor.Begin(method, below); f != nil {
			return &Flight{f, strings.TrimPrefix(target, j.base)}
		}
	}
	j.others++
	return nil
}

// End judges the exchange of a request that was begun, and returns the findings
// of causes that were not seen before. Nothing of it may be changed afterwards.
func (j *Judge) End(f *Flight, r wire.Recorded) []oracle.Finding {
	if f == nil {
		return nil
	}
	if OutOfScope(r) != "" {
		j.Abandon(f)
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.judged++
	var fresh []oracle.Finding
	ex := j.client.Record("", f.path, r)
	for _, found := range j.monitor.End(f.flight, ex) {
		fresh = append(fresh, *found)
	}
	if len(fresh) > 0 || j.judged <= maxShown {
		j.run.keep(ex)
	}
	return fresh
}

// Wrong says whether a request breaks the contract for certain, so that every
// right answer refuses it; nil where the contract leaves that open.
func (j *Judge) Wrong(r wire.Recorded) *passive.WrongRequest {
	path, _, _ := strings.Cut(r.Target, "?")
	below, ok := strings.CutPrefix(path, j.base)
	if !ok || OutOfScope(r) != "" {
		return nil
	}
	return j.monitor.Wrong(below, &j.client.Record("", strings.TrimPrefix(r.Target, j.base), r).Request)
}

// Fails says whether a finding fails the run by itself.
func (j *Judge) Fails(f oracle.Finding) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.config.rules().Counts(&f, j.run.outcome.Liveness.Lost()) && !j.config.rules().Accept(&f, time.Now())
}

// Failed says whether what was judged so far fails the run.
func (j *Judge) Failed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.run.outcome.Liveness.Answered() > 0 && j.run.failed()
}

// maxShown is how many exchanges are shown that have nothing new: traffic has no
// end.
const maxShown = 1000

// Forget tells that what comes is not to be held against what came before: the
// target may have been changed otherwise meanwhile, or it is another recording.
func (j *Judge) Forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.monitor.Forget()
}

// Abandon drops a request that cannot be judged, for example because its answer
// was not recorded whole. It counts as one of no operation.
func (j *Judge) Abandon(f *Flight) {
	if f == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.monitor.Abandon(f.flight)
	j.others++
}

// Counts are the exchanges that were judged and those that were not.
func (j *Judge) Counts() (judged, others int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.judged, j.others
}

// Redact replaces every key that was seen.
func (j *Judge) Redact(text string) string { return j.client.Redact(text) }

// Report is the report on all that was judged so far. What no exchange showed is
// not tested, which does not make it inconclusive; nothing judged at all does.
func (j *Judge) Report() *report.Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.run.plan = nil
	for _, r := range j.run.outcome.Results() {
		r.Case.Clauses = j.run.outcome.JudgedIn(r.Case.ID)
		j.run.plan = append(j.run.plan, r.Case)
	}
	r := j.run.observed(j.started, nil, report.Recorded, "no recorded exchange shows it")
	r.Findings = slices.Clone(r.Findings)
	j.config.rules().Decide(r, j.run.outcome.Liveness.Answered(), false, "")
	if r.Verdict == report.Conforming {
		totals := r.Totals()
		r.Reason = fmt.Sprintf("in %s: %d of %s could be judged",
			wording.Count(j.judged, "exchange"), verdict.Held(totals), wording.Count(len(totals), "clause"))
	}
	if j.judged == 0 {
		r.Reason = "no exchange of the five operations was recorded"
	}
	return r
}
