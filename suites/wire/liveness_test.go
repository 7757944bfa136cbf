package wire

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

func took(status int, d time.Duration) *Exchange {
	return &Exchange{Response: &Response{Status: status}, Duration: d}
}

func lost(kind Kind, d time.Duration) *Exchange {
	return &Exchange{Err: &TransportError{Kind: kind, Detail: "gone"}, Duration: d}
}

// noteAt records an exchange that began at a time.
func (w *Watch) noteAt(ex *Exchange, operation string, start time.Time) {
	ex.Start = start
	w.Note(ex, operation)
}

// In the end no more requests are sent to a target that fails, but they are to one that is only slow.
func TestHowLongFailuresAreWaitedFor(t *testing.T) {
	hung, right := lost(Timeout, 10*time.Second), took(404, time.Millisecond)
	for name, test := range map[string]struct {
		first, then, third *Exchange // the first answer, later ones, and every third one unless nil
		operations         int       // number of operations, called in turn
		sent               int       // number of requests sent, of 100
		says               string
	}{
		"hangs":             {right, hung, nil, 1, 3, "the run no longer waits for the operation: it spent 20s"},
		"all hang":          {right, hung, nil, 5, 4, "the run no longer waits for the target: it spent 30s"},
		"slow 500":          {right, took(500, 6*time.Second), nil, 1, 4, "the run no longer waits for the operation: it spent 18s"},
		"all slow 500":      {right, took(500, 6*time.Second), nil, 5, 6, "the run no longer waits for the target: it spent 30s"},
		"slow and right":    {right, took(404, 9*time.Second), nil, 5, 100, ""},
		"slow, some 500":    {right, took(404, 2*time.Second), took(500, 2*time.Second), 5, 100, ""},
		"quick 500":         {right, took(500, time.Millisecond), nil, 5, 100, ""},
		"every third hangs": {right, right, hung, 1, 6, "the run no longer waits for the operation"},
		"quickly lost":      {right, lost(Reset, 0), nil, 1, 4, "the operation no longer answers"},
		"all quickly lost":  {right, lost(Reset, 0), nil, 5, 11, "the target does not answer: reset"},
		"never there":       {lost(Refused, 0), right, nil, 1, 1, "the target does not answer: refused"},
		"rate limits":       {right, lost(RateLimited, time.Hour), nil, 1, 2, "the run no longer calls the operation: rate-limited"},
	} {
		w, now, sent, says := NewLiveness(10*time.Second), epoch, 0, ""
		for n := range 100 {
			operation := fmt.Sprint(n % test.operations)
			if says = cmp.Or(w.Gone(), w.Silent(operation)); says != "" {
				continue
			}
			ex := *test.then
			switch sent++; {
			case sent == 1:
				ex = *test.first
			case sent%3 == 0 && test.third != nil:
				ex = *test.third
			}
			w.noteAt(&ex, operation, now)
			now = now.Add(ex.Duration)
		}
		if sent != test.sent || !strings.HasPrefix(says, test.says) || test.says == "" && says != "" {
			t.Errorf("%s: %d requests, then %q", name, sent, says)
		}
	}
}

// Lost answers count on a target that otherwise answers. Those after the target stopped
// answering do not count, but the first of them is named.
func TestWhatIsLostAtTheEnd(t *testing.T) {
	// A and a are answers of operation a, B and b those of operation b; x and X are answers that a and b lose.
	// Each request takes a second; one after ~ is under way at the same time as the one before.
	for script, test := range map[string]struct {
		lost    int
		stopped string // the last request that was answered, and the first that was not
	}{
		"AaBb":    {0, ""},
		"AabxX":   {0, "2 3"},
		"xAB":     {1, ""}, // one is lost, and then answers come
		"AxxABab": {2, ""},
		"Axxbb":   {2, ""}, // b answers requests that were sent later
		"Axx~b":   {0, "2 1"},
		"Axx":     {0, "0 1"},
		"AxxX":    {0, "0 1"},
		"Ax":      {0, ""}, // a single lost answer does not show that it stopped
		"xxXX":    {0, ""}, // it never answered, which is reported elsewhere
	} {
		w, second := NewLiveness(0), 0
		for _, c := range script {
			if c == '~' {
				second--
				continue
			}
			ex := took(404, time.Second)
			if c == 'x' || c == 'X' {
				ex = lost(Closed, time.Second)
			}
			ex.Case = fmt.Sprint(second)
			w.noteAt(ex, map[bool]string{false: "a", true: "b"}[strings.ContainsRune("bBX", c)], epoch.Add(time.Duration(second)*time.Second))
			second++
		}
		stopped := strings.Join(regexp.MustCompile(`\d+\)`).FindAllString(w.Stopped(), -1), " ")
		if stopped = strings.ReplaceAll(stopped, ")", ""); len(w.Lost()) != test.lost || stopped != test.stopped {
			t.Errorf("%s: %d lost, %q", script, len(w.Lost()), w.Stopped())
		}
	}
}

// Time in which several requests wait counts once, whichever wait ends first.
func TestTimeSpentWaiting(t *testing.T) {
	for _, test := range []struct {
		waits [][2]int
		want  int
	}{
		{[][2]int{{0, 10}, {0, 10}, {1, 11}}, 11},
		{[][2]int{{0, 10}, {20, 30}}, 20},
		{[][2]int{{5, 6}, {0, 10}}, 5}, // the second wait adds only the time after the first
		{[][2]int{{0, 10}, {3, 9}}, 10},
	} {
		var s service
		for _, w := range test.waits {
			s.wait(epoch.Add(time.Duration(w[0])*time.Second), epoch.Add(time.Duration(w[1])*time.Second))
		}
		if s.spent != time.Duration(test.want)*time.Second {
			t.Errorf("%v: %s, want %d s", test.waits, s.spent, test.want)
		}
	}
}

// Putting back has time of its own for failures, and the least if the target did not answer
// in the end.
func TestPatienceInPuttingBack(t *testing.T) {
	for _, gone := range []bool{false, true} {
		w := NewLiveness(10 * time.Second)
		if gone {
			w.target.lost = make([]*Exchange, goneAfter)
		}
		w.Restoring()
		if w.Spared("a") {
			t.Error("nothing is put back")
		}
		w.noteAt(lost(Timeout, 6*time.Second), "a", epoch)
		if !w.Spared("a") || w.Spared("b") != gone {
			t.Errorf("gone: %t; an operation that hung is still tried, or another one is wrongly spared", gone)
		}
	}
}
