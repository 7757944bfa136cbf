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

// failingModes answer rightly, until they hang, or fail and take their time for it. Each
// run has to end by itself, with the usual time-out.
func failingModes() (all []mode) {
	const (
		stopped = `the target stopped answering: the last request that it answered was [A-Z]+ http\S+ at .*, ` +
			`the first that it did not was .*timeout: `
		timedOut = `HTTP-2: .*timeout: `
		crashed  = `HTTP-1: .*500`
	)
	always := func(int64, *http.Request) bool { return true }
	after50 := func(n int64, _ *http.Request) bool { return n > 50 }
	third := func(n int64, _ *http.Request) bool { return n%3 == 0 }
	patch := func(_ int64, r *http.Request) bool { return r.Method == http.MethodPatch }
	keyed := func(_ int64, r *http.Request) bool { return r.Header.Get(fixtures.DefaultKeyHeader) != "" }
	putsBack := func(_ int64, r *http.Request) bool {
		return strings.Contains(r.Header.Get(wire.CaseHeader), "/restore/")
	}
	for _, f := range []struct {
		id, says, at string
		fails        func(n int64, r *http.Request) bool // the n-th request
		how          behaviour
	}{
		{"hangs-after-50", stopped, "", after50, hang},
		{"drips-after-50", stopped, "", after50, dripping},
		{"every-third-hangs", timedOut, "", third, hang},
		{"hangs-on-owner", "timeout: ", "", keyed, hang},
		{"hangs-on-updates", timedOut, "", patch, hang},
		{"hangs-on-deletes", timedOut, byBytes, always, hang},
		{"hangs-on-one-now-and-then", timedOut, byNetHTTP, third, hang},
		{"hangs-when-put-back", stopped, "", putsBack, hang},
		{"drips-on-one", timedOut, byNetHTTP, always, dripping},
		{"drips-behind-204", `DELETE-2: `, byBytes, always, dripsBehind},
		{"slow-500", crashed, "", always, slow500},
		{"slow-500-on-updates", crashed, "", patch, slow500},
	} {
		exit := report.ExitNonconforming
		if f.says == stopped || f.id == "hangs-on-owner" {
			exit = report.ExitInconclusive
		}
		all = append(all, mode{
			id: "failing/" + f.id, says: f.says, exits: []int{exit}, at: f.at,
			answer: func(*site) behaviour {
				var n atomic.Int64
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if f.fails(n.Add(1), r) {
						f.how(w, r, next)
						return
					}
					next.ServeHTTP(w, r)
				}
			},
		})
	}
	return all
}

// hang reads the request and holds it until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // else the end of the connection is not seen
	<-r.Context().Done()
}

// dripping sends the right status and then a byte a second, and does not come to its end.
func dripping(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100000")
	w.WriteHeader(a.Code)
	for r.Context().Err() == nil {
		w.Write([]byte{' '})
		w.(http.Flusher).Flush()
		pause(r, time.Second)
	}
}

// dripsBehind sends bytes behind a right 204 for as long as anyone listens.
func dripsBehind(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := record(r, next)
	if a.Code != http.StatusNoContent {
		send(w, a)
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err) // net/http has it
	}
	defer conn.Close()
	fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	drip(conn, strings.Repeat(" ", 100))
}

func slow500(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // else the end of the connection is not seen
	pause(r, patient/2)
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
