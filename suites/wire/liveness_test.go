package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What is waited for at once counts once, whichever wait ends first.
func TestStall(t *testing.T) {
	at := func(s int) time.Time { return epoch.Add(time.Duration(s) * time.Second) }
	for _, test := range []struct {
		waits [][2]int
		want  int
	}{
		{[][2]int{{0, 10}}, 10},
		{[][2]int{{0, 10}, {0, 10}, {1, 11}}, 11},
		{[][2]int{{0, 10}, {20, 30}}, 20},
		{[][2]int{{5, 6}, {0, 10}}, 5}, // only what is longer than the one before
		{[][2]int{{0, 10}, {3, 9}}, 10},
		{[][2]int{{0, 1}, {2, 3}, {4, 5}}, 3},
	} {
		var s stall
		for _, w := range test.waits {
			s.add(at(w[0]), at(w[1]))
		}
		if s.total != time.Duration(test.want)*time.Second {
			t.Errorf("%v: %s, want %d s", test.waits, s.total, test.want)
		}
	}
}

// Requests that were under way together do not show that the target went on to
// answer: one that was sent when the first loss was known does.
func TestWhatWasUnderWayWhenATargetStopped(t *testing.T) {
	b := NewLiveness(0)
	at := func(s int, d time.Duration) *Exchange {
		return &Exchange{
			Case: fmt.Sprintf("c%d", s), Start: epoch.Add(time.Duration(s) * time.Second), Duration: d,
			Response: &Response{Status: 200}, Err: &TransportError{Kind: Timeout, Detail: "gave up"},
		}
	}
	b.Answer(at(0, time.Second), "a")
	b.Lose(at(1, time.Minute), "a")
	b.Lose(at(3, time.Minute), "a")
	b.Answer(at(2, time.Second), "b")
	if n := b.Lost(); n != 0 {
		t.Errorf("%d lost after one answer that was under way", n)
	}
	if s := b.Stopped(); !strings.Contains(s, "last request that it answered was") || !strings.Contains(s, "(c2)") ||
		!strings.Contains(s, "(c1): timeout: gave up") {
		t.Errorf("stopped: %s", s)
	}
	b.Answer(at(62, time.Second), "b")
	if n := b.Lost(); n != 2 || b.Stopped() != "" {
		t.Errorf("%d lost after an answer to a later request; %s", n, b.Stopped())
	}
}

// Putting back begins with patience of its own, and with the least where nothing came
// in the end.
func TestPatienceInPuttingBack(t *testing.T) {
	for _, gone := range []bool{false, true} {
		b := NewLiveness(10 * time.Second)
		hung := &Exchange{Start: epoch, Duration: 6 * time.Second, Err: &TransportError{Kind: Timeout}}
		if gone {
			b.inARow = goneAfter
		}
		b.Restoring()
		if b.Spared("a") {
			t.Error("nothing is tried")
		}
		b.Lose(hung, "a")
		if !b.Spared("a") || b.Spared("b") != gone {
			t.Errorf("gone: %t; an operation that hangs once is tried again, or another is not", gone)
		}
	}
}
