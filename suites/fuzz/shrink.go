package fuzz

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// shrinkTries is how many shorter inputs are tried for a finding.
const shrinkTries = 40

// shrink looks for the shortest input that shows the same, and returns it with what it
// shows. What shows now and then only stays as it was seen.
func (p *Player) shrink(in Input, found []*oracle.Finding) (Input, []*oracle.Finding) {
	if p.over != "" || !slices.ContainsFunc(found, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
		return in, found
	}
	tries := 0
	for again := true; again; {
		again = false
		for _, shorter := range in.shorter() {
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
func (p *Player) shows(in Input) []*oracle.Finding {
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

// shorter are inputs with half of the mutations, with one less, then with a shorter text or a smaller
// number.
func (in Input) shorter() []Input {
	var all []Input
	if half := len(in.Mutations) / 2; half > 1 {
		all = append(all, Input{in.Operation, in.Mutations[half:]}, Input{in.Operation, in.Mutations[:half]})
	}
	if len(in.Mutations) > 1 {
		for i := range in.Mutations {
			all = append(all, Input{in.Operation, slices.Delete(slices.Clone(in.Mutations), i, i+1)})
		}
	}
	for i, m := range in.Mutations {
		c := classes[m.Class]
		with := func(m Mutation) {
			one := Input{in.Operation, slices.Clone(in.Mutations)}
			one.Mutations[i] = m
			all = append(all, one)
		}
		if !c.whole() {
			for _, text := range shorterTexts(m.Text) {
				with(Mutation{m.Class, text, m.N})
			}
		}
		least, _ := c.bounds()
		for _, n := range smaller(m.N, least) {
			with(Mutation{m.Class, m.Text, n})
		}
	}
	return all
}

// whole says whether parts of its texts are not sent: a part of %20 behind an id makes another id,
// and one of a method another method.
func (c *class) whole() bool {
	return slices.Contains([]string{"path", "method", "query", "framing"}, c.family()) ||
		strings.HasPrefix(c.id, "header/method-override") || c.id == "header/forwarded-path"
}

// shorterTexts are parts of a text: its halves, and all but a character.
func shorterTexts(text string) []string {
	r := []rune(text)
	if len(r) < 2 || string(r) != text { // bytes that are no characters stay together
		return nil
	}
	half := len(r) / 2
	return []string{string(r[:half]), string(r[half:]), string(r[1:]), string(r[:len(r)-1])}
}

// smaller are numbers between a least one and another.
func smaller(n, least int) []int {
	if n <= least {
		return nil
	}
	var all []int
	for _, m := range []int{least, least + (n-least)/2, n - 1} {
		if m < n && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}
