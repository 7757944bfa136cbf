package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/wire"
)

// What is known about lists is a function of their history. The container 240 has the files 241 and 242.
func TestWhatIsKnownOfListsIsAFunctionOfTheirHistory(t *testing.T) {
	m, _ := newTestModel(t)
	lists, deletes := m.Contract.Operation("listCreativeMediaFiles"), m.Contract.Operation("deleteCreative")
	box := NewObject("box", lists, []int64{240}, nil)
	other := NewObject("other", lists, []int64{250}, nil)
	file := func(i int64) *Object {
		return NewObject(fmt.Sprintf("box.mediaFiles[%d]", i-241), deletes, []int64{i}, nil)
	}
	first, second := file(241), file(242)
	lone := NewObject("disposableCreatives[0]", deletes, []int64{301}, nil)
	objects := []*Object{box, other, first, second, lone}
	type event struct {
		of *Object
		Event
	}
	at := func(seq int) *wire.Exchange { return &wire.Exchange{Seq: seq} }
	read := func(seq int, o *Object, asked int64, deleted int, ids ...int64) event {
		p := pageRead{ListPage: ListPage{IDs: ids}, asked: asked, deleted: deleted}
		for _, id := range ids {
			p.Items = append(p.Items, map[string]any{"name": fmt.Sprintf("%d of %d", id, seq)})
		}
		return event{o, Event{What: Paged, In: at(seq), Page: &p}}
	}
	wrong := read(3, box, 2, 0, 249)
	wrong.Page.wrong = true
	removed := func(seq int, o *Object) event { return event{o, Event{What: Deleted, In: at(seq)}} }
	disputed := event{box, Event{What: FilesDisputed, Files: &Media{IDs: []int64{241, 243}, Count: 2}}}
	given := Media{IDs: []int64{241, 242}, Count: 2}
	seqs := func(pages ...*Event) string {
		var all []string
		for _, e := range pages {
			all = append(all, fmt.Sprint(e.In.Seq))
		}
		return strings.Join(all, " ")
	}
	current := func(o *Object, deleted int) func(*State) string {
		return func(*State) string { return seqs(o.current(deleted)...) }
	}
	left := func(s *State) string {
		return fmt.Sprint(s.left(box, given).IDs, s.left(box, given).Count, s.source(box))
	}
	for name, tc := range map[string]struct {
		events []event
		tell   func(*State) string
		want   string
	}{
		"nothing deleted beneath": {[]event{read(1, box, 1, 0), read(2, other, 1, 0)}, current(box, 0), "1"},
		"a file deleted beneath":  {[]event{read(1, box, 1, 0), read(3, box, 1, 1)}, current(box, 1), "3"},
		"the last read of a page": {
			[]event{read(1, box, 1, 0), read(2, box, 2, 0), read(3, box, 1, 0)},
			func(*State) string { return seqs(lastRead(box.pages(), 1), lastRead(box.pages(), 2)) }, "3 2",
		},
		"deletes between": {
			[]event{removed(1, lone), read(2, box, 1, 0), removed(3, first)},
			func(s *State) string { return s.deletedSince(box.pages()[0]).Key }, first.Key,
		},
		"wrong once": {
			[]event{wrong, read(4, box, 2, 0)},
			func(*State) string { return fmt.Sprint(box.listsWrong(), other.listsWrong()) }, "true false",
		},
		"an item as it was first shown": {
			[]event{read(1, other, 1, 0, 7), read(2, box, 1, 0, 6, 7), read(3, box, 2, 0, 7)},
			func(*State) string { return fmt.Sprint(box.item(7)["name"], box.item(8)) }, "7 of 2map[]",
		},
		"shown since": {
			[]event{read(1, box, 1, 0, 241), read(3, box, 1, 0, 241), read(4, other, 1, 0, 9)},
			func(s *State) string {
				return fmt.Sprint(s.Listed(2, nil, 241), s.Listed(3, nil, 241), s.Listed(0, box, 241))
			}, "true false false",
		},
		"as given":            {[]event{removed(1, lone)}, left, "[241 242] 2"},
		"less a deleted file": {[]event{removed(1, first)}, left, "[242] 1, less what was deleted"},
		"as disputed":         {[]event{disputed, removed(2, first)}, left, "[243] 1, as its first list showed them, less what was deleted"},
		"the order of deletes": {
			[]event{removed(1, lone), removed(3, second), removed(2, first)},
			func(s *State) string { return seqs(s.deletes()[2].history.events...) }, "3",
		},
	} {
		s := New(m.ModelOptions)
		s.Order = objects
		for _, o := range objects {
			o.history = &History{}
		}
		for _, e := range tc.events {
			e.of.note(e.Event)
		}
		if got := tc.tell(s); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
