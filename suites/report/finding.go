package report

import (
	"crypto/sha256"
	"encoding/hex"
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

// A Finding is a finding, or a sighting of a case, in report.json.
type Finding struct {
	ID        string     `json:"id"`              // of its cause, the same in every run
	Check     string     `json:"check"`           // that found it
	Case      string     `json:"case"`            // in which it was first seen
	Cases     []string   `json:"cases,omitempty"` // of one in a report's list: all in which it was seen
	Operation string     `json:"operation"`
	Clause    string     `json:"clause"`
	Basis     spec.Basis `json:"basis"`
	Severity  Severity   `json:"severity"`
	WFC       int        `json:"wfc,omitempty"` // the number in the fault catalogue of WebFuzzing/Commons, 0 for none
	Pointer   string     `json:"pointer"`
	Location  string     `json:"location,omitempty"`
	Expected  string     `json:"expected"`
	Got       string     `json:"got"`
	Curl      string     `json:"curl,omitempty"`
	Exchange  int        `json:"exchange,omitempty"`
	Seen      int        `json:"seen,omitempty"` // how often it was seen
	Of        int        `json:"of,omitempty"`   // in how many tries
	Timing    bool       `json:"timing,omitempty"`
	// CauseWords say what is wrong, whatever operation and field shows it: "an array is
	// accepted as a text". A baseline names a finding by them.
	CauseWords string    `json:"cause,omitempty"`
	Sent       *Sent     `json:"sent,omitempty"`
	Answer     *Answer   `json:"answer,omitempty"`
	Requests   []Request `json:"requests,omitempty"`
	Sequence   string    `json:"sequence,omitempty"`
	Ignored    string    `json:"ignored,omitempty"` // why a violation does not fail the run: its basis does not count
	Known      string    `json:"known,omitempty"`   // the baseline's reason for accepting it, so that it does not fail
	// NewCases are those of Cases that the baseline's entry does not list: for them it fails the run.
	NewCases []string `json:"newCases,omitempty"`

	Impact spec.Impact `json:"impact,omitempty"`
	Fails  bool        `json:"fails,omitempty"` // it fails the run: the headline counts it
	// What follows only a finding has.
	Title      string   `json:"title,omitempty"` // the cause, what shows it, and in how many cases
	Clauses    []string `json:"clauses,omitempty"`
	Operations []string `json:"operations,omitempty"`
	Shows      []string `json:"shows,omitempty"` // the fields, ids, keys or headers
	At         []Site   `json:"at,omitempty"`    // where it was seen
	Hint       string   `json:"hint,omitempty"`  // at the usual cause; no judgement

	CaseTitle string `json:"-"` // of a sighting, which is shown with its case
	CaseHint  string `json:"-"`
}

// Site returns where the finding was first seen.
func (f *Finding) Site() Site {
	return Site{f.Operation, f.Clause, f.Check, wording.AnyItem(f.Pointer)}
}

// Sent is the part of a request that matters to a finding.
type Sent struct {
	At    string `json:"at"`              // key, body, /name (of the body), path:campaignId, query:page, header:Accept
	What  string `json:"what,omitempty"`  // "an array for a text"; empty if nothing is wrong with it
	Value string `json:"value,omitempty"` // as JSON, shortened; never a key
}

// Answer is the part of an answer that a finding shows.
type Answer struct {
	Status int    `json:"status"`
	Type   string `json:"type,omitempty"` // media type of the body
	Says   string `json:"says,omitempty"` // the server's own message, shortened
	// Maker is what names the server's software, if anything does: its headers, and the body of an error.
	Maker string `json:"-"`
}

// Request is one of several that show a finding together.
type Request struct {
	Curl     string `json:"curl"`
	Exchange int    `json:"exchange,omitempty"` // the number in the run of the exchange, from 1
	Then     string `json:"then,omitempty"`     // what it was answered
}

// Site is where a finding was seen: the check found the clause broken at this place of the operation.
type Site struct {
	Operation string `json:"operation" yaml:"operation"`
	Clause    string `json:"clause" yaml:"clause"`
	Check     string `json:"check,omitempty" yaml:"check,omitempty"`
	Place     string `json:"place,omitempty" yaml:"place,omitempty"` // Pointer with * for positions in lists
}

// String returns the site in a line: "updateCampaign CAMPAIGN-2 identity /data/id".
func (c Site) String() string {
	return strings.Join(strings.Fields(c.Operation+" "+c.Clause+" "+
		c.Check+" "+c.Place), " ")
}

// ID returns a short name of the site, the same in every run, whatever value the target sent.
func (c Site) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		c.Operation, c.Clause, c.Check, c.Place,
	}, "\n")))
	return hex.EncodeToString(sum[:8])
}
