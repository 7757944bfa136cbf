package play

import (
	"slices"

	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/oracle"
)

// shrinkTries is how many shorter inputs are tried for a finding.
const shrinkTries = 40

// shrink looks for the shortest input that shows the same, and returns it with what it
// shows. What shows now and then only stays as it was seen.
func (p *Player) shrink(in fuzz.Input, found []*oracle.Finding) (fuzz.Input, []*oracle.Finding) {
	if p.over != "" || !slices.ContainsFunc(found, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
		return in, found
	}
	tries := 0
	for again := true; again; {
		again = false
		for _, shorter := range in.Shorter() {
			if tries++; tries > shrinkTries || p.over != "" || p.Hand.Ctx.Err() != nil {
				return in, found
			}
			if shown := p.shows(shorter); slices.ContainsFunc(shown, func(f *oracle.Finding) bool { return same(f, found) }) {
				in, found, again = shorter, shown, true
				break
			}
		}
	}
	return in, found
}

// same says whether a finding is one of those that are to be shown by less.
func same(f *oracle.Finding, found []*oracle.Finding) bool {
	return slices.ContainsFunc(found, func(g *oracle.Finding) bool {
		return f.Severity == g.Severity && f.Operation == g.Operation && f.Check == g.Check && f.Clause == g.Clause
	})
}

// shows is what an input shows when it is sent alone.
func (p *Player) shows(in fuzz.Input) []*oracle.Finding {
	if o := p.object(p.Hand.Known().Contract.Operation(in.Operation)); o != nil && o.Op.Updates() {
		t := p.trial(in)             // what was seen before may still be there
		t.Write(o, t.Ordinary(o, 1)) // another round than that of the input: no listed value is the same
	}
	s := p.send(in)
	if s == nil {
		return nil
	}
	if err := s.answers[len(s.answers)-1].Exchange.Err; err != nil {
		p.lost(s)
	}
	t := p.trial(in)
	if o := s.object; o != nil && s.op.Updates() {
		t.VerifyNoTraceOf(o)
		if o.Uncertain {
			t.Write(o, t.Ordinary(o, 1))
		}
	}
	return append(s.trial.Test.Result.Findings, t.Test.Result.Findings...)
}
