package load

import (
	"cmp"
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// findings are those of all virtual users, one for each cause.
type findings struct {
	mu     sync.Mutex
	causes map[oracle.Cause]*Finding
	order  []*Finding
	more   int // findings of causes beyond maxCauses
	total  int // findings under load, notices not counted
	tell   func(Finding)
}

// maxCauses bounds what is kept of a target that is wrong everywhere.
const maxCauses = 500

func newFindings(tell func(Finding)) *findings {
	return &findings{causes: map[oracle.Cause]*Finding{}, tell: tell}
}

// underLoad takes what a round found.
func (fs *findings) underLoad(user int, s *session.Session) {
	fs.take(user, s, func(g *Finding) {
		g.Seen++
		if g.Severity != oracle.Notice {
			fs.total++
		}
	})
}

// quiet takes what was found without load.
func (fs *findings) quiet(s *session.Session) {
	fs.take(0, s, func(g *Finding) {
		g.Quiet++
		g.OnlyUnderLoad = false
	})
}

func (fs *findings) take(user int, s *session.Session, count func(*Finding)) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, r := range s.Outcome().Results() {
		for _, f := range r.Findings {
			g, fresh := fs.group(user, f)
			if count(g); fresh && fs.tell != nil {
				fs.tell(*g)
			}
		}
	}
}

// group is the group of a finding, a fresh one for a new cause; one that is not kept
// when there are too many.
func (fs *findings) group(user int, f *oracle.Finding) (g *Finding, fresh bool) {
	one := Finding{Finding: *f, VirtualUser: user, OnlyUnderLoad: true}
	one.Seen, one.Of, one.Exchange = 0, 0, 0 // they count in one session
	one.Cases = []string{f.Case}
	g = fs.causes[f.Cause()]
	switch {
	case g == nil && len(fs.order) == maxCauses:
		fs.more++
		return &one, false
	case g == nil:
		fs.causes[f.Cause()] = &one
		fs.order = append(fs.order, &one)
		return &one, true
	}
	cases := g.Cases
	if !slices.Contains(cases, f.Case) {
		cases = append(cases, f.Case)
	}
	if g.Seen == 0 { // the exemplar should be one under load
		one.Quiet, one.OnlyUnderLoad = g.Quiet, false
		*g = one
	}
	g.Cases = cases
	return g, false
}

// onlyUnderLoad are at most n violations that were not seen without load.
func (fs *findings) onlyUnderLoad(n int) []Finding {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var only []Finding
	for _, g := range fs.order {
		if g.OnlyUnderLoad && g.Severity == oracle.Violation && len(only) < n {
			only = append(only, *g)
		}
	}
	return only
}

func (fs *findings) seenQuiet(c oracle.Cause) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.causes[c] != nil && fs.causes[c].Quiet > 0
}

// counted is how many findings there were under load so far.
func (fs *findings) counted() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.total
}

// sorted are the findings, worst first: violations before lost answers before
// notices, those that need load before others, the more frequent ones first.
func (fs *findings) sorted() []Finding {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	all := make([]Finding, 0, len(fs.order))
	for _, g := range fs.order {
		all = append(all, *g)
	}
	severities := []oracle.Severity{oracle.Violation, oracle.Transport, oracle.Notice}
	quiet := func(f Finding) int {
		if f.OnlyUnderLoad {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity),
			quiet(a)-quiet(b), b.Seen-a.Seen, cmp.Compare(a.Clause, b.Clause))
	})
	return all
}
