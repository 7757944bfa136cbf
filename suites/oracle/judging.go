package oracle

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

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
