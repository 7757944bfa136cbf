package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/adconform/adconform/spec"
)

// A gateway or a limiter answers in place of the server behind it: 502, 503 or 504 says
// that the server is away or busy, and nothing of the request.

// gatewayPage is what a gateway says.
func gatewayPage(status int) behaviour {
	return func(*exchange) *answer {
		a := &answer{status: status, header: http.Header{"Content-Type": {"text/html"}}}
		a.body = fmt.Appendf(nil, "<html><head><title>%[1]d %[2]s</title></head><body><hr><center>nginx</center></body></html>\n",
			status, http.StatusText(status))
		return a
	}
}

// noAnswer ends the connection.
func noAnswer(*exchange) *answer { return &answer{raw: []byte{}} }

// leave says that the server is away for a time, and away whether it still is.
func (x *exchange) leave(d time.Duration) { x.keep("back", time.Now().Add(d)) }

func away(x *exchange) bool {
	back, left := recall[time.Time](x, "back")
	return left && time.Now().Before(back)
}

// behindGateways fail for one kind of request, always, with what a gateway says of it.
func behindGateways(op *spec.Operation) []row {
	failing := func(name, sentence string, status int, is condition) row {
		return fault(name, "HTTP-1", "the gateway answers "+sentence, when(is, gatewayPage(status))).graded(Major)
	}
	malformed := func(x *exchange) bool { return strings.Trim(strings.Join(x.ids, ""), "0123456789") != "" }
	rows := []row{
		failing("always-503", "503 to every request", 503, always),
		failing("malformed-id-502", "502 for an id that is no number", 502, malformed),
		failing("no-key-504", "504 for a request without a key", 504, noKey),
	}
	if !op.Updates() {
		return rows
	}
	f := op.Body.Fields[0]
	dies := all(of(op.ID), gives(f, is[object]))
	return append(rows,
		failing("array-502", "502 for an array for "+f.Name, 502, gives(f, is[[]any])),
		failing("long-502", "502 for a body of more than 5,000 characters", 502, longBody),
		everywhere("crash-and-restart", "HTTP-1", "the server dies of an object for "+f.Name+", and the gateway answers 502 until it is back",
			func(x *exchange) *answer {
				if dies(x) {
					x.leave(150 * time.Millisecond)
				}
				return when(away, gatewayPage(502))(x)
			}).graded(Major))
}

func longBody(x *exchange) bool { return len(x.body) > 5000 }

// hungUp take a request, and from then on connections and no more.
func hungUp(op *spec.Operation) []row {
	after := func(name, sentence string, is condition) row {
		return everywhere("after-"+name, "HTTP-2", "after "+sentence+" nothing is answered any more", func(x *exchange) *answer {
			if _, hung := recall[bool](x, "hung"); hung || of(op.ID)(x) && is(x) {
				x.keep("hung", true)
				return hangs(x)
			}
			return x.forward()
		})
	}
	switch {
	case op.Updates():
		return []row{after("long", "a body of more than 5,000 characters", longBody)}
	case op.Deletes():
		return []row{after("40", "the 40th request", nth(40))}
	}
	return []row{after("page", "a request for page 0", asks("page=0"))}
}

// gatewayVariants are away or busy for a while, whatever the request.
func gatewayVariants() []Variant {
	gateway := func(id, sentence string, does behaviour) Variant {
		return variant("gateway/"+id, sentence, "rate-limit", does)
	}
	limited := func(perSecond rate.Limit, status int, is condition) behaviour {
		return when(func(x *exchange) bool {
			bucket, _ := x.values.LoadOrStore("bucket", rate.NewLimiter(perSecond, 5))
			return is(x) && !bucket.(*rate.Limiter).Allow()
		}, gatewayPage(status))
	}
	restarts := func(at int64, while time.Duration, says behaviour) behaviour {
		return func(x *exchange) *answer {
			if x.count() == at {
				x.leave(while)
			}
			return when(away, says)(x)
		}
	}
	done := func(x *exchange, _ *answer) *answer { return gatewayPage(504)(x) }
	writes := func(x *exchange) bool { return x.method != http.MethodGet }
	thirdSuccess := answers(func(x *exchange, a *answer) *answer {
		if x.op == nil || !a.ok() {
			return a
		}
		n, _ := recall[int](x, x.op.ID)
		if x.keep(x.op.ID, n+1); n+1 == 3 {
			return gatewayPage(502)(x)
		}
		return a
	})
	return []Variant{
		gateway("limit-503", "A limiter answers a bare 503 beyond 150 requests a second", limited(150, 503, always)),
		gateway("limit-504", "A limiter answers 504 beyond 150 requests a second", limited(150, 504, always)),
		gateway("limit-writes-503", "A limiter answers a bare 503 beyond 100 requests a second that are no reads", limited(100, 503, writes)),
		gateway("restart-502-at-once", "The gateway answers 502 for half a second from the second request on",
			restarts(2, time.Second/2, gatewayPage(502))),
		gateway("restart-502-early", "The gateway answers 502 for a second from the 40th request on",
			restarts(40, time.Second, gatewayPage(502))),
		gateway("restart-502-late", "The gateway answers 502 for a second from the 350th request on",
			restarts(350, time.Second, gatewayPage(502))),
		gateway("restart-503", "The gateway answers 503 for a second from the 200th request on", restarts(200, time.Second, gatewayPage(503))),
		gateway("restart-reset", "Connections end without an answer for a second from the 150th request on",
			restarts(150, time.Second, noAnswer)),
		gateway("now-and-then-502", "Every 23rd request is answered 502 and not passed on", when(nth(23), gatewayPage(502))),
		gateway("done-and-504", "Every 29th request is carried out and answered 504", when(nth(29), answers(done))),
		gateway("done-and-502-once", "The third success of each operation is carried out and answered 502", thirdSuccess),
	}
}
