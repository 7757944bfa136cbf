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

// blame says which delete an object is gone after, and what that breaks.
func blame(s *State, gone *Object) string {
	c := s.culprit(gone)
	if c == nil {
		return "none"
	}
	check, clause := c.breaks()
	words := fmt.Sprint(check.ID, " ", clause, " ", c.In.Seq)
	if c.later != nil {
		words += fmt.Sprint(" or ", c.later.In.Seq)
	}
	if n := len(c.alike); n > 1 {
		words += fmt.Sprint(", of ", n)
	}
	return words
}

// What is known about lists is a function of their history. The container 240 has the files 241 and 242.
func TestWhatIsKnownOfListsIsAFunctionOfTheirHistory(t *testing.T) {
	m, _ := newTestModel(t)
	lists, deletes := m.Contract.Operation("listCreativeMediaFiles"), m.Contract.Operation("deleteCreative")
	box := NewObject("disposableVastCreatives[0]", lists, []spec.ID{"240"}, nil)
	other := NewObject("other", lists, []spec.ID{"250"}, nil)
	file := func(i int64) *Object {
		return NewObject(fmt.Sprintf("disposableVastCreatives[0].mediaFiles[%d]", i-241), deletes, []spec.ID{spec.Decimal(i)}, nil)
	}
	first, second := file(241), file(242)
	lone := NewObject("disposableCreatives[0]", deletes, []spec.ID{"301"}, nil)
	none := m.UnknownObject(deletes)
	objects := []*Object{box, other, first, second, lone, none}
	type event struct {
		of *Object
		Event
	}
	at := func(seq int) *wire.Exchange { return &wire.Exchange{Seq: seq} }
	read := func(seq int, o *Object, asked int64, ids ...spec.ID) event {
		p := pageRead{ListPage: ListPage{IDs: ids, TotalCount: int64(len(ids))}, asked: asked}
		for _, id := range ids {
			p.Items = append(p.Items, map[string]any{"name": fmt.Sprintf("%s of %d", id, seq)})
		}
		return event{o, Event{What: Paged, In: at(seq), Page: &p}}
	}
	removed := func(seq int, o *Object) event { return event{o, Event{What: Deleted, Status: 204, In: at(seq)}} }
	answered := func(status, seq int, o *Object) event {
		return event{o, Event{What: Refused, Status: status, In: at(seq)}}
	}
	blamed := func(gone *Object) func(*State) string {
		return func(s *State) string { return blame(s, gone) }
	}
	lost := func(o *Object) event { return event{o, Event{What: Lost}} }
	media := func(s *State) string {
		m := s.media(box)
		return fmt.Sprint(m.IDs, " ", m.Count, " ", m.listed, " ", len(m.since))
	}
	for name, tc := range map[string]struct {
		events []event
		tell   func(*State) string
		want   string
	}{
		"the last read of a page": {
			[]event{read(1, box, 1), read(2, box, 2), read(3, box, 1)},
			func(*State) string {
				return fmt.Sprint(box.lastRead(1).In.Seq, box.lastRead(2).In.Seq, other.lastRead(1))
			}, "3 2 <nil>",
		},
		"a list that was never shown": {[]event{removed(1, first)}, blamed(box), "none"},
		"a list that was shown since": {[]event{removed(1, first), read(2, box, 1)}, blamed(box), "none"},
		"a list, before a delete":     {[]event{read(2, box, 1), removed(3, lone)}, blamed(box), "delete-other DELETE-4 3"},
		"a list, before a refused one of its own": {
			[]event{read(2, box, 1), answered(403, 3, first)}, blamed(box), "refused-delete EFFECT-1 3",
		},
		"a list, before one of an unknown id": {[]event{read(2, box, 1), answered(404, 3, none)}, blamed(box), "none"},
		"gone, and none deleted":              {nil, blamed(second), "none"},
		"gone, and listed since":              {[]event{removed(1, first), read(2, box, 1, "242")}, blamed(second), "none"},
		"gone after a delete":                 {[]event{removed(1, lone), removed(2, first)}, blamed(second), "delete-other DELETE-4 2, of 2"},
		"gone after a refused delete of it": {
			[]event{removed(1, first), answered(403, 2, second)}, blamed(second), "refused-delete EFFECT-1 2",
		},
		"gone after either": {
			[]event{answered(403, 1, second), removed(2, first)}, blamed(second), "refused-delete EFFECT-1 1 or 2",
		},
		"gone, and the refusal is innocent": {
			[]event{answered(403, 1, first), answered(403, 2, second), removed(3, first)}, blamed(second), "delete-other DELETE-4 3",
		},
		"gone after a delete of an unknown id": {
			[]event{{second, Event{What: Denied}}, answered(403, 1, first), answered(403, 2, second), answered(404, 3, none), removed(4, first)},
			blamed(second), "refused-delete EFFECT-1 3 or 4",
		},
		"gone after one of two deletes of unknown ids": {
			[]event{{second, Event{What: Denied}}, answered(404, 1, none), answered(404, 2, none)}, blamed(second), "refused-delete EFFECT-1 2",
		},
		"gone after one of two refused deletes of it": {
			[]event{{second, Event{What: Denied}}, answered(403, 1, second), answered(403, 2, second)},
			blamed(second), "refused-delete EFFECT-1 2, of 2",
		},
		"gone after an accepted delete of what is no id": {
			[]event{answered(403, 1, second), answered(204, 2, none), removed(3, first)}, blamed(second), "delete-other DELETE-4 2",
		},
		"an item as it was first shown": {
			[]event{read(1, other, 1, "7"), read(2, box, 1, "6", "7"), read(3, box, 2, "7")},
			func(*State) string { return fmt.Sprint(box.item("7")["name"], box.item("8")) }, "7 of 2map[]",
		},
		"listed since": {
			[]event{read(1, box, 1, "241"), read(3, box, 1, "241"), read(4, other, 1, "9")},
			func(s *State) string {
				return fmt.Sprint(s.Listed(nil, "241"), s.Listed(box, "241"))
			}, "3 0",
		},
		"as given":                     {[]event{removed(1, lone)}, media, "[241 242] 2 false 0"},
		"less a deleted file":          {[]event{removed(1, first)}, media, "[242] 1 false 1"},
		"as shown":                     {[]event{read(1, box, 1, "241", "243")}, media, "[241 243] 2 true 0"},
		"as shown, less a file":        {[]event{read(1, box, 1, "241", "243", "7"), removed(2, first)}, media, "[243 7] 2 true 1"},
		"as shown after a delete":      {[]event{removed(1, first), read(2, box, 1, "241")}, media, "[241] 1 true 0"},
		"deleted, perhaps":             {[]event{read(1, box, 1, "241"), lost(first)}, media, "[] -1 false 0"},
		"shown since":                  {[]event{lost(first), read(1, box, 1, "241")}, media, "[241] 1 true 0"},
		"shown since, and deleted now": {[]event{lost(first), read(1, box, 1, "241"), removed(2, first)}, media, "[] 0 true 1"},
		"the order of deletes": {
			[]event{removed(1, lone), removed(3, second), removed(2, first)},
			func(s *State) string {
				return fmt.Sprint(s.lastDelete(func(o *Object) bool { return o != lone }).In.Seq)
			}, "3",
		},
	} {
		s := New(m.ModelOptions)
		s.Order = objects
		for _, o := range objects {
			o.history = &History{}
		}
		for _, e := range tc.events {
			if e.Page != nil {
				e.Page.deleted = s.shortened(e.of)
			}
			e.of.note(e.Event)
		}
		if got := tc.tell(s); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
