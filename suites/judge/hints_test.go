package judge

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/oracle"
)

// parts are those of a finding that a hint looks at.
type parts map[string]string

func (p parts) finding() *oracle.Finding {
	status, _ := strconv.Atoi(p["status"])
	return &oracle.Finding{
		Check: p["check"], Clause: p["clause"], CauseWords: p["cause"], Expected: p["expected"], Got: p["got"],
		Sent:   &oracle.Sent{What: p["sent"], At: p["at"], Value: p["value"]},
		Answer: &oracle.Answer{Status: status, Type: p["type"], Says: p["says"]},
	}
}

// hintings are findings of runs on servers that have what a hint is for, and how those of other
// servers differ from them.
var hintings = []struct {
	hint         string
	shows, other parts
}{
	{"redirected", parts{"got": "status 307 (Temporary Redirect)"}, parts{"got": "an object of 0 members"}},
	{"redirected-to-log-in", parts{"got": "status 302 (Found)", "at": "key"}, parts{"got": "an object of 0 members"}},
	{"redirected-to-log-in", parts{"got": "status 307 (Temporary Redirect)", "at": "key"}, parts{"got": "status 400"}},
	{
		"escaped-on-the-way-in",
		parts{"cause": "a text is shown escaped for HTML"},
		parts{"cause": "a text is shown without some of its characters"},
	},
	{"nul-in-postgresql", parts{"check": "server-error", "sent": "a text with U+0000"}, parts{"check": "shows-sent"}},
	{
		"four-bytes-in-mysql",
		parts{"check": "server-error", "says": "Incorrect string value: '\\xF0\\x9F'"},
		parts{"says": `{"message":"syntax error"}`},
	},
	{"too-long-for-column", parts{"check": "server-error", "sent": "a text of 300 characters"}, parts{"check": "expected-status"}},
	{
		"cut-by-column",
		parts{"check": "shows-sent", "cause": "a text is shown cut off", "sent": "a text of 300 characters"},
		parts{"check": "expected-status"},
	},
	{"sql-by-joining", parts{"check": "server-error", "sent": "a text with SQL words"}, parts{"check": "shows-sent"}},
	{
		"surrogate-in-python",
		parts{"check": "server-error", "sent": "a text with half a character (a lone surrogate)"},
		parts{"sent": "a body that nests a thousand deep"},
	},
	{
		"bytes-not-decoded",
		parts{"check": "server-error", "sent": "a body that is not UTF-8"},
		parts{"sent": "a body that nests a thousand deep"},
	},
	{"nesting", parts{"check": "server-error", "sent": "a body that nests a thousand deep"}, parts{"sent": "a body that is not UTF-8"}},
	{"id-overflows", parts{"check": "server-error", "sent": "a malformed id", "at": "path:campaignId"}, parts{"check": "content-type"}},
	{"type-not-looked-at", parts{"check": "server-error", "sent": "an array for a text"}, parts{"check": "content-type"}},
	{"body-not-looked-at", parts{"check": "server-error", "sent": "JSON that is cut off"}, parts{"check": "expected-status"}},
	{
		"enum-by-number",
		parts{"cause": "a number is accepted as a listed value"},
		parts{"cause": "a value that a field may not have is answered 409"},
	},
	{
		"enum-any-case",
		parts{"cause": "a listed value in other letter case is accepted"},
		parts{"cause": "a value that a field may not have is answered 409"},
	},
	{
		"enum-unlisted",
		parts{"cause": "a value that is not listed is accepted"},
		parts{"cause": "a value that is not listed makes the server fail with 500"},
	},
	{
		"array-as-text",
		parts{"cause": "an array is accepted as a text"},
		parts{"cause": "an array for a text makes the server fail with 500"},
	},
	{
		"object-as-text",
		parts{"cause": "an object is accepted as a text"},
		parts{"cause": "an object for a text makes the server fail with 500"},
	},
	{"scalar-as-text", parts{"check": "shows-sent", "sent": "a number for a text"}, parts{"check": "undeclared-status"}},
	{"malformed-as-empty", parts{"check": "not-refused", "clause": "ERR-3"}, parts{"check": "server-error"}},
	{"malformed-is-400", parts{"clause": "ERR-3", "got": "status 400"}, parts{"got": "status 409"}},
	{"type-is-415", parts{"got": "status 415"}, parts{"got": "status 409 (Conflict)"}},
	{"validation-is-400", parts{"clause": "ERR-4", "got": "status 400"}, parts{"got": "status 409"}},
	{
		"error-of-fastapi",
		parts{"check": "error-section", "got": "an object with detail", "status": "422"},
		parts{"got": "an object with oops"},
	},
	{
		"error-of-spring",
		parts{"check": "error-section", "got": "an object with error, path, status, timestamp"},
		parts{"got": "an object with oops"},
	},
	{"error-of-problem-details", parts{"check": "error-section", "type": "application/problem+json"}, parts{"type": "application/json"}},
	{"error-of-laravel", parts{"check": "error-section", "got": "an object with errors, message"}, parts{"got": "an object with oops"}},
	{
		"error-of-node",
		parts{"check": "error-section", "got": "an object with error, message, statusCode"},
		parts{"got": "an object with oops"},
	},
	{"error-of-drf", parts{"check": "error-section", "got": "an object with detail"}, parts{"got": "an object with oops"}},
	{"page-for-error", parts{"check": "content-type", "status": "404", "type": "text/html"}, parts{"type": "application/json"}},
	{"not-labelled-as-json", parts{"check": "content-type", "status": "200", "type": "text/plain"}, parts{"check": "schema"}},
	{"delete-is-200", parts{"cause": "an ordinary request is answered 200"}, parts{"type": "application/json"}},
	{"forbidden-for-anonymous", parts{"clause": "AUTH-1", "got": "status 403", "sent": "no key"}, parts{"got": "status 404"}},
	{"hidden-by-scope", parts{"clause": "AUTH-2", "got": "status 404"}, parts{"got": "status 401"}},
	{"key-in-any-case", parts{"check": "not-refused", "sent": "the owner's key in other letter case"}, parts{"check": "undeclared-status"}},
	{"key-by-its-start", parts{"check": "not-refused", "sent": "the owner's key with x after it"}, parts{"check": "undeclared-status"}},
	{
		"user-by-header",
		parts{"check": "not-refused", "sent": "no key, and headers that name a user or the server's own address"},
		parts{"check": "undeclared-status"},
	},
	{"answered-from-a-cache", parts{"check": "not-refused", "clause": "AUTH-3"}, parts{"check": "expected-status"}},
	{
		"id-by-its-start",
		parts{"cause": "a malformed id is accepted", "sent": "a malformed id", "value": "25abc"},
		parts{"cause": "a malformed id is answered 409"},
	},
	{
		"id-wraps",
		parts{"cause": "an id beyond 32 bits is accepted", "status": "200"},
		parts{"cause": "an id beyond 32 bits is answered 409"},
	},
	{"parent-not-looked-at", parts{"check": "not-refused", "clause": "ERR-2"}, parts{"check": "expected-status"}},
	{
		"integer-as-text",
		parts{"cause": "the answer has a string where an integer of 64 bits belongs"},
		parts{"cause": "a JSON object has a member twice"},
	},
	{"integer-as-float", parts{"check": "integer-form", "got": "the number 7.0"}, parts{"check": "json-names"}},
	{"date-as-number", parts{"cause": "a date is not valid", "got": "the number 1700000000000"}, parts{"got": `the string "yesterday"`}},
	{"updated-at-stands", parts{"check": "updated-at"}, parts{"check": "identity"}},
	{
		"field-of-the-class",
		parts{"check": "related-field", "got": `only issues that name "Name"`},
		parts{"got": `only issues that name "names"`},
	},
	{
		"deleted-or-not",
		parts{"check": "delete-effect", "expected": "status 404 for disposableCreatives[0], which was deleted", "got": "status 204"},
		parts{"check": "expected-status"},
	},
	{"no-field-from-the-parser", parts{"check": "related-field", "got": "none that names a field"}, parts{"check": "server-error"}},
	{
		"checked-too-late",
		parts{"cause": "a refused request was carried out all the same"},
		parts{"cause": "a request without a valid key is carried out"},
	},
	{
		"kept-elsewhere",
		parts{"cause": "an update was answered with success and is not kept"},
		parts{"cause": "the answer is about another object than the path names"},
	},
	{"pages-from-zero", parts{"check": "page-number", "got": "0"}, parts{"check": "page-total-pages"}},
	{
		"no-order",
		parts{"check": "list-walk", "got": "300 items on all pages together, 100 of them again, such as id 1101"},
		parts{"check": "page-number"},
	},
	{"count-of-the-page", parts{"check": "list-total"}, parts{"check": "page-number"}},
	{
		"rounded-by-javascript",
		parts{"check": "identity", "expected": "id 9007199254740993, the id in the path", "got": "9007199254740992"},
		parts{"expected": "id 25, the id in the path", "got": "26"},
	},
	{
		"emoji-in-mysql",
		parts{"check": "server-error", "cause": "a text makes the server fail with 500", "sent": "a text with an emoji"},
		parts{"sent": "a text with special characters"},
	},
	{"trimmed", parts{"check": "text-altered", "sent": "a text with spaces around it"}, parts{"sent": "a text that is not normalised"}},
	{"whole-row-written", parts{"check": "concurrent-writers"}, parts{"check": "stale"}},
	{"", parts{"check": "server-error", "cause": manyOddities, "sent": "a text with special characters"}, parts{"got": "status 500"}},
	{"", parts{"check": "shows-sent", "cause": manyOddities, "sent": "a text with special characters"}, parts{"at": "/name"}},
	{"", parts{"check": "stale", "cause": manyOddities, "sent": "a text with special characters"}, parts{"at": "/name"}},
}

// manyOddities: of a text of ten oddities nobody knows which of them the server failed at.
const manyOddities = "a text with special characters makes the server fail with 500"

// Each hint shows beside what it is for, and not beside what looks like it.
func TestHints(t *testing.T) {
	hintOf := func(p parts) string {
		if h := HintFor(p.finding()); h != nil {
			return h.ID
		}
		return ""
	}
	tested := map[string]bool{}
	for _, row := range hintings {
		tested[row.hint] = true
		if got := hintOf(row.shows); got != row.hint {
			t.Errorf("%v has the hint %q, want %q", row.shows, got, row.hint)
		}
		other := maps.Clone(row.shows)
		maps.Copy(other, row.other)
		if got := hintOf(other); (got == row.hint) != (row.hint == "") {
			t.Errorf("%v has the hint %q too", other, got)
		}
	}
	for _, h := range Hints() {
		if !tested[h.ID] {
			t.Errorf("nothing tests the hint %s", h.ID)
		}
		for part := range h.When {
			if !strings.Contains(" check clause cause expected got sent at value status type says ", " "+part+" ") {
				t.Errorf("%s: %q is no part of a finding", h.ID, part)
			}
		}
	}
}
