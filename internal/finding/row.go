package finding

import (
	"github.com/adconform/adconform/spec"
)

// A Row is a finding, or a sighting of a case, in report.json.
type Row struct {
	ID        string     `json:"id"`              // of its cause, the same in every run
	Check     string     `json:"check"`           // that found it
	Case      string     `json:"case"`            // in which it was first seen
	Cases     []string   `json:"cases,omitempty"` // of one in a report's list: all in which it was seen
	Operation string     `json:"operation"`
	Clause    string     `json:"clause"`
	Basis     spec.Basis `json:"basis"`
	Severity  Severity   `json:"severity"`
	WFC       int        `json:"wfc,omitempty"` // see Sighting
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
	Sent       *SentRow  `json:"sent,omitempty"`
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

	ownTitle, ownHint string // of a sighting, which are shown with its case
}

// Site returns where the finding was first seen.
func (r *Row) Site() Site { return Site{r.Operation, r.Clause, r.Check, AnyItem(r.Pointer)} }

// SentRow is the part of a request that matters to a finding.
type SentRow struct {
	At    string `json:"at"`              // key, body, /name in the body, path:campaignId, query:page, header:If-None-Match
	What  string `json:"what,omitempty"`  // "an array for a text"; empty if nothing is wrong with it
	Value string `json:"value,omitempty"` // as JSON, shortened; never a key
}

// Row returns the finding for report.json.
func (f *Finding) Row() Row {
	r := f.row(f.Cause)
	r.ID, r.Cases, r.Clauses, r.Operations, r.Shows, r.At = f.ID, f.Cases, f.Clauses, f.Operations, f.Shows, f.At
	r.Seen, r.Of, r.Title, r.Hint = f.Seen, f.Of, f.Title(), f.Hint.textFor(f.Answer)
	return r
}

// Row returns the sighting for report.json, with the cause of its finding. f is nil while that is not known.
func (s *Sighting) Row(f *Finding) Row {
	cause := s.Cause
	if f != nil {
		cause = f.Cause
	}
	r := s.row(cause)
	if f != nil {
		r.ID, r.Impact = f.ID, f.Impact
	}
	r.ownTitle, r.ownHint = s.headlineAs(cause), HintFor(s).textFor(s.Answer)
	return r
}

func (s *Sighting) row(cause Cause) Row {
	r := Row{
		ID: s.Site().ID(), Check: s.Check, Case: s.Case, Operation: s.Operation, Clause: s.Clause, Basis: s.Basis,
		Severity: s.Severity, Impact: s.Impact, WFC: s.WFC, Pointer: s.Pointer, Location: s.Location,
		CauseWords: cause.String(), Expected: s.Expected, Got: s.Got, Timing: s.Timing,
		Answer: s.Answer, Curl: s.Curl, Exchange: s.Exchange, Requests: s.Requests, Sequence: s.Sequence,
	}
	if s.Sent != nil {
		r.Sent = &SentRow{At: s.Sent.At.String(), What: s.Sent.Words(), Value: s.Sent.Value}
	}
	return r
}
