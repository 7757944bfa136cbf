package finding

import "github.com/adconform/adconform/suites/report"

// Row returns the finding for report.json.
func (f *Finding) Row() report.Finding {
	r := f.row(f.Cause)
	r.ID = f.ID
	r.Title = f.Title()
	r.Hint = f.Hint.textFor(f.Answer)
	r.Cases = f.Cases
	r.Clauses = f.Clauses
	r.Operations = f.Operations
	r.Shows = f.Shows
	r.At = f.At
	r.Seen = f.Seen
	r.Of = f.Of
	return r
}

// Row returns the sighting for report.json, with the cause of its finding. f is nil while that is not known.
func (s *Sighting) Row(f *Finding) report.Finding {
	cause := s.Cause
	if f != nil {
		cause = f.Cause
	}
	r := s.row(cause)
	if f != nil {
		r.ID = f.ID
		r.Impact = f.Impact
	}
	r.CaseTitle = s.headlineAs(cause)
	r.CaseHint = HintFor(s).textFor(s.Answer)
	return r
}

func (s *Sighting) row(cause Cause) report.Finding {
	r := report.Finding{
		ID: s.Site().ID(), Check: s.Check, Case: s.Case,
		Operation: s.Operation, Clause: s.Clause, Basis: s.Basis,
		Severity: s.Severity, Impact: s.Impact, WFC: s.WFC,
		Pointer: s.Pointer, Location: s.Location, CauseWords: cause.String(),
		Expected: s.Expected, Got: s.Got, Timing: s.Timing, Answer: s.Answer,
		Curl: s.Curl, Exchange: s.Exchange, Requests: s.Requests, Sequence: s.Sequence,
	}
	if sent := s.Sent; sent != nil {
		r.Sent = &report.Sent{At: sent.At.String(), What: sent.Words(), Value: sent.Value}
	}
	return r
}
