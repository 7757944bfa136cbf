package selftest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive/traffic"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// proxied is a reference with a judging proxy in front.
type proxied struct {
	t        *testing.T
	server   *served
	judge    *suites.Judge
	observer *traffic.Observer
	target   *fixtures.Target // of clients
}

// behindProxy serves a fault or a variant behind a proxy.
func behindProxy(t *testing.T, tr trial) *proxied {
	t.Helper()
	p := &proxied{t: t, server: serving(t, tr)}
	behind := *p.server.config.Target
	c := suites.NewConfig(&fixtures.Target{BaseURL: behind.BaseURL, Open: behind.Open})
	var err error
	if p.judge, err = suites.NewJudge(c, true); err != nil {
		t.Fatal(err)
	}
	p.observer = traffic.New(p.judge, traffic.Options{})
	proxy, err := traffic.NewProxy(c, p.observer, p.judge, traffic.ProxyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	behind.BaseURL = front.URL + p.server.env.BasePath
	p.target = &behind
	return p
}

// report is what the proxy says of all that passed.
func (p *proxied) report() *report.Report {
	p.observer.Close()
	r := p.judge.Report()
	p.observer.Complete(r, p.judge.Redact)
	return r
}

// The whole suite and a quick one at once, so that each is the other's unknown
// writer: what passes the proxy may not be flagged on any implementation that
// conforms.
func TestProxyFlagsNothingThatConforms(t *testing.T) {
	for _, tr := range append(make([]trial, reftest.Of(1, 0)), (&Options{Variants: true}).trials(reftest.Contract(t))...) {
		if tr.variant != nil && !sampled(tr.id(), 1) {
			continue
		}
		t.Run(tr.id(), func(t *testing.T) {
			t.Parallel()
			p := behindProxy(t, tr)
			var both sync.WaitGroup
			for _, depth := range []testcase.Depth{testcase.Standard, testcase.Quick} {
				both.Go(func() {
					target := *p.target
					c := suites.NewConfig(&target)
					c.Depth, c.Seed = depth, uint64(depth)
					if _, err := suites.Execute(context.Background(), c); err != nil { // what it says of two at once does not count
						t.Error(err)
					}
				})
			}
			both.Wait()
			r := p.report()
			least := 500
			if strings.HasPrefix(tr.id(), "connection/") {
				least = 300 // what ends with a connection that was kept open is not judged
			}
			if r.Verdict != report.Conforming || r.Recording.Judged < least {
				t.Errorf("%s; %s\n%s", report.VerdictLine(r), r.Recording, findings(r))
			}
		})
	}
}

func findings(r *report.Report) (text string) {
	for _, f := range r.Findings {
		text += fmt.Sprintf("%s %s %s: expected %s, got %s\n  %s\n", f.Severity, f.Clause, f.Case, f.Expected, f.Got, f.Curl)
	}
	return text
}
