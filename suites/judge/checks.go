package judge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// Check is a judgement over a case or over several exchanges. Each can be disabled by id, so
// that the self-test can show that something slips through without it.
type Check struct {
	ID     string
	broken string // what a breach is called, where what was sent does not tell more
	others effect // of another run of adconform, which may be behind what is found
}

// effect is what another run of adconform does to the same target.
type effect int

const (
	none    effect = iota
	writes         // to the same objects
	deletes        // what this run deletes
)

// Checks are all of them, beside those that the oracle makes on each response.
var Checks []oracle.Check

var rows = map[string]*Check{}

// row makes a check: what has to hold, what a breach is called, and the clauses that it can find
// broken. All that belongs to a check is its row, but for the fault that it catches.
func row(id string, others effect, text, broken string, clauses ...string) *Check {
	c := &Check{ID: id, broken: broken, others: others}
	Checks, rows[id] = append(Checks, oracle.Check{ID: id, Clauses: clauses, Text: text}), c
	return c
}

// The checks, in the order in which they are listed.
var (
	CheckExpectedStatus = row("expected-status", none, "The status is one that the case allows.",
		"an ordinary request is not answered as it has to be",
		"AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5",
		"EFFECT-3", "PROFILE-1", "HOST-1", "CAMPAIGN-1", "DELETE-1", "DELETE-3", "DELETE-6", "MEDIA-1", "HTTP-4")
	CheckNotRefused = row("not-refused", none,
		"What has to be refused is not carried out: no 2xx where the case allows errors only.",
		"", "AUTH-1", "AUTH-2", "AUTH-3", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5", "DELETE-3", "DELETE-6")
	CheckRelatedField = row("related-field", none,
		"Where one field is wrong, an issue names it, and no issue names what is no part of the request.",
		"no issue names the field that is wrong", "ERR-10", "OPEN-10")
	CheckForeignIssue = row("foreign-issue", none, "An error has no issue of another request.",
		"an error has an issue of an earlier request", "ERR-8")
	CheckRefusalHeader = row("refusal-header", none, "A 401 has WWW-Authenticate, a 405 Allow.",
		"a refusal lacks a header that HTTP wants", "OPEN-11", "OPEN-12")
	CheckIdentity = row("identity", none, "The representation has the id of the path.",
		"the answer is about another object than the path names", "PROFILE-2", "HOST-2", "CAMPAIGN-2")
	CheckShowsSent = row("shows-sent", writes, "The representation shows each value that was sent.",
		"the answer shows another value than was sent", "PROFILE-3", "HOST-3", "CAMPAIGN-3", "ERR-4")
	CheckTextAltered = row("text-altered", none, "A text does not come back trimmed, folded or normalised.",
		"a text comes back trimmed, folded or normalised", "OPEN-6")
	CheckBeyondDocument = row("beyond-document", none, "A body is taken only in the form that the document describes.",
		"a body is accepted that is not of the document's form", "OPEN-8")
	CheckStays = row("stays", none, "What no request can change stays as it was first seen, or as the target file says.",
		"a value has changed that no request can change", "PROFILE-11", "HOST-10", "CAMPAIGN-13")
	CheckUpdatedAt = row("updated-at", none,
		"updatedAt is the date of the update: close to the Date of the answer, never earlier than before, "+
			"and still there where the object is shown again.",
		"updatedAt is not the date of the update", "PROFILE-12", "HOST-11", "CAMPAIGN-14")
	CheckDateForm = row("date-form", none, "All dates have one form.",
		"dates are written in more than one form", "OPEN-2")
	CheckStale = row("stale", writes, "A later answer does not show a value from before the last success.",
		"an update was answered with success and is not kept", "PROFILE-4", "HOST-4", "CAMPAIGN-4")
	CheckRefusedWrite = row("refused-write", writes, "A value of a refused request never shows.",
		"a refused request was carried out all the same", "EFFECT-1")
	CheckOtherObject = row("other-object", writes, "A value sent to one object never shows on another.",
		"an update shows on another object", "EFFECT-2")
	CheckDeleteEffect = row("delete-effect", deletes, "A deleted creative answers 404, again and again.",
		"a second delete is not answered 404", "DELETE-3")
	CheckDeleteOther = row("delete-other", deletes, "No other creative goes with a deleted one.",
		"a delete removed another creative, too", "DELETE-4")
	CheckDeleteListed = row("delete-listed", deletes,
		"A deleted media file leaves its parent's list, and nothing else changes there.",
		"a list does not follow a delete", "DELETE-3", "DELETE-5")
	CheckRefusedDelete = row("refused-delete", deletes, "A refused delete deletes nothing.",
		"a refused delete was carried out all the same", "EFFECT-1")
	CheckListMembers = row("list-members", deletes, "A list holds the media files that the target file names.",
		"a list does not hold what it has to", "MEDIA-7")
	CheckListTotal = row("list-total", deletes, "totalCount is the number of media files in the collection.",
		"totalCount is not the number of items", "MEDIA-4")
	CheckListWalk = row("list-walk", none, "The pages together are the collection, without repeats, and agree on its size.",
		"the pages together are not the collection", "MEDIA-4", "MEDIA-6", "MEDIA-8")
	CheckListPage = row("list-page", none, "page and the items both follow the page that was asked for.",
		"page or items are not those of the page that was asked for", "MEDIA-5")
	CheckListRepeat = row("list-repeat", deletes, "Two reads with no write between show the same.",
		"two reads differ, with no write between them", "MEDIA-9")
	CheckTransport = row("transport", none, "Each request gets one complete, readable response.",
		"", "HTTP-2")
	CheckFraming = row("framing", none, "The bytes of a response on a raw connection are what HTTP allows.",
		"an answer has invalid HTTP framing", "HTTP-2")
	CheckPinned = row("pinned", none, "An open point that the target file pins is as pinned.",
		"an open point is not as the target file pins it", "PIN-1")
	CheckConsistent = row("consistent", none, "An open point is decided alike in every operation.",
		"the operations differ where the contract is silent", "OPEN-1")
	CheckConcurrentWriters = row("concurrent-writers", writes, "Two writers on different fields both get their way.",
		"one of two writers on different fields loses", "OPEN-7")
	CheckSpec = &Check{ID: "spec", broken: "an expectation is not met"} // of a matcher that is not about an answer
)

// Words say what is wrong, without the operation and the field that show it.
func Words(f *oracle.Finding) string {
	status, isStatus := strings.CutPrefix(f.Got, "status ")
	switch {
	case f.Check == "server-error":
		return fmt.Sprintf("%s makes the server fail with %s", what(f, ordinary), bare(status))
	case f.Check == "undeclared-status":
		return fmt.Sprintf("%s is answered %s, which the operation does not have", subject(f), bare(status))
	case f.Check == CheckTransport.ID:
		kind, _, _ := strings.Cut(f.Got, ":")
		if f.Sent != nil && strings.HasPrefix(f.Sent.At, "request:") {
			return fmt.Sprintf("%s gets no complete answer: %s", what(f, ordinary), kind)
		}
		return "no complete answer comes: " + kind
	case f.Check == "schema":
		return schemaWords(f)
	case f.Check == CheckNotRefused.ID:
		return accepted(f)
	case f.Check == CheckExpectedStatus.ID && isStatus:
		return wrongStatus(f, status)
	}
	if row := rows[f.Check]; row != nil {
		return row.broken
	}
	return cmp.Or(broken[f.Check], CheckSpec.broken)
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

// StrangersKey are the words for the key of a user without permission.
const StrangersKey = "the key of another user"

// subject is what a request is about, whichever of the invalid keys it has.
func subject(f *oracle.Finding) string {
	switch s := f.Sent; {
	case s == nil || s.At != "key":
		return what(f, ordinary)
	case strings.HasPrefix(s.What, StrangersKey):
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
var ofLength = regexp.MustCompile(`^a text of [0-9]+ characters( beyond ASCII)?$`)

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

// broken is what a breach of a check of the oracle is called.
var broken = map[string]string{
	"letter-case":          "a published value is shown in other letter case",
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
