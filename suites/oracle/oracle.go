// Package oracle judges one response: everything that holds for every exchange,
// whatever case sent it. Is the status one that the operation has, is the body
// one JSON text, does it match the document, does an error say what errors say,
// do the numbers of a list agree? What a case expects of its own request, and
// what only several exchanges show, is judged elsewhere.
package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Severity says what a finding does to a run.
type Severity string

// The three severities.
const (
	Violation Severity = "violation" // breaks a stated, published or standard clause: fails the run
	Notice    Severity = "notice"    // breaks a chosen clause: reported, never fails the run
	Transport Severity = "transport" // no response could be read; the oracle itself never says so
)

// Finding is one mismatch between a response and the contract.
type Finding struct {
	ID        string     `json:"id"`              // of its cause, the same in every run
	Check     string     `json:"check"`           // that found it
	Case      string     `json:"case"`            // in which it was first seen
	Cases     []string   `json:"cases,omitempty"` // of one in a report's list: all in which it was seen
	Operation string     `json:"operation"`
	Clause    string     `json:"clause"`
	Basis     spec.Basis `json:"basis"`
	Severity  Severity   `json:"severity"`
	// WFC is the number in the fault catalogue of WebFuzzing/Commons, 0 for
	// none: 100 server error, 101 status undeclared, 200 response off schema.
	WFC int `json:"wfc,omitempty"`
	// Pointer is an RFC 6901 pointer into the response body, "" for the whole
	// response, "header:Content-Type" for a header.
	Pointer  string `json:"pointer"`
	Location string `json:"location,omitempty"` // of the spec that found it: suites/specs/authentication.go:41
	Expected string `json:"expected"`           // at most 200 characters, none of them control characters
	Got      string `json:"got"`                // likewise
	Curl     string `json:"curl,omitempty"`
	Exchange int    `json:"exchange,omitempty"` // Seq of the request of Curl, from 1 in the run
	Seen     int    `json:"seen,omitempty"`     // how often it was seen
	Of       int    `json:"of,omitempty"`       // in how many tries
	// Timing says that it hangs on timing whether it is seen: another run may not
	// see it.
	Timing bool `json:"timing,omitempty"`
	// CauseWords say what is wrong, whatever operation and field shows it: "an array is
	// accepted as a text". Findings of one cause have the same words.
	CauseWords string  `json:"cause,omitempty"`
	Sent       *Sent   `json:"sent,omitempty"`   // the part of the request that it is about
	Answer     *Answer `json:"answer,omitempty"` // to that request
	// Requests show it, in this order, where one alone does not; that of Curl is one of them.
	Requests []Request `json:"requests,omitempty"`
	// Ignored is why it does not count, as the run does not ask for it: then it is a notice.
	Ignored string `json:"ignored,omitempty"`
	// Known is the reason why the operator's baseline bears it; then it does not
	// fail the run.
	Known string `json:"known,omitempty"`
	// NewCases are those of Cases that the baseline's entry for it does not list: for
	// them it fails the run.
	NewCases []string `json:"newCases,omitempty"`

	Impact spec.Impact `json:"impact,omitempty"`
	Fails  bool        `json:"fails,omitempty"` // it fails the run: the headline counts it
	// What follows only a finding of a report has, which is all that was seen of one cause: then
	// ID names that cause, and Clause, Operation, Pointer and the like are those of an example.
	Title      string   `json:"title,omitempty"` // the cause, what shows it, and in how many cases
	Clauses    []string `json:"clauses,omitempty"`
	Operations []string `json:"operations,omitempty"`
	Shows      []string `json:"shows,omitempty"` // the fields, ids, keys or headers
	At         []Cause  `json:"at,omitempty"`    // where it was seen
	Hint       string   `json:"hint,omitempty"`  // at the usual cause; no judgement
}

// Counts says whether the run asks for what it breaks.
func (f *Finding) Counts() bool { return f.Ignored == "" }

// Sent is the part of a request that matters to a finding.
type Sent struct {
	At    string `json:"at"`              // key, body, /name in the body, path:campaignId, query:page, header:If-None-Match
	What  string `json:"what,omitempty"`  // "an array for a text"; empty: nothing is wrong with it
	Value string `json:"value,omitempty"` // as JSON, shortened; never that of a key
}

// Answer is what a finding tells of an answer.
type Answer struct {
	Status int    `json:"status"`
	Type   string `json:"type,omitempty"` // media type of the body
	Says   string `json:"says,omitempty"` // the server's own message, shortened
}

// Request is one of those that show a finding together.
type Request struct {
	Curl     string `json:"curl"`
	Exchange int    `json:"exchange,omitempty"` // as Finding.Exchange
	Then     string `json:"then,omitempty"`     // what it was answered
}

// Cause is what findings of one cause have in common: the same check finds the
// same clause broken at the same place of the same operation.
type Cause struct {
	Operation string `json:"operation" yaml:"operation"`
	Clause    string `json:"clause" yaml:"clause"`
	Check     string `json:"check,omitempty" yaml:"check,omitempty"`
	Place     string `json:"place,omitempty" yaml:"place,omitempty"` // Pointer with * for positions in lists
}

// Cause is the finding's cause.
func (f *Finding) Cause() Cause {
	return Cause{f.Operation, f.Clause, f.Check, place(f.Pointer)}
}

// String is the cause in a line: "updateCampaign CAMPAIGN-2 identity /data/id".
func (c Cause) String() string {
	return strings.Join(strings.Fields(c.Operation+" "+c.Clause+" "+c.Check+" "+c.Place), " ")
}

// ID is a short name of the cause: a finding has the same in the next run, whatever
// value the target sent then.
func (c Cause) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Operation, c.Clause, c.Check, c.Place}, "\n")))
	return hex.EncodeToString(sum[:8])
}

// Response is what is judged, and what is known of its request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// PathID is the id at the end of the request's path, 0 when it is not
	// known or no number; a list may not hold it (MEDIA-7).
	PathID int64
	// RequestedPage is the page that the request asked for, from 1; 0 when it
	// asked for none. Page 1 is let pass for any page: the parameter is open.
	RequestedPage int64
	// Beside are statuses that HTTP allows for the way in which the request was sent,
	// beside those of the document: 304 where it asked for what has changed only.
	Beside []int
}

// Judged is what the oracle makes of one response.
type Judged struct {
	// Value is the decoded body: nil, bool, string, json.Number, []any or
	// map[string]any. It is nil when the document describes no body for the
	// status or when the body is not JSON.
	Value any
	// Valid says that a body is described, is there and is JSON.
	Valid    bool
	Findings []Finding // ID, Case, Curl, Seen and Of are left to the caller
	Clauses  []string  // ids of the clauses that were judged, held or broken
}

// Oracle judges responses against one contract. It is safe for concurrent use
// once no more checks are disabled.
type Oracle struct {
	contract   *spec.Contract
	operations map[string]*operation
	errors     errorNames
	disabled   map[string]bool
}

// operation is what the oracle needs to know of an operation, ready for use.
type operation struct {
	declared map[int]bool
	success  *shape // nil: no content
	clause   string // of a success without its representation
	errors   map[int]*shape
}

// New prepares an oracle. Schemas are prepared here and never again.
func New(c *spec.Contract) *Oracle {
	o := &Oracle{contract: c, operations: map[string]*operation{}, errors: newErrorNames(c.Error), disabled: map[string]bool{}}
	for _, op := range c.Operations {
		o.operations[op.ID] = newOperation(op)
	}
	return o
}

// Disable takes a check out by its id; an id that is not in Checks is ignored.
// It is not safe while Judge runs.
func (o *Oracle) Disable(id string) { o.disabled[id] = true }

// Judge judges a response to an operation of the oracle's contract. It never
// fails: whatever the bytes are, they are judged.
func (o *Oracle) Judge(op *spec.Operation, r Response) Judged {
	j := judging{oracle: o, op: op, known: o.operations[op.ID], Response: r}
	if j.known == nil { // of another contract
		j.known = newOperation(op)
	}
	j.Judged.Clauses = make([]string, 0, 24)
	j.read()
	for i := range checks {
		c := &checks[i]
		if !o.disabled[c.ID] && c.applies(&j) {
			j.check = c.ID
			c.run(&j)
		}
	}
	j.finish()
	return j.Judged
}

// judging is one response on its way through the checks.
type judging struct {
	Response
	Judged
	oracle *Oracle
	op     *spec.Operation
	known  *operation

	check string    // that runs
	shape *shape    // of the body that the document describes for this status, or nil
	text  *notJSON  // why the body is not JSON, or nil
	twice twice     // member names that are not unique
	page  *ListPage // of a list whose shape can be read, or nil

	formless bool            // an error body without a section: its schema says nothing more
	taken    map[string]bool // pointers whose mismatch is reported
	alike    map[string]int  // findings by check, clause and place, whatever the item
	more     []int           // by finding: in how many more places
}

// success says whether the status is a 2xx.
func (j *judging) success() bool { return j.Status >= 200 && j.Status < 300 }

// judged notes clauses as judged.
func (j *judging) judged(clauses ...string) {
	for _, id := range clauses {
		if id != "" && !slices.Contains(j.Clauses, id) {
			j.Clauses = append(j.Clauses, id)
		}
	}
}

// find reports that a clause is broken. The same mismatch in many items of an
// array is one finding, at the first of them.
func (j *judging) find(clause string, wfc int, pointer, expected, got string) {
	j.judged(clause)
	key := j.check + " " + clause + " " + place(pointer)
	if i, ok := j.alike[key]; ok {
		j.more[i]++
		return
	}
	if j.alike == nil {
		j.alike = map[string]int{}
	}
	j.alike[key] = len(j.Findings)
	f := Finding{
		Check: j.check, Operation: j.op.ID, Clause: clause, Severity: Violation, WFC: wfc,
		Pointer: shortPointer(pointer), Expected: clip(expected), Got: got,
	}
	if c := j.oracle.contract.Clause(clause); c != nil {
		f.Basis = c.Basis
		if c.Basis == spec.Chosen {
			f.Severity = Notice
		}
	}
	j.Findings = append(j.Findings, f)
	j.more = append(j.more, 0)
}

// mismatch reports a place of the body that differs from the document, unless
// another check has reported it already.
func (j *judging) mismatch(clause, pointer, expected, got string) {
	if j.taken[pointer] {
		return
	}
	j.take(pointer)
	j.find(clause, wfcSchema, pointer, expected, got)
}

// take keeps later checks from reporting the same place again.
func (j *judging) take(pointer string) {
	if j.taken == nil {
		j.taken = map[string]bool{}
	}
	j.taken[pointer] = true
}

// broke says whether a clause was found broken.
func (j *judging) broke(clause string) bool {
	return slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Clause == clause })
}

func (j *judging) finish() {
	for i := range j.Findings {
		f := &j.Findings[i]
		f.Got = clip(f.Got)
		if n := j.more[i]; n > 0 {
			tail := "; and in " + wording.Count(n, "more place")
			f.Got = wording.ClipPrintable(f.Got, maxSentence-len(tail)) + tail
		}
	}
}

// place is a pointer without the numbers of array items.
func place(pointer string) string {
	if !strings.ContainsAny(pointer, "0123456789") {
		return pointer
	}
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// maxSentence bounds what a finding says, in characters.
const maxSentence = 200

// show renders a value of a body for people.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quote(v)
	case json.Number:
		return "the number " + wording.ClipPrintable(string(v), 60)
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	}
	return fmt.Sprint(v)
}

// ShowNames shows a value for people, an object with the names of its members.
func ShowNames(v any) string {
	object, _ := v.(map[string]any)
	if len(object) == 0 || len(object) > 8 {
		return show(v)
	}
	return "an object with " + strings.Join(slices.Sorted(maps.Keys(object)), ", ")
}

// quote quotes a text, shortened.
func quote(s string) string { return `"` + wording.ClipPrintable(s, 80) + `"` }

// clip bounds a sentence and makes control characters visible.
func clip(s string) string { return wording.ClipPrintable(s, maxSentence) }

// shortPointer cuts a pointer that is too long to an ancestor, so that it stays
// a pointer.
func shortPointer(p string) string {
	if len(p) <= maxSentence {
		return p
	}
	p = p[:maxSentence]
	return p[:max(0, strings.LastIndexByte(p, '/'))]
}
