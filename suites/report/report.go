// Package report is what a run says: the report as machines read it, and the
// forms in which people and other tools get it.
package report

import (
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
)

// Schema names the form of report.json; it changes when a reader would break.
const Schema = "adconform/report/v1"

// Verdict is the outcome of a run.
type Verdict string

// The three verdicts. Violations win over what was not tested.
const (
	Conforming    Verdict = "conforming"
	Nonconforming Verdict = "nonconforming"
	Inconclusive  Verdict = "inconclusive" // nothing wrong seen, but the operator left a stated clause untested
)

// Exit codes of the command line.
const (
	ExitConforming    = 0
	ExitNonconforming = 1
	ExitUsage         = 2
	ExitInconclusive  = 3
	ExitInterrupted   = 130
)

// Report is report.json.
type Report struct {
	Schema          string           `json:"schema"`
	Verdict         Verdict          `json:"verdict"`
	Reason          string           `json:"reason"` // why this verdict, in one line
	ExitCode        int              `json:"exitCode"`
	Interrupted     bool             `json:"interrupted,omitempty"`
	Suite           Suite            `json:"suite"`
	Target          Target           `json:"target"`
	Seed            uint64           `json:"seed"`
	Depth           string           `json:"depth"`
	Started         time.Time        `json:"started"`
	DurationSeconds float64          `json:"durationSeconds"`
	Requests        int              `json:"requests"`
	RateLimited     int              `json:"rateLimited"` // answers 429 that were waited for
	Lost            int              `json:"lost"`        // requests without a complete response
	Cases           Counts           `json:"cases"`
	Clauses         []Clause         `json:"clauses"`
	Findings        []oracle.Finding `json:"findings"` // one for each cause, worst first
	OpenPoints      []OpenPoint      `json:"openPoints"`
	Changes         []engine.Change  `json:"changes"`
	Results         []Case           `json:"results"`

	// Exchanges are kept for the forms that show them, if Config.Exchanges asks.
	Exchanges []Exchange `json:"-"`
}

// Suite is what judged.
type Suite struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	SelfTest Figure `json:"selfTest"`
}

// Target is what was judged.
type Target struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseURL"`
}

// Counts count cases.
type Counts struct {
	Planned   int `json:"planned"`
	Run       int `json:"run"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	NotTested int `json:"notTested"`
}

// ClauseStatus is what is known of a clause after a run.
type ClauseStatus string

// The three states of a clause.
const (
	Held      ClauseStatus = "held"
	Broken    ClauseStatus = "broken"
	NotTested ClauseStatus = "notTested"
)

// Clause is a clause with what became of it.
type Clause struct {
	ID     string       `json:"id"`
	Basis  spec.Basis   `json:"basis"`
	Source string       `json:"source,omitempty"` // where it comes from
	Text   string       `json:"text"`
	Status ClauseStatus `json:"status"`
	Cases  int          `json:"cases"`            // in which it was judged
	Reason string       `json:"reason,omitempty"` // of notTested
	Cause  engine.Cause `json:"cause,omitempty"`  // of notTested: operator or target
}

// OpenPoint is what the target chose where the contract is silent.
type OpenPoint struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Observed []string `json:"observed"`
	Pinned   any      `json:"pinned,omitempty"`
}

// Case is the result of one case.
type Case struct {
	ID        string           `json:"id"`
	Operation string           `json:"operation"`
	Class     string           `json:"class"`
	Title     string           `json:"title"`
	Status    engine.Status    `json:"status"`
	Reason    string           `json:"reason,omitempty"`
	Cause     engine.Cause     `json:"cause,omitempty"`
	Clauses   []string         `json:"clauses"`
	Requests  int              `json:"requests"`
	Seconds   float64          `json:"seconds"`
	Findings  []oracle.Finding `json:"findings,omitempty"`
}
