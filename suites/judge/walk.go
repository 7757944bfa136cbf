package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// NoPaging compares page 2 with page 1. The parameter has no effect when both
// the number and the items are those of page 1: then there is no walk to judge.
// When only one of the two changes, that is a violation.
func (t *Test) NoPaging(o *Object, first, second *Answer) bool {
	clause := o.Op.PageClause("page")
	number := second.List.Page != first.List.Page
	items := !slices.Equal(Sorted(first.List.IDs), Sorted(second.List.IDs))
	switch {
	case number && items:
		t.Observe("page-parameter", spec.Choice(t.Model.PageParameter(o.Op)))
		return false
	case !number && !items:
		t.Observe("page-parameter", spec.NoEffect)
		t.InPart(o.Op, fmt.Sprintf("the query parameter %s has no effect; pin pageParameter in the target file if it has another name",
			t.Model.PageParameter(o.Op)))
		return true
	}
	t.Covered(clause)
	t.FindIn(second.Exchange, CheckListPage, Finding{
		Clause: clause, Pointer: oracle.PagePointer(o.Op, "page"),
		Expected: "page 2 with the items of page 2",
		Got: fmt.Sprintf("page %d with %s", second.List.Page,
			map[bool]string{true: "the items of page 1", false: "other items than page 1"}[number]),
	})
	return true
}

// InPart notes that only the first page of a list can be seen: what is said of whole
// lists is not shown then, even if shorter ones were seen. The operator could name the
// parameter that has an effect.
func (t *Test) InPart(op *spec.Operation, reason string) {
	t.NotTested(ByOperator, reason)
	t.ReadInPart(op, reason)
}

// ReadInPart notes that some pages of a list are not read.
func (t *Test) ReadInPart(op *spec.Operation, reason string) {
	t.partly(reason, op.PageClause("totalPages"), op.Effects["members"], op.Effects["unique"])
}

// JudgePage judges a page of a walk against the first one.
func (t *Test) JudgePage(o *Object, first, a *Answer, asked int64) {
	clause := o.Op.PageClause("page")
	t.Covered(clause)
	if a.List.Page != asked {
		t.FindIn(a.Exchange, CheckListPage, Finding{
			Clause: clause, Pointer: oracle.PagePointer(o.Op, "page"),
			Expected: fmt.Sprintf("page %d, as asked for", asked),
			Got:      fmt.Sprint(a.List.Page),
		})
	}
	for _, n := range []struct {
		meaning   string
		want, got int64
	}{
		{"totalCount", first.List.TotalCount, a.List.TotalCount},
		{"totalPages", first.List.TotalPages, a.List.TotalPages},
	} {
		clause := o.Op.PageClause(n.meaning)
		if n.want != n.got {
			t.Covered(clause)
			t.FindIn(a.Exchange, CheckListWalk, Finding{
				Clause: clause, Pointer: oracle.PagePointer(o.Op, n.meaning),
				Expected: fmt.Sprintf("%s %d, as on page 1", n.meaning, n.want),
				Got:      fmt.Sprintf("%d on page %d", n.got, asked),
			})
		}
	}
}

// JudgeWalk judges the ids of all pages together.
func (t *Test) JudgeWalk(o *Object, first *Answer, ids []int64) {
	t.Covered(o.Op.PageClause("totalCount"), o.Op.PageClause("totalPages"), o.Op.Effects["members"])
	t.showing(first.Exchange).judgeUnion(o.Op, ids, first.List.TotalCount)
	lost := []string{CheckListRepeat.ID, CheckDeleteOther.ID, CheckOtherObject.ID} // what was lost since is one finding
	if !slices.ContainsFunc(t.Result.Findings, func(f *Finding) bool { return slices.Contains(lost, f.Check) }) {
		t.judgeMembers(o, ids)
	}
	t.judgeHolds(o, ids)
}

// judgeUnion judges that the pages of a list together have as many items as it says, each
// once.
func (t *Test) judgeUnion(op *spec.Operation, ids []int64, total int64) {
	clause, data := op.Effects["unique"], dataPointer(op)
	t.Covered(clause)
	if unique := slices.Compact(Sorted(ids)); len(unique) != len(ids) {
		t.Find(CheckListWalk, Finding{
			Clause: clause, Pointer: data,
			Expected: "each item on one page",
			Got: fmt.Sprintf("%d items on all pages together, %d of them again, such as id %d",
				len(ids), len(ids)-len(unique), firstRepeated(ids)),
			CauseWords: "the pages together have items twice",
		})
	}
	if int64(len(ids)) != total {
		t.Find(CheckListWalk, Finding{
			Clause: clause, Pointer: data,
			Expected: fmt.Sprintf("totalCount %d items on all pages together", total),
			Got:      wording.Count(len(ids), "item"),
		})
	}
}

// firstRepeated is the first id that was there before.
func firstRepeated(ids []int64) int64 {
	seen := map[int64]bool{}
	for _, id := range ids {
		if seen[id] {
			return id
		}
		seen[id] = true
	}
	return 0
}

// judgeTotalBeyond judges that a page which does not exist tells of as many items as page 1.
func (t *Test) judgeTotalBeyond(c *Call, p *ListPage) {
	seen := t.Model.Lists[ListKey{Op: c.Op.ID, ID: c.Object.ID()}]
	if seen == nil || seen.Pages[1] == nil || t.Model.wrong[listOf(c.Object)] ||
		seen.Removed != t.Model.Outcome.removed.Load() || t.mayDiffer(c.Op, seen) || len(t.Model.deletes) > seen.deletes {
		return
	}
	t.Covered(c.Op.PageClause("totalCount"))
	if total := seen.Pages[1].TotalCount; p.TotalCount != total {
		t.Find(CheckListTotal, Finding{
			Clause: c.Op.PageClause("totalCount"), Pointer: oracle.PagePointer(c.Op, "totalCount"),
			Expected: fmt.Sprintf("totalCount %d, as page 1 shows", total),
			Got:      fmt.Sprint(p.TotalCount),
			Requests: t.after(seen.readIn[1], fmt.Sprintf("totalCount %d", total), fmt.Sprintf("totalCount %d", p.TotalCount)),
		})
	}
}

// JudgeBeyond compares pages beyond the last. Where the first of them has no items, the others
// have none either: items under such a number were found by arithmetic that overflowed.
func (t *Test) JudgeBeyond(o *Object, answers []*Answer) {
	there := func(a *Answer) bool { return a.List != nil && len(a.List.IDs) > 0 }
	clause := o.Op.PageClause("page")
	for _, a := range answers[1:] {
		if there(answers[0]) || a.List == nil {
			continue
		}
		t.Covered(clause)
		if last := max(1, a.List.TotalPages); there(a) && (a.List.Page < 1 || a.List.Page > last) {
			t.FindIn(a.Exchange, CheckListPage, Finding{
				Clause: clause, Pointer: oracle.PagePointer(o.Op, "page"),
				Expected: fmt.Sprintf("no items on a page after the last, %d, as on page %d", last, answers[0].Call.Page),
				Got:      fmt.Sprintf("%s on page %d", wording.Count(len(a.List.IDs), "item"), a.List.Page),
			})
		}
	}
}

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
		return t.Find(CheckListMembers, Finding{
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
			t.FindIn(a.Exchange, CheckListMembers, Finding{
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
	for _, o := range t.Model.deletes {
		if o.Op != op || !o.Removed {
			continue
		}
		there := slices.Contains(ids, o.ID())
		t.CoveredIf(whole || there, clause)
		if there {
			t.Find(CheckDeleteListed, Finding{
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
