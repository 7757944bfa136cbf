package faults

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/adconform/adconform/spec"
)

// closes ends the connection after the answer, which does not say so, and resets does so with RST instead of FIN.
func closes(a *answer) {
	var b bytes.Buffer
	r := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		ContentLength: int64(len(a.body)),
	}
	r.Body = io.NopCloser(bytes.NewReader(a.body))
	_ = r.Write(&b) // into memory
	a.raw = b.Bytes()
}

func resets(a *answer) { closes(a); a.reset = true }

// sends writes something in place of the answer, and ends the connection.
func sends(text string) func(*answer) {
	return func(a *answer) { a.raw = []byte(text) }
}

// framed writes an answer in a format that stands for the end of the head and for the body: %[1]s is the body, %[2]d
// its length, and %[3]d one less.
func framed(format string) func(*answer) {
	return func(a *answer) {
		const head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
		n := len(a.body)
		a.raw = fmt.Appendf(fmt.Appendf(nil, head, a.status,
			http.StatusText(a.status)), format, a.body, n, n-1)
	}
}

// noAnswer ends the connection, and hangs waits until the client does.
func noAnswer(*exchange) *answer { return &answer{raw: []byte{}} }

func hangs(x *exchange) *answer {
	<-x.ctx.Done()
	return noAnswer(x)
}

// brokenOff lose an answer, break it off, or frame it as HTTP does not allow, or fail on one request of several.
func brokenOff(s *seeds, op *spec.Operation) {
	s.fault("intermittent/once-500", "HTTP-1", "answer 4 is 500, and no other",
		when(only(4), refuse(500))).graded(spec.Major)
	s.fault("intermittent/500-03", "HTTP-1", "every third answer is 500",
		when(nth(3), refuse(500))).graded(spec.Major)
	lost := func(id, sentence string, how func(*answer), is condition) {
		s.fault(id, "HTTP-2", sentence, when(is, answers(how)))
	}
	drops := sends("")
	lost("transport/garbage", "every fourth answer is no HTTP", sends("OK\r\n\r\n"), nth(4))
	lost("connection/13th-lost", "the connection ends in place of every 13th answer", drops, nth(13))
	lost("connection/5th-broken-off", "every fifth answer breaks off in its status line", sends("HTTP/1.1 20"), nth(5))
	lost("connection/done-and-lost", "a request is carried out but not answered: the connection ends", func(a *answer) {
		if a.ok() {
			drops(a)
		}
	}, always)
	lost("http2/13th-reset", "the HTTP/2 stream is reset in place of every 13th answer", drops, nth(13))
	s.all[len(s.all)-1].overHTTP2()
	if op.Deletes() {
		return
	}
	s.fault("intermittent/no-body-03",
		"operation "+strings.Join(op.Success.Clauses(), " ")+" ERR-6 JSON-1 HTTP-3",
		"every third answer has no body", when(nth(3), answers(func(a *answer) {
			a.body = []byte{}
		}))).graded(spec.Major)
	const chunked = "Transfer-Encoding: chunked\r\n\r\n%[2]x\r\n%[1]s\r\n"
	lost("transport/chunk-missing", "every fourth answer is chunked and has no last chunk", framed(chunked), nth(4))
	wrong := topic(s, "transport/",
		"HTTP-2 JSON-1", func(format string) behaviour { return answers(framed(format)) })
	wrong("cut-off-always", "every answer breaks off in its body", "Content-Length: 9999999\r\n\r\n%[1]s")
	wrong("length-too-small", "Content-Length is smaller than the body", "Content-Length: %[3]d\r\n\r\n%[1]s")
	wrong("bytes-after", "bytes follow the body", "Content-Length: %[2]d\r\n\r\n%[1]s\r\n<!-- 3 ms -->")
	wrong("length-and-chunks", "answers have a Content-Length and are chunked",
		"Content-Length: %[2]d\r\n"+chunked+"0\r\n\r\n")
}

// connectionVariants end connections whenever they like, but answer every request on them.
func connectionVariants(s *seeds) {
	type worker struct {
		mu      sync.Mutex
		waiting atomic.Int64
	}
	// Forty at once take longer than the time-out.
	s.variant("wire/one-worker", "One worker answers lists, one in 300 ms if more are waiting", "",
		when(readsList, func(x *exchange) *answer {
			w := first(x, "worker", &worker{})
			w.waiting.Add(1)
			defer w.waiting.Add(-1)
			w.mu.Lock()
			defer w.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
			if w.waiting.Load() > 1 {
				time.Sleep(280 * time.Millisecond)
			}
			return x.forward()
		})).Deep = true
	http2 := "Connections speak HTTP/2, which resets the stream of a malformed request"
	s.variant("connection/http2", http2, "", (*exchange).forward).overHTTP2()
	ending := func(id, sentence string, is func(nth int, a *answer) bool, how func(a *answer)) {
		s.variant("connection/"+id, sentence, "", answers(func(a *answer) {
			nth, _ := recall[int](a.to, a.to.remote)
			a.to.keep(a.to.remote, nth+1)
			if is(nth+1, a) {
				how(a)
			}
		}))
	}
	// idle ends, a time after an answer, the connections that wait for a request.
	idle := func(after time.Duration) func(*answer) {
		return func(a *answer) {
			server := a.to.ctx.Value(http.ServerContextKey).(*http.Server)
			time.AfterFunc(after, func() {
				server.SetKeepAlivesEnabled(false)
				server.SetKeepAlivesEnabled(true)
			})
		}
	}
	each := func(int, *answer) bool { return true }
	number := func(n int) func(int, *answer) bool {
		return func(nth int, _ *answer) bool { return nth == n }
	}
	refusal := func(_ int, a *answer) bool { return a.status >= http.StatusBadRequest }
	ending("closed-after-each", "Each connection ends after one answer, which does not say so", each, closes)
	ending("reset-after-each", "Each connection is reset after one answer", each, resets)
	ending("closed-after-three", "Each connection ends after three answers, none of which says so", number(3), closes)
	ending("reset-after-seven", "Each connection is reset after seven answers", number(7), resets)
	ending("closed-after-refusal", "A connection ends after an answer that refuses something", refusal, closes)
	ending("reset-after-refusal", "A connection is reset after an answer that refuses something", refusal, resets)
	ending("all-closed-after-refusal",
		"After an answer that refuses something all connections end that wait for a request", refusal,
		func(a *answer) { idle(0)(a); closes(a) })
	ending("all-closed-after-each", "After each answer all connections end that wait for a request", each, idle(0))
	ending("idle-1-ms", "A connection that is idle for a millisecond ends", each, idle(time.Millisecond))
}

// htmlPage answers with a page for people.
func htmlPage(status int, body string) behaviour {
	return func(*exchange) *answer {
		return &answer{status: status, header: http.Header{
			"Content-Type": {"text/html"},
		}, body: []byte(body)}
	}
}

// gatewayPage answers as a gateway or a limiter does in place of the server behind it: 502, 503 or 504 says that the
// server is away or busy, and nothing about the request.
func gatewayPage(status int) behaviour {
	title := fmt.Sprintf("%d %s", status, http.StatusText(status))
	return htmlPage(status,
		"<html><head><title>"+title+"</title></head><body><hr><center>nginx</center></body></html>\n")
}

// falls takes the server down for a time if a condition holds; says answers meanwhile.
func falls(is condition, while time.Duration, says behaviour) behaviour {
	return func(x *exchange) *answer {
		if is(x) {
			x.keep("back", time.Now().Add(while))
		}
		if back, away := recall[time.Time](x, "back"); away && time.Now().Before(back) {
			return says(x)
		}
		return x.forward()
	}
}

// behindGateways fail on one kind of request, for which a gateway answers, or answer nothing any more after it but
// still accept connections.
func behindGateways(s *seeds, op *spec.Operation) {
	failing := func(name, sentence string, status int, is condition) {
		s.fault("gateway/"+name, "HTTP-1", "the gateway answers "+sentence,
			when(is, gatewayPage(status))).graded(spec.Major)
	}
	failing("always-503", "503 to every request", 503, always)
	failing("malformed-id-502", "502 for an id that is no number",
		502, func(x *exchange) bool { return slices.ContainsFunc(x.ids, noNumber) })
	failing("no-key-504", "504 for a request without a key", 504, noKey)
	hanging := func(name, sentence string, is condition) {
		s.everywhere("hang/after-"+name, "HTTP-2", "after "+sentence+" nothing is answered any more",
			falls(all(of(op.ID), is), time.Hour, hangs))
	}
	switch {
	case op.Lists():
		hanging("page", "a request for page 0", asks("page=0"))
	case op.Deletes():
		hanging("40", "the 40th request", nth(40))
	case op.Updates():
		hanging("long", "a body of more than 5,000 characters", longBody)
		f := op.Body.Fields[0]
		s.everywhere("gateway/crash-and-restart", "HTTP-1",
			"the server dies of an object for "+f.Name+", and the gateway answers 502 until it is back",
			falls(all(of(op.ID), gives(f, is[object])),
				150*time.Millisecond, gatewayPage(502))).graded(spec.Major)
	}
}

func longBody(x *exchange) bool { return len(x.body) > 5000 }

// gatewayVariants are away, busy or slow for a while, whatever the request is, or say when to send it again.
func gatewayVariants(s *seeds) {
	gateway := func(id, sentence string, does behaviour) {
		s.variant("gateway/"+id, sentence, "rate-limit", does)
	}
	limited := func(perSecond rate.Limit, is condition) behaviour {
		return when(func(x *exchange) bool {
			return is(x) &&
				!first(x, "bucket", rate.NewLimiter(perSecond, 5)).Allow()
		}, gatewayPage(503))
	}
	away := func(from int64, while time.Duration, says behaviour) behaviour {
		return falls(only(from), while, says)
	}
	thirdSuccess := answers(func(a *answer) {
		x := a.to
		if x.op == nil || !a.ok() {
			return
		}
		n, _ := recall[int](x, x.op.ID)
		if x.keep(x.op.ID, n+1); n+1 == 3 {
			*a = *gatewayPage(502)(x)
		}
	})
	gateway("limit-503", "A limiter answers a bare 503 beyond 150 requests a second", limited(150, always))
	gateway("limit-writes-503", "A limiter answers a bare 503 beyond 100 requests a second that are no reads",
		limited(100, func(x *exchange) bool { return x.method != http.MethodGet }))
	gateway("restart-502-at-once", "The gateway answers 502 for half a second from request 2 on",
		away(2, time.Second/2, gatewayPage(502)))
	gateway("restart-502-late", "The gateway answers 502 for a second from request 350 on",
		away(350, time.Second, gatewayPage(502)))
	gateway("restart-reset", "Connections end without an answer for a second from request 150 on",
		away(150, time.Second, noAnswer))
	gateway("now-and-then-502", "Every 23rd request is answered 502 and not passed on", when(nth(23), gatewayPage(502)))
	gateway("done-and-502-once", "The third success of each operation is carried out and answered 502", thirdSuccess)
	again := func(id, sentence string, every int64, after string, body object) {
		s.variant("wire/429-"+id, sentence, "rate-limit",
			when(nth(every), func(*exchange) *answer {
				a := reply(429, body)
				maps.Copy(a.header,
					http.Header{"Retry-After": {after}, "X-Ratelimit-Ipremaining": {"0"}})
				return a
			}))
	}
	again("now-and-then", "Every 25th request is answered 429 and may come again at once", 25, "0", errorBody(429))
	again("often", "Every third request is answered 429 and may come again at once", 3, "0",
		object{"message": "slow down"})
	again("one-second", "Every 200th request is answered 429 and may come again after a second", 200,
		"1", errorBody(429))
	slow := func(by time.Duration) behaviour {
		return before(func(*exchange) { time.Sleep(by) })
	}
	s.variant("wire/slow", "Each answer takes 3 ms", "", slow(3*time.Millisecond))
	s.variant("wire/slow-start", "The first answers take half a second", "",
		when(not(beyond(2)), slow(time.Second/2)))
}

// wornOut keep a connection of a pool with each answer of one kind. When none is left, nothing is answered, or every
// request fails.
func wornOut(s *seeds, op *spec.Operation) {
	fails := op.Deletes() || several(op) // every other one
	leaks := func(class, sentence string, status int, is condition) {
		leak := made(status, all(of(op.ID), is),
			func(x *exchange) *answer { x.count(); return nil })
		after := fmt.Sprintf("*: after %d %s the server ", pool, sentence)
		if fails {
			s.everywhere("wear/leaks-"+class, "HTTP-1 HTTP-2", after+"fails",
				leak.unless(isWornOut, refuse(500)))
		} else {
			s.everywhere("wear/leaks-"+class, "HTTP-2 HTTP-1", after+"hangs", leak.unless(isWornOut, hangs))
		}
		fails = !fails
	}
	if !op.Deletes() {
		leaks("success", "successes", 200, always)
	}
	leaks("401", "requests without a valid key", 401, always)
	leaks("403", "requests of a user without permission", 403, always)
	for i, p := range op.Params {
		s.name = p.Name
		leaks("404-{name}", "requests for an unknown {name}", 404, unknownAt(i))
	}
	if op.Updates() {
		leaks("422", "requests with a wrong field", 422, always)
	}
	if op.Lists() {
		wornLists(s)
	}
}

// pool is the number of database connections of a server that leaks them.
const pool = 30

func isWornOut(x *exchange) bool { return x.counted.Load() >= pool }

// wornLists slow down, or hang where many reads come at once.
func wornLists(s *seeds) {
	s.fault("wear/slows-403", "HTTP-2",
		"from the tenth on, each answer to a user without permission takes longer than the one before",
		inPlaceOf(403, always, func(a *answer) {
			select {
			case <-time.After(time.Duration(a.to.count()-10) * 300 * time.Millisecond):
			case <-a.to.ctx.Done():
				*a = *noAnswer(a.to)
			}
		}))
	// Each read takes two connections, and waits for the second one where enough reads come at once: for good.
	s.fault("wear/hangs-at-once", "HTTP-2", "Reads hang where forty come at once", func(x *exchange) *answer {
		_, blocked := recall[bool](x, "blocked")
		if blocked || x.count() > pool {
			x.keep("blocked", true)
			return hangs(x)
		}
		defer x.counted.Add(-1)
		time.Sleep(20 * time.Millisecond)
		return x.forward()
	})
}
