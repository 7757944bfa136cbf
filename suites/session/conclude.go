package session

import (
	"context"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Skip notes a case that is not run, by the operator's choice or for want of a
// target.
func (s *Session) Skip(c *judge.Case, reason string) *judge.Result {
	r := s.Model.Outcome.Begin(c)
	r.Status, r.Cause, r.Reason = judge.NotTested, judge.ByOperator, reason
	return r
}

// Conclude draws what only the whole run shows: which held-back findings stand,
// whether findings are steady, and where the target is not consistent with
// itself.
func (s *Session) Conclude(ctx context.Context) {
	if len(s.Model.Outcome.ByCase) == 0 {
		return
	}
	last := s.Model.Outcome.ByCase[len(s.Model.Outcome.ByCase)-1]
	t := s.resume(ctx, last, "conclude")
	s.Model.Guard("the end of the run", func() {
		t.Confirm()
		t.Known().Outcome.WithholdEffects()
		t.Test.JudgeForms()
		t.Test.JudgeConsistency()
		s.repeat(ctx)
		t.Known().Outcome.WithholdEffects()
	})
}

// repeats is how often a case with a finding is run again, and repeated how many
// cases at most.
const (
	repeats  = 2
	repeated = 5
)

// repeat runs the first cases with findings again, to say whether what they
// found, or the loss of an answer, is steady. A case that uses something up is not
// repeated.
func (s *Session) repeat(ctx context.Context) {
	seen := map[string]bool{}
	n := 0
	for _, f := range s.Model.Outcome.Groups() {
		if n == repeated || f.Severity == oracle.Notice {
			return
		}
		for _, r := range s.Model.Outcome.ByCase {
			if r.Case.ID != f.Case || r.Case.Once || seen[r.Case.ID] {
				continue
			}
			seen[r.Case.ID] = true
			n++
			for round := range repeats {
				t := s.Shared.of(r).Aside(ctx, r.Case, r.Case.ID)
				t.Fake, t.spent = fixtures.New(s.Model.Seed+uint64(round)+1, r.Case.ID).Marked(s.Model.Mark), new(time.Duration)
				t.runSafely()
				t.Confirm()
				r.Findings = append(r.Findings, t.Test.Result.Findings...)
				r.Exchanges = append(r.Exchanges, t.Test.Result.Exchanges...)
			}
		}
	}
}
