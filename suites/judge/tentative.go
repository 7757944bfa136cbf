package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
)

// TentativeFinding is a finding that stands only where the run confirms it.
type TentativeFinding struct {
	Finding *oracle.Finding
	Result  *Result
	Object  *Object
	Status  int
	User    string
	Empty   bool         // a list of which nothing was left by then
	Files   *Disputed    // nil: it is about a status
	Unknown *UnknownText // a text that may be another writer's; nil: it is not about one
}

// Disputed are media files in which the target file and a container's first list
// differ.
type Disputed struct {
	Container     *Object
	Missing, More []int64 // from the list, and in it; empty where only a number is named
	Words         string
}

// UnknownText is a text that appeared in a field of an object.
type UnknownText struct {
	Object *Object
	Field  string
	Text   string
}

// Reason says what the operator has to know of another writer. The text is presented
// before it is shortened, or part of a key in it might be left.
func (s *UnknownText) Reason(present func(string) string) string {
	return fmt.Sprintf("somebody else writes to %s (%d) during the run: its %s was %s, "+
		"which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.Object.Name(), s.Object.ID(), s.Field, oracle.Show(present(s.Text)))
}

// Hold keeps a finding until the run confirms or drops it.
func (b *Outcome) Hold(d TentativeFinding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tentative = append(b.Tentative, d)
}

// Drop takes a tentative finding back. Its case was not tested then, unless it has others.
func (b *Outcome) Drop(d TentativeFinding, reason string) {
	r := d.Result
	r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool { return f == d.Finding })
	if slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
		return
	}
	r.Status, r.Cause, r.Reason = NotTested, ByOperator, reason
	for _, n := range b.coverage {
		delete(n.cases, r.Case.ID)
		n.last = ""
	}
}
