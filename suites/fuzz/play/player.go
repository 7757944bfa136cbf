// Package play sends inputs that fuzz has made, and judges what no conforming server does, see
// [Player]: it looks for what refused ones changed, tries again what was lost or slow, and shrinks
// what shows a finding. Which inputs there are is not its business.
package play

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// Player sends inputs, and judges what no conforming server does: 5xx, HTTP or JSON that is
// broken, an error object off its form, effects of refused requests, another user's data, no
// answer. Any 4xx is right, and what an odd update that was accepted shows is open; the object
// is set anew after it. It belongs to one worker.
type Player struct {
	Hand     *session.T
	Case     func(fuzz.Input) *testcase.Case     // in whose name an input is sent
	Found    func(fuzz.Input, []*oracle.Finding) // is given what an input shows, at its shortest
	ReadOnly bool
	Gate     *sync.RWMutex // of all players on the target: who sends alone, to see whose doing something is, holds it; nil: there is one
	// Known says whether all of these findings were given to Found before, and counts them then.
	Known func([]*oracle.Finding) bool

	objects  map[*spec.Operation]*model.Object
	pending  []played       // refused, and not looked for yet
	refused  map[string]int // by class
	ordinary times
	alone    bool   // it holds the gate
	over     string // why nothing more is sent; "" where it is
}

// played is an input with what its answers showed.
type played struct {
	in    fuzz.Input
	trial *session.T
}

// lookAfter is how many refused requests are looked for at once, but for the first of each class.
const lookAfter, lookAtOnce = 8, 2

// Play sends an input and returns a signature of its answer; "" where there was none.
func (p *Player) Play(in fuzz.Input) string {
	at := p.send(in)
	if at == nil {
		return ""
	}
	at.settle(p)
	if len(p.pending) >= lookAfter {
		p.Look()
	}
	return at.signature()
}

// Over says why the target gets no more; "" where it does.
func (p *Player) Over() string { return p.over }

// sent is an input on its way.
type sent struct {
	played
	op      *spec.Operation
	object  *model.Object // of the operation, be it named or not; nil: there is none
	calls   []call.Call
	answers []*call.Answer
}

// send sends an input and judges its answers; nil where it is not sent.
func (p *Player) send(in fuzz.Input) *sent {
	op := p.Hand.Known().Contract.Operation(in.Operation)
	s := &sent{played: played{in, p.trial(in)}, op: op, object: p.object(op)}
	named := s.object
	if in.Apart() {
		named = nil
	}
	calls, expect, together := in.Calls(s.trial, op, named)
	if p.ReadOnly && (in.Writes() || !wire.Safe(calls[0].Method)) {
		return nil
	}
	s.calls = calls
	if p.Gate != nil && !p.alone {
		p.Gate.RLock()
		defer p.Gate.RUnlock()
	}
	switch {
	case len(s.calls) == 1:
		s.answers = []*call.Answer{s.trial.Send(s.calls[0])}
	case together:
		s.answers = s.trial.SendTogether(s.calls...)
	default:
		s.answers = s.trial.SendInOrder(s.calls...)
	}
	for i, a := range s.answers {
		if a.Call == nil { // it was not sent
			p.over = a.Exchange.Err.Detail
			return nil
		}
		s.trial.Judge(a, expect[i])
		s.judgeAccess(a)
	}
	if named != nil && op.Updates() && len(s.calls) > 1 {
		named.Uncertain = true // which came last is not known
	}
	return s
}

// trial is a hand for an input whose findings may be dropped.
func (p *Player) trial(in fuzz.Input) *session.T {
	t := p.Hand.Trial()
	t.Test = t.Known().Aside(p.Case(in))
	return t
}

// object is what the operation's path names; nil where the target file names nothing for it, or
// it would be deleted: deletes go to unknown ids. What an update changes is probed first.
func (p *Player) object(op *spec.Operation) *model.Object {
	if o, known := p.objects[op]; known || op.Deletes() {
		return o
	}
	o := p.Hand.Object(op, fixtures.First(op.Key()))
	if p.objects == nil {
		p.objects, p.refused = map[*spec.Operation]*model.Object{}, map[string]int{}
	}
	p.objects[op] = o
	if o != nil && op.Updates() {
		p.Hand.Probe(o)
	}
	return o
}

// judgeAccess judges an answer to a user who may not have it: no mutation makes another user
// of that.
func (s *sent) judgeAccess(a *call.Answer) {
	c := a.Call
	if !a.OK || c.Method != s.op.Method || s.object == nil || c.Target != "" && !strings.HasPrefix(c.Target, s.op.At(s.object.Path()...)) {
		return
	}
	clause, name := "AUTH-1", "without a valid key"
	switch c.As.Name {
	case model.StrangerName:
		clause, name = "AUTH-2", "of another user"
	case "none", "empty":
	default:
		return
	}
	shown := a.Shown != nil
	if s.op.Lists() {
		page := model.PageOf(s.op, a.Value)
		shown = page != nil && len(page.IDs) > 0
	}
	if !shown {
		return
	}
	s.trial.Test.FindIn(a.Exchange, "not-refused", judge.Finding{
		Clause: clause, Pointer: c.Sent.At, Sent: c.Sent,
		Expected: "a refusal of a request " + name, Got: fmt.Sprintf("status %d with what is not theirs", a.Status),
		CauseWords: "a request with " + c.Sent.What + " makes the server show an object to a user who may not see it",
	})
}

// signature is what is the same in answers of one kind: status, media type, members, types
// of issues.
func (s *sent) signature() string {
	a := s.answers[0]
	r := a.Exchange.Response
	if r == nil {
		return fmt.Sprint(a.Call.Op.ID, " ", a.Exchange.Err.Kind)
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	parts := []string{a.Call.Op.ID, fmt.Sprint(a.Status), media}
	if object, ok := a.Value.(map[string]any); ok {
		parts = append(parts, slices.Sorted(maps.Keys(object))...)
	}
	if a.Status >= http.StatusBadRequest {
		parts = append(parts, s.trial.Test.IssueTypes(a)...)
	}
	return strings.Join(parts, " ")
}
