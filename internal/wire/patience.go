package wire

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// 429 is the target's rate limit. 502, 503 and 504 usually come from something in between: a
// limiter that is full, or a gateway while the server behind it restarts. The same is assumed of
// a connection that is refused, or ends without an answer, while no other request is answered
// either. In all these cases the request waits and is sent again. If it fails while an ordinary
// request is answered, the failure is its own. Otherwise there is an outage: all requests wait
// together, no longer than outageTime in all.

const (
	ratePause      = time.Second           // if a 429 does not say how long to wait
	firstPause     = 25 * time.Millisecond // if it says zero, or for another failure; doubled each time
	longestPause   = 2 * time.Second
	maxRateLimited = 20          // waits of one exchange
	maxWaited      = time.Minute // that 429 and 503 may ask of one exchange

	outageTime  = 30 * time.Second // but no more than outageTimes time-outs
	outageTimes = 3
	onlyPauses  = 4 // pauses before an ordinary request is sent: a limiter lets the failing one through by then
	maxTries    = 3 // answers to ordinary requests before a failing one is to blame
)

// pauseOf returns the pause after n earlier ones.
func pauseOf(n int) time.Duration {
	return min(firstPause<<min(n, 10), longestPause)
}

// waiting is what one request remembers of its waiting.
type waiting struct {
	admitted bool      // for the next attempt, see admitAll
	hasTurn  bool      // at the gate
	losses   int       // of the gate when it was last sent, and its own
	tries    int       // attempts that found the target away, and were followed by an answer to an ordinary request
	served   time.Time // when the last of these was answered
}

// Beside sets the ordinary requests that are sent if another one fails, the best first: each
// has to be answered, and changes nothing. Beside must be called before any request is sent.
func (c *Client) Beside(ordinary func() []Request) {
	c.ordinary = sync.OnceValue(ordinary)
}

// isLost reports whether an attempt got no answer.
func (ex *Exchange) isLost() bool { return ex.Err != nil }

// foundAway reports whether an attempt found the target busy or away.
func (ex *Exchange) foundAway() bool {
	if ex.isLost() {
		return ex.Request.Odd == nil && ex.Failed(Refused, Reset, Closed)
	}
	return ex.isAnswered(http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
}

// admit waits until the message may be sent, after a pause.
func (m *message) admit(ctx context.Context, pause time.Duration) error {
	if m.admitted {
		return ctx.Err()
	}
	if err := m.wait(ctx, pause); err != nil {
		return err
	}
	return m.Client.admit(ctx)
}

// wait waits until d has passed, and for its turn, if the target limits the rate or is away.
func (m *message) wait(ctx context.Context, d time.Duration) error {
	start := time.Now()
	m.ex.Waited += d
	var err error
	if m.hasTurn, err = m.gate.await(ctx, m.hasTurn); err != nil {
		return err
	}
	return sleep(ctx, d-time.Since(start))
}

// forRate returns how long to wait before the request is sent again, as a 429 (RFC 6585 §4) asks, and whether to
// send it. Once the bound is reached, a 429 becomes an error, as there is no answer to judge.
func (m *message) forRate() (pause time.Duration, again bool) {
	ex := m.ex
	pause = retryAfter(ex.Response.Header, ratePause)
	if pause <= 0 {
		pause = pauseOf(ex.RateLimited)
	}
	var bound *TransportError
	if ex.RateLimited == maxRateLimited || ex.Waited+pause > maxWaited {
		bound = transportErrorf(RateLimited,
			"429 after %d waits (%s in all); it asks for %s more, and a request waits at most %s: "+
				"lower limits.rate in the target file",
			ex.RateLimited, ex.Waited, pause, maxWaited)
	}
	if spent := m.gate.limit(bound); spent != nil {
		ex.Err = m.redactError(spent)
		return 0, false
	}
	ex.RateLimited++
	return pause, true
}

// retryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3). Without it, it returns otherwise.
func retryAfter(h http.Header, otherwise time.Duration) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return time.Until(date)
	}
	return otherwise
}

// forReturn waits until a request that found the target away may be sent again, after a last pause, and reports
// whether it may. Otherwise the exchange keeps the failure.
func (m *message) forReturn(ctx context.Context) (pause time.Duration, again bool) {
	switch {
	case !m.isComparable():
		return 0, false
	case m.gate.is(gone):
		return m.giveUp()
	case m.failsAlone(ctx):
		return 0, false
	}
	m.gate.note(failed)
	pause = m.pause()
	again = true
	if m.wait(ctx, 0) == nil && m.isDoubtful() {
		pause, again = m.compare(ctx, pause)
	}
	if again { // even if the context has ended: then the request is not sent
		m.ex.Unavailable++
		m.ex.Unsure = m.ex.Unsure || m.mayBeDone()
	}
	return pause, again
}

// isComparable reports whether ordinary requests are known, and the target answers requests at all.
func (m *message) isComparable() bool {
	answers := true
	if m.ex.isLost() {
		answers = m.gate.lose()
		m.losses++
	}
	return answers && m.ordinary != nil
}

// isLostAlone reports whether no other request was lost since the message was sent. Otherwise the target, or what is
// in front of it, was away for a moment.
func (m *message) isLostAlone() bool {
	return m.ex.isLost() && m.gate.lossCount() == m.losses
}

// failsAlone reports whether a request that was lost for the first time fails while others are answered.
func (m *message) failsAlone(ctx context.Context) bool {
	isFirst := m.ex.isLost() && m.ex.Unavailable == 0
	if !isFirst || m.gate.is(away) {
		return false
	}
	return m.answersBeside(ctx) && m.isLostAlone()
}

// isDoubtful reports whether it is time to ask whether the target or the request is to blame.
func (m *message) isDoubtful() bool {
	pauses, _ := m.gate.bounds(m.operation())
	switch {
	case m.ex.Unavailable == 0:
		return m.isLostAlone()
	case m.ex.isLost():
		return true
	}
	return m.ex.Unavailable >= pauses
}

// mayBeDone reports whether a request that found the target away may have been carried out. A limiter's 503 says not.
func (m *message) mayBeDone() bool {
	return m.ex.isLost() || m.ex.Response.Status != http.StatusServiceUnavailable
}

// operation returns what the case of a request tests.
func (m *message) operation() string {
	operation, _, _ := strings.Cut(m.ex.Case, "/")
	return operation
}

// pause returns how long to wait before the request is sent again.
func (m *message) pause() time.Duration {
	ex := m.ex
	if !ex.isLost() {
		if asked := retryAfter(ex.Response.Header, 0); asked > 0 && ex.Waited+asked <= maxWaited {
			return asked
		}
	}
	return pauseOf(ex.Unavailable)
}

// compare waits until the target answers an ordinary request, and reports whether to send the message again, after a
// pause. If ordinary requests are answered time and again, the message itself is to blame.
func (m *message) compare(ctx context.Context, pause time.Duration) (_ time.Duration, again bool) {
	isLate := false
	for ctx.Err() == nil && !m.answersBeside(ctx) {
		m.gate.note(silent)
		if m.gate.is(gone) {
			return m.giveUp()
		}
		m.wait(ctx, pause) //nolint:errcheck // the loop asks the context
		isLate = true
		pause = min(2*pause, longestPause)
	}
	m.tries++
	if isLate && m.tries > 1 { // the ordinary requests may take all that a limiter allows: it allows more in that time
		pause = max(pause, time.Since(m.served)*5/4)
	}
	m.served = time.Now()
	if _, tries := m.gate.bounds(m.operation()); ctx.Err() == nil && m.tries >= tries {
		m.gate.blame(m.operation())
		return 0, false
	}
	return pause, true
}

// giveUp records that the target was away for too long.
func (m *message) giveUp() (pause time.Duration, again bool) {
	ex := m.ex
	ex.Away = true
	if ex.Err == nil {
		ex.Err = transportErrorf(Unavailable, "every request was answered %d for %s: "+
			"the server, or a gateway in front of it, is down or overloaded; lower limits.rate in the target file",
			ex.Response.Status, ex.Waited.Round(time.Millisecond))
	}
	return 0, false
}

// answersBeside reports whether the target answers an ordinary request.
func (m *message) answersBeside(ctx context.Context) bool {
	for _, r := range m.ordinary() {
		other := m.begin("preflight/beside", r)
		beside := other.ex
		if beside.Err != nil {
			continue
		}
		if err := m.Client.admit(ctx); err != nil {
			return false
		}
		m.attempt(ctx, other, m.sendViaPool)
		m.ex.Beside++
		switch {
		case beside.Err != nil, beside.Response.Status == http.StatusTooManyRequests:
			return false
		case !beside.foundAway():
			m.gate.note(served)
			return true
		}
	}
	return false
}
