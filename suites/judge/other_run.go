package judge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/adconform/adconform/fixtures/fakedata"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
)

// Two runs at once undo each other's updates and delete each other's disposables:
// what one of them sees is not the target's doing. Each text that a run makes up has
// a token that only a run of adconform makes (fakedata.Tokens) and that hangs on the
// mark of the run. So a token that this run did not make comes from another one.

// effects are the checks that judge by what the target holds, beside those of a
// status that is 404.
var effects = []string{
	"shows-sent", "stale", "refused-write", "other-object", "updated-at", "delete-effect", "delete-other", "delete-listed", "refused-delete",
	"list-members", "list-total", "list-walk", "list-repeat", "list-page", "concurrent-writers",
}

// noteMade notes the tokens in a text that is about to be sent.
func (t *Test) noteMade(text string) {
	if t.Model.Mark == "" {
		return
	}
	t.Model.Outcome.mu.Lock()
	defer t.Model.Outcome.mu.Unlock()
	for _, token := range fakedata.Tokens(text) {
		t.Model.Outcome.made[token] = true
	}
}

// noteOthers looks for texts of another run in what an object shows. It matters that
// it wrote meanwhile; what was there before any write of ours may be left over.
func (t *Test) noteOthers(o *model.Object, shown map[string]any) {
	if t.Model.Mark == "" || o == nil {
		return
	}
	t.Model.Outcome.mu.Lock()
	defer t.Model.Outcome.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		text, _ := shown[name].(string)
		for _, token := range fakedata.Tokens(text) {
			if !t.Model.Outcome.made[token] {
				t.Model.Outcome.othersSeen = append(t.Model.Outcome.othersSeen, fmt.Sprintf("%s (%d)", o.Name(), o.ID()))
				t.Model.Outcome.othersWrote = t.Model.Outcome.othersWrote || o.Changed
			}
		}
	}
}

// WithholdEffects drops what another run of adconform may have done, once one was
// seen: the cases that it was found in are not tested.
func (t *Test) WithholdEffects() {
	if len(t.Model.Outcome.othersSeen) == 0 {
		return
	}
	slices.Sort(t.Model.Outcome.othersSeen)
	reason := t.Model.Outcome.othersSeen[0] + " holds a text of another run of adconform: are two at once on one target? " +
		"Run one after the other; if none is, one was killed and left it: give the object another"
	dropped := false
	for _, r := range t.Model.Outcome.ByCase {
		before := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool {
			return slices.Contains(effects, f.Check) || f.Check == "expected-status" && f.Got == "status 404"
		})
		if len(r.Findings) < before {
			dropped = true
			if !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Severity == oracle.Violation }) {
				r.Status, r.Cause, r.Reason = testcase.NotTested, testcase.ByOperator, reason
			}
		}
	}
	if dropped || t.Model.Outcome.othersWrote {
		t.Model.Outcome.mistakes = slices.DeleteFunc(t.Model.Outcome.mistakes, func(m string) bool { return m == reason })
		t.Model.Outcome.mistakes = slices.Insert(t.Model.Outcome.mistakes, 0, reason)
	}
}
