package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
)

// A container may list other media files than the target file names. It is the
// operator's mistake, unless the run comes upon a media file that was there and not
// listed, or listed where it does not belong.

// disputes says whether the first list of a container is not what the target file
// says. From then on the list itself is what has to stay.
func (t *Test) disputes(o *Object, p *ListPage) bool {
	want := t.Model.Media(o)
	if by, _ := t.Model.LostFiles(o.Key); by != nil || t.Model.Lists[ListKey{Op: o.Op.ID, ID: o.ID()}] != nil {
		return false
	}
	if want.IDs != nil && p.Complete() && !slices.Equal(Sorted(p.IDs), Sorted(want.IDs)) {
		return t.disputeIDs(o, p.IDs)
	}
	if want.Count < 0 || p.TotalCount == int64(want.Count) {
		return false
	}
	t.dispute(Finding{
		Clause: o.Op.PageClause("totalCount"), Pointer: oracle.PagePointer(o.Op, "totalCount"),
		Expected: fmt.Sprintf("totalCount %d, the media files of %s", want.Count, o.Key),
		Got:      fmt.Sprint(p.TotalCount),
	}, Disputed{
		Container: o,
		Words:     fmt.Sprintf("that it has %d media files, and the target lists %d", want.Count, p.TotalCount),
	}, Media{Count: int(p.TotalCount)})
	return true
}

// disputeIDs notes that a container lists other media files than the target file
// names. It is false where that was noted before.
func (t *Test) disputeIDs(o *Object, ids []int64) bool {
	if shown, known := t.Model.ShownFiles[o.Key]; known && shown.IDs != nil {
		return false
	}
	want := t.Model.Media(o).IDs
	t.dispute(Finding{
		Clause: o.Op.Effects["members"], Pointer: dataPointer(o.Op),
		Expected: fmt.Sprintf("the media files %s of %s", IDList(want), o.Key),
		Got:      IDList(ids),
	}, Disputed{
		Container: o, Missing: less(want, ids), More: less(ids, want),
		Words: fmt.Sprintf("that it has the media files %s, and the target lists %s", IDList(want), IDList(ids)),
	}, Media{Count: len(ids), IDs: slices.Clone(ids)})
	return true
}

func (t *Test) dispute(f Finding, d Disputed, shown Media) {
	check := "list-members"
	if d.Missing == nil && d.More == nil {
		check = "list-total"
	}
	t.Model.ShownFiles[d.Container.Key] = shown
	if found := t.Find(check, f); found != nil {
		t.Result.Tentative = true
		t.Model.Outcome.Hold(TentativeFinding{Finding: found, Result: t.Result, Files: &d})
	}
}

// less is what of a is not in b.
func less(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(id int64) bool { return slices.Contains(b, id) })
}
