package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Finding is what a check saw.
type Finding = finding.Sighting

type (
	// Severity is the effect of a finding on a run.
	Severity = report.Severity
	// Sent is a part of a request.
	Sent = finding.Sent
	// Answer is the part of an answer that a finding shows.
	Answer = report.Answer
	// Request is one of several that show a finding together.
	Request = report.Request
)

// The severities.
const (
	Violation = report.Violation
	Notice    = report.Notice
	Transport = report.Transport
)

// pointer returns names as an RFC 6901 pointer.
func pointer(names ...string) string {
	var p jsontext.Pointer
	for _, name := range names {
		p = p.AppendToken(name)
	}
	return string(p)
}

// maxSentence bounds what a finding says, in characters.
const maxSentence = 200

// shortPointer cuts a pointer that is too long to an ancestor, so that it stays a pointer.
func shortPointer(pointer string) string {
	p := jsontext.Pointer(pointer)
	for len(p) > maxSentence {
		p = p.Parent()
	}
	return string(p)
}

// clip bounds a sentence and makes control characters visible.
func clip(s string) string { return wording.ClipPrintable(s, maxSentence) }

// quote quotes a text, shortened.
func quote(s string) string { return `"` + wording.ClipPrintable(s, 80) + `"` }

// Describe returns a value of a body in words, an object with the names of its members.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quote(v)
	case json.Number:
		return "the number " + wording.ClipPrintable(string(v), 60)
	case []any:
		return "an array of " + wording.Count(len(v), "item")
	case map[string]any:
		if len(v) == 0 || len(v) > 8 {
			return "an object of " + wording.Count(len(v), "member")
		}
		return "an object with " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	}
	return fmt.Sprint(v)
}
