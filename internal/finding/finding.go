// Package finding holds what checks found. A sighting is what one check saw. A finding groups the sightings of one
// cause: reports show it, a baseline accepts it, and the headline counts it. A row is either of them in report.json.
// Causes and parts of requests are constants, with one table that says what a cause implies; texts are made from
// them in prose.go, and nothing is decided by a text.
package finding

import (
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A Sighting is what a check saw: an answer that breaks a clause.
type Sighting struct {
	Check     string // that saw it
	Traits    Trait  // of the check
	Case      string // in which it was seen
	Operation string
	Clause    string
	Basis     spec.Basis
	Severity  report.Severity
	// WFC is the number in the fault catalogue of WebFuzzing/Commons, 0 for
	// none: 100 server error, 101 status undeclared, 200 response off schema.
	WFC int
	// Pointer is an RFC 6901 pointer into the response body, "" for the whole
	// response, "header:Content-Type" for a header.
	Pointer  string
	Location string // of the spec that saw it: suites/specs/authentication.go:41
	Cause    Cause
	Impact   spec.Impact // known once it is grouped

	Expected string   // at most 200 characters, none of them control characters
	Got      string   // likewise
	Allowed  []string // the answers that Expected names, where a status is not among them, in short
	Lack     string   // the end of Got, where it says what is wrong beside the status
	Value    any      // a field's, which Got describes
	Shape    Shape    // of the JSON value that Got describes
	Name     string   // an id, name or number of the target, where a hint may depend on it
	Aspect   Aspect   // what a hint may depend on beside
	Names    string   // what its title names, unless Pointer or Sent does: the ids of objects

	Sent      *Sent          // the part of the request that it is about
	IsAdopted bool           // others sent the request, which may be odd
	Answer    *report.Answer // to that request
	Curl      string
	Exchange  int // Seq of the request of Curl, from 1 in the run
	// Requests show it, in this order, if Curl alone cannot. They include the request of Curl.
	Requests []report.Request
	Sequence string // the random sequence that shows it, for a replay: one step after another
	Timing   bool   // it depends on timing: another run may not see it
}

// A Shape is the form of a JSON value.
type Shape struct {
	Kind    string   // see Kind
	Members []string // of an object, sorted, if they are few
}

// An Aspect is something about a sighting, beside its cause, that a hint may depend on.
type Aspect string

// The aspects.
const (
	StillListed Aspect = "still-listed" // a list shows what was deleted
	NeitherOne  Aspect = "neither"      // the value is neither the last nor one fixed default
	ForInteger  Aspect = "for-integer"  // the value stands where an integer belongs
	ForDate     Aspect = "for-date"     // the value stands where a date belongs
)

// Site returns where the sighting was made.
func (s *Sighting) Site() report.Site {
	return report.Site{Operation: s.Operation, Clause: s.Clause, Check: s.Check, Place: wording.AnyItem(s.Pointer)}
}

// IsOrdinary reports whether a sighting is about an ordinary request.
func (s *Sighting) IsOrdinary() bool {
	return s.Sent == nil || s.Sent.What == ""
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
