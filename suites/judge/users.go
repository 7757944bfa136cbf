package judge

import (
	"net/http"

	"github.com/adconform/adconform/suites/wire"
)

// tooSlow are statuses of a target that takes no request in halves, or none that asks
// to be told when the head is read.
var TooSlow = []int{http.StatusRequestTimeout, http.StatusExpectationFailed}

// givenUp says whether the target ended a request that came in halves, as it may:
// that is no answer that was lost.
func (c *Call) givenUp(ex *wire.Exchange) bool {
	if !c.Halved || ex.Err == nil {
		return false
	}
	switch ex.Err.Kind {
	case wire.Closed, wire.Reset, wire.Timeout:
		return true
	}
	return false
}
