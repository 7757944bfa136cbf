package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A history of one register is written out, a word for each event in the order in which they happen:
//
//	set:x        an update to x, from its first byte to its answer
//	begin:x      the first byte of such an update, whose answer comes later
//	end:x        that answer: the update was carried out
//	refuse:x     that answer: it was refused
//	fail:x       that answer: it may have been carried out (5xx)
//	lose:x       its connection ended: it may still be carried out
//	anything     a request after which the register may hold anything
//	read:x       a read that shows x
//	open, close  the begin and end of a read, during which other events happen
func TestRegister(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ what, history, want string }{
		{"what nothing has set may be anything", "", "anything"},
		{"what a read showed is what it holds", "read:a", "a"},
		{"an update replaces it", "read:a set:b", "b"},
		{"and so does the next one", "set:a set:b", "b"},
		{"a refused update sets nothing", "set:a begin:b refuse:b", "a"},
		{"an update that failed may have been carried out", "set:a begin:b fail:b", "b a"},
		{"until a read shows that it was not", "set:a begin:b fail:b read:a", "a"},
		{"or that it was", "set:a begin:b fail:b read:b", "b"},
		{"an update that was lost may still be carried out, even after a read", "set:a begin:b lose:b read:a", "b a"},
		{"once it was seen, it is over", "set:a begin:b lose:b read:b", "b"},
		{"the next update replaces what a failed one may have set", "set:a begin:b fail:b set:c", "c"},
		{"but not what a lost one may still set", "set:a begin:b lose:b set:c", "b c"},
		{"of two updates at once either may be the last", "begin:a begin:b end:a end:b", "b a"},
		{"but not of one that ended before another began", "begin:a begin:b end:a begin:c end:c end:b", "b c"},
		{"a read decides which it was", "begin:a begin:b end:a end:b read:a", "a"},
		{"a read during an update shows either", "set:a open begin:b end:b", "b a"},
		{"a read that shows the old value says nothing about later ones", "set:a open begin:b end:b close:a", "b"},
		{"a read before an update cannot show it", "set:a open close:a begin:b", "b a"},
		{"what may be anything is what a read shows", "set:a anything read:x", "x"},
		{"what may be anything may also be as before", "set:a anything", "anything a"},
		{"a value that nothing set is what it holds from then on", "set:a read:x", "x"},
	} {
		if got := tellRegister(tc.history); got != tc.want {
			t.Errorf("%s: after %q a read may show %q, want %q", tc.what, tc.history, got, tc.want)
		}
	}
}

// Whether a read is allowed.
func TestRegisterJudgesReads(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]bool{
		"":                                    true,
		"set:a":                               false,
		"set:x":                               true,
		"set:x set:a":                         false,
		"set:a begin:x":                       true,
		"set:a begin:x refuse:x":              false,
		"set:a begin:x fail:x":                true,
		"set:a begin:x fail:x read:a":         false,
		"set:a begin:x fail:x set:a":          false,
		"set:a begin:x lose:x read:a":         true,
		"set:a anything":                      true,
		"set:a anything set:a":                false,
		"begin:x begin:a end:x end:a":         true,
		"begin:x begin:a end:x end:a read:a":  false,
		"begin:x end:x begin:a fail:a":        true,
		"set:a read:x":                        true,
		"set:x read:a set:b read:b read:a":    false,
		"set:x open set:a":                    true,
		"set:x open set:a close:x":            false,
		"begin:x begin:a end:a end:x set:a":   false,
		"begin:x lose:x set:a set:b set:c":    true,
		"begin:x lose:x read:x set:a read:a ": false,
	} {
		r, read := history2register(history)
		if got := r.narrow(read, "x", nil); got != want {
			t.Errorf("after %q a read of x is allowed: %v, want %v", history, got, want)
		}
	}
}

func tellRegister(history string) string {
	r, read := history2register(history)
	var values []string
	for _, w := range r.candidates(read) {
		value := fmt.Sprint(w.value)
		if w.anything {
			value = "anything"
		}
		values = append(values, value)
	}
	return strings.Join(values, " ")
}

// history2register returns the register after a history, and the span of a read that follows it, or that it has opened.
func history2register(history string) (*register, span) {
	now := time.Unix(0, 0)
	tick := func() time.Time { now = now.Add(time.Second); return now }
	r := newRegister(func(a, b any) bool { return a == b })
	begun, opened := map[string]*write{}, time.Time{}
	for event := range strings.FieldsSeq(history) {
		what, value, _ := strings.Cut(event, ":")
		at := tick()
		switch what {
		case "set":
			r.set(&write{span: span{at, tick()}, value: value})
		case "begin":
			begun[value] = &write{span: span{Start: at}, value: value}
			r.begin(begun[value])
		case "end":
			r.settle(begun[value], at, false)
		case "fail":
			r.settle(begun[value], at, true)
		case "refuse":
			r.cancel(begun[value])
		case "anything":
			r.settle(&write{span: span{at, tick()}, anything: true}, now, true)
		case "read":
			r.narrow(span{at, tick()}, value, nil)
		case "open":
			opened = at
		case "close":
			r.narrow(span{opened, at}, value, nil)
			opened = time.Time{}
		}
	}
	if opened.IsZero() {
		opened = tick()
	}
	return r, span{opened, tick()}
}
