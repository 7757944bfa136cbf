package judge

import (
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Traffic counts what went over the wire in a run.
type Traffic struct {
	Requests    int           // sent, those sent again included
	RateLimited int           // answers 429 that were waited for
	Unavailable int           // answers 503 with Retry-After that were waited for
	Resent      int           // sent again as the target had ended the connection
	Waited      time.Duration // for the target's rate limit
}

// Traffic is what was sent so far.
func (b *Outcome) Traffic() Traffic {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.traffic
}

// Count counts an exchange.
func (b *Outcome) Count(ex *wire.Exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := &b.traffic
	n.Requests += ex.Attempts
	n.RateLimited += ex.RateLimited
	n.Unavailable += ex.Unavailable
	n.Resent += ex.Resent
	n.Waited += ex.Waited
}

// countAnswer notes what an exchange cost. A 503 that was waited for is told: it may
// be a rate limit, and it may be a target that fails now and then.
func (t *Test) countAnswer(c *call.Call, ex *wire.Exchange) {
	t.Model.Outcome.Count(ex)
	if ex.Unavailable > 0 {
		t.FindIn(ex, "server-error", Finding{
			Clause: "HTTP-1", Operation: c.Op.ID, Severity: oracle.Notice, Pointer: "header:Retry-After",
			Expected: "an answer, or 429 where requests come too fast",
			Got:      fmt.Sprintf("status %d with Retry-After, which was waited for", http.StatusServiceUnavailable),
		})
	}
}
