package judge

import (
	"fmt"
	"time"

	"github.com/adconform/adconform/suites/wire"
)

// losses are the answers that an operation lost since it last gave one.
type losses struct {
	lost  []*wire.Exchange
	after int // answers, of any operation, to requests that were sent after the first of these
}

// sawAnswer notes the answer to another request.
func (l *losses) sawAnswer(ex *wire.Exchange, workers int) {
	first := l.lost[0]
	switch {
	case ex.Start.After(first.Start.Add(first.Duration)):
		l.after = max(l.after, workers) // it was sent when the loss was known
	case ex.Start.After(first.Start):
		l.after++
	}
}

// answer notes that an answer arrived whole.
func (b *Outcome) answer(ex *wire.Exchange, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered++
	b.InARow = 0
	delete(b.hanging, operation)
	delete(b.silenced, operation)
	for _, l := range b.hanging {
		l.sawAnswer(ex, b.workers)
	}
	if b.lastAnswer == nil || b.lastAnswer.Start.Before(ex.Start) {
		b.lastAnswer = ex
	}
	if ex.Response.Status >= 500 {
		b.Stalls.failed(ex, operation)
	} else {
		b.Stalls.answered(ex)
	}
}

// Lose notes an answer that did not; waited, that this one was waited for as its
// target asked, and long enough.
func (b *Outcome) Lose(ex *wire.Exchange, operation string, waited bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = append(b.lost, ex)
	b.InARow++
	if b.hanging[operation] == nil {
		b.hanging[operation] = new(losses)
	}
	l := b.hanging[operation]
	l.lost = append(l.lost, ex)
	if waited {
		b.silenced[operation] = true
	} else {
		b.Stalls.failed(ex, operation)
	}
}

// atTheEnd are the answers that were lost and of which nothing shows that the target
// still answered others: as many requests as there are workers may have been under way
// when it stopped.
func (b *Outcome) atTheEnd() []*wire.Exchange {
	var all []*wire.Exchange
	for _, op := range SortedKeys(b.hanging) {
		if l := b.hanging[op]; b.workers > 0 && l.after < b.workers {
			all = append(all, l.lost...)
		}
	}
	return all
}

// Lost is the number of requests without a complete response, on a target that
// otherwise answers: those since it stopped answering are not counted.
func (b *Outcome) Lost() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lost) - len(b.atTheEnd())
}

// Stopped says that the target gave no answers any more, or that it was not waited
// for any longer, "" when neither is so.
func (b *Outcome) Stopped() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	end := b.atTheEnd()
	switch {
	case b.answered == 0:
		return ""
	case len(end) > 1:
		first := end[0]
		for _, ex := range end {
			if ex.Start.Before(first.Start) {
				first = ex
			}
		}
		return fmt.Sprintf("the target stopped answering: the last request that it answered was %s, the first that it did not was %s: %s",
			named(b.lastAnswer), named(first), lossInWords(first.Err))
	case b.over != "":
		return b.over
	}
	return ""
}

func named(ex *wire.Exchange) string {
	return fmt.Sprintf("%s %s at %s (%s)", ex.Request.Method, ex.URL, ex.Start.UTC().Format(time.TimeOnly), ex.Case)
}

// Overlook drops what is kept of lost answers but their number, and with it what a run
// knows its target's end by.
func (b *Outcome) Overlook() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.lost); n > 1 {
		b.lost[n-1] = b.lost[0]
	}
	clear(b.hanging)
	clear(b.silenced)
	b.Stalls = stalls{of: map[string]*stall{}}
}
