// Package compare puts reports of several targets side by side: what holds on which operation
// of which target, what each chose at open points, and how that changed from report to report.
// It trusts no report: texts are bounded, and what verification does not bear out is marked.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Schema names the form of compare.json; it changes when a reader would break.
const Schema = "adconform/compare/v1"

// Comparison is compare.json.
type Comparison struct {
	Schema     string      `json:"schema"`
	Suite      string      `json:"suite"` // version that compared
	Operations []string    `json:"operations"`
	Targets    []*Target   `json:"targets"`
	Clauses    []Clause    `json:"clauses"`    // a row for each operation that one is about
	OpenPoints []OpenPoint `json:"openPoints"` // those at which the targets differ first
	LeftOut    []LeftOut   `json:"leftOut"`
}

// Target is an implementation, which may have several reports: it is known by organisation and
// product, else by name and base URL.
type Target struct {
	Name           string                  `json:"name"`
	BaseURL        string                  `json:"baseURL"`
	Implementation fixtures.Implementation `json:"implementation,omitzero"`
	Current        int                     `json:"current"` // of Reports, the one that stands for it
	Reports        []*Report               `json:"reports"` // the newest first
}

// full is the name with the organisation, where one is given.
func (t *Target) full() string {
	return strings.TrimSuffix(t.Name+" · "+t.Implementation.Organisation, " · ")
}

// current is the report that stands for a target.
func (t *Target) current() *Report { return t.Reports[t.Current] }

// Report is what is compared of a report.
type Report struct {
	Path         string         `json:"path"`
	Started      time.Time      `json:"started"`
	Verdict      report.Verdict `json:"verdict"`
	Level        report.Level   `json:"level"`
	Words        string         `json:"words"`  // verdict and level: conforming (partial, 355 of 371 cases)
	Reason       string         `json:"reason"` // for the verdict
	Passes       bool           `json:"passes"` // complete, conforming, nothing broken, and not refuted
	Notes        []string       `json:"notes"`  // what a reader of the verdict has to know
	Edition      string         `json:"edition,omitempty"`
	Depth        string         `json:"depth"`
	Suite        string         `json:"suite"` // version that judged
	Version      string         `json:"version,omitempty"`
	Subject      string         `json:"subject,omitempty"` // artifact that answered
	Verification Verification   `json:"verification"`
	Clauses      Counts         `json:"clauses"`    // each once
	Operations   []Counts       `json:"operations"` // by Comparison.Operations: clauses of each
	Findings     []Finding      `json:"findings"`   // violations first
	Omitted      int            `json:"omitted"`    // findings beyond those
	Broke        []string       `json:"broke"`      // clauses that the report before it, of the same target, saw held
	Mended       []string       `json:"mended"`     // and the reverse

	of       *report.Report // until it is summarised
	target   report.Target
	statuses map[subject]Status
	rows     map[subject]Clause // without targets
	totals   map[string]Status  // by clause
	points   []report.OpenPoint
}

// Verification is what is known of a report beyond what it says.
type Verification struct {
	Status VerificationStatus `json:"status"`
	Reason string             `json:"reason,omitempty"`
}

// VerificationStatus is whether a report follows from its evidence.
type VerificationStatus string

// The three outcomes.
const (
	Verified   VerificationStatus = "verified"
	Refuted    VerificationStatus = "refuted"
	Unverified VerificationStatus = "unverified" // nobody looked, or there was not enough to look at
)

// Counts count clauses by what became of them.
type Counts struct {
	Held      int `json:"held"`
	Broken    int `json:"broken"`
	Notices   int `json:"notices"`
	NotTested int `json:"notTested"`
	Missing   int `json:"missing"`  // of NotTested: through no choice of the target
	Unproven  int `json:"unproven"` // held, says a report that is refuted
}

// Status is what became of a clause on an operation of a target.
type Status string

// What a clause may be. A notice is a breach of what nobody states, which fails no run.
const (
	Held      Status = "held"
	Broken    Status = "broken"
	Notice    Status = "notice"
	NotTested Status = "notTested"
	Missing   Status = "missing"  // not tested, through no choice of the target
	Unproven  Status = "unproven" // held, says a report that is refuted
	Unknown   Status = ""         // the report does not know the clause
)

func (n *Counts) add(s Status) {
	switch s {
	case Held:
		n.Held++
	case Broken:
		n.Broken++
	case Notice:
		n.Notices++
	case Unproven:
		n.Unproven++
	case NotTested:
		n.NotTested++
	case Missing:
		n.NotTested++
		n.Missing++
	}
}

// subject is a clause on an operation.
type subject struct{ clause, operation string }

// Clause is a clause on an operation, with what became of it on each target.
type Clause struct {
	ID        string     `json:"id"`
	Operation string     `json:"operation"` // all: it is about how they relate
	Basis     spec.Basis `json:"basis"`
	Text      string     `json:"text"`
	Differs   bool       `json:"differs"` // it holds on one and is broken on another
	Targets   []Status   `json:"targets"` // by Comparison.Targets
}

// Finding is a finding in a sentence.
type Finding struct {
	Clause    string     `json:"clause"`
	Operation string     `json:"operation"`
	Basis     spec.Basis `json:"basis"`
	Notice    bool       `json:"notice"`
	Sentence  string     `json:"sentence"`
	Standing  string     `json:"standing,omitempty"` // why it does not count in the edition of the run
	Known     string     `json:"known,omitempty"`    // why a baseline accepts it
}

// LeftOut is a report that could not be taken.
type LeftOut struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`

	at string // the path on this machine
}

// Options say what is asked of a comparison.
type Options struct {
	Verify   func(ctx context.Context, path string) Verification // of a report.json; nil: none is verified
	Registry bool                                                // reports stand in ORGANISATION/PRODUCT/DATE
	Suite    string                                              // version that compares
}

// Reports compares the reports at paths: report folders, report.json files, or folders that
// hold many. One that cannot be read is left out, with the reason. It is an error, of a line
// for each path, if a path holds no report or none can be read.
func Reports(ctx context.Context, paths []string, o Options) (*Comparison, error) {
	found, err := find(paths)
	if err != nil {
		return nil, err
	}
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	reports, left, err := readAll(ctx, found, contract, o)
	if err != nil {
		return nil, err
	}
	if len(reports) == 0 {
		return nil, noneReadable(left)
	}
	c := &Comparison{Schema: Schema, Suite: o.Suite, Targets: targets(reports), LeftOut: left}
	c.clauses(contract)
	c.openPoints(contract)
	return c, nil
}

// targets groups reports by what they are about.
func targets(reports []*Report) []*Target {
	by := map[string][]*Report{}
	for _, r := range reports {
		key := identity(r.target)
		by[key] = append(by[key], r)
	}
	var all []*Target
	for _, group := range by {
		slices.SortFunc(group, func(a, b *Report) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.Path, b.Path)) })
		for i, r := range group[:len(group)-1] {
			r.since(group[i+1])
		}
		// What a selection shows, or traffic of others, is less than what a run shows, unless
		// it shows a violation.
		standing := max(0, slices.IndexFunc(group, func(r *Report) bool {
			return r.Verdict == report.Nonconforming || r.Level == report.Complete || r.Level == report.Partial
		}))
		of := group[standing].target
		all = append(all, &Target{
			Name: name(of), BaseURL: clip(of.BaseURL), Implementation: clipped(of.Implementation), Current: standing, Reports: group,
		})
	}
	slices.SortFunc(all, func(a, b *Target) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			cmp.Compare(identity(a.current().target), identity(b.current().target)))
	})
	return all
}

// since says what changed from one report to the next.
func (r *Report) since(before *Report) {
	for _, clause := range slices.Sorted(maps.Keys(r.totals)) {
		switch was, is := before.totals[clause], r.totals[clause]; {
		case was == Held && is == Broken:
			r.Broke = append(r.Broke, clause)
		case was == Broken && is == Held:
			r.Mended = append(r.Mended, clause)
		}
	}
}

// identity tells targets apart.
func identity(t report.Target) string {
	parts := []string{t.Name, t.BaseURL}
	if i := t.Implementation; i.Organisation != "" && i.Product != "" {
		parts = []string{"", strings.ToLower(i.Organisation), strings.ToLower(i.Product)}
	}
	return fmt.Sprintf("%q", parts)
}

// name is what a target is called.
func name(t report.Target) string {
	return cmp.Or(clip(t.Implementation.Product), clip(t.Name), "unnamed")
}

// clauses fills in operations and clauses, those of the contract in its order first.
func (c *Comparison) clauses(contract *spec.Contract) {
	order := map[string]int{relating: 1} // of operations and clauses; 0: unknown to the contract
	for i, op := range contract.Operations {
		order[op.ID] = i - len(contract.Operations)
	}
	for i := range contract.Clauses {
		order[contract.Clauses[i].ID] = i - len(contract.Clauses)
	}
	rows := map[subject]Clause{}
	for _, t := range c.Targets {
		maps.Copy(rows, t.current().rows)
	}
	c.Clauses = slices.SortedFunc(maps.Values(rows), func(a, b Clause) int {
		return cmp.Or(cmp.Compare(order[a.Operation], order[b.Operation]), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(order[a.ID], order[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	for i := range c.Clauses {
		row := &c.Clauses[i]
		if !slices.Contains(c.Operations, row.Operation) {
			c.Operations = append(c.Operations, row.Operation)
		}
		if known := contract.Clause(row.ID); known != nil { // whatever a report says of it
			row.Basis, row.Text = known.Basis, known.Text
		}
		states := map[Status]bool{}
		for _, t := range c.Targets {
			status := t.current().statuses[subject{row.ID, row.Operation}]
			states[status] = true
			row.Targets = append(row.Targets, status)
		}
		row.Differs = states[Held] && (states[Broken] || states[Notice])
	}
	for _, t := range c.Targets {
		for _, r := range t.Reports {
			r.Operations = make([]Counts, len(c.Operations))
			for at, status := range r.statuses {
				if i := slices.Index(c.Operations, at.operation); i >= 0 {
					r.Operations[i].add(status)
				}
			}
		}
	}
}

// relating is the operation of clauses that are about how operations relate.
const relating = "all"
