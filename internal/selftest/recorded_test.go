package selftest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive/recording"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// recorded is the report on a recording of a whole run, and that of the run against a server with a
// fault or variant, whose keys and bodies stand in it as they were sent, and how
// often the fault showed. It may hold nothing against the server that the run does
// not: neither in the case of the request nor, as an answer may show what another
// request did, by the same clause.
func recorded(t *testing.T, tr trial) (checked, run *report.Report, fired int64) {
	t.Helper()
	var mu sync.Mutex
	var exchanges []*wire.Exchange
	s := serving(t, tr)
	run = ran(t, s, func(c *suites.Config) {
		c.Record = func(ex *wire.Exchange) {
			mu.Lock()
			defer mu.Unlock()
			exchanges = append(exchanges, ex)
		}
	})
	checked = judgeArchive(t, archive(t, s.config.Target.BaseURL, exchanges))
	for i := range checked.Findings {
		f := &checked.Findings[i]
		sent := ""
		if f.Exchange > 0 { // else it is of several
			sent = exchanges[f.Exchange-1].Case
		}
		if !slices.ContainsFunc(run.Findings, func(g oracle.Finding) bool {
			return g.Clause == f.Clause && g.Operation == f.Operation || slices.Contains(g.Cases, sent)
		}) {
			t.Errorf("%s, %s: found by check, and not by the run: %s of %s at %q: expected %s, got %s\n%s",
				tr.id(), sent, f.Clause, f.Operation, f.Pointer, f.Expected, f.Got, f.Curl)
		}
	}
	return checked, run, s.env.Fired.Load()
}

func judgeArchive(t *testing.T, path string) *report.Report {
	t.Helper()
	contract := reftest.Contract(t)
	r, err := recording.Open(path, nil, contract)
	if err != nil {
		t.Fatal(err)
	}
	all := []*recording.Recording{r}
	base, err := recording.ChooseBase(recording.Bases(all), "", "")
	if err != nil {
		t.Fatal(err)
	}
	c := suites.NewConfig(&fixtures.Target{Version: 1, BaseURL: base})
	c.Contract = contract
	j, err := suites.NewJudge(c, recording.Keys(all, base))
	if err != nil {
		t.Fatal(err)
	}
	n := &report.Recording{Skipped: map[string]int{}}
	if err := r.Judge(context.Background(), j, base, n); err != nil {
		t.Fatal(err)
	}
	if n.Judged < 300 {
		t.Errorf("only %d exchanges were judged; not judged: %v", n.Judged, n.Skipped)
	}
	return j.Report()
}

type pairs []map[string]string

func pairsOf(h http.Header) pairs {
	all := pairs{}
	for name, values := range h {
		for _, v := range values {
			all = append(all, map[string]string{"name": name, "value": v})
		}
	}
	return all
}

// archive writes exchanges as a proxy that changes nothing records them.
func archive(t *testing.T, base string, exchanges []*wire.Exchange) string {
	t.Helper()
	type object = map[string]any
	body := func(b []byte) object {
		if utf8.Valid(b) {
			return object{"size": len(b), "text": string(b)}
		}
		return object{"size": len(b), "text": base64.StdEncoding.EncodeToString(b), "encoding": "base64"}
	}
	var entries []object
	for _, ex := range exchanges {
		sent := ex.Request.Header.Clone()
		if sent == nil {
			sent = http.Header{}
		}
		if k := ex.Request.Credential; k.Send {
			sent.Set(wire.DefaultKeyHeader, k.Value)
		}
		request := object{"method": ex.Request.Method, "url": base + ex.Request.Path}
		if ex.Request.HasBody {
			if sent.Get("Content-Type") == "" {
				sent.Set("Content-Type", "application/json")
			}
			post := body(ex.Request.Body)
			post["_encoding"] = post["encoding"]
			request["postData"], request["bodySize"] = post, len(ex.Request.Body)
		}
		request["headers"] = pairsOf(sent)
		response := object{"status": 0}
		if ex.Response != nil && ex.Err == nil {
			response = object{
				"status": ex.Response.Status, "headers": pairsOf(ex.Response.Header), "content": body(ex.Response.Body),
				"httpVersion": ex.Response.Proto,
			}
		}
		entries = append(entries, object{
			"startedDateTime": ex.Start.Format(time.RFC3339Nano), "time": float64(ex.Duration) / float64(time.Millisecond),
			"request": request, "response": response,
		})
	}
	data, err := json.Marshal(object{"log": object{"version": "1.2", "entries": entries}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.har")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A recording of what conforms holds no finding, whatever the target chose where
// the contract is silent.
func TestRecordingOfAVariantIsNotFlagged(t *testing.T) {
	for _, v := range faults.Variants() {
		if !sampled(v.ID, 1) {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			if r, _, _ := recorded(t, trial{variant: &v}); r.Verdict != report.Conforming {
				t.Errorf("%s: %s: %q", r.Verdict, r.Reason, breaches(r))
			}
		})
	}
}

// A fault that changes what a single answer shows is found in a recording as in
// a run; what needs keys, objects or silence that only a run has is not.
func TestFaultsFoundInARecording(t *testing.T) {
	contract := reftest.Contract(t)
	var mu sync.Mutex
	var missed, wrong []string
	found, of := 0, 0
	t.Run("sample", func(t *testing.T) {
		for _, f := range faults.All(contract) {
			if !sampled(f.ID, 20) || contract.Clause(f.Clause).Basis == spec.Chosen {
				continue
			}
			t.Run(f.ID, func(t *testing.T) {
				t.Parallel()
				r, _, fired := recorded(t, trial{fault: &f})
				mu.Lock()
				defer mu.Unlock()
				switch of++; {
				case cites(&f, r, contract.Clause(f.Clause).Basis):
					found++
				case slices.ContainsFunc(r.Findings, func(b oracle.Finding) bool { return b.Severity != oracle.Notice }):
					wrong = append(wrong, f.ID)
				case fired > 0:
					missed = append(missed, f.ID)
				}
			})
		}
	})
	t.Logf("%d of %d faults found in a recording; found for another clause: %q; missed: %q", found, of, wrong, missed)
	if found*100 < of*leastFound {
		t.Errorf("%d of %d faults are found in a recording, want %d %%", found, of, leastFound)
	}
}

// leastFound is how many of a hundred faults have to show in a recording.
const leastFound = 75
