// Package oracle judges one response by the requirements on every exchange, whatever
// case sent it: does the operation have the status, is the body one JSON text, does it
// match the document, does an error have an error body, do the numbers of a list
// agree? Other packages judge what a case expects of its own request, and what only
// several exchanges show.
package oracle

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Response is the response to judge, and what is known about its request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// PathID is the id at the end of the request's path, "" if it is unknown;
	// a list may not hold it (MEDIA-7).
	PathID spec.ID
	// RequestedPage is the page that the request asked for, from 1; 0 when it
	// asked for none. Page 1 is accepted for any page, as the parameter is open.
	RequestedPage int64
	// Beside are statuses that HTTP allows for the way in which the request was sent,
	// in addition to those of the document: 304 for a conditional request.
	Beside []int
}

// Judged is the oracle's judgement of one response.
type Judged struct {
	// Value is the decoded body: nil, bool, string, json.Number, []any or
	// map[string]any. It is nil when the document describes no body for the
	// status or when the body is not JSON.
	Value any
	// Valid says that the document describes a body, and the answer has one, which is JSON.
	Valid    bool
	Findings []Finding // ID, Case, Curl, Seen and Of are left to the caller
	Clauses  []string  // ids of the clauses that were judged, held or broken
}

// Oracle judges responses against one contract. It is safe for concurrent use.
type Oracle struct {
	contract *spec.Contract
	disabled map[string]bool
}

// New returns an oracle of a contract, without the checks whose ids are disabled.
func New(c *spec.Contract, disabled map[string]bool) *Oracle {
	return &Oracle{c, disabled}
}

// Judge judges a response to an operation, whatever its bytes are.
func (o *Oracle) Judge(op *spec.Operation, r Response) Judged {
	j := judging{Response: r, contract: o.contract, op: op}
	j.mismatches = map[string]bool{}
	j.found = map[string]bool{}
	j.read()
	for i := range checks {
		j.check = &checks[i]
		if o.disabled[j.check.ID] || !j.check.applies(&j) {
			continue
		}
		if j.check.run != nil {
			j.judged(j.check.clause)
			j.check.run(&j)
		}
		if j.check.place != nil {
			j.walk(j.body, j.check.place)
		}
	}
	return j.Judged
}

// judging is one response on its way through the checks.
type judging struct {
	Response
	Judged
	contract *spec.Contract
	op       *spec.Operation

	check     *Check // the running check
	described bool   // the document describes a body for this status
	body      place  // of what is decoded
	notJSON   *notJSON
	page      *ListPage // nil if it is not a list, or cannot be read
	errorParts

	mismatches map[string]bool // by pointer
	found      map[string]bool // by check, clause and place, whatever the item
}

func (j *judging) isSuccess() bool { return j.Status/100 == 2 }

// read decodes the body if the document describes one.
func (j *judging) read() {
	o := j.op.ResponseObject(j.Status)
	j.described = j.isDescribed(o)
	if !hasBody(j) {
		return
	}
	if j.Value, j.notJSON = decode(j.Body); j.notJSON != nil {
		return
	}
	j.Valid = true
	clause := "ERR-11"
	if j.isSuccess() {
		clause = j.op.Clause
		j.page = ReadList(j.op, j.Value)
	} else {
		j.errorParts = readError(j.contract, j.Value)
	}
	clause = cmp.Or(spec.MarksOf(o.Schema).Clause, clause)
	j.body = place{schema: o.Schema, object: o, clause: clause, value: j.Value}
}

// isDescribed reports whether the document describes the body of an answer, by this object.
func (j *judging) isDescribed(o *spec.Object) bool {
	if o == nil || j.Status == http.StatusNoContent {
		return false
	}
	if j.isSuccess() {
		return true
	}
	return o.Field("error") != nil && isBound(j)
}

// judged adds clauses to those that were judged.
func (j *judging) judged(clauses ...string) {
	for _, id := range clauses {
		if id != "" && !slices.Contains(j.Clauses, id) {
			j.Clauses = append(j.Clauses, id)
		}
	}
}

// find reports that the clause of the check is broken.
func (j *judging) find(pointer, expected, got string) {
	j.broken(j.check.judges(j.op), "", pointer, expected, got)
}

// findValue reports a value of the body that breaks the clause of the check.
func (j *judging) findValue(pointer, expected string, got any) {
	j.breach(Finding{
		Clause: j.check.judges(j.op), Pointer: pointer,
		Expected: expected, Got: Describe(got), Shape: finding.ShapeOf(got),
	})
}

// broken reports a breach of a clause. Without a kind it has the cause that the check finds.
func (j *judging) broken(clause string, kind finding.Kind, pointer, expected, got string) {
	cause := finding.CauseOf(kind)
	j.breach(Finding{Clause: clause, Cause: cause, Pointer: pointer, Expected: expected, Got: got})
}

// breach completes and adds a finding. The same mismatch in many items of an array is one finding, at the first item.
func (j *judging) breach(f Finding) {
	j.judged(f.Clause)
	key := j.check.ID + " " + f.Clause + " " + wording.AnyItem(f.Pointer)
	if j.found[key] {
		return
	}
	j.found[key] = true
	f.Check = j.check.ID
	f.Traits = j.check.Traits
	f.WFC = j.check.wfc
	f.Operation = j.op.ID
	f.Pointer = shortPointer(f.Pointer)
	f.Expected = clip(f.Expected)
	f.Got = clip(f.Got)
	f.Severity = Violation
	if c := j.contract.Clause(f.Clause); c != nil {
		f.Basis = c.Basis
	}
	if f.Basis == spec.Chosen {
		f.Severity = Notice
	}
	j.Findings = append(j.Findings, f)
}

// mismatch reports a place of the body that differs from the document, unless
// another check has reported it already.
func (j *judging) mismatch(f Finding) {
	if !j.mismatches[f.Pointer] {
		j.mismatches[f.Pointer] = true
		j.breach(f)
	}
}

// isBroken reports whether a clause was found broken.
func (j *judging) isBroken(clause string) bool {
	return slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Clause == clause })
}
