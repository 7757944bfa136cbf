package judge

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
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
	ClassWear    = "wear"    // what many answers of one kind leave behind
)

// Case is one thing that is tested, by one or more requests.
type Case struct {
	ID        string // operation/class/name; stable between releases and machines
	Operation *spec.Operation
	Class     string
	Title     string   // one sentence: what has to hold
	Location  string   // of its spec: suites/specs/authentication.go:41
	Clauses   []string // what it judges, beyond the clauses of every exchange
	Open      string   // the open point that it observes, or ""
	Field     string   // of the body, that Open is about; "" for none
	Probe     string   // what it sends, where Open is to be compared with no other request's; "" for any
	Needs     []string // keys of the target file that it cannot do without
	Writes    bool     // sends requests that may change the target
	Looks     string   // key of the object that it reads, which is done before anything may change; "" for none
	Stretch   bool     // sends only what has to be refused: what that left is looked for once, after the last such case in a row
	Last      bool     // looks at what all cases before it left
	Once      bool     // uses something up (a disposable): is not repeated
	Depth     Depth
	Place     int // in the plan
	Steps     any // what sends its requests, of a type that the package which sends knows
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
	dates     int  // that were read
	Tentative bool // findings of it may be dropped at the end of the run
}

const (
	// NeedStranger is the need for the stranger's key.
	NeedStranger = "credentials.stranger"
	// OwnKeys begins the needs for the owner's objects.
	OwnKeys    = "objects."
	mediaFiles = ".mediaFiles"
)

// OwnKey is the need for the owner's object under a key.
func OwnKey(key string) string { return OwnKeys + key }

// Has says whether a target file gives what a case needs: the stranger's key,
// the object under a key (objects.campaign, foreign.campaign), or the ids of a
// container's media files (objects.disposableVastCreatives[0].mediaFiles).
func Has(t *fixtures.Target, need string) bool {
	if need == NeedStranger {
		return t.Credentials.Stranger != ""
	}
	key, _ := strings.CutPrefix(need, OwnKeys)
	if container, ok := strings.CutSuffix(key, mediaFiles); ok {
		c := ContainerOf(t, container)
		return c != nil && len(c.MediaFileIDs) > 0
	}
	return Find(t, key).ID != 0 && t.SameAs(key) == ""
}

// NotGiven says why Has is false.
func NotGiven(t *fixtures.Target, need string) string {
	if other := t.SameAs(strings.TrimPrefix(need, OwnKeys)); other != "" {
		return "is " + other + " again: name another"
	}
	return "is not in the target file"
}

// Lacks are the needs of a case that a target file does not give.
func (c *Case) Lacks(t *fixtures.Target) []string {
	return slices.DeleteFunc(slices.Clone(c.Needs), func(need string) bool { return Has(t, need) })
}

// Find is the object under a key of a target file; without an id when it is not there.
func Find(t *fixtures.Target, key string) fixtures.Object {
	if name, ok := strings.CutPrefix(key, ForeignPrefix); ok {
		return fixtures.Object{ID: t.Foreign[name]}
	}
	if container, file, ok := strings.Cut(key, mediaFiles+"["); ok {
		i, _ := strconv.Atoi(strings.TrimSuffix(file, "]"))
		if ids := Find(t, container).MediaFileIDs; i < len(ids) {
			return fixtures.Object{ID: ids[i]}
		}
		return fixtures.Object{}
	}
	if name, index := SplitKey(key); index < len(t.Objects[name]) {
		return t.Objects[name][index]
	}
	return fixtures.Object{}
}

// ContainerOf is the VAST creative under a key of a target file, or nil.
func ContainerOf(t *fixtures.Target, key string) *fixtures.Object {
	name, _ := SplitKey(key)
	if o := Find(t, key); fixtures.Vast(name) && o.ID != 0 {
		return &o
	}
	return nil
}

// ForeignPrefix begins the keys of the stranger's objects.
const ForeignPrefix = "foreign."

// SplitKey takes disposableCreatives[2] apart; a key without index has index 0.
func SplitKey(key string) (name string, index int) {
	name, rest, ok := strings.Cut(key, "[")
	if ok {
		index, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
	}
	return name, index
}

// Foreign is the key of the stranger's object of the same kind.
func Foreign(key string) string { return ForeignPrefix + key }

// Unnamed is an object that cases update and of which the target file does not give
// the values of some fields.
type Unnamed struct {
	Key       string // objects.campaign
	Operation *spec.Operation
	Fields    []string
}

// UnnamedOf are those of a target file.
func UnnamedOf(contract *spec.Contract, target *fixtures.Target) []Unnamed {
	var all []Unnamed
	for _, op := range contract.Operations {
		o := Find(target, op.Key())
		if !op.Updates() || len(op.Params) == 0 || o.ID == 0 {
			continue
		}
		if _, unknown := NewObject(op.Key(), op, []int64{o.ID}, o.Values).Before(); len(unknown) > 0 {
			all = append(all, Unnamed{OwnKey(op.Key()), op, unknown})
		}
	}
	return all
}
