package oracle

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

// Check is a rule with all that belongs to it, but for the fault that it catches. Each can be
// disabled by id, so that a self-test can show what goes unnoticed without it.
type Check struct {
	ID   string
	Text string // the requirement; in a row of this table, what the check finds
	// Clauses are those that it can find broken, in the embedded contract; in a row of this table, further ones.
	Clauses []string
	Traits  Trait

	// For a check of one response, which judges all of it, each place of its body, or both.
	clause  string // "" if it depends on the operation, or on the place
	about   string // a number of a page, or an effect of the operation, whose clause it judges
	success bool   // it judges the clauses of the successes, too
	wfc     int    // number in the fault catalogue of WebFuzzing/Commons
	applies func(*judging) bool
	run     func(*judging)
	place   func(*judging, place)
}

// Trait says how the findings of a check are distinguished, and what else may cause them.
type Trait = finding.Trait

// The traits of a check.
const (
	BySent   = finding.BySent
	ByStatus = finding.ByStatus
	Writes   = finding.Writes
	Deletes  = finding.Deletes
)

// Has reports whether a check has one of the traits.
func (c *Check) Has(t Trait) bool {
	return c != nil && c.Traits.Has(t)
}

// checks lists the checks in the order in which they run: an earlier one may keep a later
// one from reporting the same mismatch again.
var checks = []Check{
	{
		ID: "server-error", Text: "Finds that a request makes the server fail.", Traits: BySent,
		clause: "HTTP-1", wfc: 100, applies: always, run: judgeServerError,
	},
	{
		ID: "undeclared-status", Text: "Finds that the operation does not have the status.", Traits: BySent,
		clause: "ERR-12", wfc: 101, applies: isBound, run: judgeStatus,
	},
	{
		ID:      "success-body",
		success: true, wfc: offSchema, applies: mayHaveContent, run: judgeSuccessBody,
	},
	{
		ID:     "no-content",
		clause: "DELETE-2", Clauses: []string{"OPEN-4"}, applies: isNoContent, run: judgeNoContent,
	},
	{
		ID:     "content-type",
		clause: "OPEN-3", Clauses: []string{"HTTP-3"}, applies: hasBody, run: judgeContentType,
	},
	{ID: "json-text", clause: "JSON-1", wfc: offSchema, applies: hasBody, run: judgeText},
	{ID: "json-names", clause: "JSON-2", applies: isJSON, run: judgeNames},
	{
		ID: "error-section", Traits: ByStatus,
		clause: "ERR-6", wfc: offSchema, applies: isError, run: judgeErrorSection,
	},
	{
		ID: "error-code", Traits: ByStatus,
		clause: "ERR-7", wfc: offSchema, applies: hasSection, run: judgeErrorCode,
	},
	{
		ID: "error-issues", Traits: ByStatus,
		clause: "ERR-8", wfc: offSchema, applies: hasSection, run: judgeErrorIssues,
	},
	{
		ID: "issue-text", Traits: ByStatus,
		clause: "ERR-9", wfc: offSchema, applies: hasIssues, run: judgeIssueText,
	},
	{
		ID:      "schema",
		success: true, wfc: offSchema, applies: hasForm, run: judgeSchema, place: judgePlace,
	},
	{
		ID:     "integer-form",
		clause: "OPEN-5", applies: hasForm, place: judgeIntegerForm,
	},
	{ID: "date", clause: "OPEN-9", wfc: offSchema, applies: hasForm, place: judgeDateForm},
	{
		ID:      "letter-case",
		Clauses: []string{"CAMPAIGN-17", "CREATIVE-18"}, wfc: offSchema, applies: hasForm, place: judgeLetterCase,
	},
	{ID: "page-count", about: "count", applies: isList, run: judgeCount},
	{ID: "page-total", about: "totalCount", applies: isList, run: judgeTotalCount},
	{ID: "page-number", about: "page", applies: isList, run: judgePageNumber},
	{
		ID:    "page-total-pages",
		about: "totalPages", applies: isList, run: judgeTotalPages,
	},
	{ID: "page-own-id", about: "members", applies: isList, run: judgeOwnID},
	{ID: "page-unique", about: "unique", applies: isList, run: judgeUnique},
}

// offSchema is the number of a response that is off its schema.
const offSchema = 200

// Row returns a check over one response by its id, or nil.
func Row(id string) *Check {
	if i := slices.IndexFunc(checks, func(c Check) bool { return c.ID == id }); i >= 0 {
		return &checks[i]
	}
	return nil
}

// Checks lists the checks in the order in which they run, with the clauses of the embedded contract.
func Checks() []Check {
	list := slices.Clone(checks)
	for i := range list {
		c := &list[i]
		c.Clauses = c.cited(spec.Load())
		if c.Text == "" {
			c.Text = "Finds that " + finding.Kind(c.ID).Sentence() + "."
		}
	}
	return list
}

// judges returns the clause that a check judges in an operation, or "" if the place in the body has one.
func (c *Check) judges(op *spec.Operation) string {
	switch {
	case op.Pagination().Field(c.about) != nil:
		return op.PageClause(c.about)
	case c.success && op.Success != nil:
		return op.Clause
	}
	return cmp.Or(c.clause, op.Effects[c.about])
}

// cited returns the clauses of a check in any operation, in the order of the contract.
func (c *Check) cited(contract *spec.Contract) []string {
	ids := slices.Clone(c.Clauses)
	for _, op := range contract.Operations {
		ids = append(ids, c.judges(op))
	}
	if c.ID == "schema" {
		ids = slices.Concat(ids, contract.Error.Clauses())
		for _, op := range contract.Operations {
			ids = append(ids, op.Success.Clauses()...)
		}
		isSpelling := func(id string) bool { return slices.Contains(Row("letter-case").Clauses, id) }
		ids = slices.DeleteFunc(ids, isSpelling)
	}
	var all []string
	for _, clause := range contract.Clauses {
		if slices.Contains(ids, clause.ID) {
			all = append(all, clause.ID)
		}
	}
	return all
}

func always(*judging) bool { return true }

// hasBody: the response has a body, and the document describes it.
func hasBody(j *judging) bool { return j.described && len(j.Body) > 0 }

func isJSON(j *judging) bool { return j.Valid }

// hasForm: an error body without a section has another format, about which its schema says no more.
func hasForm(j *judging) bool {
	isReadable := j.isSuccess() || j.sectionName != ""
	return j.Valid && isReadable
}
