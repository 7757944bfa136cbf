package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// Histories are written out, with what is known of an object after each. The name in the target file is
// Spring video. As a twin, a second operation updates the same object.
func TestWhatIsKnownIsAFunctionOfTheHistory(t *testing.T) {
	_, op := newTestModel(t)
	twin := *op
	twin.ID = "replaceCampaign"
	words := func(v ...any) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }
	type fields = map[string]any
	name := func(v any) fields { return fields{"name": v} }
	set := func(v string) Event { return Event{What: Set, Values: name(v)} }
	in := func(seq int) *wire.Exchange { return &wire.Exchange{Seq: seq} }
	dated := func(text string, changed bool) Event {
		at, _ := oracle.ReadMoment(text)
		return Event{What: Dated, Date: &dating{shows: at, changed: changed}}
	}
	last := func(o *Object) any { v, known := o.Last("name"); return words(v, known) }
	uncertain := func(o *Object) any { return o.Uncertain() }
	earlier := func(o *Object) any { return words(o.earlier("name")) }
	refusedWith := func(o *Object) any { return len(o.refusedWith("name", "x")) }
	refusals := func(o *Object) any { return len(o.Refusals()) }
	original := func(o *Object) any { v, e := o.original("name"); return words(v, e != nil) }
	touched := func(o *Object) any { return o.Touched() }
	deleted := func(o *Object) any { return words(o.Deleted(), o.Removed(), o.deletedIn() != nil) }
	tookLast := func(v any) func(*Object) any {
		return func(o *Object) any { return o.tookLast(op.Body.Field("name"), v) }
	}
	standing := func(o *Object) any {
		last, first := o.dated()
		return words(last != nil, first != nil && first == o.history.events[0].Date)
	}
	for _, tc := range []struct {
		name   string
		events []Event
		tell   func(*Object) any
		want   any
	}{
		{"alive", []Event{{What: Forbidden}, {What: Served}}, func(o *Object) any { return o.Alive() }, true},
		{"alive to a twin", []Event{{What: Served, Op: &twin}}, func(o *Object) any { return o.Alive() }, false},
		{"shown to exist", []Event{{What: Denied}}, func(o *Object) any { return words(o.Alive(), o.ShownToExist()) }, "false true"},

		{"deleted", []Event{{What: Deleted, Status: 204, In: in(1)}}, deleted, "true true true"},
		{"deleted, it seems", []Event{{What: Lost}, {What: Deleted}}, deleted, "true false false"},
		{"deleted after a lost answer", []Event{{What: Deleted}, {What: Deleted, Status: 204, In: in(2)}}, deleted, "true true false"},

		{"certain", nil, uncertain, false},
		{"lost", []Event{{What: Sure}, {What: Lost}}, uncertain, true},
		{"lost, and read again", []Event{{What: Lost}, set("x"), {What: Sure}}, uncertain, false},
		{"two writers", []Event{{What: Sure}, {What: Unsure}}, uncertain, true},
		{
			"timed out, and read again",
			[]Event{{What: Lost, Wrote: true, Late: true}, {What: Sure}},
			func(o *Object) any { return o.Late() }, true,
		},

		{"unknown", []Event{{What: Tried, Values: name("x")}}, last, "<nil> false"},
		{"set", []Event{set("x"), set("y")}, last, "y true"},
		{"set by a twin", []Event{set("x"), {What: Set, Op: &twin, Values: name("y")}}, last, "y true"},
		{"shown", []Event{set("x"), {What: Shown, As: Stale, Values: name("w")}}, last, "w true"},
		{"shown beside", []Event{set("x"), {What: Shown, Beside: true, Values: name("w")}}, last, "x true"},
		{"set and lost", []Event{set("x"), {What: Lost}}, last, "x false"},
		{"earlier", []Event{set("x"), {What: Shown, Values: name("w")}, set("y"), set("y")}, earlier, "[w]"},
		{"had", []Event{set("x"), set("y")}, func(o *Object) any {
			return words(o.had("name", "x"), o.had("name", "y"), o.had("name", "Spring video"))
		}, "true false true"},
		{
			"had, as it was taken",
			[]Event{{What: Tried, Values: name("a text that was refused")}, {What: Taken, Values: name("a text that was taken")}},
			func(o *Object) any {
				return words(o.had("name", "a text that was refused"), o.had("name", "a text that was taken"))
			}, "false true",
		},
		{"took last", []Event{{What: Taken, Values: name("x")}, set("w")}, tookLast("x"), true},
		{"took before the last", []Event{{What: Taken, Values: name("x")}, {What: Taken, Values: name("y")}}, tookLast("x"), false},
		{"reset since", []Event{{What: Taken, Values: name("x")}, {What: Shown, As: Default, Values: name("d")}}, tookLast("x"), false},

		{"original", []Event{{What: Shown, As: First, Values: name("o")}, set("x")}, original, "o true"},
		{"first shown after an update", []Event{set("x"), {What: Shown, As: First, Values: name("o")}}, original, "<nil> false"},
		{"first shown, and sent elsewhere", []Event{{What: Shown, As: OfOther, Values: name("o")}}, original, "<nil> false"},

		{"refused", []Event{{What: Refused}, {What: Refused}}, refusals, 2},
		{"refused, and looked at", []Event{{What: Refused}, {What: Looked}, {What: Refused}}, refusals, 1},
		{"refused, and overwritten", []Event{{What: Refused}, {What: Set, In: in(1), Values: name("x")}}, refusals, 0},
		{"refused, and overwritten by what was not shown", []Event{{What: Refused}, set("x")}, refusals, 1},
		{"refused by a twin", []Event{{What: Refused, Op: &twin}}, refusals, 0},
		{"refused, and overwritten by a twin", []Event{{What: Refused}, {What: Set, Op: &twin, Values: name("x")}}, refusals, 0},
		{
			"refused with",
			[]Event{{What: Refused, Status: 403, Values: name("x")}, {What: Refused, Status: 422, Values: name("x")}},
			refusedWith, 2,
		},
		{"refused with what was set", []Event{set("x"), set("y"), {What: Refused, Status: 422, Values: name("x")}}, refusedWith, 0},

		{"untouched", []Event{{What: Lost}, set("x"), {What: Shown, As: Default, Values: name("d")}}, touched, false},
		{"touched by a lost update", []Event{{What: Lost, Wrote: true}}, touched, true},
		{"touched by a refused one", []Event{{What: Shown, As: OfRefused, Values: name("x")}}, touched, true},
		{
			"changed",
			[]Event{{What: Set, Op: &twin, Values: name("x")}},
			func(o *Object) any { return words(o.Changed(), o.written()) }, "false true",
		},
		{"set in", []Event{{What: Set, In: in(3), Values: name("x")}, set("y")}, func(o *Object) any { return o.setIn().Seq }, 3},
		{
			"constant",
			[]Event{
				{What: Constant, In: in(1), Values: fields{"type": "video"}},
				{What: Constant, Values: fields{"userId": 7}},
			},
			func(o *Object) any { v, in := o.Constant("type"); return words(v, in.Seq) }, "video 1",
		},
		{
			"unknown texts",
			[]Event{{What: Shown, unknown: true, Values: name("x")}, {What: Shown, Values: name("y")}},
			func(o *Object) any { return words(o.HasUnknown("x"), o.HasUnknown("y")) }, "true false",
		},

		{"not dated by the run", []Event{dated("2025-06-15", false)}, standing, "true false"},
		{"the same date", []Event{dated("2025-06-15", true), dated("2025-06-15", true)}, standing, "true true"},
		{"another date", []Event{dated("2025-06-15", true), dated("2025-06-16", true)}, standing, "true false"},
	} {
		o := NewObject("campaign", op, []spec.ID{"25"}, fields{"name": "Spring video"})
		for _, e := range tc.events {
			o.note(e)
		}
		if got := tc.tell(o); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
