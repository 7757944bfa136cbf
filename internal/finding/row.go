package finding

import "github.com/adconform/adconform/suites/report"

// Row returns the finding for report.json.
func (f *Finding) Row() report.Finding {
	r := f.row(f.Cause)
	r.ID, r.Cases, r.Clauses, r.Operations, r.Shows, r.At = f.ID, f.Cases, f.Clauses, f.Operations, f.Shows, f.At
	r.Seen, r.Of, r.Title, r.Hint = f.Seen, f.Of, f.Title(), f.Hint.textFor(f.Answer)
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
		r.ID, r.Impact = f.ID, f.Impact
	}
	r.CaseTitle, r.CaseHint = s.headlineAs(cause), HintFor(s).textFor(s.Answer)
	return r
}

func (s *Sighting) row(cause Cause) report.Finding {
	r := report.Finding{
		ID: s.Site().ID(), Check: s.Check, Case: s.Case, Operation: s.Operation, Clause: s.Clause, Basis: s.Basis,
		Severity: s.Severity, Impact: s.Impact, WFC: s.WFC, Pointer: s.Pointer, Location: s.Location,
		CauseWords: cause.String(), Expected: s.Expected, Got: s.Got, Timing: s.Timing,
		Answer: s.Answer, Curl: s.Curl, Exchange: s.Exchange, Requests: s.Requests, Sequence: s.Sequence,
	}
	if s.Sent != nil {
		r.Sent = &report.Sent{At: s.Sent.At.String(), What: s.Sent.Words(), Value: s.Sent.Value}
	}
	return r
}
