package oracle

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// Numbers of the fault catalogue of WebFuzzing/Commons.
const (
	wfcServerError = 100
	wfcStatus      = 101
	wfcSchema      = 200
)

// Check is one judgement on a response. Each can be disabled by id, so that a
// self-test can show that something slips through without it.
type Check struct {
	ID      string
	Clauses []string // that it can find broken, in the embedded contract
	Text    string
}

type check struct {
	Check
	marks   func(*spec.Field) string // the clause of a field that is cited too, or ""
	success bool                     // the clauses of the successes are cited too
	applies func(*judging) bool
	run     func(*judging)
}

// checks stand in the order in which they run: an earlier one may keep a later
// one from reporting the same mismatch again.
var checks = []check{
	{
		Check:   Check{ID: "server-error", Clauses: []string{"HTTP-1"}, Text: "The status is below 500."},
		applies: always, run: judgeServerError,
	},
	{
		Check:   Check{ID: "undeclared-status", Clauses: []string{"ERR-12"}, Text: "The operation declares the status."},
		applies: statusBound, run: judgeStatus,
	},
	{
		Check:   Check{ID: "success-body", Text: "A success brings the representation or the list."},
		success: true,
		applies: successWithContent, run: judgeSuccessBody,
	},
	{
		Check:   Check{ID: "no-content", Clauses: []string{"DELETE-2"}, Text: "A 204 has no body and announces none."},
		applies: noContent, run: judgeNoContent,
	},
	{
		Check:   Check{ID: "no-content-length", Clauses: []string{"OPEN-4"}, Text: "A 204 has no Content-Length, not even 0."},
		applies: noContent, run: judgeNoContentLength,
	},
	{
		Check:   Check{ID: "content-type-missing", Clauses: []string{"OPEN-3"}, Text: "A response with a body has a Content-Type."},
		applies: hasBody, run: judgeContentTypeMissing,
	},
	{
		Check:   Check{ID: "content-type", Clauses: []string{"HTTP-3"}, Text: "The Content-Type of a JSON body is a JSON type in UTF-8."},
		applies: hasContentType, run: judgeContentType,
	},
	{
		Check:   Check{ID: "json-text", Clauses: []string{"JSON-1"}, Text: "The body is one well-formed JSON text in UTF-8."},
		applies: hasBody, run: judgeText,
	},
	{
		Check:   Check{ID: "json-names", Clauses: []string{"JSON-2"}, Text: "The member names of each object are unique."},
		applies: isJSON, run: judgeNames,
	},
	{
		Check:   Check{ID: "error-section", Clauses: []string{"ERR-6"}, Text: "An error body is an object that holds a section."},
		applies: isError, run: judgeErrorSection,
	},
	{
		Check:   Check{ID: "error-code", Clauses: []string{"ERR-7"}, Text: "The section repeats the status."},
		applies: hasSection, run: judgeErrorCode,
	},
	{
		Check:   Check{ID: "error-issues", Clauses: []string{"ERR-8"}, Text: "The section lists the issues; on 422 there is one at least."},
		applies: hasSection, run: judgeErrorIssues,
	},
	{
		Check:   Check{ID: "issue-text", Clauses: []string{"ERR-9"}, Text: "The type and the message of an issue say something."},
		applies: hasIssues, run: judgeIssueText,
	},
	{
		Check: Check{ID: "schema", Text: "The body matches the schema of the document."},
		marks: func(f *spec.Field) string { return f.Clause }, success: true,
		applies: hasForm, run: judgeSchema,
	},
	{
		Check:   Check{ID: "integer-value", Text: "An integer is one exactly, and fits 64 bits."},
		marks:   markedIf(func(f *spec.Field) bool { return f.Type == "integer" }),
		applies: hasForm, run: judgeIntegerValue,
	},
	{
		Check:   Check{ID: "integer-form", Clauses: []string{"OPEN-5"}, Text: "An integer is written without fraction and exponent."},
		applies: hasForm, run: judgeIntegerForm,
	},
	{
		Check:   Check{ID: "url", Text: "A URL is absolute, http or https, with a host."},
		marks:   markedIf(func(f *spec.Field) bool { return f.URL }),
		applies: hasForm, run: judgeURLs,
	},
	{
		Check:   Check{ID: "date", Clauses: []string{"OPEN-9"}, Text: "A date is a text in a common form and exists in the calendar."},
		marks:   markedIf(func(f *spec.Field) bool { return f.Date }),
		applies: hasForm, run: judgeDates,
	},
	{
		Check:   Check{ID: "letter-case", Text: "A value that is a published one is spelt as published."},
		marks:   func(f *spec.Field) string { return spec.ValuesClause(f.Schema) },
		applies: hasForm, run: judgeLetterCase,
	},
	{
		Check:   Check{ID: "page-count", Clauses: []string{"MEDIA-3"}, Text: "count is the number of items."},
		applies: isList, run: judgeCount,
	},
	{
		Check: Check{
			ID: "page-total", Clauses: []string{"MEDIA-4"},
			Text: "A page is no larger than the collection, and as large when it is the only one.",
		},
		applies: isList, run: judgeTotalCount,
	},
	{
		Check: Check{
			ID: "page-number", Clauses: []string{"MEDIA-5"},
			Text: "page is a number from 1 to the last, and the one that was asked for.",
		},
		applies: isList, run: judgePageNumber,
	},
	{
		Check:   Check{ID: "page-total-pages", Clauses: []string{"MEDIA-6"}, Text: "totalPages agrees with totalCount and the size of the page."},
		applies: isList, run: judgeTotalPages,
	},
	{
		Check:   Check{ID: "page-own-id", Clauses: []string{"MEDIA-7"}, Text: "The list of a creative does not hold the creative."},
		applies: isList, run: judgeOwnID,
	},
	{
		Check:   Check{ID: "page-unique", Clauses: []string{"MEDIA-8"}, Text: "No item is twice on a page."},
		applies: isList, run: judgeUnique,
	},
}

// Checks lists the checks in the order in which they run.
func Checks() []Check {
	list := make([]Check, len(checks))
	for i, c := range checks {
		list[i] = c.Check
		list[i].Clauses = c.cited()
	}
	return list
}

// cited are the clauses of a check, with those that the embedded document marks, each once.
func (c *check) cited() []string {
	contract, err := spec.Load()
	if err != nil {
		return c.Clauses
	}
	ids := slices.Clone(c.Clauses)
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var fields func(o *spec.Object)
	fields = func(o *spec.Object) {
		for i := 0; o != nil && c.marks != nil && i < len(o.Fields); i++ {
			f := o.Fields[i]
			add(c.marks(f))
			fields(f.Object)
			fields(f.Items)
		}
	}
	for _, op := range contract.Operations {
		if c.success && op.Success != nil {
			add(op.Clause)
		}
		fields(op.Success)
	}
	fields(contract.Error)
	return ids
}

// markedIf returns the clause of a field for which a condition holds, else "".
func markedIf(is func(*spec.Field) bool) func(*spec.Field) string {
	return func(f *spec.Field) string {
		if is(f) {
			return f.Clause
		}
		return ""
	}
}

func always(*judging) bool { return true }

// hasBody: there is a body, and the document describes it.
func hasBody(j *judging) bool { return j.described && len(j.Body) > 0 }

func isJSON(j *judging) bool { return j.Valid }

func hasForm(j *judging) bool { return j.Valid && !j.formless }
