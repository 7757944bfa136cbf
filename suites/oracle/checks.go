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

// check is a row of checks.
type check struct {
	id      string
	clause  string // "" where the document marks what it judges
	text    string
	applies func(*judging) bool
	run     func(*judging)
	marks   func(*spec.Field) string // the clause of a field that it judges, or ""
	success bool                     // it judges the clauses of the successes, too
}

// checks stand in the order in which they run: an earlier one may keep a later
// one from reporting the same mismatch again.
var checks = []check{
	{id: "server-error", clause: "HTTP-1", text: "The status is below 500.", applies: always, run: judgeServerError},
	{id: "undeclared-status", clause: "ERR-12", text: "The operation declares the status.", applies: statusBound, run: judgeStatus},
	{
		id: "success-body", text: "A success brings the representation or the list.", applies: successWithContent, run: judgeSuccessBody,
		success: true,
	},
	{id: "no-content", clause: "DELETE-2", text: "A 204 has no body and announces none.", applies: noContent, run: judgeNoContent},
	{
		id: "no-content-length", clause: "OPEN-4", text: "A 204 has no Content-Length, not even 0.",
		applies: noContent, run: judgeNoContentLength,
	},
	{
		id: "content-type-missing", clause: "OPEN-3", text: "A response with a body has a Content-Type.",
		applies: hasBody, run: judgeContentTypeMissing,
	},
	{
		id: "content-type", clause: "HTTP-3", text: "The Content-Type of a JSON body is a JSON type in UTF-8.",
		applies: hasContentType, run: judgeContentType,
	},
	{id: "json-text", clause: "JSON-1", text: "The body is one well-formed JSON text in UTF-8.", applies: hasBody, run: judgeText},
	{id: "json-names", clause: "JSON-2", text: "The member names of each object are unique.", applies: isJSON, run: judgeNames},
	{id: "error-section", clause: "ERR-6", text: "An error body is an object that holds a section.", applies: isError, run: judgeErrorSection},
	{id: "error-code", clause: "ERR-7", text: "The section repeats the status.", applies: hasSection, run: judgeErrorCode},
	{
		id: "error-issues", clause: "ERR-8", text: "The section lists the issues; on 422 there is one at least.",
		applies: hasSection, run: judgeErrorIssues,
	},
	{id: "issue-text", clause: "ERR-9", text: "The type and the message of an issue say something.", applies: hasIssues, run: judgeIssueText},
	{
		id: "schema", text: "The body matches the schema of the document.", applies: hasForm, run: judgeSchema,
		marks: func(f *spec.Field) string { return f.Clause }, success: true,
	},
	{
		id: "integer-value", text: "An integer is one exactly, and fits 64 bits.", applies: hasForm, run: judgeIntegerValue,
		marks: markedIf(func(f *spec.Field) bool { return f.Type == "integer" }),
	},
	{
		id: "integer-form", clause: "OPEN-5", text: "An integer is written without fraction and exponent.",
		applies: hasForm, run: judgeIntegerForm,
	},
	{
		id: "url", text: "A URL is absolute, http or https, with a host.", applies: hasForm, run: judgeURLs,
		marks: markedIf(func(f *spec.Field) bool { return f.URL }),
	},
	{
		id: "date", clause: "OPEN-9", text: "A date is a text in a common form and exists in the calendar.", applies: hasForm, run: judgeDates,
		marks: markedIf(func(f *spec.Field) bool { return f.Date }),
	},
	{
		id: "letter-case", text: "A value that is a published one is spelt as published.", applies: hasForm, run: judgeLetterCase,
		marks: func(f *spec.Field) string { return spec.ValuesClause(f.Schema) },
	},
	{id: "page-count", clause: "MEDIA-3", text: "count is the number of items.", applies: isList, run: judgeCount},
	{
		id: "page-total", clause: "MEDIA-4", text: "A page is no larger than the collection, and as large when it is the only one.",
		applies: isList, run: judgeTotalCount,
	},
	{
		id: "page-number", clause: "MEDIA-5", text: "page is a number from 1 to the last, and the one that was asked for.",
		applies: isList, run: judgePageNumber,
	},
	{
		id: "page-total-pages", clause: "MEDIA-6", text: "totalPages agrees with totalCount and the size of the page.",
		applies: isList, run: judgeTotalPages,
	},
	{id: "page-own-id", clause: "MEDIA-7", text: "The list of a creative does not hold the creative.", applies: isList, run: judgeOwnID},
	{id: "page-unique", clause: "MEDIA-8", text: "No item is twice on a page.", applies: isList, run: judgeUnique},
}

// Checks lists the checks in the order in which they run, with the clauses of the embedded contract.
func Checks() (list []Check) {
	contract, err := spec.Load()
	for _, c := range checks {
		var ids []string
		if err == nil {
			ids = c.cited(contract)
		}
		list = append(list, Check{c.id, ids, c.text})
	}
	return list
}

// cited are the clause of a check and those that the document marks, each once.
func (c *check) cited(contract *spec.Contract) (ids []string) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var fields func(o *spec.Object)
	fields = func(o *spec.Object) {
		for i := 0; o != nil && c.marks != nil && i < len(o.Fields); i++ {
			add(c.marks(o.Fields[i]))
			fields(o.Fields[i].Object)
			fields(o.Fields[i].Items)
		}
	}
	add(c.clause)
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
