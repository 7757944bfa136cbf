package judge

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// countAnswer notes what an exchange cost. A 503 that was waited for is told: it may
// be a rate limit, and it may be a target that fails now and then.
func (t *Test) countAnswer(c *Call, ex *wire.Exchange) {
	t.Model.Outcome.Count(ex)
	if ex.Unavailable > 0 {
		t.FindIn(ex, "server-error", Finding{
			Clause: "HTTP-1", Operation: c.Op.ID, Severity: oracle.Notice, Pointer: "header:Retry-After",
			Expected: "an answer, or 429 where requests come too fast",
			Got:      fmt.Sprintf("status %d with Retry-After, which was waited for", http.StatusServiceUnavailable),
		})
	}
}
