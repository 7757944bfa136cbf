package load

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/cases"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

func TestLimits(t *testing.T) {
	r := &Result{
		Counts:  Counts{Requests: 1000, Exchanges: 1000, Lost: 1, ServerErrors: 1, RateLimited: 5},
		Latency: &Latency{All: Percentiles{Count: 999, P50: 1, P90: 9, P99: 20, P999: 30, Max: 99}},
	}
	for text, want := range map[string]string{
		"p50=1ms": "p50 1.00 ms is within 1ms", "p90=8ms": "p90 9.00 ms is above 8ms", "p99=20ms": "p99 20.0 ms is within 20ms",
		"max=98ms": "max 99.0 ms is above 98ms", "p99.9=1s": "p99.9 was not measured: too few requests",
		"errors=0.2%": "errors 0.2 % is within 0.2%", "errors=0.1%": "errors 0.2 % is above 0.1%", "limited=0%": "limited 0.5 % is above 0%",
	} {
		l, err := ReadLimit(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r.Measure([]Limit{l})
		if got := r.Limits[0].String(); got != want || r.Limits[0].Kept != strings.Contains(want, "within") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "p99", "p99=", "p99=200", "p99=-1s", "p98=1s", "errors=1", "errors=-1%", "errors=101%", "errors=NaN%", "latency=1s"} {
		if _, err := ReadLimit(text); err == nil {
			t.Errorf("%q is taken for a limit", text)
		}
	}
}

func TestABottleneckIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		busy, woke, unsent int
		processor, waiting float64
		want               Bottleneck
	}{
		"none":                  {5, 4, 0, 0.99, 1, NoBottleneck},
		"lanes wait":            {500, 0, 0, 0.2, 0.9, ByTarget},
		"never sent":            {0, 0, 500, 0.2, 0.9, ByTarget},
		"lanes judge":           {500, 0, 0, 0.5, 0.2, ByMachine},
		"processors are full":   {500, 0, 0, 0.9, 0.9, ByMachine},
		"timers":                {100, 500, 0, 0.3, 0.9, ByTimers},
		"timers and processors": {100, 500, 0, 0.9, 0.9, ByMachine},
	} {
		r := &run{unsent: c.unsent, usage: usage{busy: c.processor, total: 1}}
		b := r.behind(&meter{behind: [2]lateness{{n: c.busy}, {n: c.woke}}}, 1000-c.unsent, c.waiting)
		if b.Bottleneck != c.want {
			t.Errorf("%s: %q, want %q", name, b.Bottleneck, c.want)
		}
		if told := b.String(); strings.Contains(told, "our own side") != (c.want == ByMachine || c.want == ByTimers) {
			t.Errorf("%s: %s", name, told)
		}
	}
}

// A percentile file has the columns that HdrHistogram's plotter reads, and the
// percentiles of the result.
func TestPercentileFiles(t *testing.T) {
	h := newHistogram()
	for i := range 1000 {
		record(h, time.Duration(i+1)*time.Millisecond)
	}
	var file bytes.Buffer
	if err := WritePercentiles(&file, h); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^ *Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)\n\n( +[0-9.]+ +[0-9.]+ +\d+ +([0-9.]+|inf)\n)+#\[Mean`).MatchString(file.String()) {
		t.Errorf("not the form of a percentile distribution:\n%s", file.String())
	}
	if p := percentiles(h); math.Abs(p.P50-500) > 1 || math.Abs(p.P999-999) > 2 || p.Count != 1000 || math.Abs(p.Mean-500.5) > 1 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(file.String(), "500.223     0.500000") {
		t.Errorf("the median is missing:\n%s", file.String())
	}
}

func TestLatenciesBeyondTheBoundsAreKept(t *testing.T) {
	h := newHistogram()
	record(h, 5*time.Hour)
	record(h, -time.Second)
	if h.TotalCount() != 2 || milliseconds(h.Max()) < 3.6e6 {
		t.Errorf("%d values up to %g ms", h.TotalCount(), milliseconds(h.Max()))
	}
}

// What a session could not put back stays its own until the end: those after it
// take what they found for the object's old values.
func TestTheFirstSessionThatOwesAnObjectKeepsIt(t *testing.T) {
	u := newUndo(2)
	first, second, third := &engine.Session{Seed: 1}, &engine.Session{Seed: 2}, &engine.Session{Seed: 3}
	change := func(object string, restored bool) []engine.Change {
		return []engine.Change{{Object: object, Change: "updated", Restored: restored}}
	}
	u.note(first, change("campaign", false))
	u.note(second, change("campaign", true))
	u.note(third, change("otherCampaign", false))
	u.note(third, change("foreign.campaign", true))
	u.note(third, []engine.Change{{Object: "disposableCreatives[0]", Change: "deleted"}})
	if owing := u.owing(); len(owing) != 2 || owing[0] != third || owing[1] != first {
		t.Fatalf("owing %v", owing)
	}
	u.settle(third, append(change("otherCampaign", true), change("campaign", true)...))
	if u.changes["lanes[1].campaign"].Restored || !u.changes["lanes[1].otherCampaign"].Restored {
		t.Errorf("a session settled what another one owes: %+v", u.changes)
	}
	u.settle(first, change("campaign", true))
	for _, c := range u.list() {
		if !c.Restored && c.Change != "deleted" {
			t.Errorf("%+v", c)
		}
	}
	if _, ok := u.changes["foreign.campaign"]; !ok || len(u.list()) != 4 {
		t.Errorf("%+v", u.list())
	}
}

func TestTurnedKeepsTheOrderOfAnOperation(t *testing.T) {
	a, b, c := operation("a"), operation("b"), operation("c")
	share := []*engine.Case{{ID: "a1", Operation: a}, {ID: "a2", Operation: a}, {ID: "b1", Operation: b}, {ID: "c1", Operation: c}, {ID: "a9", Operation: a, Last: true}}
	for by, want := range []string{"a1 a2 b1 c1 a9", "b1 c1 a1 a2 a9", "c1 a1 a2 b1 a9", "a1 a2 b1 c1 a9"} {
		var ids []string
		for _, c := range turned(share, by) {
			ids = append(ids, c.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("by %d: %s, want %s", by, got, want)
		}
	}
}

func TestCountsOfAnExchange(t *testing.T) {
	var c Counts
	for _, ex := range []*wire.Exchange{
		{Attempts: 3, RateLimited: 1, Unavailable: 1, Response: &wire.Response{Status: 200}},
		{Attempts: 1, Response: &wire.Response{Status: 503}},
		{Attempts: 2, Retried: []string{"idle"}, Err: &wire.TransportError{Kind: wire.Timeout}},
	} {
		c.add(ex)
	}
	want := Counts{Requests: 6, Exchanges: 3, Lost: 1, ServerErrors: 1, RateLimited: 1, Unavailable: 1, Resent: 1}
	if c != want || c.ErrorRate() != 2.0/3 {
		t.Errorf("%+v", c)
	}
}

func operation(id string) *spec.Operation { return &spec.Operation{ID: id} }

// Lanes and rounds make up values of their own, or an answer that was meant for
// another lane would look right.
func TestEveryRoundHasASeedOfItsOwn(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{Contract: contract, Target: &fixtures.Target{}, Lanes: 3, Seed: 7})
	seeds := map[uint64]bool{}
	for range 3 {
		for _, l := range r.lanes {
			s := l.session()
			for repeat := range uint64(3) { // a session repeats cases with the seeds after its own
				if seeds[s.Seed+repeat] {
					t.Errorf("lane %d uses seed %d a second time", l.index, s.Seed+repeat)
				}
				seeds[s.Seed+repeat] = true
			}
		}
	}
}

func TestWhyALaneLeavesACaseOut(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	target := fixtures.WorldWithLanes(1).Target("http://127.0.0.1/v2")
	r := &run{Options: Options{Contract: contract, Target: target, Plan: cases.Plan(contract, target, engine.Standard)}}
	for _, c := range []struct {
		id   string
		want [3]string // lane with everything, with a set of its own, with none
	}{
		{"updateCampaign/success/ordinary", [3]string{"", "", onlyReads}},
		{"updateCampaign/403/owner-on-foreign", [3]string{"", foreignFirst, onlyReads}},
		{"listCreativeMediaFiles/success/ordinary", [3]string{}},
		{"listCreativeMediaFiles/403/owner-on-foreign", [3]string{}},
		{"deleteCreative/401/no-key", [3]string{"", mayDelete, onlyReads}},
		{"deleteCreative/success/ordinary", [3]string{usesUp, mayDelete, usesUp}},
	} {
		for _, planned := range r.Plan {
			for lane := range c.want {
				if planned.ID == c.id && r.why(lane, planned) != c.want[lane] {
					t.Errorf("lane %d, %s: %q, want %q", lane, c.id, r.why(lane, planned), c.want[lane])
				}
			}
		}
		if !slices.ContainsFunc(r.Plan, func(p *engine.Case) bool { return p.ID == c.id }) {
			t.Errorf("there is no case %s", c.id)
		}
	}
	target.Foreign, r.Plan = fixtures.Foreign{}, r.Plan[:0:0]
	if why := r.why(0, &engine.Case{Operation: contract.Operations[0], Needs: []string{"foreign.campaign"}}); why != lacking {
		t.Errorf("what the target file lacks: %q", why)
	}
}
