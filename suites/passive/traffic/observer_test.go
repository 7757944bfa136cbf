package traffic

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// through is a client whose requests an observer sees on their way to a handler.
func through(t *testing.T, o *Observer, h http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &http.Client{Transport: &transport{
		observer: o, next: http.DefaultTransport, target: func(r *http.Request) string { return r.URL.RequestURI() },
	}}, server.URL
}

func get(t *testing.T, c *http.Client, address string) string {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A judge that panics, at the start or at the end, changes nothing of what passes
// and is told of in the report, which then does not pass.
func TestAPanicOfTheJudgeIsCounted(t *testing.T) {
	for _, judge := range []*fakeJudge{
		{begin: func() { panic("a defect") }},
		{end: func(wire.Recorded) { panic("a defect") }},
	} {
		o := New(judge, Options{})
		client, address := through(t, o, answering(200, "hello"))
		for range 3 {
			if body := get(t, client, address); body != "hello" {
				t.Errorf("%q passed", body)
			}
		}
		o.Close()
		r := &report.Report{Verdict: report.Conforming}
		o.Complete(r, func(s string) string { return s })
		if r.Recording.Skipped[defect] != 3 || r.Recording.Judged != 0 || len(r.Defects) != 3 ||
			r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive {
			t.Errorf("%+v %+v", r, r.Recording)
		}
	}
}

// While the judge hangs, everything passes; what it could not take is counted,
// and so is what went on at the same time, which it cannot judge any more.
func TestASlowJudgeDelaysNothing(t *testing.T) {
	hang := make(chan struct{})
	judge := &fakeJudge{end: func(wire.Recorded) { <-hang }}
	o := New(judge, Options{Waiting: 4})
	client, address := through(t, o, answering(200, "hello"))
	for i := range 50 {
		if body := get(t, client, address); body != "hello" {
			t.Errorf("%d: %q passed", i, body)
		}
	}
	close(hang)
	o.Close()
	if c := o.Counts(); c.Judged != 4 || c.Skipped[behind] != 46 {
		t.Error(c)
	}
}

// An exchange is not judged when another one went on beside it that was not
// observed: nobody knows what that one did.
func TestNothingIsJudgedBesideAGap(t *testing.T) {
	hang := make(chan struct{})
	judge := &fakeJudge{}
	o := New(judge, Options{Waiting: 2})
	release := make(chan struct{})
	started := make(chan struct{})
	client, address := through(t, o, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/waits" {
			started <- struct{}{}
			<-release
		}
		fmt.Fprint(w, "hello")
	})
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { get(t, client, address+"/waits") })
		<-started
	}
	get(t, client, address) // no room for it
	close(release)
	both.Wait()
	close(hang)
	o.Close()
	if c := o.Counts(); c.Judged != 0 || c.Skipped[behind] != 1 || c.Skipped[beside] != 2 {
		t.Error(c)
	}
	if judge.abandoned != 2 {
		t.Errorf("%d of 2 were abandoned", judge.abandoned)
	}
}

// Bodies beyond the bounds pass, and are not kept.
func TestLargeBodiesPassUnjudged(t *testing.T) {
	for why, o := range map[string]Options{tooLarge: {MaxBody: 1000}, tooMuch: {MaxHeld: 1000}} {
		ob := New(&fakeJudge{}, o)
		client, address := through(t, ob, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if len(body) != 100_000 || err != nil {
				t.Errorf("the target got %d bytes, %v", len(body), err)
			}
			w.Write(body)
		})
		res, err := client.Post(address, "", strings.NewReader(strings.Repeat("x", 100_000)))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, res.Body); n != 100_000 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		res.Body.Close()
		ob.Close()
		if c := ob.Counts(); c.Skipped[why] != 1 || ob.held.Load() != 0 {
			t.Errorf("%s: %v, %d bytes held", why, c, ob.held.Load())
		}
	}
}

// Who changes the target in other ways makes what was seen before void, from the
// beginning of the request on.
func TestOtherChangesAreNotHeldAgainstTheTarget(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			started <- struct{}{}
			<-release
		}
		w.WriteHeader(204)
	}, ProxyOptions{})
	send := func(method, path string) {
		r, _ := http.NewRequest(method, p.front.URL+path, nil)
		r.Header.Set("X-API-Key", key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
	}
	send("DELETE", "/v2/creatives/301")
	send("DELETE", "/v2/creatives/302")
	var reset sync.WaitGroup
	reset.Go(func() { send("POST", "/reset") })
	<-started
	send("DELETE", "/v2/creatives/301")
	close(release)
	reset.Wait()
	send("DELETE", "/v2/creatives/301")
	send("DELETE", "/v2/creatives/302")
	if r := p.report(); r.Verdict != report.Conforming {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}

// An update that its client gave up may still be carried out, so that the next
// one shows its value.
func TestAnUpdateThatWasGivenUpMayStillShow(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Wait") != "" {
			started <- struct{}{}
			<-release
			return
		}
		answering(200, campaign(25, "of the first"))(w, r)
	}, ProxyOptions{})
	defer close(release)
	request := func(name string) *http.Request {
		r, _ := http.NewRequest("PATCH", p.front.URL+"/v2/campaigns/25", strings.NewReader(`{"name":"`+name+`"}`))
		r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
		return r
	}
	ctx, giveUp := contextOf(t)
	go func() { <-started; giveUp() }()
	first := request("of the first")
	first.Header.Set("X-Wait", "1")
	if _, err := http.DefaultClient.Do(first.WithContext(ctx)); err == nil {
		t.Error("the client got an answer")
	}
	for p.observer.waiting.Load() > 0 {
		runtime.Gosched()
	}
	res, err := http.DefaultClient.Do(request("of the second"))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if r := p.report(); r.Verdict != report.Conforming || r.Recording.Skipped[aborted] != 1 {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}
