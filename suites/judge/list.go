package judge

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// ofPage is a finding about a member of a list's page.
func ofPage(op *spec.Operation, meaning, expected, got string) Finding {
	return Finding{Clause: op.PageClause(meaning), Pointer: oracle.PagePointer(op, meaning), Expected: expected, Got: got}
}

// ofItems is a finding about the items of a list.
func ofItems(op *spec.Operation, clause, expected, got string) Finding {
	return Finding{Clause: clause, Pointer: dataPointer(op), Expected: expected, Got: got}
}

// sameIDs says whether these are the same ids, in whatever order.
func sameIDs(a, b []int64) bool { return slices.Equal(Sorted(a), Sorted(b)) }

// Sorted is a sorted copy.
func Sorted(ids []int64) []int64 { return slices.Sorted(slices.Values(ids)) }

// less is what of a is not in b.
func less(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(id int64) bool { return slices.Contains(b, id) })
}

// IDList shows ids, shortened where they are many.
func IDList(ids []int64) string {
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %d … %d", len(ids), slices.Min(ids), slices.Max(ids))
	}
	return fmt.Sprint(Sorted(ids))
}

func emptyList(op *spec.Operation, a *Answer) bool {
	if !a.OK || !op.Lists() {
		return false
	}
	p := PageOf(op, a.Value)
	return p != nil && len(p.IDs) == 0
}

// noteThere judges whether what a list was asked of is still there: one that may be answered 404
// from the start is not from some request on.
func (t *Test) noteThere(c *Call, a *Answer) {
	o := c.Object
	if o == nil || c.As.Name != t.User(o).Name || len(o.IDs) == 0 || !c.namesObject() || c.Query != "" || a.Status == 0 || a.Status >= 500 {
		return
	}
	before := t.lists.of(FirstAnswer, o).last()
	if before == nil {
		t.noteList(ListEvent{What: FirstAnswer, Of: o, In: withStatus(a.Exchange)})
		return
	}
	first := before.In.Response.Status
	if strings.HasPrefix(o.Key, "disposable") || !a.Expected || first == http.StatusNotFound {
		return
	}
	t.CoveredIf(a.OK, "EFFECT-3")
	if a.Status == http.StatusNotFound {
		t.Find(CheckExpectedStatus, Finding{
			Clause: "EFFECT-3", CauseWords: "a creative is gone that nobody deleted",
			Expected: fmt.Sprintf("status %d for %s, as before: nobody deleted it", first, o.Key), Got: "status 404",
			Requests: t.after(before.In, fmt.Sprint(first), "status 404"),
		})
	}
}

// judgeList judges a page of a list by the target file and by what was seen before.
func (t *Test) judgeList(c *Call, a *Answer) {
	o := c.Object
	if o == nil || !a.OK || !a.Expected {
		return
	}
	p := PageOf(c.Op, a.Value)
	switch a.List = p; {
	case p == nil:
		return
	case c.OutOfRange:
		t.judgeTotalBeyond(o, p)
		return
	}
	if c.Op.Effects["members"] != "" && t.Model.Container(o.Key) != nil && c.As.Name == t.User(o).Name {
		for _, id := range p.IDs {
			t.Model.Outcome.note(Fact{What: Listed, At: Thing{o.Thing().Kind, id}})
		}
	}
	t.judgeItems(o, p)
	asked := max(c.Page, 1)
	if asked > max(p.TotalPages, 1) {
		return // beyond the last page nothing is said
	}
	if p.TotalCount > 0 && p.Count == 0 && asked == 1 {
		t.Find(CheckListTotal,
			ofItems(c.Op, c.Op.PageClause("totalCount"), fmt.Sprintf("items on page 1, as totalCount is %d", p.TotalCount), "none"))
	}
	t.judgePage(a)
}

// judgePage judges a page by earlier reads, and where it is as they were by what the target
// file says: what was lost since is one finding.
func (t *Test) judgePage(a *Answer) {
	o, p, before := a.Call.Object, *a.List, len(t.Result.Findings)
	now := t.sofar(o)
	read := ListEvent{What: PageShown, Of: o, In: withoutAnswer(t.shown), Asked: max(a.Call.Page, 1), Shows: p, By: now}
	known := t.lists.current(o, now)
	if earlier := known.page(read.Asked); earlier != nil {
		t.judgeRepeat(earlier, known.last(), &read)
	}
	if len(t.Result.Findings) == before && !t.lists.wrong(o) {
		if whole := p.Complete(); t.judgeFiles(o, p.IDs, whole, p.TotalCount, len(known) == 0) && whole {
			t.judgeHolds(o, p.IDs)
		}
	}
	read.Wrong = len(t.Result.Findings) > before && len(t.lists.of(FilesDisputed, o)) == 0
	read.Shows.Items = slices.Clone(p.Items)
	for i, id := range p.IDs {
		if t.lists.item(o, id) != nil {
			read.Shows.Items[i] = nil
		}
	}
	t.noteList(read)
}

// sofar is what may have changed a list by now.
func (t *Test) sofar(o *Object) sofar {
	now := sofar{removals: len(t.Model.Outcome.removedSince(0)), updates: maps.Clone(t.Model.updates)}
	for _, other := range t.Order {
		if other.Op.Deletes() && other.Deleted() && strings.HasPrefix(other.Key, o.Key+".") {
			now.below++
		}
	}
	return now
}

// judgeRepeat compares with the earlier read of the same page. Where it differs, what was deleted or
// updated since the list was read last is to blame.
func (t *Test) judgeRepeat(before, last, read *ListEvent) {
	o, was, is := read.Of, before.Shows, read.Shows
	outcome, op, repeats := t.Model.Outcome, t.Case.Operation, o.Op.Effects["repeats"]
	check, clause, operation, why := CheckListRepeat, repeats, t.about(repeats), ""
	deleted, elsewhere := t.lists.after(last).deletes().last(), outcome.removedSince(last.By.removals)
	switch {
	case deleted != nil: // also where the case is about the list
		by := deleted.Of
		check, clause, operation, why = CheckDeleteOther, by.Op.Effects["others"], by.Op.ID, " after "+by.Key+" was deleted"
	case len(elsewhere) > 0: // in a case that ran meanwhile
		by := elsewhere[len(elsewhere)-1].by
		check, clause, operation, why = CheckDeleteOther, by.Effects["others"], by.ID, " after others were deleted"
	case read.By.updates[op.ID] > last.By.updates[op.ID] && !outcome.broke(repeats, o.Op):
		check, clause, operation, why = CheckOtherObject, "EFFECT-2", op.ID, " after "+op.Key()+" was updated"
	}
	made := slices.ContainsFunc(outcome.removedSince(0), func(r removal) bool { return r.made })
	// That a list stays shows little of what an update does to other objects.
	if clause != "" && check != CheckOtherObject && len(was.IDs)+len(is.IDs) > 0 && (made || check != CheckDeleteOther) {
		outcome.cover(clause, t.Case.ID, operation)
	}
	found := check == CheckDeleteOther && (t.lists.wrong(o) || outcome.broke(repeats, o.Op))
	if !found && (!sameIDs(was.IDs, is.IDs) || was.TotalCount != is.TotalCount) {
		then := fmt.Sprintf("%s of %d", IDList(was.IDs), was.TotalCount)
		f := ofItems(o.Op, clause, "the items of the earlier read: "+then, fmt.Sprintf("%s of %d%s", IDList(is.IDs), is.TotalCount, why))
		f.Operation, f.Requests = operation, t.after(before.In, then, "other items")
		t.Find(check, f)
	}
}

// judgeItems compares each item with how it was seen before.
func (t *Test) judgeItems(o *Object, p *ListPage) {
	op, members, repeats := o.Op, o.Op.Effects["members"], o.Op.Effects["repeats"]
	beside := map[int64]string{}
	if members != "" {
		beside = t.Model.creativesBeside(o.Key)
	}
	for i, item := range p.Items {
		at := fmt.Sprintf("%s/%d", dataPointer(op), i)
		if what := beside[p.IDs[i]]; what != "" {
			t.require(false, CheckListMembers, Finding{
				Clause: members, Pointer: at,
				Expected: "only " + op.Items + " of " + o.Key, Got: fmt.Sprintf("creative %d, which is %s", p.IDs[i], what),
			})
		}
		before := t.lists.item(o, p.IDs[i])
		if before == nil {
			continue
		}
		t.Covered(repeats)
		for _, f := range op.Representation().Fields {
			if f.Stays && !oracle.Equal(f, before[f.Name], item[f.Name]) {
				t.Find(CheckListRepeat, Finding{
					Clause: repeats, Pointer: at + "/" + f.Name, Got: oracle.Show(item[f.Name]),
					Expected: fmt.Sprintf("%s of item %d as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				})
			}
		}
	}
}

// judgeFiles compares the items of a list, where they are the whole, and its total, unless that is -1,
// with what the target file says of the container, less what was deleted. At first sight of the list it
// may be the target file that is wrong: then the list is what has to stay, and it returns false.
func (t *Test) judgeFiles(o *Object, ids []int64, whole bool, total int64, first bool) bool {
	want, lost := t.Model.media(o), t.lists.filesOf(o)
	rows := []struct {
		check           *Check
		judged, differs bool
		broken          Finding
		disputed        Disputed
		instead         Media
	}{
		{
			CheckListMembers, whole && want.IDs != nil, !sameIDs(ids, want.IDs),
			ofItems(o.Op, o.Op.Effects["members"],
				fmt.Sprintf("the %s %s of %s%s", o.Op.Items, IDList(want.IDs), o.Key, t.lists.source(o)), IDList(ids)),
			Disputed{
				Missing: less(want.IDs, ids), More: less(ids, want.IDs),
				Words: fmt.Sprintf("that it has the media files %s, and the target lists %s", IDList(want.IDs), IDList(ids)),
			},
			Media{IDs: slices.Clone(ids), Count: len(ids)},
		},
		{
			CheckListTotal, want.Count >= 0 && total >= 0, total != int64(want.Count),
			ofPage(o.Op, "totalCount", fmt.Sprintf("totalCount %d, the %s of %s%s", want.Count, o.Op.Items, o.Key, t.lists.source(o)),
				fmt.Sprint(total)),
			Disputed{Words: fmt.Sprintf("that it has %d media files, and the target lists %d", want.Count, total)},
			Media{Count: int(total)},
		},
	}
	for _, r := range rows {
		switch {
		case !r.judged:
			continue
		case len(lost) > 0: // judged by the operation which deleted
			by := lost.last().Of
			r.check, r.broken.Clause = CheckDeleteListed, by.Op.Effects["listed"]
			r.broken.Requests = t.after(lost.last().In, "204", "a list that does not follow")
			t.CoveredIf(slices.ContainsFunc(lost, func(e *ListEvent) bool { return e.Of.Removed() }), r.broken.Clause)
		case r.differs && first:
			t.noteList(ListEvent{What: FilesDisputed, Of: o, Files: r.instead})
			if t.mayBeUsedUp(o, r.disputed.Missing, r.disputed.More) {
				return false // the case that deletes files tries
			}
			if found := t.Find(r.check, r.broken); found != nil {
				r.disputed.Container = o
				t.Model.Outcome.hold(TentativeFinding{finding: found, Result: t.Result, Files: &r.disputed})
			}
			return false
		default:
			t.Covered(r.broken.Clause)
		}
		if r.differs {
			t.Find(r.check, r.broken)
			if total == int64(len(ids)) {
				return true // of as many items it is the number
			}
		}
	}
	return true
}

// PageParameter is the query parameter that selects a page of a list: the one that
// the document declares, else page, unless the target file says otherwise; "" where
// it says that there is none.
func (s *State) PageParameter(op *spec.Operation) string {
	if pin, pinned := s.Target.Open[spec.PageParameter]; pinned && op.Page == "" {
		name, _ := pin.(string)
		return name
	}
	return cmp.Or(op.Page, "page")
}
