package engine

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/spec"
)

// A container may list other media files than the target file names. It is the
// operator's mistake, unless the run comes upon a media file that was there and not
// listed, or listed where it does not belong.

// disputed are media files in which the target file and a container's first list
// differ.
type disputed struct {
	container     *Object
	missing, more []int64 // from the list, and in it; empty where only a number is named
	words         string
}

// disputes says whether the first list of a container is not what the target file
// says. From then on the list itself is what has to stay.
func (t *Test) disputes(o *Object, p *listPage) bool {
	want := t.Model.Media(o)
	if by, _ := t.Model.lostFiles(o.Key); by != nil || t.Model.lists[listKey{op: o.Op.ID, id: o.ID()}] != nil {
		return false
	}
	if want.IDs != nil && p.Complete() && !slices.Equal(sorted(p.IDs), sorted(want.IDs)) {
		return t.disputeIDs(o, p.IDs)
	}
	if want.Count < 0 || p.TotalCount == int64(want.Count) {
		return false
	}
	t.dispute(Finding{
		Clause: o.Op.PageClause("totalCount"), Pointer: t.paginationPointer(o.Op, "totalCount"), Expected: fmt.Sprintf("totalCount %d, the media files of %s", want.Count, o.Key), Got: fmt.Sprint(p.TotalCount),
	}, disputed{container: o, words: fmt.Sprintf("that it has %d media files, and the target lists %d", want.Count, p.TotalCount)}, Media{Count: int(p.TotalCount)})
	return true
}

// disputeIDs notes that a container lists other media files than the target file
// names. It is false where that was noted before.
func (t *Test) disputeIDs(o *Object, ids []int64) bool {
	if shown, known := t.Model.shownFiles[o.Key]; known && shown.IDs != nil {
		return false
	}
	want := t.Model.Media(o).IDs
	t.dispute(Finding{
		Clause: o.Op.Effects["members"], Pointer: "/" + o.Op.Success.Field("data").Name, Expected: fmt.Sprintf("the media files %s of %s", idList(want), o.Key), Got: idList(ids),
	}, disputed{
		container: o, missing: less(want, ids), more: less(ids, want),
		words: fmt.Sprintf("that it has the media files %s, and the target lists %s", idList(want), idList(ids)),
	}, Media{Count: len(ids), IDs: slices.Clone(ids)})
	return true
}

func (t *Test) dispute(f Finding, d disputed, shown Media) {
	check := "list-members"
	if d.missing == nil && d.more == nil {
		check = "list-total"
	}
	t.Model.shownFiles[d.container.Key] = shown
	if found := t.find(check, f); found != nil {
		t.Result.Doubtful = true
		t.Model.Outcome.doubt(doubt{finding: found, result: t.Result, files: &d})
	}
}

// less is what of a is not in b.
func less(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(id int64) bool { return slices.Contains(b, id) })
}

// listsWrongly says whether the run shows that a list is wrong, not the target file.
func (t *T) listsWrongly(d *disputed) bool {
	kind := d.container.thing().kind
	if slices.ContainsFunc(d.missing, func(id int64) bool { return t.Test.Model.Outcome.used[thing{kind, id}] }) {
		return true // it was there
	}
	for key, seen := range t.Test.Model.lists {
		if key.op != d.container.Op.ID || key.id == d.container.ID() {
			continue
		}
		for _, p := range seen.pages {
			if slices.ContainsFunc(p.IDs, func(id int64) bool { return slices.Contains(d.more, id) }) {
				return true // another container has it
			}
		}
	}
	return len(d.more) > 0 && slices.ContainsFunc(t.strangersFiles(d.container.Op), func(id int64) bool { return slices.Contains(d.more, id) })
}

// strangersFiles are the media files that the stranger's container lists to the
// stranger.
func (t *T) strangersFiles(lists *spec.Operation) []int64 {
	id := t.Test.Model.Target.Foreign.VastCreative
	if id == 0 || t.Test.Model.Target.Credentials.Stranger == "" || t.Ctx.Err() != nil {
		return nil
	}
	if a := t.ask(Call{Op: lists, Path: []string{fmt.Sprint(id)}, As: t.Test.Model.Stranger()}, Expect{}); a.OK {
		if p := t.Test.page(lists, a.Value); p != nil {
			return p.IDs
		}
	}
	return nil
}
