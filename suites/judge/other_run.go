package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/oracle"
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

// NoteMade notes the tokens in a text that is about to be sent.
func (b *Outcome) NoteMade(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, token := range fixtures.Tokens(text) {
		b.made[token] = true
	}
}

// NoteOthers looks for texts of another run in what an object shows. It matters that
// it wrote meanwhile; what was there before any write of ours may be left over.
func (b *Outcome) NoteOthers(o *Object, shown map[string]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, value := range shown {
		text, _ := value.(string)
		for _, token := range fixtures.Tokens(text) {
			if !b.made[token] {
				b.othersSeen = append(b.othersSeen, fmt.Sprintf("%s (%d)", o.Name(), o.ID()))
				b.othersWrote = b.othersWrote || o.Changed
			}
		}
	}
}

// WithholdEffects drops what another run of adconform may have done, once one was
// seen: the cases that it was found in are not tested.
func (b *Outcome) WithholdEffects() {
	if len(b.othersSeen) == 0 {
		return
	}
	slices.Sort(b.othersSeen)
	reason := b.othersSeen[0] + " holds a text of another run of adconform: are two at once on one target? " +
		"Run one after the other; if none is, one was killed and left it: give the object another"
	dropped := false
	for _, r := range b.ByCase {
		before := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool {
			return slices.Contains(effects, f.Check) || f.Check == "expected-status" && f.Got == "status 404"
		})
		if len(r.Findings) < before {
			dropped = true
			if !slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
				r.Status, r.Cause, r.Reason = NotTested, ByOperator, reason
			}
		}
	}
	if dropped || b.othersWrote {
		b.mistakes = slices.DeleteFunc(b.mistakes, func(m string) bool { return m == reason })
		b.mistakes = slices.Insert(b.mistakes, 0, reason)
	}
}
