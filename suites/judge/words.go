package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// Words say what is wrong, without the operation and the field that show it.
func Words(f *oracle.Finding) string {
	status, isStatus := strings.CutPrefix(f.Got, "status ")
	switch {
	case f.Check == "server-error":
		return fmt.Sprintf("%s makes the server fail with %s", what(f, ordinary), bare(status))
	case f.Check == "undeclared-status":
		return fmt.Sprintf("%s is answered %s, which the operation does not have", subject(f), bare(status))
	case f.Check == "transport":
		kind, _, _ := strings.Cut(f.Got, ":")
		if f.Sent != nil && strings.HasPrefix(f.Sent.At, "request:") {
			return fmt.Sprintf("%s gets no complete answer: %s", what(f, ordinary), kind)
		}
		return "no complete answer comes: " + kind
	case f.Check == "schema":
		return schemaWords(f)
	case f.Check == "not-refused":
		return accepted(f)
	case f.Check == "expected-status" && isStatus:
		return wrongStatus(f, status)
	}
	return broken[f.Check]
}

func what(f *oracle.Finding, otherwise string) string {
	if f.Sent == nil || f.Sent.What == "" {
		return otherwise
	}
	if f.Sent.At == "key" || strings.HasPrefix(f.Sent.At, "request:") {
		return "a request with " + f.Sent.What
	}
	return f.Sent.What
}

// ordinary is a request with which nothing is wrong or odd.
const ordinary = "an ordinary request"

// accepted is the cause where something is carried out that has to be refused.
func accepted(f *oracle.Finding) string {
	switch s := f.Sent; {
	case f.Clause == "AUTH-3":
		return "a request is answered as if it were another user's"
	case s == nil || s.What == "":
		return "a request that has to be refused is carried out"
	case s.At == "key" && f.Clause == "AUTH-2":
		return "a user without permission can access an object"
	case s.At == "key":
		return "a request without a valid key is carried out"
	case strings.HasPrefix(s.At, "path:"):
		return s.What + " is accepted"
	case strings.Contains(s.What, " for "):
		return strings.Replace(s.What, " for ", " is accepted as ", 1)
	default:
		return s.What + " is accepted"
	}
}

// subject is what a request is about, whichever of the invalid keys it has.
func subject(f *oracle.Finding) string {
	switch s := f.Sent; {
	case s == nil || s.At != "key":
		return what(f, ordinary)
	case strings.HasPrefix(s.What, keyWords["stranger"]):
		return "a user without permission"
	}
	return "a request without a valid key"
}

// wrongStatus is the cause where another status comes than has to.
func wrongStatus(f *oracle.Finding, status string) string {
	subject, expected := subject(f), f.Expected
	switch s := f.Sent; {
	case strings.HasPrefix(status, "2") && strings.HasPrefix(f.Expected, "a 2xx"):
		return broken["success-body"]
	case strings.HasPrefix(f.Clause, "AUTH-"):
		if f.Clause == "AUTH-2" {
			subject = "a user without permission"
		}
		expected, _, _ = strings.Cut(strings.ReplaceAll(expected, " or ", ", "), ",") // where a request has more than one fault
	case f.Clause == "ERR-3":
		subject = "a malformed body"
	case s != nil && strings.Contains(s.What, " for "), f.Clause == "ERR-5":
		subject = "a value that a field may not have"
	}
	switch f.Clause { // whatever else the request is about
	case "AUTH-4":
		return "the owner's key is answered " + status
	case "EFFECT-3":
		return "an existing object is answered " + bare(status)
	}
	if subject == ordinary { // which of several answers is the right one says nothing of the cause
		return fmt.Sprintf("%s is answered %s", subject, status)
	}
	subject = ofLength.ReplaceAllString(subject, "a long text") // one limit refuses all lengths beyond it
	return fmt.Sprintf("%s is answered %s where %s was expected", subject, status, statusNumber.ReplaceAllString(expected, "$1"))
}

// bare is a status without its name: 500 of "500 (Internal Server Error)".
func bare(status string) string {
	number, _, _ := strings.Cut(status, " ")
	return number
}

// ofLength is a text that is odd by its length alone, see textWords.
var ofLength = regexp.MustCompile(`^a text of [0-9]+ characters$`)

// statusNumber is a status that stands for itself: "status 404".
var statusNumber = regexp.MustCompile(`\bstatus ([0-9]{3})`)

// quoted values, numbers and counts are another in each answer.
var particulars = regexp.MustCompile(`^the (string|number) .*$`)

// schemaWords say of a place in an answer which kind of value stands there for which.
func schemaWords(f *oracle.Finding) string {
	got := particulars.ReplaceAllString(f.Got, "a $1")
	for _, kind := range []string{"an array", "an object"} {
		if strings.HasPrefix(got, kind) {
			got = kind
		}
	}
	got, _, _ = strings.Cut(got, "; and in")
	if got == "nothing" {
		return "the answer lacks a member"
	}
	if slices.Contains([]string{"true", "false"}, got) {
		got = "a boolean"
	}
	return fmt.Sprintf("the answer has %s where %s belongs", got, f.Expected)
}

// broken is what a breach of a check is called, where what was sent does not tell more.
var broken = map[string]string{
	"related-field":      "no issue names the field that is wrong",
	"identity":           "the answer is about another object than the path names",
	"shows-sent":         "the answer shows another value than was sent",
	"text-altered":       "a text comes back trimmed, folded or normalised",
	"beyond-document":    "a body is accepted that is not of the document's form",
	"stays":              "a value has changed that no request can change",
	"updated-at":         "updatedAt is not the date of the update",
	"date-form":          "dates are written in more than one form",
	"stale":              "an update was answered with success and is not kept",
	"refused-write":      "a refused request was carried out all the same",
	"other-object":       "an update shows on another object",
	"delete-effect":      "a second delete is not answered 404",
	"delete-other":       "a delete removed another creative, too",
	"delete-listed":      "a list does not follow a delete",
	"refused-delete":     "a refused delete was carried out all the same",
	"list-members":       "a list does not hold what it has to",
	"list-total":         "totalCount is not the number of items",
	"list-walk":          "the pages together are not the collection",
	"list-page":          "page or items are not those of the page that was asked for",
	"list-repeat":        "two reads differ, with no write between them",
	"framing":            "an answer has invalid HTTP framing",
	"pinned":             "an open point is not as the target file pins it",
	"consistent":         "the operations differ where the contract is silent",
	"concurrent-writers": "one of two writers on different fields loses",
	"expected-status":    "an ordinary request is not answered as it has to be",
	"spec":               "an expectation is not met",

	"success-body":         "a success comes without the object or the list",
	"no-content":           "a 204 has content",
	"no-content-length":    "a 204 has Content-Length: 0",
	"content-type-missing": "an answer with a body has no Content-Type",
	"content-type":         "a JSON body is not labelled as JSON",
	"json-text":            "a body is not well-formed JSON",
	"json-names":           "a JSON object has a member twice",
	"error-section":        "an error comes without the contract's error object",
	"error-code":           "the error object does not repeat the status",
	"error-issues":         "the error object lists no issues",
	"issue-text":           "an issue has no type or no message",
	"integer-value":        "a number is not an integer of 64 bits",
	"integer-form":         "an integer is written with a fraction or an exponent",
	"url":                  "a URL is not absolute",
	"date":                 "a date is not valid",
	"page-count":           "count is not the number of items",
	"page-total":           "totalCount does not fit the page",
	"page-number":          "page is not the number of a page",
	"page-total-pages":     "totalPages does not fit totalCount",
	"page-own-id":          "the list of a creative holds the creative itself",
	"page-unique":          "an item is twice on a page",
}
