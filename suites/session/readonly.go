package session

import (
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/wire"
)

// withholds says whether a request may not be sent, as it could change a target
// that is only to be read.
func (s *Session) withholds(r wire.Request) bool { return s.Shared.ReadOnly && !wire.Safe(r.Method) }

// withheld stands in for the answer to a request that is not sent. No case that
// writes is run, so one that comes here is planned wrongly.
func (t *T) withheld(r wire.Request) *judge.Answer {
	t.Test.NotTested(judge.BySuite,
		"a defect of adconform, please report it: this case is planned as one that only reads and asked for "+r.Method)
	return &judge.Answer{Exchange: &wire.Exchange{
		Case: t.Test.Case.ID, Request: r, Err: &wire.TransportError{Kind: wire.BadRequest, Detail: "not sent: the run only reads"},
	}}
}
