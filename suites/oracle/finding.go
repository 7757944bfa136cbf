package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// Severity is the effect of a finding on a run.
type Severity string

// The three severities.
const (
	Violation Severity = "violation" // breaks a stated, published or standard clause: fails the run
	Notice    Severity = "notice"    // breaks a chosen clause: reported, never fails the run
	Transport Severity = "transport" // no response could be read; the oracle itself never says so
)

// Finding is one mismatch between a response and the contract.
type Finding struct {
	ID        string     `json:"id"`              // of its cause, the same in every run
	Check     string     `json:"check"`           // that found it
	Case      string     `json:"case"`            // in which it was first seen
	Cases     []string   `json:"cases,omitempty"` // of one in a report's list: all in which it was seen
	Operation string     `json:"operation"`
	Clause    string     `json:"clause"`
	Basis     spec.Basis `json:"basis"`
	Severity  Severity   `json:"severity"`
	// WFC is the number in the fault catalogue of WebFuzzing/Commons, 0 for
	// none: 100 server error, 101 status undeclared, 200 response off schema.
	WFC int `json:"wfc,omitempty"`
	// Pointer is an RFC 6901 pointer into the response body, "" for the whole
	// response, "header:Content-Type" for a header.
	Pointer  string `json:"pointer"`
	Location string `json:"location,omitempty"` // of the spec that found it: suites/specs/authentication.go:41
	Expected string `json:"expected"`           // at most 200 characters, none of them control characters
	Got      string `json:"got"`                // likewise
	// Allowed are the answers that Expected names, where a status is not among them, in short.
	Allowed  []string `json:"-"`
	Curl     string   `json:"curl,omitempty"`
	Exchange int      `json:"exchange,omitempty"` // Seq of the request of Curl, from 1 in the run
	Seen     int      `json:"seen,omitempty"`     // how often it was seen
	Of       int      `json:"of,omitempty"`       // in how many tries
	// Timing says that it depends on timing: another run may not see it.
	Timing bool `json:"timing,omitempty"`
	// CauseWords say what is wrong, whatever operation and field shows it: "an array is
	// accepted as a text". Findings of one cause have the same words.
	CauseWords string  `json:"cause,omitempty"`
	Said       Words   `json:"-"`                // the parts of CauseWords
	Sent       *Sent   `json:"sent,omitempty"`   // the part of the request that it is about
	Answer     *Answer `json:"answer,omitempty"` // to that request
	// Requests show it, in this order, where one alone does not; that of Curl is one of them.
	Requests []Request `json:"requests,omitempty"`
	// Sequence is the random sequence that shows it, for a replay: one step after another.
	Sequence string `json:"sequence,omitempty"`
	Ignored  string `json:"ignored,omitempty"` // why it does not count, as the run does not ask for it: then it is a notice
	Known    string `json:"known,omitempty"`   // the baseline's reason for accepting it: then it does not fail the run
	// NewCases are those of Cases that the baseline's entry does not list: for them it fails the run.
	NewCases []string `json:"newCases,omitempty"`

	Impact spec.Impact `json:"impact,omitempty"`
	Fails  bool        `json:"fails,omitempty"` // it fails the run: the headline counts it
	// What follows only a finding of a report has, which is all that was seen of one cause: then
	// ID names that cause, and Clause, Operation, Pointer and the like are those of an example.
	Title      string   `json:"title,omitempty"` // the cause, what shows it, and in how many cases
	Clauses    []string `json:"clauses,omitempty"`
	Operations []string `json:"operations,omitempty"`
	Shows      []string `json:"shows,omitempty"` // the fields, ids, keys or headers
	At         []Cause  `json:"at,omitempty"`    // where it was seen
	Hint       string   `json:"hint,omitempty"`  // at the usual cause; no judgement
}

// Counts reports whether the run asks for what it breaks.
func (f *Finding) Counts() bool { return f.Ignored == "" }

// Sent is the part of a request that matters to a finding.
type Sent = wire.Sent

// Answer is the part of an answer that a finding shows.
type Answer struct {
	Status int    `json:"status"`
	Type   string `json:"type,omitempty"` // media type of the body
	Says   string `json:"says,omitempty"` // the server's own message, shortened
}

// Request is one of several that show a finding together.
type Request struct {
	Curl     string `json:"curl"`
	Exchange int    `json:"exchange,omitempty"` // as Finding.Exchange
	Then     string `json:"then,omitempty"`     // what it was answered
}

// Cause is what findings of one cause have in common: the same check finds the
// same clause broken at the same place of the same operation.
type Cause struct {
	Operation string `json:"operation" yaml:"operation"`
	Clause    string `json:"clause" yaml:"clause"`
	Check     string `json:"check,omitempty" yaml:"check,omitempty"`
	Place     string `json:"place,omitempty" yaml:"place,omitempty"` // Pointer with * for positions in lists
}

// Cause returns the finding's cause.
func (f *Finding) Cause() Cause { return Cause{f.Operation, f.Clause, f.Check, anyItem(f.Pointer)} }

// String returns the cause in a line: "updateCampaign CAMPAIGN-2 identity /data/id".
func (c Cause) String() string {
	return strings.Join(strings.Fields(c.Operation+" "+c.Clause+" "+c.Check+" "+c.Place), " ")
}

// ID returns a short name of the cause, the same in every run, whatever value the target sent.
func (c Cause) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Operation, c.Clause, c.Check, c.Place}, "\n")))
	return hex.EncodeToString(sum[:8])
}

// anyItem returns a pointer with * for the positions in arrays.
func anyItem(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

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
