package traffic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// A client that gives up is no fault of the target; a target that does is.
func TestWhoGaveUp(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Do") {
		case "wait":
			started <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "break":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"data":`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "hang up":
			panic(http.ErrAbortHandler)
		default:
			answering(200, campaign(25, "a"))(w, r)
		}
	}, ProxyOptions{})
	defer close(release)
	request := func(do string) *http.Request {
		r, _ := http.NewRequest("PATCH", p.front.URL+"/v2/campaigns/25", strings.NewReader(`{"name":"a"}`))
		r.Header = http.Header{"X-Do": {do}, "X-Api-Key": {key}, "Content-Type": {"application/json"}}
		return r
	}
	ctx, giveUp := contextOf(t)
	go func() { <-started; giveUp() }()
	if _, err := http.DefaultClient.Do(request("wait").WithContext(ctx)); err == nil {
		t.Error("the client got an answer")
	}
	res, err := http.DefaultClient.Do(request("break"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("a broken answer came whole")
	}
	if _, err := http.DefaultClient.Do(request("hang up")); err == nil {
		t.Error("an answer came where the target gave none")
	}
	if r := p.judge.Report(); r.Verdict == report.Nonconforming || p.judge.Failed() {
		t.Errorf("a target that gave no answer at all: %s", r.Verdict)
	}
	if res, err = http.DefaultClient.Do(request("answer")); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	p.front.Close() // waits for what is under way
	r := p.report()
	if r.Recording.Skipped[aborted] != 1 || r.Lost != 2 || len(r.Findings) != 1 || r.Findings[0].Clause != "HTTP-2" ||
		r.Verdict != report.Nonconforming {
		t.Errorf("%s; %s; %d lost: %+v", r.Reason, r.Recording, r.Lost, r.Findings)
	}
}

// A lost delete may have been carried out or not.
func TestALostDeleteSaysNothingOfTheNext(t *testing.T) {
	first := true
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(204)
	}, ProxyOptions{})
	for range 2 {
		r, _ := http.NewRequest("DELETE", p.front.URL+"/v2/creatives/301", nil)
		r.Header.Set("X-API-Key", key)
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
	}
	r := p.report()
	if slices.ContainsFunc(r.Results, func(c report.Case) bool { return c.Status == testcase.Failed }) {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}

// A target that is not running breaks nothing, however often it is asked.
func TestATargetThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	lost := 0
	p := proxyTo(t, gone.URL, ProxyOptions{Lost: func(error) { lost++ }})
	for range 3 {
		r, _ := http.NewRequest("DELETE", p.front.URL+"/v2/creatives/301", nil)
		r.Header.Set("X-Api-Key", key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != http.StatusBadGateway {
			t.Error(res.Status)
		}
	}
	p.front.Close() // waits for what is under way
	if r := p.report(); lost != 3 || r.Recording.Skipped[unreachable] != 3 || r.ExitCode != report.ExitInconclusive ||
		r.Reason != unreachable {
		t.Errorf("%d lost; %s: %s; %s", lost, r.Verdict, r.Reason, r.Recording)
	}
}
