package judge

import (
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/oracle"
)

// hintFor returns the hint for a finding with these parts, written as in "check: stale; got: 7".
func hintFor(parts string) (id string) {
	p := map[string]string{}
	for part := range strings.SplitSeq(parts, "; ") {
		name, text, _ := strings.Cut(part, ": ")
		p[name] = text
	}
	status, _ := strconv.Atoi(p["status"])
	h := HintFor(&oracle.Finding{
		Check: p["check"], Clause: p["clause"], CauseWords: p["cause"], Expected: p["expected"], Got: p["got"],
		Sent:   &oracle.Sent{What: p["sent"], At: p["at"], Value: p["value"]},
		Answer: &oracle.Answer{Status: status, Type: p["type"], Says: p["says"]},
	})
	if h != nil {
		id = h.ID
	}
	return id
}

// hintings are findings of runs on servers with the cause that a hint names, and how the findings of other
// servers differ from them.
var hintings = []struct{ hint, shows, other string }{
	{"redirected", "got: status 307 (Temporary Redirect)", "got: an object of 0 members"},
	{"redirected-to-log-in", "got: status 302 (Found); at: key", "got: an object of 0 members"},
	{"redirected-to-log-in", "got: status 307 (Temporary Redirect); at: key", "got: status 400"},
	{"escaped-on-the-way-in", "cause: a text comes back escaped for HTML", "cause: a text comes back cut off"},
	{"nul-in-postgresql", "check: server-error; sent: a text with U+0000", "check: shows-sent"},
	{"four-bytes-in-mysql", `check: server-error; says: Incorrect string value: '\xF0\x9F'`, `says: {"message":"syntax error"}`},
	{"too-long-for-column", "check: server-error; sent: a text of 300 characters", "check: expected-status"},
	{"cut-by-column", "check: shows-sent; cause: a text comes back cut off; sent: a text of 300 characters", "check: expected-status"},
	{"sql-by-joining", "check: server-error; sent: a text with SQL words", "check: shows-sent"},
	{
		"surrogate-in-python", "check: server-error; sent: a text with half a character (a lone surrogate)",
		"sent: a body that nests a thousand deep",
	},
	{"bytes-not-decoded", "check: server-error; sent: a body that is not UTF-8", "sent: a body that nests a thousand deep"},
	{"nesting", "check: server-error; sent: a body that nests a thousand deep", "sent: a body that is not UTF-8"},
	{"id-overflows", "check: server-error; sent: a malformed id; at: path:campaignId", "check: content-type"},
	{"type-not-looked-at", "check: server-error; sent: an array for a text", "check: content-type"},
	{"body-not-looked-at", "check: server-error; sent: JSON that is cut off", "check: expected-status"},
	{"enum-by-number", "cause: a number is accepted as a listed value", "cause: a value that a field may not have is answered 409"},
	{"enum-any-case", "cause: a listed value in other letter case is accepted", "cause: a value that a field may not have is answered 409"},
	{"enum-unlisted", "cause: a value that is not listed is accepted", "cause: a value that is not listed makes the server fail with 500"},
	{"array-as-text", "cause: an array is accepted as a text", "cause: an array for a text makes the server fail with 500"},
	{"object-as-text", "cause: an object is accepted as a text", "cause: an object for a text makes the server fail with 500"},
	{"scalar-as-text", "check: shows-sent; sent: a number for a text", "check: undeclared-status"},
	{"malformed-as-empty", "check: not-refused; clause: ERR-3", "check: server-error"},
	{"malformed-is-400", "clause: ERR-3; got: status 400", "got: status 409"},
	{"type-is-415", "got: status 415", "got: status 409 (Conflict)"},
	{"validation-is-400", "clause: ERR-4; got: status 400", "got: status 409"},
	{"error-of-fastapi", "check: error-section; got: an object with detail; status: 422", "got: an object with oops"},
	{"error-of-spring", "check: error-section; got: an object with error, path, status, timestamp", "got: an object with oops"},
	{"error-of-problem-details", "check: error-section; type: application/problem+json", "type: application/json"},
	{"error-of-laravel", "check: error-section; got: an object with errors, message", "got: an object with oops"},
	{"error-of-node", "check: error-section; got: an object with error, message, statusCode", "got: an object with oops"},
	{"error-of-drf", "check: error-section; got: an object with detail", "got: an object with oops"},
	{"page-for-error", "check: content-type; status: 404; type: text/html", "type: application/json"},
	{"not-labelled-as-json", "check: content-type; status: 200; type: text/plain", "check: schema"},
	{"delete-is-200", "cause: an ordinary request is answered 200", "type: application/json"},
	{"forbidden-for-anonymous", "clause: AUTH-1; got: status 403; sent: no key", "got: status 404"},
	{"hidden-by-scope", "clause: AUTH-2; got: status 404", "got: status 401"},
	{"key-in-any-case", "check: not-refused; sent: the owner's key in other letter case", "check: undeclared-status"},
	{"key-by-its-start", "check: not-refused; sent: the owner's key with x after it", "check: undeclared-status"},
	{
		"user-by-header", "check: not-refused; sent: no key, and headers that name a user or the server's own address",
		"check: undeclared-status",
	},
	{"answered-from-a-cache", "check: not-refused; clause: AUTH-3", "check: expected-status"},
	{"id-by-its-start", "cause: a malformed id is accepted; sent: a malformed id; value: 25abc", "cause: a malformed id is answered 409"},
	{"id-wraps", "cause: an id beyond 32 bits is accepted; status: 200", "cause: an id beyond 32 bits is answered 409"},
	{"parent-not-looked-at", "check: not-refused; clause: ERR-2", "check: expected-status"},
	{"integer-as-text", "cause: the answer has a string where an integer of 64 bits belongs", "cause: a JSON object has a member twice"},
	{"integer-as-float", "check: integer-form; got: the number 7.0", "check: json-names"},
	{"date-as-number", "cause: a date is not valid; got: the number 1700000000000", `got: the string "yesterday"`},
	{"updated-at-stands", "check: updated-at", "check: identity"},
	{"field-of-the-class", `check: related-field; got: only issues that name "Name"`, `got: only issues that name "names"`},
	{
		"deleted-or-not", "check: delete-effect; expected: status 404 for disposableCreatives[0], which was deleted; got: status 204",
		"check: expected-status",
	},
	{"no-field-from-the-parser", "check: related-field; got: none that names a field", "check: server-error"},
	{"checked-too-late", "cause: a refused request was carried out all the same", "cause: a request without a valid key is carried out"},
	{
		"kept-elsewhere", "cause: an update was answered with success and is not kept",
		"cause: the answer is about another object than the path names",
	},
	{
		"by-another-field",
		`cause: an update was answered with success and is not kept; got: "pass", neither the last value nor one fixed default`,
		`got: "Teal 1", the value from before the last success`,
	},
	{
		"nothing-deleted", "check: delete-effect; got: status 204, and a list that was asked for after the first delete shows it",
		"got: status 204",
	},
	{"pages-from-zero", "check: page-number; got: 0", "check: page-total-pages"},
	{"no-order", "check: list-walk; got: 300 items on all pages together, 100 of them again, such as id 1101", "check: page-number"},
	{"count-of-the-page", "check: list-total", "check: page-number"},
	{
		"rounded-by-javascript", "check: identity; expected: id 9007199254740993, the id in the path; got: 9007199254740992",
		"expected: id 25, the id in the path; got: 26",
	},
	{
		"emoji-in-mysql", "check: server-error; cause: a text makes the server fail with 500; sent: a text with an emoji",
		"sent: a text with special characters",
	},
	{"trimmed", "check: text-altered; sent: a text with spaces around it", "sent: a text that is not normalised"},
	{"whole-row-written", "check: concurrent-writers", "check: stale"},
	{
		"", "check: server-error; cause: a text with special characters makes the server fail with 500; sent: a text with special characters",
		"got: status 500",
	},
}

// Each hint is given with the findings that it is for, and not with similar ones.
func TestHints(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range hintings {
		tested[row.hint] = true
		if got := hintFor(row.shows); got != row.hint {
			t.Errorf("%s has the hint %q, want %q", row.shows, got, row.hint)
		}
		if got := hintFor(row.shows + "; " + row.other); (got == row.hint) != (row.hint == "") {
			t.Errorf("%s; %s has the hint %q, too", row.shows, row.other, got)
		}
	}
	for _, h := range Hints() {
		if !tested[h.ID] {
			t.Errorf("nothing tests the hint %s", h.ID)
		}
		for part := range h.When {
			if !strings.Contains(" check clause cause expected got sent at value status type says ", " "+part+" ") {
				t.Errorf("%s: %q is not a part of a finding", h.ID, part)
			}
		}
	}
}
