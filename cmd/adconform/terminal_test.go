package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

func failedResult(id string, findings int) *judge.Result {
	r := &judge.Result{Case: &judge.Case{ID: id, Operation: new(spec.Operation)}}
	for i := range findings { // each with a cause of its own
		r.Findings = append(r.Findings, &oracle.Finding{
			Case: id, Operation: "updateCampaign", Clause: fmt.Sprintf("AUTH-%d", i+1), Basis: spec.Stated,
			Severity: oracle.Violation, CauseWords: fmt.Sprintf("cause %d", i),
		})
	}
	return r
}

func TestProgressRewritesOneLineOnATerminal(t *testing.T) {
	now := time.Unix(0, 0)
	w := new(bytes.Buffer)
	p := newProgress(w, 60, func() time.Time { return now })
	now = now.Add(10 * time.Second)
	r := failedResult("updateCampaign/401/no-key", 2)
	r.Exchanges = make([]int, 20)
	p.result(10, 40, r)
	if got, want := w.String(), "\r\x1b[K10/40, 2 findings, 2/s, about 30s left: updateCampaign/4…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	before := w.String()
	p.result(11, 40, failedResult("x", 0)) // at the same time, so no eye could follow
	if w.String() != before {
		t.Errorf("drawn again: %q", w.String())
	}
	p.result(40, 40, failedResult("last", 0))
	p.end()
	if got := w.String(); !strings.Contains(got, "40/40") || !strings.HasSuffix(got, erase) || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

func TestProgressIntoAPipeIsALineForEachFinding(t *testing.T) {
	w := new(bytes.Buffer)
	p := newProgress(w, 0, time.Now)
	p.result(1, 3, failedResult("updateCampaign/401/no-key", 0))
	p.result(2, 3, failedResult("updateCampaign/401/no-key", 7))
	doubtful := failedResult("doubtful", 1)
	doubtful.Tentative = make([]judge.TentativeFinding, 1)
	p.result(3, 3, doubtful)
	p.result(4, 4, failedResult("updateCampaign/401/empty-key", 7)) // with causes that were already shown
	p.end()
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	if len(lines) != 7 {
		t.Errorf("%d lines in %q", len(lines), w.String())
	}
	if want := "FAIL updateCampaign/401/no-key AUTH-1 (stated): updateCampaign: cause 0"; lines[0] != want {
		t.Errorf("got %q, want %q", lines[0], want)
	}
}
