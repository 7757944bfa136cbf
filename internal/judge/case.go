package judge

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Depth is how much is tested.
type Depth = report.Depth

// The three depths.
const (
	Quick    = report.Quick
	Standard = report.Standard
	Deep     = report.Deep
)

// Classes group the cases of an operation by the response that they expect, or by their subject.
const (
	ClassSuccess = "success"
	Class401     = "401"
	Class403     = "403"
	Class404     = "404"
	Class422     = "422"
	ClassText    = "text"    // odd texts and lengths, which are refused or come back as sent
	ClassOpen    = "open"    // open points, which are observed
	ClassEffects = "effects" // the effect of a request, as later requests show it
	ClassState   = "state"   // state that one request leaves for the next
	ClassRandom  = "random"  // random sequences
	ClassWear    = "wear"    // many requests of one kind
)

// A Case is one thing that is tested, by one or more requests.
type Case struct {
	ID        string // operation/class/name; stable between releases and machines
	Operation *spec.Operation
	Class     string
	Title     string   // one sentence: what has to hold
	Location  string   // of its spec: suites/specs/authentication.go:41
	Clauses   []string // those that it judges beyond the clauses of every exchange
	Open      string   // the open point that it observes, or ""
	Field     string   // the field of the body that Open is about, or ""
	Probe     string   // names what it sends, if Open is compared only with the same probe in other operations
	Needs     []string // keys that the target file has to have
	WritesToo []string // keys of objects that it writes only if the target file has them
	Restores  []string // keys of the values that it overwrites and restores; the target may show what its file lacks
	Writes    bool     // sends requests that may change the target
	Looks     string   // key of an object to read before anything may change, or ""
	Stretch   bool     // sends only requests to be refused; their effect is looked for after the last one in a row
	Last      bool     // runs after all other cases, and looks at their effects
	Once      bool     // uses something up (a disposable), and cannot be repeated
	Depth     Depth
	Place     int // index in the plan
	Steps     any // sends its requests: a session.Steps
}

// The outcomes of a case, and why it was not tested.
const (
	Passed    = report.Passed
	Failed    = report.Failed
	NotTested = report.NotTested

	ByOperator = report.ByOperator
	ByTarget   = report.ByTarget
	BySuite    = report.BySuite
)

// Cause is why a case was not tested.
type Cause = report.Cause

// A Result is the outcome of a case.
type Result struct {
	Case      *Case
	Status    report.Status
	Reason    string // of NotTested
	Cause     Cause
	Missing   bool     // of NotTested: the target file does not have what the case needs
	Exchanges []int    // Seq of each exchange
	Judged    []string // clauses, if others sent the requests
	Findings  []*oracle.Finding
	Duration  time.Duration
	Refused   bool               // a write of the case was refused, and a later answer may show that it was carried out
	Tentative []TentativeFinding // those of its findings that may be dropped at the end of the run
	dates     int                // number of dates that were read
}

const (
	// NeedStranger is the need for the stranger's key.
	NeedStranger = "credentials.stranger"
	// OwnKeys is the prefix of the needs for the owner's objects.
	OwnKeys    = "objects."
	mediaFiles = ".mediaFiles"
)

// OwnKey returns the need for the owner's object under a key.
func OwnKey(key string) string { return OwnKeys + key }

// Has reports whether a target file gives what a case needs: the stranger's key, the object under a key
// (objects.campaign, foreign.campaign), or the ids of a container's media files
// (objects.disposableVastCreatives[0].mediaFiles). Other values of an object may be left out, as the target may show
// them.
func Has(t *fixtures.Target, need string) bool {
	key := strings.TrimPrefix(need, OwnKeys)
	object, part, isPart := strings.Cut(key, ".")
	isField := isPart && !strings.Contains(part, "[")
	switch {
	case need == NeedStranger:
		return t.Credentials.Stranger != ""
	case "."+part == mediaFiles:
		return len(Find(t, object).MediaFileIDs) > 0
	case isField && t.Objects[object] != nil:
		return true
	}
	return Find(t, key).ID != "" && t.SameAs(key) == ""
}

// Unrestorable returns the values that a case overwrites and that the target file does not give.
func (c *Case) Unrestorable(t *fixtures.Target) []string {
	return slices.DeleteFunc(slices.Clone(c.Restores), func(need string) bool {
		object, value, _ := strings.Cut(strings.TrimPrefix(need, OwnKeys), ".")
		_, isGiven := Find(t, object).Values[value]
		return isGiven
	})
}

// NotGiven returns why Has reports false.
func NotGiven(t *fixtures.Target, need string) string {
	if other := t.SameAs(strings.TrimPrefix(need, OwnKeys)); other != "" {
		return "is " + other + " again: name another"
	}
	return "is not in the target file"
}

// Missing returns the needs of a case that a target file does not give.
func (c *Case) Missing(t *fixtures.Target) []string {
	return slices.DeleteFunc(slices.Clone(c.Needs), func(need string) bool {
		return Has(t, need)
	})
}

// Find returns the object under a key of a target file, without an id if there is none.
func Find(t *fixtures.Target, key string) fixtures.Object {
	name, index := SplitKey(key)
	switch {
	case strings.HasPrefix(key, ForeignPrefix), strings.Contains(key, mediaFiles):
		for _, n := range t.Named() {
			if n.Bare == key {
				return fixtures.Object{ID: n.ID}
			}
		}
	case index < len(t.Objects[name]):
		return t.Objects[name][index]
	}
	return fixtures.Object{}
}

// ContainerOf returns the VAST creative under a key of a target file, or nil.
func ContainerOf(t *fixtures.Target, key string) *fixtures.Object {
	name, _ := SplitKey(key)
	if o := Find(t, key); fixtures.Vast(name) && o.ID != "" {
		return &o
	}
	return nil
}

// SaysEmpty reports whether a target file says that a VAST creative has no media files.
func SaysEmpty(t *fixtures.Target, key string) bool {
	c := ContainerOf(t, key)
	return c != nil && c.MediaFileCount == 0
}

// ForeignPrefix is the prefix of the keys of the stranger's objects.
const ForeignPrefix = "foreign."

// SplitKey splits disposableCreatives[2] into name and index. A key without an index has index 0.
func SplitKey(key string) (name string, index int) {
	name, rest, ok := strings.Cut(key, "[")
	if ok {
		index, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
	}
	return name, index
}

// Foreign returns the key of the stranger's object of the same kind.
func Foreign(key string) string { return ForeignPrefix + key }

// Unnamed returns the fields of the object that an operation's cases update whose values the target file does not give.
func Unnamed(op *spec.Operation, t *fixtures.Target) (fields []string) {
	o := Find(t, op.Key())
	switch {
	case !op.Updates(), len(op.Params) == 0, o.ID == "":
		return nil
	}
	_, fields = NewObject(op.Key(), op, []spec.ID{o.ID}, o.Values).Before()
	return fields
}
