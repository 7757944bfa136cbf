package engine

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Results are the outcomes of the cases that ran, in order.
func (s *Session) Results() []*Result { return s.results }

// Observations are the choices seen at open points, by point.
func (s *Session) Observations() []*Observation {
	var all []*Observation
	for _, point := range sortedKeys(s.observed) {
		all = append(all, s.observed[point])
	}
	return all
}

// Answered is the number of complete responses.
func (s *Session) Answered() int { return s.answered }

// How many requests may get lost one after another before an operation, and
// before the whole target, is taken not to answer any more.
const (
	hangingAfter = 3
	goneAfter    = 6
)

// Gone says that the target cannot be reached, or no longer, and why.
func (s *Session) Gone() (string, bool) {
	if len(s.lost) == 0 {
		return "", false
	}
	last := s.lost[len(s.lost)-1].Err
	if s.answered == 0 && (last.Kind != wire.Timeout || s.inARow >= 2) || s.inARow >= goneAfter {
		return lossInWords(last), true
	}
	return "", false
}

// Lost is the number of requests without a complete response.
func (s *Session) Lost() int { return len(s.lost) }

// Judged says in how many cases a clause was judged.
func (s *Session) Judged(clause string) int {
	if t := s.judged[clause]; t != nil {
		return len(t.cases)
	}
	return 0
}

// Groups are the findings of all results, one for each cause: the same clause
// broken at the same place of the same operation. The exemplar is the first
// seen; Seen counts the others with it, Of how often the clause was judged on
// that operation.
func (s *Session) Groups() []*Finding {
	groups := map[oracle.Cause]*Finding{}
	var order []*Finding
	for _, r := range s.results {
		for _, f := range r.Findings {
			k := f.Cause()
			g := groups[k]
			if g == nil {
				first := *f
				g = &first
				g.Seen = 0
				groups[k] = g
				order = append(order, g)
			}
			g.Seen += max(1, f.Seen) // a monitor counts in the first
		}
	}
	for _, g := range order {
		g.Of = g.Seen
		if t := s.judged[g.Clause]; t != nil {
			g.Of = max(g.Of, t.of[g.Operation])
		}
	}
	slices.SortStableFunc(order, func(a, b *Finding) int {
		return cmp.Or(weight(a)-weight(b), b.Seen-a.Seen, cmp.Compare(a.Clause, b.Clause))
	})
	return order
}

func weight(f *Finding) int {
	switch f.Severity {
	case oracle.Violation:
		return 0
	case oracle.Transport:
		return 1
	}
	return 2
}

// JudgedIn lists the clauses that were judged in a case.
func (s *Session) JudgedIn(caseID string) []string {
	var ids []string
	for _, id := range sortedKeys(s.judged) {
		if s.judged[id].cases[caseID] {
			ids = append(ids, id)
		}
	}
	return ids
}
