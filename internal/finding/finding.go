// Package finding holds what checks found: sightings, one for each breach that a check saw, and findings, which group the
// sightings of one cause. It also gives them their words, hints and impact.
package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
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
	Traits     Trait   `json:"-"`                // of its check
	Names      string  `json:"-"`                // what its title names, unless Pointer or Sent does: the ids of objects
	Sent       *Sent   `json:"sent,omitempty"`   // the part of the request that it is about
	Answer     *Answer `json:"answer,omitempty"` // to that request
	// Requests show it, in this order, where one alone does not; that of Curl is one of them.
	Requests []Request `json:"requests,omitempty"`
	// Sequence is the random sequence that shows it, for a replay: one step after another.
	Sequence string `json:"sequence,omitempty"`
	Ignored  string `json:"ignored,omitempty"` // why a violation does not fail the run: its basis does not count
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
	At         []Site   `json:"at,omitempty"`    // where it was seen
	Hint       string   `json:"hint,omitempty"`  // at the usual cause; no judgement
}

// Sent is a part of a request as a finding names it. The sender describes what is odd about it.
type Sent struct {
	At    string `json:"at"`              // key, body, /name in the body, path:campaignId, query:page, header:If-None-Match
	What  string `json:"what,omitempty"`  // "an array for a text"; empty if nothing is wrong with it
	Value string `json:"value,omitempty"` // as JSON, shortened; never a key
}

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

// Site is where a finding was seen: the check found the clause broken at this place of the operation.
type Site struct {
	Operation string `json:"operation" yaml:"operation"`
	Clause    string `json:"clause" yaml:"clause"`
	Check     string `json:"check,omitempty" yaml:"check,omitempty"`
	Place     string `json:"place,omitempty" yaml:"place,omitempty"` // Pointer with * for positions in lists
}

// Site returns where the finding was seen.
func (f *Finding) Site() Site { return Site{f.Operation, f.Clause, f.Check, AnyItem(f.Pointer)} }

// String returns the site in a line: "updateCampaign CAMPAIGN-2 identity /data/id".
func (c Site) String() string {
	return strings.Join(strings.Fields(c.Operation+" "+c.Clause+" "+c.Check+" "+c.Place), " ")
}

// ID returns a short name of the site, the same in every run, whatever value the target sent.
func (c Site) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Operation, c.Clause, c.Check, c.Place}, "\n")))
	return hex.EncodeToString(sum[:8])
}

// AnyItem returns a pointer with * for the positions in arrays.
func AnyItem(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// Words say what is wrong, without the operation and the field that show it. Findings with the
// same words have one cause.
type Words struct {
	Subject string // an array for a text
	// Failure is the outcome: "makes the server fail with 500". Where ordinary requests have it
	// too, it is the cause, and not what was odd about this one.
	Failure string
	Rest    string // ", which the operation does not have"
	Tells   bool   // the words say what was sent
}

// String joins the words.
func (w Words) String() string { return strings.TrimSuffix(w.Subject+" "+w.Failure, " ") + w.Rest }

// Ordinary is a request with which nothing is wrong or odd.
const Ordinary = "an ordinary request"

// StrangersKey are the words for the key of a user without permission.
const StrangersKey = "the key of another user"

// RequestOf describes the request of a finding by the part that matters.
func RequestOf(f *Finding) Words {
	switch s := f.Sent; {
	case s == nil || s.What == "":
		return Words{Subject: Ordinary}
	case s.At == "key" || strings.HasPrefix(s.At, "request:"):
		return Words{Subject: "a request with " + s.What, Tells: true}
	default:
		return Words{Subject: s.What, Tells: true}
	}
}

// requestBy describes a request like RequestOf, but all invalid keys alike.
func requestBy(f *Finding) Words {
	switch s := f.Sent; {
	case s == nil || s.At != "key":
		return RequestOf(f)
	case f.Clause == "AUTH-2" || strings.HasPrefix(s.What, StrangersKey):
		return Words{Subject: "a request from a user without permission"}
	}
	return Words{Subject: "a request without a valid key"}
}

// FailsServer describes a request that makes the server fail.
func FailsServer(f *Finding) Words {
	w := RequestOf(f)
	w.Failure = fmt.Sprintf("makes the server fail with %d", f.Answer.Status)
	return w
}

// Undeclared describes an answer with a status that the operation does not have.
func Undeclared(f *Finding) Words {
	w := requestBy(f)
	w.Failure, w.Rest = fmt.Sprintf("is answered %d", f.Answer.Status), ", which the operation does not have"
	return w
}

// Accepted describes a request that was carried out and has to be refused.
func Accepted(f *Finding) Words {
	w := requestBy(f)
	value, kind, typed := strings.Cut(w.Subject, valueFor)
	switch {
	case f.Clause == "AUTH-3":
		return Words{Subject: "a request is answered as if it were another user's"}
	case w.Subject == Ordinary:
		w.Subject = "a request that has to be refused is accepted"
	case typed && !strings.HasPrefix(f.Sent.At, "path:"):
		w.Subject = value + " is accepted as " + kind
	default:
		w.Subject += " is accepted"
	}
	return w
}

// valueFor stands between a value and the kind of the field that it is no value of.
const valueFor = " for "

// WrongStatus describes an answer with a status other than the expected one.
func WrongStatus(f *Finding) Words {
	w, allowed, status := requestBy(f), f.Allowed, strings.TrimPrefix(f.Got, "status ")
	switch {
	case f.Clause == "AUTH-4": // whatever else the request is about
		return Words{Subject: "the owner's key", Failure: "is answered " + status}
	case f.Clause == "EFFECT-3":
		number, _, _ := strings.Cut(status, " ")
		return Words{Subject: "an existing object", Failure: "is answered " + number}
	case f.Clause == "AUTH-2":
		w = Words{Subject: "a request from a user without permission"}
	case f.Clause == "ERR-3":
		w = Words{Subject: "a malformed body"}
	case strings.Contains(w.Subject, valueFor), f.Clause == "ERR-5":
		w = Words{Subject: "a value that a field may not have"}
	case ofLength.MatchString(w.Subject): // one limit refuses all lengths beyond it
		w = Words{Subject: "a long text"}
	case w.Subject == Ordinary: // which of several answers is the right one says nothing of the cause
		w.Failure = "is answered " + status
		return w
	}
	if strings.HasPrefix(f.Clause, "AUTH-") { // other answers are allowed where a request has more than one fault
		allowed = allowed[:1]
	}
	w.Rest = fmt.Sprintf(" is answered %s where %s was expected", status, wording.Or(allowed))
	return w
}

// ofLength is a text that is odd by its length alone.
var ofLength = regexp.MustCompile(`^a text of [0-9]+ characters( beyond ASCII)?$`)

// Kind names the JSON type of a value.
func Kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	}
	return "a number"
}

// Trait says how the findings of a check are distinguished, and what else may cause them. Without
// a trait they are distinguished by their place in the answer.
type Trait int

// The traits of a check.
const (
	BySent   Trait = 1 << iota // by what was sent
	ByStatus                   // by the status of the answer
	Writes                     // another run that writes to the same objects may cause it
	Deletes                    // another run that deletes the same objects may cause it
)

// Has reports whether one of the traits is among these.
func (t Trait) Has(one Trait) bool { return t&one != 0 }
