package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// NoPaging compares page 2 with page 1 and reports whether the page parameter has no effect, because both the
// number and the items are those of page 1. If only one of the two changes, that is a violation.
func (t *Test) NoPaging(o *Object, first, second *Answer) bool {
	number, items := second.List.Page != first.List.Page, !alike(first.List.IDs, second.List.IDs)
	parameter := t.Model.PageParameter(o.Op)
	switch {
	case number && items:
		t.Observe("page-parameter", spec.Choice(parameter))
	case !number && !items:
		t.Observe("page-parameter", spec.NoEffect)
		t.InPart(o.Op, "the query parameter "+parameter+" has no effect; pin pageParameter in the target file if it has another name")
	default:
		items := map[bool]string{true: "the items of page 1", false: "other items than page 1"}[number]
		t.requirePage(false, CheckListPage, o.Op, "page", second,
			"page 2 with the items of page 2", fmt.Sprintf("page %d with %s", second.List.Page, items))
	}
	return !number || !items
}

// requirePage judges a number of a page.
func (t *Test) requirePage(holds bool, check *Check, op *spec.Operation, meaning string, a *Answer, expected, got string) {
	f := ofPage(op, meaning, expected, got)
	f.Name = fmt.Sprint(a.List.Page)
	t.showing(a.Exchange).require(holds, check, f)
}

// InPart ends a case that can see only the first page of a list. The operator could name the parameter that
// selects pages.
func (t *Test) InPart(op *spec.Operation, reason string) {
	t.NotTested(ByOperator, reason)
	t.ReadInPart(op, reason)
}

// ReadInPart notes that some pages of a list are not read, so that clauses about whole lists are not tested,
// even if shorter lists were.
func (t *Test) ReadInPart(op *spec.Operation, reason string) {
	reason = t.Model.Presentable(reason)
	for _, id := range []string{op.PageClause("totalPages"), op.Effects["members"], op.Effects["unique"]} {
		if id != "" {
			t.Model.Outcome.hide(id, t.about(id), reason)
		}
	}
}

// JudgePage compares a page of a walk with the first one.
func (t *Test) JudgePage(o *Object, first, a *Answer, asked int64) {
	t.requirePage(a.List.Page == asked, CheckListPage, o.Op, "page", a, fmt.Sprintf("page %d, as asked for", asked), fmt.Sprint(a.List.Page))
	for _, m := range []struct {
		meaning   string
		want, got int64
	}{
		{"totalCount", first.List.TotalCount, a.List.TotalCount}, {"totalPages", first.List.TotalPages, a.List.TotalPages},
	} {
		if m.want != m.got { // pages that agree do not show that the number is right
			t.requirePage(false, CheckListWalk, o.Op, m.meaning, a,
				fmt.Sprintf("%s %d, as on page 1", m.meaning, m.want), fmt.Sprintf("%d on page %d", m.got, asked))
		}
	}
}

// JudgeWalk judges all pages together: the list has to hold as many items as it says, each once, including those that the
// target file names.
func (t *Test) JudgeWalk(o *Object, pages []*Answer) {
	op, clause, first := o.Op, o.Op.Effects["unique"], pages[0]
	t.Covered(clause, op.PageClause("totalCount"), op.PageClause("totalPages"), op.Effects["members"])
	var ids []spec.ID
	var again *wire.Exchange // the first page with an item of an earlier one
	on, twice := map[spec.ID]*Answer{}, ofItems(op, clause, "each item on one page", "")
	for _, page := range pages {
		for _, id := range page.List.IDs {
			ids, on[id] = append(ids, id), cmp.Or(on[id], page)
			if on[id] != page && again == nil {
				again = page.Exchange
				twice.Names = fmt.Sprintf("item %s on pages %d and %d", id, max(on[id].Call.Page, 1), page.Call.Page)
				twice.Requests = []oracle.Request{t.request(on[id].Exchange, "with the item"), t.request(again, "with it again")}
			}
		}
	}
	total := first.List.TotalCount
	if again != nil { // from that page on the numbers do not fit the items because of it
		t.withdraw(func(f *Finding) bool { return f.IsPageTotal() && f.Exchange >= again.Seq })
		twice.Cause = finding.CauseOf(finding.ItemsTwice)
		twice.Got = fmt.Sprintf("%s; %d items on all pages together, %d of them again, where totalCount is %d",
			twice.Names, len(ids), len(ids)-len(on), total)
		t.FindIn(again, CheckListWalk, twice)
	}
	if len(on) < len(ids) { // what is missing follows from what is there twice; the oracle reports it if that is on one page
		return
	}
	at := t.showing(first.Exchange)
	differs := slices.ContainsFunc(t.Result.Findings, func(f *Finding) bool { return f.Check == CheckListWalk.ID })
	size := int64(len(first.List.IDs))
	lacking := !differs && t.Model.media(o).lacks(ids, total) && size > 0 && (total-1)/size+1 == first.List.TotalPages
	if int64(len(ids)) != total {
		f := ofItems(op, clause, fmt.Sprintf("totalCount %d items on all pages together", total), wording.Count(len(ids), "item"))
		if lacking {
			f.Cause = finding.CauseOf(finding.MissingItems)
		}
		at.Find(CheckListWalk, f)
	}
	lost := []string{CheckListRepeat.ID, CheckDeleteOther.ID, CheckOtherObject.ID} // they have reported what is missing
	if !lacking && !slices.ContainsFunc(t.Result.Findings, func(f *Finding) bool { return slices.Contains(lost, f.Check) }) {
		t.judgeFiles(o, ids, true, -1)
	}
	t.noteList(o, ListPage{IDs: ids, TotalCount: total}, 0)
	t.judgeHolds(o, ids)
}

// judgeTotalBeyond checks that a page that does not exist has the totalCount of page 1.
func (t *Test) judgeTotalBeyond(o *Object, p *ListPage) {
	first, repeats := o.lastRead(1), o.Op.Effects["repeats"]
	if first == nil || len(first.since(t.Model.shortened(o))) > 0 || first.Page.Twice() ||
		t.Model.culprit(o) != nil || t.Model.Outcome.broke(repeats, o.Op) {
		return
	}
	total := first.Page.TotalCount
	f := ofPage(o.Op, "totalCount", fmt.Sprintf("totalCount %d, as page 1 shows", total), fmt.Sprint(p.TotalCount))
	f.Requests = t.after(first.In, fmt.Sprintf("totalCount %d", total), fmt.Sprintf("totalCount %d", p.TotalCount))
	t.require(p.TotalCount == total, CheckListTotal, f)
}

// JudgeBeyond compares pages beyond the last. If the first of them has no items, the others may not have any:
// the server's arithmetic has overflowed.
func (t *Test) JudgeBeyond(o *Object, answers []*Answer) {
	there := func(a *Answer) bool { return a.List != nil && len(a.List.IDs) > 0 }
	for _, a := range answers[1:] {
		if there(answers[0]) || a.List == nil {
			continue
		}
		last := max(1, a.List.TotalPages)
		t.requirePage(!there(a) || a.List.Page >= 1 && a.List.Page <= last, CheckListPage, o.Op, "page", a,
			fmt.Sprintf("no items on a page after the last, %d, as on page %d", last, answers[0].Call.Page),
			fmt.Sprintf("%s on page %d", wording.Count(len(a.List.IDs), "item"), a.List.Page))
	}
}

// A list of the owner's objects, such as GET /campaigns, has no object in its path. It has to hold the objects of
// its kind that the target file names.

// ownIn returns the keys of the owner's objects that a list has to hold.
func (t *Test) ownIn(op *spec.Operation) []string {
	if op.Holds == "" {
		return nil
	}
	keys := []string{op.Holds, spec.Other(op.Holds), spec.Sibling(op.Holds)}
	return slices.DeleteFunc(keys, func(key string) bool { return t.Model.Lookup(key) == "" })
}

// judgeHolds checks that a list with these ids holds the owner's objects and not the stranger's.
func (t *Test) judgeHolds(o *Object, ids []spec.ID) {
	key, clause := o.Op.Holds, o.Op.Effects["holds"]
	for _, mine := range t.ownIn(o.Op) {
		id := t.Model.Lookup(mine)
		f := t.require(slices.Contains(ids, id), CheckListMembers,
			ofItems(o.Op, clause, fmt.Sprintf("%s, id %s, among the %s", mine, id, o.Op.Items), "it is on no page"))
		named := slices.IndexFunc(t.Model.Contract.Operations, func(op *spec.Operation) bool {
			return op.Key() == key && !op.Lists() && t.Model.Object(op, mine) != nil
		})
		if f != nil && named >= 0 { // the object may not exist: the target file may be wrong
			t.hold(f, t.Result, t.Model.Object(t.Model.Contract.Operations[named], mine), http.StatusNotFound, OwnerName)
		}
	}
	if id := t.Model.Lookup(Foreign(key)); key != "" && id != "" {
		t.require(!slices.Contains(ids, id), CheckListMembers,
			ofItems(o.Op, clause, fmt.Sprintf("the owner's %s only", o.Op.Items), fmt.Sprintf("%s, id %s, too", Foreign(key), id)))
	}
}

// JudgeOthers checks that another user's page holds none of the owner's objects.
func (t *Test) JudgeOthers(o *Object, a *Answer) {
	p := PageOf(o.Op, a.Value)
	if p == nil || !a.OK {
		return
	}
	for _, key := range t.ownIn(o.Op) {
		id := t.Model.Lookup(key)
		if t.showing(a.Exchange).require(!slices.Contains(p.IDs, id), CheckListMembers, ofItems(o.Op, o.Op.Effects["holds"],
			"the stranger's "+o.Op.Items+" only", fmt.Sprintf("%s, id %s, of the owner", key, id))) != nil {
			return
		}
	}
}

// JudgeDelisted checks that the ids of a list include no object that an operation deleted. If they are not the
// whole list, a missing id shows nothing.
func (t *Test) JudgeDelisted(op, lists *spec.Operation, ids []spec.ID, whole bool) {
	for _, o := range t.Order {
		there := slices.Contains(ids, o.ID())
		if o.Op != op || !o.Removed() || !there && !whole {
			continue
		}
		f := ofItems(lists, op.Effects["listed"],
			fmt.Sprintf("%s without %s, id %s, which was deleted", lists.Items, o.Key, o.ID()), "it is listed")
		f.WFC = 113
		t.require(!there, CheckDeleteListed, f)
	}
}
