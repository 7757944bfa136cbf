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
	// Valid says that a body is described, is there and is JSON.
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
func New(c *spec.Contract, disabled map[string]bool) *Oracle { return &Oracle{c, disabled} }

// Judge judges a response to an operation, whatever its bytes are.
func (o *Oracle) Judge(op *spec.Operation, r Response) Judged {
	j := judging{Response: r, contract: o.contract, op: op, taken: map[string]bool{}, alike: map[string]bool{}}
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

	taken map[string]bool // pointers with a reported mismatch
	alike map[string]bool // check, clause and place of the findings, whatever the item
}

// success reports whether the status is a 2xx.
func (j *judging) success() bool { return j.Status/100 == 2 }

// read decodes the body if the document describes one.
func (j *judging) read() {
	o, clause := j.op.ResponseObject(j.Status), "ERR-11"
	j.described = o != nil && j.Status != http.StatusNoContent && (j.success() || o.Field("error") != nil && statusBound(j))
	if !hasBody(j) {
		return
	}
	if j.Value, j.notJSON = decode(j.Body); j.notJSON != nil {
		return
	}
	j.Valid = true
	if j.success() {
		clause = j.op.Clause
		j.page = ReadList(j.op, j.Value)
	} else {
		j.errorParts = readError(j.contract, j.Value)
	}
	j.body = place{schema: o.Schema, object: o, clause: cmp.Or(spec.ClauseOf(o.Schema), clause), value: j.Value}
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
	j.breach(Finding{Clause: j.check.judges(j.op), Pointer: pointer, Expected: expected, Got: Describe(got), Shape: finding.ShapeOf(got)})
}

// broken reports a breach of a clause. Without a kind it has the cause that the check finds.
func (j *judging) broken(clause string, kind finding.Kind, pointer, expected, got string) {
	j.breach(Finding{Clause: clause, Cause: finding.CauseOf(kind), Pointer: pointer, Expected: expected, Got: got})
}

// breach completes and adds a finding. The same mismatch in many items of an array is one finding, at the first of them.
func (j *judging) breach(f Finding) {
	clause, pointer := f.Clause, f.Pointer
	j.judged(clause)
	key := j.check.ID + " " + clause + " " + finding.AnyItem(pointer)
	if j.alike[key] {
		return
	}
	j.alike[key] = true
	f.Check, f.Traits, f.Operation, f.Severity, f.WFC = j.check.ID, j.check.Traits, j.op.ID, Violation, j.check.wfc
	f.Pointer, f.Expected, f.Got = shortPointer(pointer), clip(f.Expected), clip(f.Got)
	if c := j.contract.Clause(clause); c != nil {
		f.Basis = c.Basis
		if c.Basis == spec.Chosen {
			f.Severity = Notice
		}
	}
	j.Findings = append(j.Findings, f)
}

// mismatch reports a place of the body that differs from the document, unless
// another check has reported it already.
func (j *judging) mismatch(f Finding) {
	if !j.taken[f.Pointer] {
		j.taken[f.Pointer] = true
		j.breach(f)
	}
}

// broke reports whether a clause was found broken.
func (j *judging) broke(clause string) bool {
	return slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Clause == clause })
}
