package judge

import (
	"time"

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
