package wire

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// losses are the answers that an operation lost since it last gave one.
type losses struct {
	lost  []*Exchange
	after int // answers, of any operation, to requests that were sent after the first of these
}

// sawAnswer notes the answer to another request.
func (l *losses) sawAnswer(ex *Exchange, workers int) {
	first := l.lost[0]
	switch {
	case ex.Start.After(first.Start.Add(first.Duration)):
		l.after = max(l.after, workers) // it was sent when the loss was known
	case ex.Start.After(first.Start):
		l.after++
	}
}

// Answer notes that an answer arrived whole.
func (w *Watch) Answer(ex *Exchange, operation string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered++
	w.inARow = 0
	delete(w.hanging, operation)
	delete(w.silenced, operation)
	for _, l := range w.hanging {
		l.sawAnswer(ex, w.workers)
	}
	if w.lastAnswer == nil || w.lastAnswer.Start.Before(ex.Start) {
		w.lastAnswer = ex
	}
	if ex.Response.Status >= 500 {
		w.stalls.failed(ex, operation)
	} else {
		w.stalls.answered(ex)
	}
}

// Lose notes an answer that did not; waited, that this one was waited for as its
// target asked, and long enough.
func (w *Watch) Lose(ex *Exchange, operation string, waited bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = append(w.lost, ex)
	w.inARow++
	if w.hanging[operation] == nil {
		w.hanging[operation] = new(losses)
	}
	l := w.hanging[operation]
	l.lost = append(l.lost, ex)
	if waited {
		w.silenced[operation] = true
	} else {
		w.stalls.failed(ex, operation)
	}
}

// atTheEnd are the answers that were lost and of which nothing shows that the target
// still answered others: as many requests as there are workers may have been under way
// when it stopped.
func (w *Watch) atTheEnd() []*Exchange {
	var all []*Exchange
	for _, op := range slices.Sorted(maps.Keys(w.hanging)) {
		if l := w.hanging[op]; w.workers > 0 && l.after < w.workers {
			all = append(all, l.lost...)
		}
	}
	return all
}

// Lost is the number of requests without a complete response, on a target that
// otherwise answers: those since it stopped answering are not counted.
func (w *Watch) Lost() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lost) - len(w.atTheEnd())
}

// Stopped says that the target gave no answers any more, or that it was not waited
// for any longer, "" when neither is so.
func (w *Watch) Stopped() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := w.atTheEnd()
	switch {
	case w.answered == 0:
		return ""
	case len(end) > 1:
		first := end[0]
		for _, ex := range end {
			if ex.Start.Before(first.Start) {
				first = ex
			}
		}
		return fmt.Sprintf("the target stopped answering: the last request that it answered was %s, the first that it did not was %s: %s",
			named(w.lastAnswer), named(first), InWords(first.Err))
	case w.over != "":
		return w.over
	}
	return ""
}

func named(ex *Exchange) string {
	return fmt.Sprintf("%s %s at %s (%s)", ex.Request.Method, ex.URL, ex.Start.UTC().Format(time.TimeOnly), ex.Case)
}
