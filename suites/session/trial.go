package session

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Trial is a try within a case that may be thrown away: a random sequence of
// which only the shortest that fails is reported.
func (t *T) Trial() *T {
	t.judgePending()
	trial := *t
	trial.matcher = nil
	trial.Test = t.Known().Trial(t.Test.Case)
	return &trial
}

// Broken says whether the case found a violation.
func (t *T) Broken() bool {
	t.judgePending()
	return t.Test.Result.Status == judge.Failed
}

// Adopt reports a trial's findings, and the steps that led there.
func (t *T) Adopt(trial *T, steps []string) {
	t.Test.Result.Exchanges = append(t.Test.Result.Exchanges, trial.Test.Result.Exchanges...)
	for _, f := range trial.Test.Result.Findings {
		if f.Severity == oracle.Violation && len(steps) > 0 {
			f.Got = fmt.Sprintf("%s; after the %d steps: %s", f.Got, len(steps), strings.Join(steps, ", "))
		}
		t.Test.Take(f)
	}
}
