package session

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/onsi/gomega/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// Send sends one request and records it.
func (t *T) Send(c judge.Call) *judge.Answer {
	return t.send(wire.InOrder, c)[0]
}

// Right returns which answers to the request of an answer are right, by the document and what is known so far.
func (t *T) Right(a *judge.Answer) judge.Expect {
	if a.Call == nil { // it was not sent
		return judge.Expect{}
	}
	return t.Known().Right(a.Call, &a.Exchange.Request).Expect()
}

// RightTo returns which answers to a request are right that is not sent.
func (t *T) RightTo(c judge.Call) judge.Expect {
	r := t.written(&c)
	return t.Known().Right(&c, &r).Expect()
}

// Ask sends one request and judges the answer.
func (t *T) Ask(c judge.Call, e judge.Expect) *judge.Answer {
	a := t.Send(c)
	t.judge(a, e)
	return a
}

// SendTogether sends requests at the same instant. The answers are judged in the order of the calls.
func (t *T) SendTogether(calls ...judge.Call) []*judge.Answer {
	return t.send(wire.Together, calls...)
}

// SendInOrder sends requests one after another on one connection.
func (t *T) SendInOrder(calls ...judge.Call) []*judge.Answer {
	return t.send(wire.InOrder, calls...)
}

// SendAround sends a request in two halves, and another between them. It returns the answers in the order in which the
// requests took effect, between first, and whether between was answered while halved was under way. Servers may refuse
// split requests, or serve one connection at a time.
func (t *T) SendAround(halved, between judge.Call) (answers []*judge.Answer, hasMet bool) {
	halved.Halved = true
	answers = t.send(wire.Around, between, halved)
	ex := answers[1].Exchange
	if ex == nil || ex.Err != nil {
		return answers, false
	}
	return answers, ex.Around && !slices.Contains(judge.TooSlow, answers[1].Status)
}

// send sends requests, unless the case may send no more.
func (t *T) send(way wire.Way, calls ...judge.Call) (answers []*judge.Answer) {
	t.judgePending()
	if a := t.halted(calls...); a != nil {
		return slices.Repeat([]*judge.Answer{a}, len(calls))
	}
	var requests []wire.Request
	for i := range calls {
		requests = append(requests, t.Request(&calls[i]))
	}
	var exchanges []*wire.Exchange
	others := t.Session.Shared.load.countOthers(len(calls), func() { exchanges = t.exchangeAll(way, calls, requests) })
	var drain time.Duration
	if way == wire.Together {
		others += len(calls) - 1
		drain = drainOf(exchanges)
	}
	mayWrite := func(c judge.Call) bool { return c.Method != http.MethodGet }
	mayLag := len(calls) == 1 || !slices.ContainsFunc(calls, mayWrite) // otherwise it is unknown which came first
	for i, ex := range exchanges {
		a := t.answer(&calls[i], ex)
		if second := t.repeatAlone(&calls[i], a, others, drain); second != a {
			a = second
			drain = 0
		}
		if mayLag {
			a = t.untilShown(&calls[i], a)
		}
		t.pending = append(t.pending, a)
		answers = append(answers, a)
	}
	t.Test.Follow(answers...)
	return answers
}

// exchangeAll sends the requests of calls.
func (t *T) exchangeAll(way wire.Way, calls []judge.Call, requests []wire.Request) []*wire.Exchange {
	caseID := t.Test.Case.ID
	if len(calls) == 1 {
		return []*wire.Exchange{t.Exchange(caseID, &calls[0], requests[0])}
	}
	for i, r := range requests {
		t.Session.forget(caseID, &calls[i], r)
	}
	return t.Session.Shared.Client.DoAll(t.Ctx, caseID, way, requests...)
}

// Request returns the request of a call, which is about to be sent.
func (t *T) Request(c *judge.Call) wire.Request {
	if c.Body != nil {
		t.Known().Outcome.NoteMade(string(c.Body.Raw)) // values from the target file may hold tokens, too
	}
	return t.written(c)
}

// written returns the request of a call.
func (t *T) written(c *judge.Call) wire.Request {
	if c.Method == "" {
		c.Method = c.Op.Method
	}
	if c.Path == nil && c.Object != nil {
		c.Path = c.Object.Path()
	}
	r := wire.Request{Method: c.Method, Path: pathOf(c), Header: c.Header, Credential: c.As}
	r.Parts = c.Parts()
	r.MayBeForbidden = t.mayBeForbidden(c)
	r.Odd = c.Wire
	r.Raw = c.Raw || c.Wire != nil
	isPlain := c.Target == "" && c.Wire == nil
	if isPlain && c.Method == c.Op.Method {
		r.Operation = c.Op.ID
	}
	if c.Body != nil {
		r.Body = append([]byte{}, c.Body.Raw...) // an empty one is a body, too
	}
	return r
}

// pathOf returns the path and the query of a call.
func pathOf(c *judge.Call) string {
	if c.Target != "" {
		return c.Target
	}
	segments := judge.Segments(c.Path)
	if c.Encoded {
		last := len(segments) - 1
		segments[last] = c.Path[last]
	}
	path := c.Op.At(segments...)
	if c.Query != "" {
		path += "?" + c.Query
	}
	return path
}

// mayBeForbidden reports whether the user of a call may have no permission for what its path names.
func (t *T) mayBeForbidden(c *judge.Call) bool {
	target := t.Known().Target
	names := func(id spec.ID) bool { return slices.Contains(c.Path, string(id)) }
	if c.As.Name != judge.StrangerName {
		return slices.ContainsFunc(slices.Collect(maps.Values(target.Foreign)), names)
	}
	isOwners := func(n fixtures.Named) bool { return !n.Foreign && names(n.ID) }
	return c.Target != "" || slices.ContainsFunc(target.Named(), isOwners)
}

// answer records an exchange and returns its answer.
func (t *T) answer(c *judge.Call, ex *wire.Exchange) *judge.Answer {
	if !c.Prefetched {
		t.Session.Record(ex)
	}
	if ex.Failed(wire.Canceled) && t.Ctx.Err() != nil {
		ex.Err = &wire.TransportError{Kind: wire.Canceled, Detail: StopReason(t.Ctx)}
	}
	return judge.Read(c, ex, t.Judge)
}

// Judge judges an answer by what the case expects. An expectation without a clause is about the clause of the operation
// if it expects a success, or else about the first clause of the case.
func (t *T) Judge(a *judge.Answer, e judge.Expect) []*judge.Finding {
	clauses := t.Test.Case.Clauses
	switch {
	case e.Clause != "", e.OnlyCrash, len(clauses) == 0:
	case e.Success:
		e.Clause = a.Call.Op.Clause
	default:
		e.Clause = clauses[0]
	}
	return t.judge(a, e)
}

// judge judges an answer, and before it all earlier ones, for which the case states no expectation.
func (t *T) judge(a *judge.Answer, e judge.Expect) []*judge.Finding {
	if a.Judged() {
		return nil
	}
	for t.pending[0] != a {
		t.judge(t.pending[0], judge.Expect{})
	}
	t.pending = t.pending[1:]
	return t.Test.Judge(a, e)
}

// judgePending judges the answers for which the case states no expectation.
func (t *T) judgePending() {
	for len(t.pending) > 0 {
		t.judge(t.pending[0], judge.Expect{})
	}
}

// Exchange sends a request of a case, or returns the exchange if it was prefetched.
func (t *T) Exchange(caseID string, c *judge.Call, req wire.Request) *wire.Exchange {
	prefetched := &t.Session.Shared.prefetched
	slot := slotOf(caseID, req)
	if kept, isKept := prefetched.Load(slot); isKept {
		ex := kept.(*wire.Exchange)
		ex.Request.Credential = req.Credential // the key may have been renewed since
		ex.Request.Parts = req.Parts
		if reflect.DeepEqual(ex.Request, req) {
			prefetched.Delete(slot)
			c.Prefetched = true
			return ex
		}
	}
	t.Session.forget(caseID, c, req)
	return t.Session.Shared.Client.Do(t.Ctx, caseID, req)
}

// forget drops the prefetched answers that an update of another case to the same path may outdate.
func (s *Session) forget(caseID string, c *judge.Call, r wire.Request) {
	switch {
	case !c.Op.Updates(), r.Method == http.MethodGet, c.Looks:
		return
	}
	isOutdated := func(read slot) bool { return read.path == r.Path && read.caseID != caseID }
	s.discardPrefetched(isOutdated)
}

// KeepPrefetched records an answer and keeps it for its case, which runs later.
func (s *Session) KeepPrefetched(ex *wire.Exchange) {
	s.Record(ex)
	s.Shared.prefetched.Store(slotOf(ex.Case, ex.Request), ex)
}

// slot identifies a prefetched answer: a case may have one to each user, method and path.
type slot struct{ caseID, user, method, path string }

func slotOf(caseID string, r wire.Request) slot {
	return slot{caseID, r.Credential.Name, r.Method, r.Path}
}

// Prefetch sends the read of a case that runs later, before any request can have changed what it reads. It returns the
// answer, or nil if there is none.
func (s *Session) Prefetch(ctx context.Context, c *judge.Case) *wire.Response {
	o := s.Model.Object(c.Operation, c.Looks)
	if o == nil || len(c.Missing(s.Model.Target)) > 0 {
		return nil
	}
	t := s.Aside(ctx, c)
	call := judge.Call{Op: c.Operation, Object: o, As: s.Model.Owner()}
	ex := t.Exchange(c.ID, &call, t.Request(&call))
	if ex.Err != nil {
		return nil
	}
	s.KeepPrefetched(ex)
	return ex.Response
}

// DiscardPrefetched drops the prefetched answers that no case used. They count as traffic.
func (s *Session) DiscardPrefetched() {
	s.discardPrefetched(func(slot) bool { return true })
}

func (s *Session) discardPrefetched(isOutdated func(slot) bool) {
	for key := range s.Shared.prefetched.Range {
		if !isOutdated(key.(slot)) {
			continue
		}
		if ex, isKept := s.Shared.prefetched.LoadAndDelete(key); isKept {
			s.Model.Outcome.Note(ex.(*wire.Exchange))
		}
	}
}

// Record passes an exchange to the recorder of the run.
func (s *Session) Record(ex *wire.Exchange) {
	if s.Shared.Options.Record != nil {
		s.Shared.Options.Record(ex)
	}
}

// An Assertion asserts something about a value, like gomega's.
type Assertion struct {
	t      *T
	actual any
}

// Expect states what a case expects. A matcher that fails is a finding of the case, with the line of the spec.
func (t *T) Expect(actual any) Assertion { return Assertion{t, actual} }

// To asserts that a matcher holds.
func (a Assertion) To(m types.GomegaMatcher) bool {
	return a.settle(m, true, m.FailureMessage)
}

// NotTo asserts that a matcher does not hold.
func (a Assertion) NotTo(m types.GomegaMatcher) bool {
	return a.settle(m, false, m.NegatedFailureMessage)
}

// settle evaluates a matcher. If the assertion holds, it withdraws the findings that a part of the matcher made, such
// as one under Not or SatisfyAny; if it fails without a finding, it adds one.
func (a Assertion) settle(m types.GomegaMatcher, want bool, message func(any) string) bool {
	answer, _ := a.actual.(*judge.Answer)
	isFirst := answer != nil && !answer.Judged()
	isMatch, err := m.Match(a.actual)
	var got string
	switch {
	case err != nil:
		got = err.Error()
	case isMatch == want:
		if isFirst {
			a.t.Test.Withdraw(answer)
		}
		return true
	case isFirst && answer.Broken():
		return false
	default:
		got = message(a.actual)
	}
	got = strings.Join(strings.Fields(got), " ")
	c := a.t.Test.Case
	a.t.Test.Find(judge.CheckSpec, judge.Finding{Clause: c.Clauses[0], Expected: c.Title, Got: got})
	return false
}
