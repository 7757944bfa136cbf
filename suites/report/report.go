// Package report holds the result of a run: what report.json says, as plain types.
package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Schema names the format of report.json; it changes if readers would break.
const Schema = "adconform/report/v1.1"

// Verdict is the outcome of a run.
type Verdict string

// The three verdicts. Violations win over what was not tested.
const (
	Conforming    Verdict = "conforming"
	Nonconforming Verdict = "nonconforming"
	Inconclusive  Verdict = "inconclusive" // no violation seen, but the operator left a stated clause untested
)

// Exit codes of the command line.
const (
	ExitConforming    = 0
	ExitNonconforming = 1
	ExitUsage         = 2
	ExitInconclusive  = 3
	ExitInterrupted   = 130
)

// Depth is how much is tested.
type Depth int

// The three depths; each includes the one before.
const (
	Quick Depth = iota
	Standard
	Deep
)

func (d Depth) String() string {
	return [...]string{"quick", "standard", "deep"}[d]
}

// Recorded is the depth of a report about recorded traffic.
const Recorded = "recorded"

// Report is report.json.
type Report struct {
	Schema          string       `json:"schema"`
	Verdict         Verdict      `json:"verdict"`
	Reason          string       `json:"reason"` // why this verdict, in one line
	Level           Level        `json:"level"`
	ExitCode        int          `json:"exitCode"`
	Interrupted     bool         `json:"interrupted,omitempty"`
	Stopped         string       `json:"stopped,omitempty"`  // why the run ended before all cases were sent
	Insecure        bool         `json:"insecure,omitempty"` // the certificate of the target is not verified
	Mistakes        []string     `json:"mistakes,omitempty"` // of the operator: what to correct in the target file
	Defects         []string     `json:"defects,omitempty"`  // of adconform itself; the run is not conforming then
	Suite           Suite        `json:"suite"`
	Target          Target       `json:"target"`
	Seed            uint64       `json:"seed"`
	Depth           string       `json:"depth"`
	Bases           []spec.Basis `json:"bases,omitempty"`    // whose breach fails the run; none: all but chosen
	Disabled        []string     `json:"disabled,omitempty"` // ids of checks that were switched off
	Selected        bool         `json:"selected,omitempty"` // cases were left out by a filter
	Selection       *Selection   `json:"selection,omitempty"`
	NotShown        []Gap        `json:"notShown,omitempty"` // for reasons other than the target's choices
	Started         time.Time    `json:"started"`
	DurationSeconds float64      `json:"durationSeconds"`
	Requests        int          `json:"requests"`
	RateLimited     int          `json:"rateLimited"`   // answers 429 that were waited for
	Unavailable     int          `json:"unavailable"`   // the same for 502 to 504, and connections without an answer
	WaitedSeconds   float64      `json:"waitedSeconds"` // for the rate limit of the target
	Resent          int          `json:"resent"`        // requests sent again because their connection had ended before
	Lost            int          `json:"lost"`          // requests without a whole answer before the target was away
	Cases           Counts       `json:"cases"`
	Clauses         []Clause     `json:"clauses"`
	Findings        []Finding    `json:"findings"` // one for each cause, worst first
	OpenPoints      []OpenPoint  `json:"openPoints"`
	Arrays          []Arrays     `json:"arrays,omitempty"` // what requests were made of, by operation
	Changes         []Change     `json:"changes"`
	Baseline        *Baseline    `json:"baseline,omitempty"`
	Recording       *Recording   `json:"recording,omitempty"`
	Results         []Case       `json:"results"`

	// Unanswered says why the target gave no answer at all.
	Unanswered error `json:"-"`

	// Places are the lines of the target file that name what a finding is about, by the id of the finding, and at ""
	// the target itself.
	Places map[string]Place `json:"-"`

	// Flags are what a command that follows the run needs to come to the same.
	Flags Flags `json:"-"`

	// Exchanges are kept for the formats that show them, if Config.Exchanges is set.
	Exchanges []Exchange `json:"-"`
}

// Flags hold the flags of a run that other commands on the same target need, each as the end of a command line:
// " --overlay dialect.yaml --ca ca.pem".
type Flags struct{ Run, Doctor, Init, Replay string }

// Place is a line of a file.
type Place struct {
	File string
	Line int // from 1
}

// Level says how much a verdict covers.
type Level string

// The levels, greatest first. Cases that a target hides by its own choices at open points do not
// lower the level.
const (
	Complete Level = "complete"  // everything was tested that the operator could have made testable
	Partial  Level = "partial"   // something was not: the target file lacks what it needs, or the run ended before
	Selected Level = "selection" // filters left cases out, or violations of some bases do not count
	Observed Level = "observed"  // others sent the requests, and may not have sent all that a run sends
)

// Levels returns all levels, greatest first.
func Levels() []Level { return []Level{Complete, Partial, Selected, Observed} }

// Below reports whether a level is less than another; no level is less than "".
func (l Level) Below(other Level) bool {
	levels := Levels()
	slices.Reverse(levels)
	return slices.Index(levels, l) < slices.Index(levels, other)
}

// IsCounted reports whether violations of a basis fail a run with these bases. Without any, all count but chosen.
func IsCounted(bases []spec.Basis, basis spec.Basis) bool {
	if len(bases) == 0 {
		return basis != spec.Chosen
	}
	return slices.Contains(bases, basis)
}

// Selection describes what filters left of a plan.
type Selection struct {
	Filters []string `json:"filters"` // in words: --case updateCampaign/401/no-key
	Cases   int      `json:"cases"`   // that they selected
	Of      int      `json:"of"`      // cases of the target at the depth
}

// Gap is something that a run could not show, for a reason other than the target's choices.
type Gap struct {
	Need  string `json:"need,omitempty"`  // key that the target file lacks; empty: see Text
	Text  string `json:"text"`            // what was not shown, or why
	Cases int    `json:"cases,omitempty"` // that did not run because of it; 0: they ran but judged less
}

// Suite names the program that judged.
type Suite struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	SelfTest Figure `json:"selfTest"`
}

// Target names the server that was judged.
type Target struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseURL"`
	// Given is the target file or URL that the command line named.
	Given string `json:"given,omitempty"`
	// Variables are those that curl lines use for keys, as far as the lines need a definition.
	Variables []Variable `json:"variables,omitempty"`
	// WorkingDir is the folder where the run was started, relative to the folder of the report, if it is above that.
	WorkingDir string `json:"workingDir,omitempty"`
	// Overlay names the overlay files, separated by commas.
	Overlay string `json:"overlay,omitempty"`
}

// A Variable of the shell stands for a key in curl lines.
type Variable struct {
	Name   string `json:"name"`
	Define string `json:"define"` // a line that sets it, without the key: export ADCONFORM_OWNER_KEY="$ACME_KEY"
}

// Overlays returns the names of the overlay files.
func (t Target) Overlays() []string {
	return strings.FieldsFunc(t.Overlay, func(r rune) bool { return r == ',' })
}

// Counts holds numbers of cases.
type Counts struct {
	Planned   int `json:"planned"`
	Run       int `json:"run"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	NotTested int `json:"notTested"`
}

// Status is the outcome of a case, or of a clause.
type Status string

// The outcomes of a case, and those of a clause.
const (
	Passed    Status = "passed"
	Failed    Status = "failed" // at least one violation
	Held      Status = "held"
	Broken    Status = "broken"
	NotTested Status = "notTested"
)

// Cause is why something was not tested.
type Cause string

// The causes. A stated clause makes a run inconclusive if it is untested because of the operator, but not if the
// target's own choice hides it.
const (
	ByOperator Cause = "operator" // not in the target file, absent, interrupted
	ByTarget   Cause = "target"   // an open choice of the target hides it
	BySuite    Cause = "suite"    // a defect of the suite
)

// Clause is a clause with its status on an operation.
type Clause struct {
	ID        string     `json:"id"`
	Operation string     `json:"operation"` // "all" for a clause that relates several
	Basis     spec.Basis `json:"basis"`
	Source    string     `json:"source,omitempty"` // where it comes from
	Text      string     `json:"text"`
	Status    Status     `json:"status"`
	Cases     int        `json:"cases"`            // in which it was judged
	Reason    string     `json:"reason,omitempty"` // of notTested
	Cause     Cause      `json:"cause,omitempty"`  // of notTested: operator or target
}

// OpenPoint is a choice of the target at a point that the contract leaves open.
type OpenPoint struct {
	ID       string        `json:"id"`
	Question string        `json:"question"`
	Observed []string      `json:"observed"`
	Answers  []PointAnswer `json:"answers,omitempty"` // the answers to the question
	Pinned   any           `json:"pinned,omitempty"`
	Pin      string        `json:"pin,omitempty"` // the key that can pin it, unless the target file does
}

// PointAnswer is an answer to the question of an open point, and where it was observed.
type PointAnswer struct {
	Answer   string   `json:"answer"`   // yes, no, in part, or what was observed
	Observed []string `json:"observed"` // the observations with this answer
	At       []string `json:"at"`       // operations, or fields of them: updateCampaign.name
}

// Baseline describes the effect of a baseline of accepted findings.
type Baseline struct {
	File  string   `json:"file"`
	Known int      `json:"known"` // findings that it accepts
	Stale []string `json:"stale"` // accepted findings, in words, that are gone, which fails the run
}

// Recording counts the exchanges of recorded traffic.
type Recording struct {
	File    string         `json:"file"`
	Judged  int            `json:"judged"`  // exchanges
	Skipped map[string]int `json:"skipped"` // exchanges of the operations that were not judged, by reason
	Others  int            `json:"others"`  // exchanges of no operation, or of another base URL
}

// Case is the result of one case.
type Case struct {
	ID        string    `json:"id"`
	Operation string    `json:"operation"`
	Class     string    `json:"class"`
	Title     string    `json:"title"`
	Status    Status    `json:"status"`
	Reason    string    `json:"reason,omitempty"`
	Cause     Cause     `json:"cause,omitempty"`
	Clauses   []string  `json:"clauses"`
	Requests  int       `json:"requests"`
	Seconds   float64   `json:"seconds"`
	Findings  []Finding `json:"findings,omitempty"`
}

// Arrays counts what the requests of an operation were made of: rows of the table of dimensions that are no faults, and
// pairs of rows.
type Arrays struct {
	Operation    string `json:"operation"`
	Dimensions   int    `json:"dimensions"`
	Rows         int    `json:"rows"`
	Pairs        int    `json:"pairs"`        // rows that were together in a request
	NoKey        int    `json:"noKey"`        // rows that a request without a key had
	SpellsKey    int    `json:"spellsKey"`    // rows that a request without a key cannot have
	Stranger     int    `json:"stranger"`     // rows that a request of a user without permission had
	RefusedAlone int    `json:"refusedAlone"` // rows that the target refuses if nothing else is odd

	Table []Dimension `json:"table"` // faults included
}

// A Dimension is something in which requests of an operation differ.
type Dimension struct {
	Name string         `json:"name"`
	Rows []DimensionRow `json:"rows"`
}

// A DimensionRow is one value of a dimension.
type DimensionRow struct {
	Name         string `json:"name"`
	Words        string `json:"words"` // as findings have it
	Claim        string `json:"claim"` // plain, open or fault
	RefusedAlone bool   `json:"refusedAlone,omitempty"`
	// Met names the later rows of the table with which it was in a request, by their numbers from 0 on: "26-31,40".
	Met string `json:"met,omitempty"`
}

// A Change is an object that the run changed, and whether it was restored.
type Change struct {
	Object   string  `json:"object"` // key in the target file
	ID       spec.ID `json:"id"`
	Change   string  `json:"change"` // updated or deleted
	Restored bool    `json:"restored"`
	Reason   string  `json:"reason,omitempty"` // why it was not restored, or not to the first values
	Undo     string  `json:"undo,omitempty"`   // the request that would restore the rest
	// Unseen lists the fields that were set to what the target file says, as no answer showed them before.
	Unseen []string `json:"unseen,omitempty"`
}

// Figure is the result of the self-test: how many seeded faults the suite catches, and how many
// conforming variants it flags.
type Figure struct {
	Faults   int     `json:"faults"`
	Caught   int     `json:"caught"`
	Variants int     `json:"variants"`
	Flagged  int     `json:"flagged"`
	Severity []Group `json:"severity,omitempty"` // of the faults, worst first
}

// Group counts the faults of one severity; good ones were caught.
type Group struct {
	ID   string `json:"id"`
	Of   int    `json:"of"`
	Good int    `json:"good"`
}

// figureJSON is written by: adconform selftest --figure suites/report/figure.json
//
//go:embed figure.json
var figureJSON []byte

// SelfTest returns the figure of this version.
func SelfTest() (f Figure) {
	if err := json.Unmarshal(figureJSON, &f); err != nil {
		panic("figure.json: " + err.Error())
	}
	return f
}

// AllOperations is the operation of a clause that is about more than one.
const AllOperations = "all"

// Subject returns the clause and its operation: "AUTH-2 of updateCampaign".
func (c *Clause) Subject() string {
	return strings.TrimSuffix(c.ID+" of "+c.Operation, " of "+AllOperations)
}

// Ran reports whether a complete run carried out these cases. The target may hide what some of them look for.
func (r *Report) Ran(cases []string) bool {
	if r.Selected || r.Interrupted || r.Stopped != "" {
		return false
	}
	isTested := false
	for _, id := range cases {
		i := slices.IndexFunc(r.Results, func(c Case) bool { return c.ID == id })
		if i < 0 || r.Results[i].isUnsent() {
			return false
		}
		isTested = isTested || r.Results[i].Status != NotTested
	}
	return isTested
}

// isUnsent reports whether a case was not carried out.
func (c *Case) isUnsent() bool {
	isHidden := c.Cause == ByTarget && c.Requests > 0
	return c.Status == NotTested && !isHidden
}

// String returns the counts of the recorded exchanges: "12 exchanges judged; skipped: 3 recorded only in part, 40 to
// other paths".
func (r *Recording) String() string {
	text := wording.Count(r.Judged, "exchange") + " judged"
	reasons := []string{}
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", r.Skipped[reason], reason))
	}
	if r.Others > 0 {
		reasons = append(reasons, fmt.Sprintf("%d to other paths", r.Others))
	}
	if len(reasons) > 0 {
		text += "; skipped: " + strings.Join(reasons, ", ")
	}
	return text
}
