package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
)

// Of the answers that were lost at the end, the first one with a finding is the hang's, and those whose requests were under
// way at that time are named.
func TestAHangNamesItsRequest(t *testing.T) {
	m, op := newTestModel(t)
	noon := time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)
	loses := func(seq int, id string, after time.Duration) *wire.Exchange {
		return &wire.Exchange{
			Seq: seq, Case: id, Start: noon.Add(after), Duration: 10 * time.Second,
			Err: &wire.TransportError{Kind: wire.Timeout, Detail: "gave up after 10s"},
		}
	}
	lost := []*wire.Exchange{
		loses(9, "sent-again", 0), loses(7, "culprit", time.Second), loses(5, "beside", 2*time.Second), loses(12, "later", time.Minute),
	}
	for _, ex := range lost[1:] {
		test := m.Begin(&Case{ID: ex.Case, Operation: op})
		test.FindIn(ex, CheckTransport, Finding{Clause: "HTTP-2", Operation: op.ID, Severity: oracle.Transport, Got: ex.Err.Error()})
	}
	m.Outcome.Hangs(lost)
	for _, r := range m.Outcome.Results() {
		f, isCulprit := r.Findings[0], r.Case.ID == "culprit"
		if (f.Severity == oracle.Violation) != isCulprit || strings.HasSuffix(f.Got, "under way at the same time: beside") != isCulprit {
			t.Errorf("%s: %s: %s", r.Case.ID, f.Severity, f.Got)
		}
	}
}

// What does not come within a time-out below a second is the operator's doing, and no finding.
func TestAShortTimeoutIsNoFinding(t *testing.T) {
	m, op := newTestModel(t)
	m.Outcome.Liveness.Note(&wire.Exchange{Seq: 1, Response: &wire.Response{Status: 200}, Start: time.Unix(1, 0)}, op.ID)
	for seq := 2; seq <= 3; seq++ { // and no answer follows
		lost := &wire.Exchange{Seq: seq, Start: time.Unix(int64(seq), 0), Duration: time.Hour, Err: &wire.TransportError{Kind: wire.Timeout}}
		m.Outcome.Liveness.Note(lost, op.ID)
	}
	_ = m.Outcome.Liveness.Gone()
	if reason := m.Outcome.SettleShortTimeouts(time.Millisecond); !strings.HasPrefix(reason, "2 answers did not come within") {
		t.Errorf("the time for failures is spent: %q", reason)
	}

	for limit, isReason := range map[time.Duration]bool{0: false, time.Millisecond: true, 999 * time.Millisecond: true, time.Second: false} {
		m, op := newTestModel(t)
		for seq := 1; seq <= 2; seq++ {
			answered := &wire.Exchange{Seq: 10 * seq, Response: &wire.Response{Status: 200}, Start: time.Unix(int64(10*seq), 0)}
			m.Outcome.Liveness.Note(answered, op.ID)
			lost := &wire.Exchange{Seq: seq, Start: time.Unix(int64(seq), 0), Err: &wire.TransportError{Kind: wire.Timeout}}
			m.Outcome.Liveness.Note(lost, op.ID)
			m.Outcome.Liveness.Note(answered, op.ID)
			m.Begin(&Case{ID: op.ID, Operation: op}).
				FindIn(lost, CheckTransport, Finding{Clause: "HTTP-2", Operation: op.ID, Severity: oracle.Transport})
		}
		reason, found := m.Outcome.SettleShortTimeouts(limit), 0
		for _, r := range m.Outcome.Results() {
			found += len(r.Findings)
		}
		if (reason != "") != isReason || (found == 0) != isReason {
			t.Errorf("%s: %q, and %d findings", limit, reason, found)
		}
	}
}
