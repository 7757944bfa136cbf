package finding

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A Finding is everything that was seen of one cause.
type Finding struct {
	Sighting          // an example
	ID         string // of the cause, the same in every run
	Cases      []string
	Clauses    []string
	Operations []string
	Shows      []string      // the fields, ids, keys or headers
	At         []report.Site // where it was seen
	Seen       int           // how often it was seen
	Of         int           // in how many tries
	Hint       *Hint         // at the usual cause, or nil
}

// Checks whose sightings are grouped by more than their cause.
const (
	checkServerError    = "server-error"
	checkNotRefused     = "not-refused"
	checkExpectedStatus = "expected-status"
	checkRelatedField   = "related-field"
)

// Group groups sightings by their causes. It returns the findings, worst first, and the one to which each sighting
// belongs. times returns how often a clause was judged on an operation.
func Group(
	contract *spec.Contract, all []*Sighting, times func(clause, operation string) int,
) ([]*Finding, map[*Sighting]*Finding) {
	var ids []string
	groups := map[string][]*Sighting{}
	causes := map[string]Cause{}
	known := explanations(contract, all)
	for _, s := range all {
		s.Impact = impactOf(contract, s)
		cause := known.causeOf(s)
		id := cause.id(s.Severity)
		if groups[id] == nil {
			ids = append(ids, id)
			causes[id] = cause
		}
		groups[id] = append(groups[id], s)
	}
	var findings []*Finding
	findingOf := map[*Sighting]*Finding{}
	for _, id := range ids {
		f := merge(causes[id], groups[id], times)
		f.ID = id
		findings = append(findings, f)
		for _, s := range groups[id] {
			findingOf[s] = f
		}
	}
	sortWorstFirst(contract, findings)
	return findings, findingOf
}

// id returns a short name of a cause, the same in every run.
func (c Cause) id(severity report.Severity) string {
	return report.Site{Check: c.String(), Place: string(severity)}.ID()
}

func sortWorstFirst(contract *spec.Contract, findings []*Finding) {
	place := func(f *Finding) int {
		return slices.IndexFunc(contract.Clauses, func(c *spec.Clause) bool { return c.ID == f.Clause })
	}
	slices.SortFunc(findings, func(x, y *Finding) int {
		return cmp.Or(
			rank(&x.Sighting)-rank(&y.Sighting),
			firstIf(x.Cause.breaksServer())-firstIf(y.Cause.breaksServer()),
			place(x)-place(y),
			cmp.Compare(x.Operation, y.Operation),
			cmp.Compare(x.Cause.String(), y.Cause.String()),
		)
	})
}

func impactOf(contract *spec.Contract, s *Sighting) spec.Impact {
	c := contract.Clause(s.Clause)
	if c == nil || s.Severity == report.Notice {
		return spec.Minor
	}
	if s.isOtherRefusal() {
		return spec.Minor
	}
	return cmp.Or(table[s.Cause.Kind].impact, c.Impact)
}

// isOtherRefusal reports whether a request that has to be refused was, only with another status. A server that fails is
// worse.
func (s *Sighting) isOtherRefusal() bool {
	return s.Cause.Kind == WrongStatus && s.status()/100 == 4
}

// rank orders sightings by whether they fail a run, and then by impact.
func rank(s *Sighting) int {
	bySeverity := map[report.Severity]int{report.Violation: 0, report.Transport: 1, report.Notice: 6}
	return bySeverity[s.Severity] + 2*slices.Index(spec.Impacts(), s.Impact)
}

// merge makes one finding of the sightings of a cause. The example is the worst that has the cause itself, or an
// ordinary request that failed; the impact is the highest of all.
func merge(cause Cause, same []*Sighting, times func(clause, operation string) int) *Finding {
	f := &Finding{Sighting: *example(cause, same), Seen: len(same)}
	if !cause.fails() {
		f.Impact = worst(same).Impact
	}
	f.Cause = cause
	f.Clauses = []string{f.Clause}
	f.Operations = []string{f.Operation}
	isOrdinary := slices.ContainsFunc(same, (*Sighting).IsOrdinary)
	judged := map[report.Site]bool{}
	for _, s := range same {
		addNew(&f.Cases, s.Case)
		addNew(&f.Clauses, s.Clause)
		addNew(&f.Operations, s.Operation)
		addNew(&f.At, s.Site())
		if s.isNamedUnder(cause) {
			addNew(&f.Shows, s.shows(cause, !isOrdinary))
		}
		f.Timing = f.Timing && s.Timing
		if at := (report.Site{Clause: s.Clause, Operation: s.Operation}); !judged[at] {
			judged[at] = true
			f.Of += times(s.Clause, s.Operation)
		}
	}
	f.Of = max(f.Of, f.Seen)
	f.Hint = commonHint(cause, same)
	return f
}

// example returns the sighting that stands for a finding.
func example(cause Cause, same []*Sighting) *Sighting {
	return slices.MinFunc(same, func(x, y *Sighting) int {
		byFailure := 0
		if cause.fails() {
			byFailure = firstIf(x.IsOrdinary()) - firstIf(y.IsOrdinary())
		}
		byCause := firstIf(x.Cause == cause) - firstIf(y.Cause == cause)
		return cmp.Or(byFailure, byCause, rank(x)-rank(y))
	})
}

// firstIf orders sightings with a property before the others.
func firstIf(hasProperty bool) int {
	if hasProperty {
		return 0
	}
	return 1
}

func worst(all []*Sighting) *Sighting {
	return slices.MinFunc(all, func(x, y *Sighting) int { return rank(x) - rank(y) })
}

// isNamedUnder reports whether the title of a cause names what a sighting shows.
func (s *Sighting) isNamedUnder(cause Cause) bool {
	isAccess := s.Check == checkNotRefused && cause.Kind != NotChecked
	return cause == s.Cause || s.Names != "" || isAccess
}

// commonHint returns a hint that decides, or else the first hint that every sighting with the cause may have.
func commonHint(cause Cause, same []*Sighting) *Hint {
	described := slices.Clone(same)
	for _, s := range same {
		if own := HintFor(s); own != nil && own.Decides {
			return own
		}
	}
	if slices.ContainsFunc(same, func(s *Sighting) bool { return s.Cause == cause }) {
		described = slices.DeleteFunc(described, func(s *Sighting) bool { return s.Cause != cause })
	}
	for _, h := range Hints() {
		if !slices.ContainsFunc(described, func(s *Sighting) bool { return !h.When.areMet(s) }) {
			return h
		}
	}
	hint := table[described[0].Cause.Kind].hint
	if slices.ContainsFunc(described, func(s *Sighting) bool { return table[s.Cause.Kind].hint != hint }) {
		return nil
	}
	return hint
}

// addNew appends a value to a list, unless it is empty or already there.
func addNew[T comparable](list *[]T, one T) {
	var empty T
	if one != empty && !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}
