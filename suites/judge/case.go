package judge

import (
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// Depth says how much is planned.
type Depth int

// The three depths; each includes the one before.
const (
	Quick Depth = iota
	Standard
	Deep
)

func (d Depth) String() string { return [...]string{"quick", "standard", "deep"}[d] }

// Classes group the cases of an operation: by the response that is expected, or
// by what is looked at.
const (
	ClassSuccess = "success"
	Class401     = "401"
	Class403     = "403"
	Class404     = "404"
	Class422     = "422"
	ClassText    = "text"    // odd texts and lengths: refused, or they come back as sent
	ClassOpen    = "open"    // what the document leaves open: observed
	ClassEffects = "effects" // what a request does, seen by later requests
	ClassState   = "state"   // what one request leaves behind for the next
	ClassRandom  = "random"  // deep mode
)

// Case is one thing that is tested, by one or more requests.
type Case struct {
	ID         string // operation/class/name; stable between releases and machines
	Operation  *spec.Operation
	Class      string
	Title      string   // one sentence: what has to hold
	Location   string   // of its spec: suites/specs/authentication.go:41
	Clauses    []string // what it judges, beyond the clauses of every exchange
	Open       string   // the open point that it observes, or ""
	Field      string   // of the body, that Open is about; "" for none
	Needs      []string // keys of the target file that it cannot do without
	Writes     bool     // sends requests that may change the target
	Probes     bool     // finds out how the target shows state, for the cases after it
	UnknownIDs bool     // names unknown ids: what it sends may show on any object
	Last       bool     // looks at what all cases before it left
	Once       bool     // uses something up (a disposable): is not repeated
	Depth      Depth
	Place      int // in the plan
	Steps      any // what sends its requests, of a type that the package which sends knows
}

// Status is the outcome of a case.
type Status string

// The outcomes of a case.
const (
	Passed    Status = "passed"
	Failed    Status = "failed" // at least one violation
	NotTested Status = "notTested"
)

// Cause says whose choice it is that something was not tested.
type Cause string

// The causes. A stated clause that the operator left untested makes a run
// inconclusive; one that the target's own choice hides does not.
const (
	ByOperator Cause = "operator" // not in the target file, absent, interrupted
	ByTarget   Cause = "target"   // an open choice of the target hides it
	BySuite    Cause = "suite"    // a defect of ours
)

// Result is what became of a case.
type Result struct {
	Case      *Case
	Status    Status
	Reason    string // of NotTested
	Cause     Cause
	Lacks     bool  // of NotTested: the target file lacks what it needs
	Exchanges []int // Seq of each exchange
	Findings  []*oracle.Finding
	Duration  time.Duration
	Dates     int  // that were read
	Tentative bool // findings of it may be dropped by Confirm
}
