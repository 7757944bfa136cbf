package session

import (
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Send sends one request and records it.
func (t *T) Send(c judge.Call) *judge.Answer {
	t.judgePending()
	if a := t.halted(c.Op); a != nil {
		return a
	}
	if c.Succeeds && c.Op.Updates() && c.Object != nil {
		t.verifyNoTrace(c.Object) // before a success overwrites the traces
	}
	t.spare(c.Op)
	req := t.Request(&c)
	if t.Session.withholds(req) {
		return t.withheld(req)
	}
	return t.receive(&c, t.Exchange(t.Test.Case.ID, &c, req))
}

// Ask sends one request and judges the answer.
func (t *T) Ask(c judge.Call, e judge.Expect) *judge.Answer {
	a := t.Send(c)
	t.judge(a, e)
	return a
}

// SendTogether sends requests at the same instant. What they do to remembered state
// is up to the case; the answers are judged in the order of the calls.
func (t *T) SendTogether(calls ...judge.Call) []*judge.Answer {
	return t.sendAll(wire.Together, calls)
}

// SendInOrder sends requests one after another on one connection.
func (t *T) SendInOrder(calls ...judge.Call) []*judge.Answer {
	return t.sendAll(wire.InOrder, calls)
}

func (t *T) sendAll(way wire.Way, calls []judge.Call) []*judge.Answer {
	t.judgePending()
	if a := t.halted(calls[0].Op); a != nil {
		return slices.Repeat([]*judge.Answer{a}, len(calls))
	}
	reqs := make([]wire.Request, len(calls))
	for i := range calls {
		if o := calls[i].Object; o != nil && o.Op.Updates() {
			t.verifyNoTrace(o)
		}
		reqs[i] = t.Request(&calls[i])
	}
	var answers []*judge.Answer
	if a := t.halted(calls[0].Op); a != nil { // while a refusal was settled
		return slices.Repeat([]*judge.Answer{a}, len(calls))
	}
	if slices.ContainsFunc(reqs, t.Session.withholds) {
		for _, req := range reqs {
			answers = append(answers, t.withheld(req))
		}
		return answers
	}
	if way == wire.Around {
		slices.Reverse(reqs) // the last to take effect is the one in halves
	}
	exchanges := t.Session.Shared.Client.DoAll(t.Ctx, t.Test.Case.ID, way, reqs...)
	if way == wire.Around {
		slices.Reverse(exchanges)
	}
	for i, ex := range exchanges {
		answers = append(answers, t.receive(&calls[i], ex))
	}
	return answers
}

// Request is a call as it goes over the wire.
func (t *T) Request(c *judge.Call) wire.Request {
	if c.Method == "" {
		c.Method = c.Op.Method
	}
	if c.Path == nil && c.Object != nil {
		c.Path = c.Object.Path()
	}
	path := c.Op.Path
	for i, p := range c.Op.Params {
		segment := c.Path[i]
		if !c.Encoded {
			segment = url.PathEscape(segment)
		}
		path = strings.Replace(path, "{"+p.Name+"}", segment, 1)
	}
	if c.Query != "" {
		path += "?" + c.Query
	}
	if c.Op.Deletes() && c.Object != nil {
		c.Pending = c.Object.Refusals
	}
	if c.Target != "" {
		path = c.Target
	}
	r := wire.Request{Method: c.Method, Path: path, Header: c.Header, Raw: c.Raw || c.Wire != nil, Credential: c.As, Odd: c.Wire}
	if c.Body != nil {
		r.Body, r.HasBody = c.Body.Raw, true
		t.Test.Remember(c)
	}
	return r
}

// receive takes an answer, which waits for what its case expects of it.
func (t *T) receive(c *judge.Call, ex *wire.Exchange) *judge.Answer {
	if !c.Told {
		t.Session.Tell(ex)
	}
	if t.spent != nil {
		*t.spent += ex.Duration
	}
	why := ""
	if ex.Err != nil && ex.Err.Kind == wire.Canceled && t.Ctx.Err() != nil {
		why = StopReason(t.Ctx)
	}
	a := judge.Read(c, ex, t, why)
	t.pending = append(t.pending, a)
	return a
}

// judgePending judges what came back and of which nothing is expected.
func (t *T) judgePending() {
	for !t.judging && len(t.pending) > 0 {
		t.judge(t.pending[0], judge.Expect{})
	}
}

// Judge judges an answer by what the case expects of it. An expectation without a
// clause is about that of the operation where a success is expected, else about the
// first of the case.
func (t *T) Judge(a *judge.Answer, e judge.Expect) []*judge.Finding {
	if e.Clause == "" && !e.OnlyCrash && !e.AnyStatus && len(t.Test.Case.Clauses) > 0 {
		e.Clause = t.Test.Case.Clauses[0]
		if e.Success {
			e.Clause = a.Call.Op.Clause
		}
	}
	found := t.judge(a, e)
	t.matched = slices.ContainsFunc(found, func(f *judge.Finding) bool { return f.Severity != oracle.Notice || !f.Counts() })
	return found
}

// judge judges an answer, and those before it of which nothing was expected. What the
// judgement wants to know beside it is asked for.
func (t *T) judge(a *judge.Answer, e judge.Expect) []*judge.Finding {
	if a.Judged() {
		return nil
	}
	for !t.judging && t.pending[0] != a {
		t.judge(t.pending[0], judge.Expect{})
	}
	t.pending = slices.DeleteFunc(t.pending, func(p *judge.Answer) bool { return p == a })
	first := len(t.Test.Result.Findings)
	outer := t.judging
	t.judging = true
	t.Test.Judge(a, e)
	if a.Wanted != nil {
		t.lookFor(a, a.Wanted)
		t.Test.Continue(a)
	}
	t.judging = outer
	return t.Test.Result.Findings[first:]
}
