package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
)

// A list of the owner's objects, such as GET /campaigns, has no object in its path.
// What it has to hold is what the target file names of their kind.

// judgeHolds judges whether the ids of all pages together are those of the owner's
// objects and of nobody else's.
func (t *Test) judgeHolds(o *Object, ids []int64) {
	key := o.Op.Holds
	if key == "" {
		return
	}
	clause := o.Op.Effects["holds"]
	report := func(expected, got string) *Finding {
		return t.Find("list-members", Finding{
			Clause: clause, Pointer: dataPointer(o.Op), Expected: expected, Got: got,
		})
	}
	for _, own := range []string{key, spec.Other(key), spec.Sibling(key)} {
		id := t.Model.Lookup(own)
		if id == 0 {
			continue
		}
		t.Covered(clause)
		if !slices.Contains(ids, id) {
			f := report(fmt.Sprintf("%s, id %d, among the %s", own, id, o.Op.Items), "it is on no page")
			t.holdOwn(f, key, own)
		}
	}
	if id := t.Model.Lookup(Foreign(key)); id != 0 {
		t.Covered(clause)
		if slices.Contains(ids, id) {
			report(fmt.Sprintf("the owner's %s only", o.Op.Items), fmt.Sprintf("%s, id %d, too", Foreign(key), id))
		}
	}
}

// JudgeOthers judges that another user's page holds nothing of the owner's.
func (t *Test) JudgeOthers(o *Object, a *Answer) {
	p := PageOf(o.Op, a.Value)
	if p == nil || !a.OK {
		return
	}
	clause := o.Op.Effects["holds"]
	for _, own := range []string{o.Op.Holds, spec.Other(o.Op.Holds), spec.Sibling(o.Op.Holds)} {
		id := t.Model.Lookup(own)
		if id == 0 {
			continue
		}
		t.Covered(clause)
		if slices.Contains(p.IDs, id) {
			t.FindIn(a.Exchange, "list-members", Finding{
				Clause: clause, Pointer: dataPointer(o.Op), Expected: "the stranger's " + o.Op.Items + " only",
				Got: fmt.Sprintf("%s, id %d, of the owner", own, id),
			})
			return
		}
	}
}

// JudgeDelisted judges that nothing that an operation deleted is among the ids of a
// list; of a part of its pages only what is there says something.
func (t *Test) JudgeDelisted(op, lists *spec.Operation, ids []int64, whole bool) {
	clause := op.Effects["listed"]
	for _, o := range t.Model.Deletes {
		if o.Op != op || !o.Removed {
			continue
		}
		there := slices.Contains(ids, o.ID())
		t.CoveredIf(whole || there, clause)
		if there {
			t.Find("delete-listed", Finding{
				Clause: clause, WFC: 113, Pointer: dataPointer(lists),
				Expected: fmt.Sprintf("%s without %s, id %d, which was deleted", lists.Items, o.Key, o.ID()),
				Got:      "it is listed",
			})
		}
	}
}

// holdOwn holds a finding back until it is known that the object which is missed
// is there: the target file may be wrong.
func (t *Test) holdOwn(f *Finding, key, own string) {
	for _, op := range t.Model.Contract.Operations {
		if f == nil || op.Key() != key || op.Lists() {
			continue
		}
		if o := t.Model.Object(op, own); o != nil {
			t.hold(f, t.Result, o, http.StatusNotFound, OwnerName)
			return
		}
	}
}
