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
	at := func(seq int) *wire.Exchange { return &wire.Exchange{Seq: seq} }
	read := func(seq int, o *Object, asked int64, deleted int, ids ...int64) ListEvent {
		p := ListPage{IDs: ids}
		for _, id := range ids {
			p.Items = append(p.Items, map[string]any{"name": fmt.Sprintf("%d of %d", id, seq)})
		}
		return ListEvent{What: PageShown, Of: o, In: at(seq), Asked: asked, Shows: p, Deleted: deleted}
	}
	wrong := read(3, box, 2, 0, 249)
	wrong.Wrong = true
	removed := func(seq int, o *Object) ListEvent { return ListEvent{What: DeleteAccepted, Of: o, In: at(seq)} }
	disputed := ListEvent{What: FilesDisputed, Of: box, Files: Media{IDs: []int64{241, 243}, Count: 2}}
	given := Media{IDs: []int64{241, 242}, Count: 2}
	seqs := func(h Lists) string {
		var all []string
		for _, e := range h {
			all = append(all, fmt.Sprint(e.In.Seq))
		}
		return strings.Join(all, " ")
	}
	current := func(o *Object, deleted int) func(Lists) string {
		return func(h Lists) string { return seqs(h.current(o, deleted)) }
	}
	left := func(h Lists) string {
		return fmt.Sprint(h.left(box, given).IDs, h.left(box, given).Count, h.source(box))
	}
	for name, tc := range map[string]struct {
		events []ListEvent
		tell   func(Lists) string
		want   string
	}{
		"nothing deleted beneath": {[]ListEvent{read(1, box, 1, 0), read(2, other, 1, 0)}, current(box, 0), "1"},
		"a file deleted beneath":  {[]ListEvent{read(1, box, 1, 0), read(3, box, 1, 1)}, current(box, 1), "3"},
		"the last read of a page": {
			[]ListEvent{read(1, box, 1, 0), read(2, box, 2, 0), read(3, box, 1, 0)},
			func(h Lists) string { return seqs(Lists{h.page(1), h.page(2)}) }, "3 2",
		},
		"deletes between": {
			[]ListEvent{removed(1, lone), read(2, box, 1, 0), removed(3, first)},
			func(h Lists) string { return seqs(h.after(h[1]).deletes()) }, "3",
		},
		"wrong once": {
			[]ListEvent{wrong, read(4, box, 2, 0)},
			func(h Lists) string { return fmt.Sprint(h.wrong(box), h.wrong(other)) }, "true false",
		},
		"an item as it was first shown": {
			[]ListEvent{read(1, other, 1, 0, 7), read(2, box, 1, 0, 6, 7), read(3, box, 2, 0, 7)},
			func(h Lists) string { return fmt.Sprint(h.item(box, 7)["name"], h.item(box, 8)) }, "7 of 2map[]",
		},
		"shown since": {
			[]ListEvent{read(1, box, 1, 0, 241), read(3, box, 1, 0, 241), read(4, other, 1, 0, 9)},
			func(h Lists) string { return seqs(h.showed(at(2), 241)) }, "3",
		},
		"as given":            {[]ListEvent{removed(1, lone)}, left, "[241 242] 2"},
		"less a deleted file": {[]ListEvent{removed(1, first)}, left, "[242] 1, less what was deleted"},
		"as disputed":         {[]ListEvent{disputed, removed(2, first)}, left, "[243] 1, as its first list showed them, less what was deleted"},
		"the last delete of something else": {
			[]ListEvent{removed(1, lone), removed(2, first), removed(3, second)},
			func(h Lists) string { return seqs(Lists{h.lastDelete(second), h.lastDelete(first)}) }, "2 3",
		},
	} {
		s := New(m.Contract, m.Target, 1)
		for _, e := range tc.events {
			s.noteList(e)
		}
		if got := tc.tell(s.lists); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
