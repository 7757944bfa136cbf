package specs

import (
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// exchange is a request and what its answer has to be.
type exchange struct {
	Call
	To *Matcher
}

// inTurn sends requests one after another on one connection.
func inTurn(c *Case, all ...exchange) []*judge.Answer { return sendAll(c, c.SendInOrder, all) }

// together sends requests at the same instant.
func together(c *Case, all ...exchange) []*judge.Answer { return sendAll(c, c.SendTogether, all) }

func sendAll(c *Case, send func(...Call) []*judge.Answer, all []exchange) []*judge.Answer {
	var calls []Call
	for _, e := range all {
		calls = append(calls, e.Call)
	}
	answers := send(calls...)
	for i, a := range answers {
		c.Expect(a).To(all[i].To)
	}
	return answers
}

// around sends a request in two halves and another between them, and says whether that
// was answered meanwhile.
func around(c *Case, halved, between exchange) bool {
	answers, met := c.SendAround(halved.Call, between.Call)
	c.Expect(answers[0]).To(between.To)
	c.Expect(answers[1]).To(halved.To)
	return met
}
