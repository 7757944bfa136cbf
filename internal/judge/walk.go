package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
)

// NoPaging compares page 2 with page 1 and reports whether the walk ends there: the page parameter has no effect, as
// both the number and the items are the same as on page 1, or a wrong one, as only one of them is.
func (t *Test) NoPaging(o *Object, first, second *Answer) bool {
	isNumbered := second.List.Page != first.List.Page
	isOther := !alike(first.List.IDs, second.List.IDs)
	parameter := t.PageParameter(o.Op)
	switch {
	case isNumbered != isOther:
		return true
	case isOther:
		t.Observe("page-parameter", spec.Choice(parameter))
		return false
	}
	t.Observe("page-parameter", spec.NoEffect)
	t.InPart(o.Op, "the query parameter "+parameter+
		" has no effect; pin pageParameter in the target file if it has another name")
	return true
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
	reason = t.Presentable(reason)
	for _, id := range []string{op.PageClause("totalPages"), op.Effects["members"], op.Effects["unique"]} {
		if id != "" {
			t.Outcome.hide(id, t.about(id), reason)
		}
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
	return slices.DeleteFunc(keys, func(key string) bool {
		return t.Lookup(key) == ""
	})
}

// JudgeHolds checks that a list with these ids holds the owner's objects and not the stranger's.
func (t *Test) JudgeHolds(o *Object, ids []spec.ID) {
	key := o.Op.Holds
	clause := o.Op.Effects["holds"]
	for _, mine := range t.ownIn(o.Op) {
		id := t.Lookup(mine)
		f := t.require(slices.Contains(ids, id), CheckListMembers,
			ofItems(o.Op, clause, fmt.Sprintf("%s, id %s, among the %s", mine, id, o.Op.Items), "it is on no page"))
		named := slices.IndexFunc(t.Contract.Operations, func(op *spec.Operation) bool {
			isItem := op.Key() == key && !op.Lists()
			return isItem && t.Object(op, mine) != nil
		})
		if f != nil && named >= 0 { // the object may not exist: the target file may be wrong
			it := t.Object(t.Contract.Operations[named], mine)
			t.hold(f, t.Result, it, http.StatusNotFound, OwnerName)
		}
	}
	if id := t.Lookup(Foreign(key)); id != "" {
		t.require(!slices.Contains(ids, id), CheckListMembers, ofItems(o.Op, clause,
			"the owner's "+o.Op.Items+" only", fmt.Sprintf("%s, id %s, too", Foreign(key), id)))
	}
}

// JudgeOthers checks that another user's page holds none of the owner's objects.
func (t *Test) JudgeOthers(o *Object, a *Answer) {
	p := PageOf(o.Op, a.Value)
	if p == nil || !a.OK {
		return
	}
	for _, key := range t.ownIn(o.Op) {
		id := t.Lookup(key)
		f := ofItems(o.Op, o.Op.Effects["holds"],
			"the stranger's "+o.Op.Items+" only", fmt.Sprintf("%s, id %s, of the owner", key, id))
		if t.showing(a.Exchange).require(!slices.Contains(p.IDs, id), CheckListMembers, f) != nil {
			return
		}
	}
}

// JudgeDelisted checks that the ids of a list include no object that an operation deleted. If they are not the
// whole list, a missing id shows nothing.
func (t *Test) JudgeDelisted(op, lists *spec.Operation, ids []spec.ID, whole bool) {
	for _, o := range t.Order {
		there := slices.Contains(ids, o.ID())
		switch {
		case o.Op != op, !o.Removed(), !there && !whole:
			continue
		}
		f := ofItems(lists, op.Effects["listed"],
			fmt.Sprintf("%s without %s, id %s, which was deleted", lists.Items, o.Key, o.ID()), "it is listed")
		f.WFC = 113
		t.require(!there, CheckDeleteListed, f)
	}
}
