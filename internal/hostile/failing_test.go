package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// soon is a time-out in the target file of failing servers; the other is the usual one.
const soon = 1500 * time.Millisecond

// rounds is how many time-outs a run on a failing server may take: some five, for what
// is waited for, what is under way when that is enough, and putting back; and as much
// for a busy machine.
const rounds = 10

// failure is what a failing server does with a request; patience is the time-out.
type failure func(patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler)

// condition says whether the n-th request fails.
type condition func(n int64, r *http.Request) bool

const (
	stoppedAnswering = `the target stopped answering: the last request that it answered was [A-Z]+ http\S+ at .*, ` +
		`the first that it did not was .*timeout: `
	timedOut = `HTTP-2: .*timeout: `
	crashed  = `HTTP-1: .*500`
)

// failingModes answer rightly, until they hang, or fail and take their time for it. Each
// run has to end by itself, in so many time-outs.
func failingModes() []mode { return append(failingWithin(soon), failingWithin(patient)...) }

func failingWithin(timeout time.Duration) (all []mode) {
	const found, stopped = report.ExitNonconforming, report.ExitInconclusive
	for _, f := range []struct {
		id, does string
		says     string
		exit     int
		at       string // operation; "" is all
		when     condition
		do       failure
	}{
		{"hangs-after-50", "answers 50 requests and then hangs", stoppedAnswering, stopped, "", after(50), hang},
		{"drips-after-50", "answers 50 requests and then sends a byte a second", stoppedAnswering, stopped, "", after(50), dripping},
		{"hangs-after-50/one-worker", "answers 50 requests and then hangs", stoppedAnswering, stopped, "", after(50), hang},
		{"every-third-hangs/one-worker", "hangs on every third request", timedOut, found, "", every(3, 1), hang},
		{"hangs-on-updates/one-worker", "hangs on every PATCH", timedOut, found, "", isPatch, hang},
		{"slow-500-on-updates/one-worker", "takes half the time-out to answer a PATCH with 500", crashed, found, "", isPatch, slow500},
		{"every-third-hangs", "hangs on every third request", timedOut, found, "", every(3, 1), hang},
		{"two-of-three-hang", "hangs on two of three requests", timedOut, found, "", every(3, 2), hang},
		{"half-slow-half-hangs", "takes its time for one request and hangs on the next", timedOut, found, "", always, slowOrHang()},
		{"hangs-on-owner", "hangs on every request with a key", "timeout: ", stopped, "", hasKey, hang},
		{"hangs-on-updates", "hangs on every PATCH", timedOut, found, "", isPatch, hang},
		{"hangs-on-deletes", "hangs on every DELETE", timedOut, found, byBytes, always, hang},
		{"hangs-on-one", "hangs on every updateCampaign", timedOut, found, byNetHTTP, always, hang},
		{"hangs-on-one-now-and-then", "hangs on every third updateCampaign", timedOut, found, byNetHTTP, every(3, 1), hang},
		{"drips-on-one", "answers updateCampaign a byte a second", timedOut, found, byNetHTTP, always, dripping},
		{"drips-after-answer", "sends bytes behind each 204 without end", `DELETE-2: `, found, byBytes, always, dripsBehind},
		{"slow-500", "takes half the time-out to answer 500", crashed, found, "", always, slow500},
		{"slow-500-on-one", "takes half the time-out to answer updateCampaign with 500", crashed, found, byNetHTTP, always, slow500},
		{"slow-500-on-updates", "takes half the time-out to answer a PATCH with 500", crashed, found, "", isPatch, slow500},
		{"pool-exhausted", "answers 500, slowly, after 20 refusals", crashed, found, "", always, pool(20, slow500)},
		{"pool-hangs", "hangs after 20 refusals", stoppedAnswering, stopped, "", always, pool(20, hang)},
		{"hangs-when-put-back", "hangs on every request that puts an object back", stoppedAnswering, stopped, "", putsBack, hang},
	} {
		m := mode{
			id: "failing/" + f.id, does: f.does, says: words(f.says), timeout: timeout, exits: []int{f.exit}, rounds: rounds, at: f.at,
			short: timeout == soon && f.id == "hangs-after-50",
			answer: func(*site) behaviour {
				var n atomic.Int64
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if f.when(n.Add(1), r) {
						f.do(timeout, w, r, next)
						return
					}
					next.ServeHTTP(w, r)
				}
			},
		}
		if strings.HasSuffix(f.id, "/one-worker") {
			m.target = func(t *fixtures.Target) { t.Limits.Concurrency = 1 }
		}
		if timeout == patient {
			m.id += "/usual-timeout"
		}
		all = append(all, m)
	}
	return all
}

func always(int64, *http.Request) bool      { return true }
func isPatch(_ int64, r *http.Request) bool { return r.Method == http.MethodPatch }
func hasKey(_ int64, r *http.Request) bool  { return r.Header.Get(fixtures.DefaultKeyHeader) != "" }
func putsBack(_ int64, r *http.Request) bool {
	return strings.Contains(r.Header.Get(wire.CaseHeader), "/restore/")
}

func after(first int64) condition { return func(n int64, _ *http.Request) bool { return n > first } }

func every(of, many int64) condition {
	return func(n int64, _ *http.Request) bool { return n%of < many }
}

// hang reads the request and holds it until the client gives up.
func hang(_ time.Duration, _ http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // else the end of the connection is not seen
	<-r.Context().Done()
}

// dripping sends the right status and then a byte a second, and does not come to its end.
func dripping(patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100000")
	w.WriteHeader(a.Code)
	for r.Context().Err() == nil {
		w.Write([]byte{' '})
		w.(http.Flusher).Flush()
		pause(r, min(time.Second, patience/4))
	}
}

// dripsBehind sends bytes behind a right answer for as long as anyone listens.
func dripsBehind(patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err) // net/http has it
	}
	defer conn.Close()
	if a.Code != http.StatusNoContent {
		fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			a.Code, a.Body.Len(), a.Body)
		return
	}
	io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	for until := time.Now().Add(10 * patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if _, err := conn.Write([]byte{' '}); err != nil {
			return
		}
	}
}

func slow500(patience time.Duration, w http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // else the end of the connection is not seen
	pause(r, patience/2)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	io.WriteString(w, `{"error":{"responseCode":500,"issues":[]}}`)
}

// pause is how slow a server is: that is the failure, nothing waits for it.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

// slowOrHang answers one request slowly and hangs on the next.
func slowOrHang() failure {
	var n atomic.Int64
	return func(patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if n.Add(1)%2 == 1 {
			hang(patience, w, r, next)
			return
		}
		pause(r, patience/10)
		next.ServeHTTP(w, r)
	}
}

// pool fails all requests once so many were refused.
func pool(refusals int64, do failure) failure {
	var refused atomic.Int64
	return func(patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if refused.Load() >= refusals {
			do(patience, w, r, next)
			return
		}
		a := record(r, next)
		if a.Code >= http.StatusBadRequest {
			refused.Add(1)
		}
		send(w, a, a.Body.Bytes())
	}
}
