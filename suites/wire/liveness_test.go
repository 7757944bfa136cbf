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

// note records an exchange that began at a time.
func (w *Watch) note(ex *Exchange, operation string, start time.Time) {
	if ex.Start = start; ex.Err != nil {
		w.Lose(ex, operation)
	} else {
		w.Answer(ex, operation)
	}
}

// A target that fails is asked no more in the end, and a slow one is.
func TestHowLongFailuresAreWaitedFor(t *testing.T) {
	hung, right := lost(Timeout, 10*time.Second), took(404, time.Millisecond)
	for name, test := range map[string]struct {
		first, then, third *Exchange // answers; each third one, if not nil
		operations         int       // that are asked one after another
		sent               int       // of 100
		says               string
	}{
		"hangs":             {right, hung, nil, 1, 3, "the operation is not waited for any longer: 20s went by"},
		"all hang":          {right, hung, nil, 5, 4, "the target is not waited for any longer: 30s went by"},
		"slow 500":          {right, took(500, 6*time.Second), nil, 1, 4, "the operation is not waited for any longer: 18s"},
		"all slow 500":      {right, took(500, 6*time.Second), nil, 5, 6, "the target is not waited for any longer: 30s"},
		"slow and right":    {right, took(404, 9*time.Second), nil, 5, 100, ""},
		"slow, some 500":    {right, took(404, 2*time.Second), took(500, 2*time.Second), 5, 100, ""},
		"quick 500":         {right, took(500, time.Millisecond), nil, 5, 100, ""},
		"every third hangs": {right, right, hung, 1, 6, "the operation is not waited for"},
		"quickly lost":      {right, lost(Reset, 0), nil, 1, 4, "the operation gives no answers any more"},
		"all quickly lost":  {right, lost(Reset, 0), nil, 5, 11, "the target does not answer: reset"},
		"never there":       {lost(Refused, 0), right, nil, 1, 1, "the target does not answer: refused"},
		"rate limits":       {right, lost(RateLimited, time.Hour), nil, 1, 2, "the operation is asked no more: rate-limited"},
	} {
		w, now, sent, says := NewLiveness(10*time.Second), epoch, 0, ""
		for n := range 100 {
			operation := fmt.Sprint(n % test.operations)
			gone, _ := w.Gone()
			if says = cmp.Or(gone, w.Silent(operation)); says != "" {
				continue
			}
			ex := *test.then
			switch sent++; {
			case sent == 1:
				ex = *test.first
			case sent%3 == 0 && test.third != nil:
				ex = *test.third
			}
			w.note(&ex, operation, now)
			now = now.Add(ex.Duration)
		}
		if sent != test.sent || !strings.HasPrefix(says, test.says) || test.says == "" && says != "" {
			t.Errorf("%s: %d requests, then %q", name, sent, says)
		}
	}
}

// Answers that are lost count on a target that otherwise answers. Those at the end of a target
// that stopped do not, but they are named.
func TestWhatIsLostAtTheEnd(t *testing.T) {
	// A and a, B and b: an operation answers; x and X: it loses the answer. Each request takes a second,
	// but ~ is one that is under way beside the last.
	for script, test := range map[string]struct {
		lost    int
		stopped string // the last request that was answered, and the first that was not
	}{
		"AaBb":    {0, ""},
		"AabxX":   {0, "2 3"},
		"xAB":     {1, ""}, // one, and then answers
		"AxxABab": {2, ""},
		"Axxbb":   {2, ""}, // b answers what was sent later
		"Axx~b":   {0, "2 1"},
		"Axx":     {0, "0 1"},
		"AxxX":    {0, "0 1"},
		"Ax":      {0, ""}, // one more or less
		"xxXX":    {0, ""}, // it never answered: that is told otherwise
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
			w.note(ex, map[bool]string{false: "a", true: "b"}[strings.ContainsRune("bBX", c)], epoch.Add(time.Duration(second)*time.Second))
			second++
		}
		stopped := strings.Join(regexp.MustCompile(`\d+\)`).FindAllString(w.Stopped(), -1), " ")
		if stopped = strings.ReplaceAll(stopped, ")", ""); w.Lost() != test.lost || stopped != test.stopped {
			t.Errorf("%s: %d lost, %q", script, w.Lost(), w.Stopped())
		}
	}
}

// Time in which several requests wait counts once, whichever wait ends first.
func TestStall(t *testing.T) {
	for _, test := range []struct {
		waits [][2]int
		want  int
	}{
		{[][2]int{{0, 10}, {0, 10}, {1, 11}}, 11},
		{[][2]int{{0, 10}, {20, 30}}, 20},
		{[][2]int{{5, 6}, {0, 10}}, 5}, // only what is longer than the one before
		{[][2]int{{0, 10}, {3, 9}}, 10},
	} {
		var s stall
		for _, w := range test.waits {
			s.add(epoch.Add(time.Duration(w[0])*time.Second), epoch.Add(time.Duration(w[1])*time.Second))
		}
		if s.total != time.Duration(test.want)*time.Second {
			t.Errorf("%v: %s, want %d s", test.waits, s.total, test.want)
		}
	}
}

// Putting back begins with patience of its own, and with the least where nothing came
// in the end.
func TestPatienceInPuttingBack(t *testing.T) {
	for _, gone := range []bool{false, true} {
		w := NewLiveness(10 * time.Second)
		if gone {
			w.inARow = goneAfter
		}
		w.Restoring()
		if w.Spared("a") {
			t.Error("nothing is tried")
		}
		w.note(lost(Timeout, 6*time.Second), "a", epoch)
		if !w.Spared("a") || w.Spared("b") != gone {
			t.Errorf("gone: %t; an operation that hangs once is tried again, or another is not", gone)
		}
	}
}
