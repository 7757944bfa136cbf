package play

import (
	"slices"

	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// settle looks at what an input left: lost answers are tried again, what was accepted is set anew,
// and what is found is told.
func (s *sent) settle(p *Player) {
	a := s.answers[len(s.answers)-1]
	switch err := a.Exchange.Err; {
	case err != nil && err.Kind != wire.Canceled && err.Kind != wire.BadRequest:
		p.lost(s)
	case err == nil:
		p.timed(s, a)
	}
	o := s.object
	if o != nil && s.op.Updates() {
		if o.Refused() {
			p.pending = append(p.pending, s.played)
			if p.refused[s.calls[0].Sent.At]++; p.refused[s.calls[0].Sent.At] <= lookAtOnce {
				p.Look()
			}
		}
		if o.Uncertain {
			p.reset(s.in, o)
		}
	}
	p.tell(s.played)
}

// reset sets an object anew, after which it is known again what it holds. It is an ordinary
// request, and has to succeed.
func (p *Player) reset(in fuzz.Input, o *model.Object) {
	t := p.trial(in)
	a := t.Write(o, t.Ordinary(o, 1))
	if a.OK {
		p.ordinary.add(o.Op, a.Exchange.Duration)
	}
	p.Look()
	p.tell(played{in, t})
}

// Look looks whether refused requests left a trace.
func (p *Player) Look() {
	looked := p.pending
	p.pending = nil
	if len(looked) == 0 {
		return
	}
	t := p.trial(looked[0].in)
	for _, o := range p.objects {
		if o != nil && o.Op.Updates() {
			t.VerifyNoTraceOf(o)
		}
	}
	for _, one := range append(looked, played{looked[len(looked)-1].in, t}) {
		if found := one.trial.Test.Result.Findings; len(looked) > 1 && len(found) > 0 && (p.Known == nil || !p.Known(found)) {
			one.in = p.culprit(one.in, looked, found)
		}
		p.tell(one)
	}
}

// culprit is the one of several refused inputs that shows the same alone: what is seen may not
// tell which it was. It is the one that was blamed where none does.
func (p *Player) culprit(blamed fuzz.Input, looked []played, found []*oracle.Finding) fuzz.Input {
	for _, one := range append([]played{{in: blamed}}, looked...) {
		if p.over != "" || p.Hand.Ctx.Err() != nil {
			break
		}
		if slices.ContainsFunc(p.shows(one.in), func(f *oracle.Finding) bool { return same(f, found) }) {
			return one.in
		}
	}
	return blamed
}

// tell gives what an input shows to Found, at its shortest.
func (p *Player) tell(one played) {
	r := one.trial.Test.Result
	found := slices.Clone(r.Findings)
	r.Findings = nil
	if len(found) == 0 || p.Known != nil && p.Known(found) {
		return
	}
	in, found := p.shrink(one.in, found)
	for _, f := range found {
		f.Input = in.String()
	}
	if p.Known == nil || !p.Known(found) {
		p.Found(in, found)
	}
}
