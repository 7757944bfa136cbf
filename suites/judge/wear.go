package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/suites/oracle"
)

// Wear is what answers of one class, asked for again and again, were like.
type Wear struct {
	After    string      // what they are, in words: many successes
	Sent     oracle.Sent // what of a request matters that they answer
	Status   int         // of the first
	Answered int

	took []time.Duration
	lost int // in a row
	told bool
}

// What tells wear from chance: so many answers lost in a row; so many answers that took many
// times what the first took, and so long that a machine that does much else is not to blame.
const (
	wornLost = 2
	wornSlow = 5
	tenfold  = 10
	slowest  = 400 * time.Millisecond
)

// Wears judges the next answer of a class, and says whether it is worth asking again.
func (t *Test) Wears(w *Wear, a *Answer) bool {
	switch {
	case a.Call == nil: // it was not sent
		return w.lost > 0
	case a.Status == 0:
		w.lost++
		if w.lost >= wornLost && w.Answered > 0 {
			t.stopsAnswering(w)
		}
		return w.lost < wornLost && w.Answered > 0
	case w.Answered == 0:
		w.Status = a.Status
	}
	w.lost = 0
	w.Answered++
	w.took = append(w.took, a.Exchange.Duration)
	if slow, before := w.slow(); slow > 0 && !w.told {
		w.told = true
		t.FindIn(a.Exchange, CheckTransport, Finding{
			Clause: "HTTP-2", Severity: oracle.Notice, Pointer: w.Sent.At + "/slow", Sent: &w.Sent,
			CauseWords: "the server slows down after " + w.After,
			Expected:   fmt.Sprintf("an answer within about %s, as at first", before.Round(time.Millisecond)),
			Got:        fmt.Sprintf("one after %s, by the %dth request", slow.Round(time.Millisecond), w.Answered),
		})
	}
	return true
}

// slow is how long the last answers took at least, where that is many times what the first
// took; 0 where it is not.
func (w *Wear) slow() (now, before time.Duration) {
	if len(w.took) < 2*tenfold {
		return 0, 0
	}
	first := slices.Sorted(slices.Values(w.took[:tenfold]))
	now, before = slices.Min(w.took[len(w.took)-wornSlow:]), first[tenfold/2]
	if now < slowest || now < tenfold*before {
		return 0, before
	}
	return now, before
}

// stopsAnswering makes a violation of answers that were lost: they are no chance, whatever else
// the target answers, or not.
func (t *Test) stopsAnswering(w *Wear) {
	for _, f := range t.Result.Findings {
		if f.Check == CheckTransport.ID && f.Pointer == w.Sent.At && f.Severity == oracle.Transport {
			f.Severity = oracle.Violation
			say(f, oracle.Words{Subject: "the server stops answering after " + w.After})
			f.Expected = fmt.Sprintf("an answer, as to the %d requests of the kind before", w.Answered)
			t.Result.Status = Failed
		}
	}
}
