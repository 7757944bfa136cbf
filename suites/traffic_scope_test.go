package suites_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

func TestOutOfScope(t *testing.T) {
	for name, c := range map[string]struct {
		request  http.Header
		status   int
		response http.Header
		outside  bool
	}{
		"plain":              {http.Header{}, 200, http.Header{}, false},
		"any type":           {http.Header{"Accept": {"text/html, */*;q=0.1"}}, 200, http.Header{}, false},
		"JSON":               {http.Header{"Accept": {"application/json; charset=utf-8"}}, 200, http.Header{}, false},
		"no JSON":            {http.Header{"Accept": {"text/html, application/xml"}}, 406, http.Header{}, true},
		"JSON unwanted":      {http.Header{"Accept": {"application/json;q=0"}}, 406, http.Header{}, true},
		"too slow":           {http.Header{}, 408, http.Header{}, true},
		"conditional":        {http.Header{"If-None-Match": {"x"}}, 304, http.Header{}, true},
		"a range":            {http.Header{"Range": {"bytes=0-1"}}, 206, http.Header{}, true},
		"another method":     {http.Header{"X-Http-Method-Override": {"GET"}}, 200, http.Header{}, true},
		"known coding":       {http.Header{}, 200, http.Header{"Content-Encoding": {"br"}}, false},
		"unknown coding":     {http.Header{}, 200, http.Header{"Content-Encoding": {"rot13"}}, true},
		"too many":           {http.Header{}, 429, http.Header{}, true},
		"come later":         {http.Header{}, 503, http.Header{"Retry-After": {"1"}}, true},
		"broken, not asked ": {http.Header{}, 503, http.Header{}, false},
	} {
		r := wire.Recorded{RequestHeader: c.request, Response: &wire.Response{Status: c.status, Header: c.response}}
		if got := suites.OutOfScope(r); (got != "") != c.outside {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What is out of scope is not judged, and counted as such.
func TestJudgeLeavesWhatIsOutOfScope(t *testing.T) {
	j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
	if err != nil {
		t.Fatal(err)
	}
	method, target, x := recorded{`PATCH /v2/campaigns/25 {"name":"a"}`, "some-key-1", 304, ""}.exchange()
	x.RequestHeader.Set("If-None-Match", "x")
	if found := j.End(j.Begin(method, target), x); len(found) != 0 {
		t.Error(found)
	}
	if judged, others := j.Counts(); judged != 0 || others != 1 {
		t.Errorf("%d judged, %d others", judged, others)
	}
}

// A page may be asked for that does not exist, by this parameter or another.
func TestJudgeLetsPassPagesBeyondTheLast(t *testing.T) {
	const key = "some-key-of-a-user"
	for _, query := range []string{"?page=1000", "?page=0", "?page=x", "?offset=1000", "?page=2&size=1000"} {
		beyond := recorded{"GET /v2/creatives/200/media-files" + query, key, 200, creatives(1000, 1, 3)}
		if r := judged(t, true, beyond); r.Verdict != report.Conforming {
			t.Errorf("%s: %+v", query, r.Findings)
		}
	}
	for _, query := range []string{"", "?page=1"} {
		if r := judged(t, true, recorded{
			"GET /v2/creatives/200/media-files" + query, key, 200, creatives(1000, 1, 3),
		}); r.Verdict != report.Nonconforming {
			t.Errorf("%q: nothing is found", query)
		}
	}
}

// Between two pages that were read at different times others may have exchanged
// files.
func TestJudgeOfAWalkWithAPause(t *testing.T) {
	for pause, verdict := range map[time.Duration]report.Verdict{time.Second: report.Nonconforming, time.Hour: report.Conforming} {
		j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
		if err != nil {
			t.Fatal(err)
		}
		for i, answer := range []string{creatives(1, 2, 3, 1, 2), creatives(2, 2, 3, 2)} {
			method, target, x := recorded{
				fmt.Sprintf("GET /v2/creatives/200/media-files?page=%d", i+1), "some-key-of-a-user", 200, answer,
			}.exchange()
			x.Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(i) * pause)
			j.End(j.Begin(method, target), x)
		}
		if r := j.Report(); r.Verdict != verdict {
			t.Errorf("%s later: %s: %+v", pause, r.Verdict, r.Findings)
		}
	}
}
