package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/wire"
)

// scripted is a client that answers each request as its script says.
type scripted struct {
	Client
	answer func() *wire.Exchange
	sent   int
}

func (s *scripted) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	s.sent++
	ex := s.answer()
	ex.Seq, ex.Case, ex.Request = s.sent, caseID, r
	return ex
}

func (*scripted) Beside(func() []wire.Request) {}

func (s *scripted) Redact(text string) string { return strings.ReplaceAll(text, "secret-key", "[key]") }

func newTestSession(t *testing.T, client Client, caseTime time.Duration) (*Session, *spec.Operation) {
	t.Helper()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(Options{
		ModelOptions: judge.ModelOptions{Contract: contract, Target: fixtures.DefaultWorld().Target("http://127.0.0.1")},
		Client:       client, CaseTime: caseTime,
	})
	return s, contract.Operation("updateCampaign")
}

func answered(status int) *wire.Exchange {
	return &wire.Exchange{Response: &wire.Response{Status: status}, Attempts: 1}
}

// Each answer takes 10 s; a case has time for three of the four.
func TestACaseThatTakesTooLongEndsAndTheNextOneRuns(t *testing.T) {
	client := &scripted{answer: func() *wire.Exchange {
		ex := answered(404)
		ex.Duration, ex.Waited = 10*time.Second, time.Hour // waiting for a rate limit is free
		return ex
	}}
	s, op := newTestSession(t, client, 25*time.Second)
	for n := 1; n <= 2; n++ {
		r := s.Run(t.Context(), &judge.Case{ID: "slow", Operation: op, Steps: Steps(func(t *T) {
			for range 5 {
				t.Ask(judge.Call{Op: op, Path: []string{"1"}, As: t.Known().Owner()}, judge.Expect{OnlyCrash: true})
			}
		})})
		if client.sent != 3*n || r.Status != judge.NotTested || r.Cause != judge.ByOperator ||
			!strings.Contains(r.Reason, "more than 25s") {
			t.Errorf("%d requests, %s by %s: %s", client.sent, r.Status, r.Cause, r.Reason)
		}
	}
	if n := s.Model.Outcome.Traffic(); n.Requests != 6 || n.Waited != 6*time.Hour {
		t.Errorf("traffic %+v", n)
	}
	if why, gone := s.Model.Outcome.Liveness.Gone(); gone {
		t.Errorf("the target is taken to be gone: %s", why)
	}
}

func TestACaseThatPanicsIsOursAndTheNextOneRuns(t *testing.T) {
	s, op := newTestSession(t, &scripted{}, 0)
	r := s.Run(t.Context(), &judge.Case{ID: "broken", Operation: op, Steps: Steps(func(*T) { panic("no secret-key") })})
	if r.Status != judge.NotTested || r.Cause != judge.BySuite ||
		!strings.Contains(r.Reason, "a defect of adconform, please report it: no [key] at session_test.go:") {
		t.Errorf("%s by %s: %s", r.Status, r.Cause, r.Reason)
	}
	if next := s.Run(t.Context(), &judge.Case{ID: "next", Operation: op, Steps: Steps(func(*T) {})}); next.Status != judge.Passed {
		t.Errorf("the next case: %s", next.Status)
	}
	if d := s.Model.Outcome.Defects(); len(d) != 1 || !strings.HasPrefix(d[0], "broken: a defect") {
		t.Errorf("defects %q", d)
	}
}

// A message about an answer may quote a key that the target sent back.
func TestFindingsQuoteNoKey(t *testing.T) {
	s, op := newTestSession(t, &scripted{}, 0)
	r := s.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: Steps(func(t *T) {
		t.Test.Find(judge.CheckExpectedStatus, judge.Finding{
			Clause: "CAMPAIGN-1", Pointer: "/secret-key", Expected: "no secret-key", Got: "secret-key",
		})
		t.Test.Observe("related-field-form", "secret-key")
	})})
	if f := r.Findings[0]; f.Pointer != "/[key]" || f.Expected != "no [key]" || f.Got != "[key]" {
		t.Errorf("%+v", f)
	}
	if got := s.Model.Outcome.Observations()[0].Choices(); strings.Contains(fmt.Sprint(got), "secret") {
		t.Errorf("observed %q", got)
	}
}

// failing is a session on a target of which each answer takes so long, one after
// another, and what it is asked.
type failing struct {
	Session *Session
	now     time.Time
	client  *scripted
	ops     []*spec.Operation
}

func newFailing(t *testing.T, answer func(n int) *wire.Exchange) *failing {
	t.Helper()
	f := &failing{now: epoch, client: new(scripted)}
	f.client.answer = func() *wire.Exchange {
		ex := answer(f.client.sent)
		ex.Start, ex.Attempts = f.now, 1
		f.now = f.now.Add(ex.Duration)
		return ex
	}
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	f.Session = NewSession(Options{
		ModelOptions: judge.ModelOptions{
			Contract: contract, Target: fixtures.DefaultWorld().Target("http://127.0.0.1"),
		},
		Client: f.client,
	})
	f.ops = contract.Operations
	return f
}

// ask sends a request, as long as that is done.
func (f *failing) ask(t *testing.T, op *spec.Operation) *judge.Result {
	return f.Session.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: Steps(func(t *T) {
		t.Ask(judge.Call{Op: op, Path: []string{"1", "1", "1"}, As: t.Known().Owner()}, judge.Expect{OnlyCrash: true})
	})})
}

func took(status int, d time.Duration) *wire.Exchange {
	return &wire.Exchange{Response: &wire.Response{Status: status}, Duration: d}
}

func hung() *wire.Exchange {
	return &wire.Exchange{Err: &wire.TransportError{Kind: wire.Timeout, Detail: "gave up after 10s"}, Duration: 10 * time.Second}
}

func TestPatience(t *testing.T) {
	quick := func(n int, then *wire.Exchange) *wire.Exchange { // the first answer is right
		if n == 1 {
			return took(404, time.Millisecond)
		}
		return then
	}
	for name, test := range map[string]struct {
		answer func(n int) *wire.Exchange
		one    bool // one operation is asked; else one after another
		sent   int  // of 100
		says   string
	}{
		"hangs": {
			func(n int) *wire.Exchange { return quick(n, hung()) }, true, 3, "the operation is not waited for any longer: 20s went by",
		},
		"all hang": {
			func(n int) *wire.Exchange { return quick(n, hung()) }, false, 4, "the target is not waited for any longer: 30s went by",
		},
		"slow 500": {
			func(n int) *wire.Exchange { return quick(n, took(500, 6*time.Second)) }, true, 4,
			"the operation is not waited for any longer: 18s",
		},
		"all slow 500": {
			func(n int) *wire.Exchange { return quick(n, took(500, 6*time.Second)) }, false, 6,
			"the target is not waited for any longer: 30s",
		},
		"slow and right": {func(int) *wire.Exchange { return took(404, 9*time.Second) }, false, 100, ""},
		"slow, some 500": {func(n int) *wire.Exchange { return took(200+300*(n%2), 2*time.Second) }, false, 100, ""},
		"quick 500":      {func(n int) *wire.Exchange { return quick(n, took(500, time.Millisecond)) }, false, 100, ""},
		"every third hangs": {func(n int) *wire.Exchange {
			return map[bool]*wire.Exchange{true: hung(), false: took(404, time.Millisecond)}[n%3 == 0]
		}, true, 6, "the operation is not waited for"},
		"ten quickly lost": {func(n int) *wire.Exchange {
			return quick(n, &wire.Exchange{Err: &wire.TransportError{Kind: wire.Reset}})
		}, false, 11, "the target does not answer: reset"},
		"rate limits are free": {func(n int) *wire.Exchange {
			return &wire.Exchange{Response: &wire.Response{Status: 404}, Waited: time.Hour}
		}, true, 100, ""},
	} {
		f := newFailing(t, test.answer)
		var last *judge.Result
		for n := range 100 {
			op := f.ops[0]
			if !test.one {
				op = f.ops[n%len(f.ops)]
			}
			last = f.ask(t, op)
		}
		if f.client.sent != test.sent || !strings.HasPrefix(last.Reason, test.says) || test.says == "" && last.Reason != "" {
			t.Errorf("%s: %d requests, then %q", name, f.client.sent, last.Reason)
		}
	}
}

// Answers that are lost count on a target that otherwise answers. Those at the end
// of a target that stopped do not, but they are named.
func TestWhatIsLostAtTheEnd(t *testing.T) {
	lost := func() *wire.Exchange {
		return &wire.Exchange{Err: &wire.TransportError{Kind: wire.Closed, Detail: "gone"}, Duration: time.Second}
	}
	// A and a, B and b: an operation answers; x and X: it loses the answer.
	for script, test := range map[string]struct {
		lost    int
		stopped bool
	}{
		"AaBb":    {0, false},
		"AabxX":   {0, true},
		"xAB":     {1, false}, // one, and then answers
		"AxxABab": {2, false},
		"Axxbb":   {2, false}, // b answers what was sent later
		"Axx":     {0, true},
		"AxxX":    {0, true},
		"Ax":      {0, false}, // one more or less
		"xxXX":    {0, false}, // it never answered: that is told otherwise
	} {
		f := newFailing(t, func(n int) *wire.Exchange {
			if c := script[n-1]; c == 'x' || c == 'X' {
				return lost()
			}
			return took(404, time.Second)
		})
		for _, c := range script {
			op := f.ops[0]
			if strings.ContainsRune("bBX", c) {
				op = f.ops[1]
			}
			f.ask(t, op)
		}
		live := f.Session.Outcome().Liveness
		if stopped := live.Stopped(); live.Lost() != test.lost || (stopped != "") != test.stopped {
			t.Errorf("%s: %d lost, %q", script, live.Lost(), stopped)
		}
	}
}

var epoch = time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)
