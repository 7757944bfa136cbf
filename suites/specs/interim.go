package specs

import "github.com/adconform/adconform/suites/engine"

// request and expect hold both halves until every behaviour states its expectations
// by matchers.
type request struct {
	engine.Call
	Expect expect
}

type expect struct {
	Success, AnyRefusal, OnlyCrash, ErrorForm, EmptyList bool
	Loose, Part, OutOfRange, Odd                         bool

	Statuses []int
	Clause   string
	Field    string
}

func (r request) split() (engine.Call, engine.Expect) {
	c, e := r.Call, r.Expect
	c.Succeeds = e.Success && !e.Odd
	c.Loose, c.Part, c.OutOfRange, c.Odd = e.Loose, e.Part, e.OutOfRange, e.Odd
	return c, engine.Expect{
		Success: e.Success, AnyRefusal: e.AnyRefusal, OnlyCrash: e.OnlyCrash, ErrorForm: e.ErrorForm, EmptyList: e.EmptyList,
		Statuses: e.Statuses, Clause: e.Clause, Field: e.Field, AnyStatus: e.Clause == "",
	}
}

func send(t *engine.T, r request) *engine.Answer {
	c, e := r.split()
	a := t.Send(c)
	a.Judge(e)
	return a
}

func sendTogether(t *engine.T, rs ...request) []*engine.Answer { return sendAll(t.SendTogether, rs) }
func sendInOrder(t *engine.T, rs ...request) []*engine.Answer  { return sendAll(t.SendInOrder, rs) }

func sendAll(by func(...engine.Call) []*engine.Answer, rs []request) []*engine.Answer {
	var calls []engine.Call
	for _, r := range rs {
		c, _ := r.split()
		calls = append(calls, c)
	}
	answers := by(calls...)
	for i, a := range answers {
		_, e := rs[i].split()
		a.Judge(e)
	}
	return answers
}

func sendAround(t *engine.T, halved, between request) bool {
	h, he := halved.split()
	b, be := between.split()
	answers, met := t.SendAround(h, b)
	if len(answers) == 2 {
		answers[0].Judge(be)
		answers[1].Judge(he)
	}
	return met
}
