package report

import "github.com/adconform/adconform/spec"

// PreflightSchema names the JSON format of a preflight.
const PreflightSchema = "adconform/preflight/v2"

// Preflight says which of the things that a run needs a target provides.
type Preflight struct {
	Schema      string    `json:"schema"`
	ExitCode    int       `json:"exitCode"`
	Target      Target    `json:"target"`
	Requests    int       `json:"requests"`
	Parts       []Part    `json:"parts"`
	Cost        Cost      `json:"cost"` // of everything that is missing or wrong together
	Findings    []Finding `json:"findings"`
	Provisioned bool      `json:"provisioned"` // a run restores the objects
	// Unseen lists the objects that a run may restore to what the target file says, without having seen them.
	Unseen []string `json:"unseen"`
}

// PartStatus is the state of a part of the target file.
type PartStatus string

// The states of a part of the target file.
const (
	Fine      PartStatus = "ok"
	Wrong     PartStatus = "wrong"     // cannot be used: costs as much as if it were missing
	Differs   PartStatus = "differs"   // exists, but not as the target file says
	Unchecked PartStatus = "unchecked" // only a write could show it
	Missing   PartStatus = "missing"   // not in the target file
)

// Part is a part of the target file with the result of its check, and what a run does not test if it is
// missing or wrong.
type Part struct {
	Need     string     `json:"need"` // key in the target file
	ID       spec.ID    `json:"id,omitempty"`
	Status   PartStatus `json:"status"`
	Detail   string     `json:"detail"`
	Lost     error      `json:"-"` // why no complete answer came
	Cost     *Cost      `json:"cost,omitempty"`
	NotShown string     `json:"notShown,omitempty"` // what a run does not show without it
	// MayBeShown marks a missing value that costs nothing if an update with {} shows it, which only a run finds out.
	MayBeShown bool   `json:"-"`
	EndsRun    bool   `json:"-"`               // a run stops before it writes: the operator has made a mistake
	Write      string `json:"write,omitempty"` // what to write into the target file if it is missing
}

// Cost is what a run does not test.
type Cost struct {
	Cases   int      `json:"cases"`   // that cannot be run
	Clauses []string `json:"clauses"` // that no other case judges, on one operation at least
	Stated  int      `json:"stated"`  // how many of these clauses are stated: each makes a run inconclusive
}
