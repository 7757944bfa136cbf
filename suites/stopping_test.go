package suites_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// holding passes requests on but for the first of a case, which it holds until
// the client gives up.
func holding(t *testing.T, caseID string, held func()) http.Handler {
	h := bundled(t)
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(wire.CaseHeader) == caseID {
			hold := false
			once.Do(func() { hold = true })
			if hold {
				io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
				held()
				<-r.Context().Done()
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

const inTheMiddle = "updateConnectionProfile/422/name-is-number"

func TestDeadlineStopsTheRunAndPutsBack(t *testing.T) {
	var r *report.Report
	deadline, reached := time.Second, new(atomic.Bool)
	for !reached.Load() { // on a machine that does much else the middle is far away
		deadline *= 2
		c := suites.NewConfig(serve(t, holding(t, inTheMiddle, func() { reached.Store(true) })))
		c.Deadline, c.AllowInconclusive = deadline, true
		r = execute(t, c)
	}
	if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || r.Interrupted ||
		r.Reason != fmt.Sprintf("the deadline of %s passed", deadline) || r.Stopped != r.Reason {
		t.Errorf("%s, exit %d, interrupted %t: %s (%s)", r.Verdict, r.ExitCode, r.Interrupted, r.Reason, r.Stopped)
	}
	if r.Cases.NotTested == 0 || r.Lost != 0 {
		t.Errorf("%d cases not tested, %d answers lost", r.Cases.NotTested, r.Lost)
	}
	if len(r.Changes) == 0 {
		t.Error("nothing was put back")
	}
	for _, change := range r.Changes {
		if change.Change == "updated" && !change.Restored {
			t.Errorf("%s was not put back: %s", change.Object, change.Reason)
		}
	}
}

// The request that an interruption cuts off is not one that the target lost.
func TestAnInterruptionIsNoFaultOfTheTarget(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := holding(t, inTheMiddle, cancel)
	var once sync.Once
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get(wire.CaseHeader), "updateConnectionProfile/401/") {
			once.Do(func() { panic(http.ErrAbortHandler) })
		}
		h.ServeHTTP(w, r)
	}))
	r, err := suites.Execute(ctx, suites.NewConfig(target))
	if err != nil {
		t.Fatal(err)
	}
	if r.Lost != 1 || r.Verdict != report.Inconclusive || r.Reason != "the run was interrupted" || r.ExitCode != report.ExitInterrupted {
		t.Errorf("%d answers lost, %s, exit %d: %s", r.Lost, r.Verdict, r.ExitCode, r.Reason)
	}
}

// An update that was cut off may have been carried out, so it is put back.
func TestAnUpdateThatWasCutOffIsPutBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := bundled(t)
	var once sync.Once
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"name"`)) {
			cut := false
			once.Do(func() { cut = true })
			if cut {
				h.ServeHTTP(httptest.NewRecorder(), r)
				cancel()
				<-r.Context().Done()
				return
			}
		}
		h.ServeHTTP(w, r)
	}))
	c := suites.NewConfig(target)
	c.Select = func(cs *judge.Case) bool { return cs.ID == "updateCampaign/success/ordinary" }
	if plan, err := c.Plan(); err != nil || len(plan) != 1 {
		t.Fatalf("%d cases (%v)", len(plan), err)
	}
	r, err := suites.Execute(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 1 || r.Changes[0].Object != "campaign" || !r.Changes[0].Restored {
		t.Errorf("changes %+v", r.Changes)
	}
}

func TestADefectOfOursIsNeverConforming(t *testing.T) {
	for name, breakIt := range map[string]func(*suites.Config){
		"in a case": func(c *suites.Config) {
			c.Select = func(cs *judge.Case) bool {
				if cs.ID == inTheMiddle {
					cs.Steps = session.Steps(func(*session.T) { panic("a slip") })
				}
				return true
			}
		},
		"while putting back": func(c *suites.Config) {
			c.Record = func(ex *wire.Exchange) {
				if strings.Contains(ex.Case, "/restore/") {
					panic("a slip")
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := suites.NewConfig(serve(t, bundled(t)))
			c.AllowInconclusive = true
			breakIt(c)
			r, err := suites.RunGinkgo(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || len(r.Defects) == 0 ||
				!strings.Contains(r.Reason, "a defect of adconform, please report it: a slip at ") {
				t.Errorf("%s, exit %d, defects %q: %s", r.Verdict, r.ExitCode, r.Defects, r.Reason)
			}
			if len(r.Results) != r.Cases.Planned || r.Cases.NotTested > 1 {
				t.Errorf("the run did not go on: %+v", r.Cases)
			}
		})
	}
}

// Of a failure that comes now and then no cause is told, and what comes each time keeps its own.
func TestFailuresNowAndThen(t *testing.T) {
	for name, test := range map[string]struct {
		fails func(n int64, body string) bool
		want  string
	}{
		"every seventh": {func(n int64, _ string) bool { return n%7 == 0 }, "the server fails now and then with 500"},
		"once":          {func(n int64, _ string) bool { return n == 30 }, "the server fails now and then with 500"},
		"of an array": {
			func(_ int64, body string) bool { return strings.Contains(body, `:["`) },
			"an array for a text makes the server fail with 500",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, n := bundled(t), new(atomic.Int64)
			c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if strings.Contains(r.URL.Path, "/campaigns/") && test.fails(n.Add(1), string(body)) {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				server.ServeHTTP(w, r)
			})))
			crashes := 0
			for _, f := range execute(t, c).Findings {
				if f.Check == "server-error" {
					crashes++
					if !strings.HasPrefix(f.CauseWords, test.want) {
						t.Errorf("%s: %s", f.Case, f.CauseWords)
					}
				}
			}
			if crashes == 0 {
				t.Error("no failure was found")
			}
		})
	}
}
