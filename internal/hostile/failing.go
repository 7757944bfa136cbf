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

// soon is the time-out in the target file of failing servers when the table is short;
// in the full one it is the usual one.
const soon = 1500 * time.Millisecond

// rounds is how many time-outs a run on a failing server may take: some five, for what is
// waited for, what is under way when that is enough, and putting back; and as much for a
// busy machine.
const rounds = 10

// failure is what a failing server does with a request; n counts those that may be
// failed, patience is the time-out.
type failure func(n int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler)

// failingTargets answer rightly, until they hang, or fail and take their time for it.
// Each run has to end by itself, in so many time-outs.
func failingTargets() []Target {
	return append(failingWithin(soon), failingWithin(patient)...)
}

func failingWithin(timeout time.Duration) []Target {
	const found, stopped = report.ExitNonconforming, report.ExitInconclusive
	var all []Target
	for _, f := range []struct {
		id, sentence, says string
		exit               int
		at                 string // operation; "" is all
		do                 failure
		full               bool
	}{
		{"hangs-after-50", "answers 50 requests and then hangs", stoppedAnswering, stopped, "", since(50, hang), false},
		{"drips-after-50", "answers 50 requests and then sends a byte a second", stoppedAnswering, stopped, "", since(50, dripping), true},
		{"hangs-after-50/one-lane", "answers 50 requests and then hangs", stoppedAnswering, stopped, "", since(50, hang), true},
		{"every-third-hangs/one-lane", "hangs on every third request", timedOut, found, "", every(3, 1, hang), true},
		{"hangs-on-updates/one-lane", "hangs on every PATCH", timedOut, found, "", patches(hang), true},
		{"slow-500-on-updates/one-lane", "takes half the time-out for each answer to a PATCH, which is 500", crashed, found, "", patches(slow500), true},
		{"every-third-hangs", "hangs on every third request", timedOut, found, "", every(3, 1, hang), false},
		{"two-of-three-hang", "hangs on two of three requests", timedOut, found, "", every(3, 2, hang), true},
		{"half-slow-half-hangs", "takes its time for one request and hangs on the next", timedOut, found, "", turns(slow, hang), true},
		{"hangs-on-owner", "hangs on every request with a key", "timeout: ", stopped, "", withKey(hang), false},
		{"hangs-on-updates", "hangs on every PATCH", timedOut, found, "", patches(hang), true},
		{"hangs-on-deletes", "hangs on every DELETE", timedOut, found, "deleteCreative", hang, true},
		{"hangs-on-one", "hangs on every updateCampaign", timedOut, found, "updateCampaign", hang, true},
		{"hangs-on-one-now-and-then", "hangs on every third updateCampaign", timedOut, found, "updateCampaign", every(3, 1, hang), true},
		{"drips-on-one", "sends the answers of updateCampaign a byte a second", timedOut, found, "updateCampaign", dripping, true},
		{"drips-after-answer", "sends bytes behind each 204 for as long as anyone reads", `DELETE-2: `, found, "deleteCreative", dripsBehind, true},
		{"slow-500", "takes half the time-out for each answer, which is 500", crashed, found, "", slow500, false},
		{"slow-500-on-one", "takes half the time-out for each answer of updateCampaign, which is 500", crashed, found, "updateCampaign", slow500, true},
		{"slow-500-on-updates", "takes half the time-out for each answer to a PATCH, which is 500", crashed, found, "", patches(slow500), true},
		{"pool-exhausted", "answers 500 after half the time-out once it has refused 20 requests", crashed, found, "", pool(20, slow500), false},
		{"pool-hangs", "hangs once it has refused 20 requests", stoppedAnswering, stopped, "", pool(20, hang), true},
		{"hangs-when-put-back", "hangs on every request that puts an object back", stoppedAnswering, stopped, "", puttingBack(hang), true},
	} {
		id := "failing/" + f.id
		if timeout == patient {
			id += "/usual-timeout"
		}
		lanes := 0
		if strings.HasSuffix(f.id, "/one-lane") {
			lanes = 1
		}
		all = append(all, Target{
			ID: id, Sentence: f.sentence, Says: words(f.says), Timeout: timeout, Exits: []int{f.exit}, Rounds: rounds,
			Arms: arms{
				at: f.at, target: func(_ *site, t *fixtures.Target) { t.Limits.Concurrency = lanes },
				answer: func(*site) behaviour {
					var n atomic.Int64
					return func(w http.ResponseWriter, r *http.Request, next http.Handler) { f.do(n.Add(1), timeout, w, r, next) }
				},
			},
			Full: f.full || timeout == patient,
		})
	}
	return all
}

const (
	stoppedAnswering = `the target stopped answering: the last request that it answered was [A-Z]+ http\S+ at .*, the first that it did not was .*timeout: `
	timedOut         = `HTTP-2: .*timeout: `
	crashed          = `HTTP-1: .*500`
)

// hang reads the request and holds it until the client gives up.
func hang(_ int64, _ time.Duration, _ http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // else the end of the connection is not seen
	<-r.Context().Done()
}

// dripping sends the right answer a byte a second, and does not come to its end.
func dripping(_ int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100000")
	w.WriteHeader(a.status)
	for i := 0; r.Context().Err() == nil; i++ {
		w.Write([]byte{' '})
		w.(http.Flusher).Flush()
		pause(r, min(time.Second, patience/4))
	}
}

// dripsBehind sends bytes behind a right answer for as long as anyone listens.
func dripsBehind(_ int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if a.status != http.StatusNoContent {
		fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", a.status, len(a.body), a.body)
		return
	}
	io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	for until := time.Now().Add(10 * patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if _, err := conn.Write([]byte{' '}); err != nil {
			return
		}
	}
}

func slow(_ int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
	pause(r, patience/10)
	next.ServeHTTP(w, r)
}

func slow500(_ int64, patience time.Duration, w http.ResponseWriter, r *http.Request, _ http.Handler) {
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

// since fails all requests after the first n.
func since(n int64, do failure) failure {
	return func(seen int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if seen <= n {
			next.ServeHTTP(w, r)
			return
		}
		do(seen, patience, w, r, next)
	}
}

// every fails so many of n requests.
func every(n, many int64, do failure) failure {
	return func(seen int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if seen%n >= many {
			next.ServeHTTP(w, r)
			return
		}
		do(seen, patience, w, r, next)
	}
}

// turns does one thing with a request and another with the next.
func turns(do ...failure) failure {
	return func(seen int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		do[int(seen)%len(do)](seen, patience, w, r, next)
	}
}

// when fails the requests of which something holds.
func when(holds func(*http.Request) bool, do failure) failure {
	return func(seen int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !holds(r) {
			next.ServeHTTP(w, r)
			return
		}
		do(seen, patience, w, r, next)
	}
}

func withKey(do failure) failure {
	return when(func(r *http.Request) bool { return r.Header.Get("X-API-Key") != "" }, do)
}

func patches(do failure) failure {
	return when(func(r *http.Request) bool { return r.Method == http.MethodPatch }, do)
}

func puttingBack(do failure) failure {
	return when(func(r *http.Request) bool { return strings.Contains(r.Header.Get(wire.CaseHeader), "/restore/") }, do)
}

// pool fails all requests once it has refused so many.
func pool(refusals int64, do failure) failure {
	var refused atomic.Int64
	return func(seen int64, patience time.Duration, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if refused.Load() >= refusals {
			do(seen, patience, w, r, next)
			return
		}
		a := record(r, next)
		if a.status >= http.StatusBadRequest {
			refused.Add(1)
		}
		a.send(w)
	}
}
