package specs

import (
	"slices"
	"sync/atomic"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/suites/report"
)

// A breach is a set of rows that breaks a clause, and the check that shows it.
type breach struct {
	rows          mix
	check, clause string
}

// Limits on the requests that reduce findings to few rows. Beyond them a finding names all rows of its request.
const (
	triesOfFinding = 20
	triesOfRun     = 300
)

// tries counts the requests of a run that reduce findings.
type tries struct{ sent atomic.Int32 }

// left reports whether one more may be sent, and counts it.
func (t *tries) left() bool { return t.sent.Add(1) <= triesOfRun }

// hides reports whether rows that are known to be answered wrongly are among those of a request, which would show
// nothing else.
func (g *grid) hides(m mix) bool {
	return slices.ContainsFunc(g.known, func(b breach) bool {
		return len(b.rows) > 0 && m.has(b.rows) && slices.Contains([]string{
			"not-refused", "expected-status",
			"server-error",
		}, b.check)
	})
}

// account replaces the findings since a mark by findings about the fewest rows that still fail. sent has what the
// requests were made of, by the number of the exchange.
func (g *grid) account(c Case, o *Object, mark int, sent map[int]mix) {
	found := c.Findings()
	for _, f := range slices.Clone(found[min(mark, len(found)):]) {
		m := sent[f.Exchange]
		if f.Severity == report.Notice || len(m) < 2 {
			continue
		}
		known := func(b breach) bool { return b.check == f.Check && b.clause == f.Clause && m.has(b.rows) }
		if slices.ContainsFunc(g.known, known) {
			c.Drop(f)
			continue
		}
		rows, trial, fewer := g.reduced(c, o, m, f)
		switch {
		case fewer != nil:
			c.Drop(f)
			trial.Adopt(fewer, "", nil)
		case m.is(sequel): // whatever was sent before most likely has the same cause
			rows = slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return r.how.is(sequel) })
			f.Requests = slices.DeleteFunc(c.UpTo(f), func(r oracle.Request) bool { return r.Exchange < g.first })
		}
		g.known = append(g.known, breach{rows, f.Check, f.Clause})
	}
}

// reduced returns the fewest rows that fail like a request that was made of more, and the finding of a request that is
// made of them, with the case in which it was tried; no finding if it does not come again.
func (g *grid) reduced(
	c Case, o *Object, m mix, f *judge.Finding,
) (rows mix, trial session.Trial, found *judge.Finding) {
	rows = m
	left := triesOfFinding
	fails := func(fewer mix) bool {
		if left == 0 || c.Left() <= 0 || !g.tries.left() {
			return false
		}
		left--
		t, again := g.attempt(c, o, fewer, f)
		if again != nil {
			rows, trial, found = fewer, t, again
		}
		return again != nil
	}
	alone := slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return !r.isFault() })
	if g.op.Deletes() { // a request that is refused takes nothing away
		for _, r := range m {
			if found == nil {
				fails(alone.with(r))
			}
		}
		return rows, trial, found
	}
	if !fails(m) || fails(alone) {
		return rows, trial, found
	}
	for _, r := range m {
		if !r.isFault() {
			fails(rows.without(r))
		}
	}
	return rows, trial, found
}

// attempt sends a request that is made of some rows, for an object that was read back, and returns the finding that is
// like another, or nil.
func (g *grid) attempt(c Case, o *Object, m mix, f *judge.Finding) (trial session.Trial, found *judge.Finding) {
	if g.op.Updates() {
		settle(c, o)
	}
	if g.op.Deletes() && !o.Deleted() {
		if o = stillThere(c, g.op); o == nil {
			return nil, nil
		}
	}
	trial = c.Trial()
	a := trial.Send(m.made(trial, o))
	g.judge(trial, o, a, m)
	if g.op.Updates() {
		settle(trial, o)
	}
	all := trial.Findings()
	i := slices.IndexFunc(all, func(b *judge.Finding) bool {
		return b.Check == f.Check && b.Clause == f.Clause && b.Severity == f.Severity
	})
	if i < 0 {
		return trial, nil
	}
	return trial, all[i]
}
