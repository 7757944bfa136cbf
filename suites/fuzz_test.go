package suites

import (
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/report"
)

// fuzzed is the report of a run of fuzz against the reference behind a handler.
func fuzzed(t *testing.T, o Fuzz, wrap func(http.Handler) http.Handler, changes ...func(*Config)) *report.Report {
	t.Helper()
	world := fixtures.DefaultWorld()
	var handler http.Handler = reftest.New(t, world, nil)
	if wrap != nil {
		handler = wrap(handler)
	}
	c := NewConfig(world.Target(reftest.Serve(t, handler)))
	for _, change := range changes {
		change(c)
	}
	r, err := RunFuzz(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Three hundred requests reach every class, find nothing wrong with the reference, and leave
// it as it was.
func TestFuzzReachesEveryClass(t *testing.T) {
	r := fuzzed(t, Fuzz{Requests: 300}, nil)
	if r.Verdict != report.Conforming || len(r.Findings) > 0 {
		t.Errorf("%s: %s %+v", r.Verdict, r.Reason, r.Findings)
	}
	if r.Fuzz.Requests != 300 || r.Fuzz.Classes < r.Fuzz.Of*9/10 || r.Fuzz.Of < 300 {
		t.Errorf("%s", r.Fuzz)
	}
	for _, c := range r.Changes {
		if !c.Restored && c.Change != "deleted" {
			t.Errorf("not put back: %+v", c)
		}
	}
}

// A server that takes its time on every request, now less and now more, is slow on none.
func TestFuzzNoticesNoUniformlySlowServer(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	r := fuzzed(t, Fuzz{Requests: reftest.Of(15, 8)}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(time.Duration(50+n.Add(1)*97%250) * time.Millisecond):
			case <-r.Context().Done():
			}
			next.ServeHTTP(w, r)
		})
	})
	if len(r.Findings) > 0 {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}

var leadingDigits = regexp.MustCompile(`^[0-9]+`)

// What is sent to names no object but those of the target file, also to a server that reads the
// digits alone of what is no id, and deletes none of them.
func TestFuzzNamesNoOtherObject(t *testing.T) {
	named := map[string]bool{}
	for _, n := range fixtures.DefaultWorld().Target("http://127.0.0.1/v2").Named() {
		named[fmt.Sprint(n.ID)] = true
	}
	var mu sync.Mutex
	fuzzed(t, Fuzz{Requests: reftest.Of(6000, 1000)}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			parts := strings.Split(path.Clean("/"+r.URL.Path), "/") // /v2/creatives/301
			for i := 3; i < len(parts); i += 2 {
				id := leadingDigits.FindString(parts[i]) // as a lax server reads it
				mayExist := id != "" && len(id) < 9 && strings.Trim(id, "0") != ""
				if mayExist && (r.Method == http.MethodDelete || !named[id]) {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
			}
			next.ServeHTTP(w, r)
		})
	})
}

// An input is the same when it is written and read.
func TestFuzzInputsAreKept(t *testing.T) {
	contract, err := NewConfig(nil).LoadContract()
	if err != nil {
		t.Fatal(err)
	}
	f := fuzz.New(contract.Operations, 1, 2000, nil, false)
	for in, ok := f.Next(contract.Operations); ok; in, ok = f.Next(contract.Operations) {
		again, err := fuzz.Read(contract, in.String())
		if err != nil || again.String() != in.String() {
			t.Fatalf("%s: %s, %v", in, again, err)
		}
	}
}
