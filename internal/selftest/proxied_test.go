package selftest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/passive/traffic"
	"github.com/adconform/adconform/suites/report"
)

// proxied is a reference with a judging proxy in front.
type proxied struct {
	t        *testing.T
	world    fixtures.World
	env      faults.Env
	judge    *suites.Judge
	observer *traffic.Observer
	url      string // base URL for clients
}

// behindProxy starts a reference with a fault or a variant, or as it is, behind a
// proxy.
func behindProxy(t *testing.T, contract *spec.Contract, tr trial) *proxied {
	t.Helper()
	p := &proxied{t: t, world: fixtures.DefaultWorld()}
	p.env = faults.NewEnv(contract, p.world)
	choices := reference.DefaultChoices()
	wrap := func(h http.Handler, _ faults.Env) http.Handler { return h }
	var pins fixtures.Pins
	if v := tr.variant; v != nil {
		pins = v.Pins
		if v.Choices != nil {
			v.Choices(&choices)
		}
		if v.Wrap != nil {
			wrap = v.Wrap
		}
	}
	if f := tr.fault; f != nil {
		pins, wrap = f.Pins, f.Wrap
		if f.Choices != nil {
			f.Choices(&choices)
		}
	}
	server, err := reference.New(t.Context(), reference.Options{World: p.world, Choices: choices})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	target, stop, err := listen(wrap(server, p.env), &panicLog{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	c := suites.NewConfig(&fixtures.Target{BaseURL: target + p.env.BasePath, Open: pins})
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
	p.url = front.URL + p.env.BasePath
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
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Variants: true}
	for _, tr := range append([]trial{{variant: &faults.Variant{ID: "reference"}}}, o.trials(contract)...) {
		t.Run(tr.id(), func(t *testing.T) {
			t.Parallel()
			p := behindProxy(t, contract, tr)
			var both sync.WaitGroup
			for _, depth := range []engine.Depth{engine.Standard, engine.Quick} {
				both.Go(func() {
					c := suites.NewConfig(p.world.Target(p.url))
					c.Depth, c.Seed, c.Target.Open = depth, uint64(depth), tr.variant.Pins
					if _, err := suites.Execute(context.Background(), c); err != nil { // what it says of two at once is no matter
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
