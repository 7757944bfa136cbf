package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
)

// Wear collects the answers to many requests of one class.
type Wear struct {
	After    string      // describes them: many successes
	Sent     oracle.Sent // the part of their requests that matters
	Status   int         // of the first answer
	Answered int

	took []time.Duration // the answers
	lost int             // in a row
	told bool            // that they became slow
}

// What distinguishes wear from chance: the number of answers lost in a row, and the number of answers that took ten
// times as long as the first, and so long that a busy machine is not to blame.
const (
	wornLost = 2
	wornSlow = 5
	tenfold  = 10
	slowest  = 400 * time.Millisecond
)

// Wears judges the next answer of a class, and reports whether to send more requests.
func (t *Test) Wears(w *Wear, a *Answer) bool {
	switch {
	case a.Call == nil: // it was not sent
		return w.lost > 0
	case a.Status == 0:
		return t.wearsLost(w)
	case w.Answered == 0:
		w.Status = a.Status
	}
	w.lost = 0
	w.took = append(w.took, a.Exchange.Duration)
	if w.Answered = len(w.took); w.Answered < 2*tenfold {
		return true
	}
	first := slices.Sorted(slices.Values(w.took[:tenfold]))
	slow := slices.Min(w.took[w.Answered-wornSlow:])
	before := first[tenfold/2]
	if w.told || slow < max(slowest, tenfold*before) {
		return true
	}
	w.told = true
	t.FindIn(a.Exchange, CheckTransport, Finding{
		Clause: "HTTP-2", Severity: oracle.Notice, Pointer: w.Sent.At.String() + "/slow", Sent: &w.Sent,
		Cause:    finding.Cause{Kind: finding.SlowsAfter, Detail: w.After},
		Expected: fmt.Sprintf("an answer within about %s, as at first", before.Round(time.Millisecond)),
		Got:      fmt.Sprintf("one after %s, by the %dth request", slow.Round(time.Millisecond), w.Answered),
	})
	return true
}

// wearsLost judges a lost answer of a class. If there are several in a row after others had come, they are violations.
func (t *Test) wearsLost(w *Wear) bool {
	w.lost++
	switch {
	case w.Answered == 0:
		return false
	case w.lost < wornLost:
		return true
	}
	for _, f := range t.Result.Findings {
		isLoss := f.Check == CheckTransport.ID && f.Severity == oracle.Transport
		if isLoss && f.Pointer == w.Sent.At.String() {
			f.Severity = oracle.Violation
			t.Result.Status = Failed
			f.Cause = finding.Cause{Kind: finding.StopsAfter, Detail: w.After}
			f.Expected = fmt.Sprintf("an answer, as to the %d requests of the kind before", w.Answered)
		}
	}
	return false
}
