package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// ofPage returns a finding about a number of a page.
func ofPage(op *spec.Operation, meaning, expected, got string) Finding {
	return Finding{Clause: op.PageClause(meaning), Pointer: oracle.PagePointer(op, meaning), Expected: expected, Got: got}
}

// ofItems returns a finding about the items of a list.
func ofItems(op *spec.Operation, clause, expected, got string) Finding {
	return Finding{Clause: clause, Pointer: dataPointer(op), Expected: expected, Got: got}
}

// alike reports whether two lists hold the same values, in any order.
func alike[T cmp.Ordered](a, b []T) bool { return slices.Equal(Sorted(a), Sorted(b)) }

// Sorted returns a sorted copy.
func Sorted[T cmp.Ordered](all []T) []T { return slices.Sorted(slices.Values(all)) }

// less returns the ids of a that are not in b.
func less(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(id int64) bool { return slices.Contains(b, id) })
}

// IDList formats ids, shortened if there are many.
func IDList(ids []int64) string {
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %d … %d", len(ids), slices.Min(ids), slices.Max(ids))
	}
	return fmt.Sprint(Sorted(ids))
}

// noteThere checks that a list that was there stays there. A list may be answered 404 from the first request on, but
// not only from a later one on.
func (t *Test) noteThere(c *Call, a *Answer) {
	o := c.Object
	if o == nil || c.As.Name != t.User(o).Name || len(o.IDs) == 0 || !c.namesObject() || c.Query != "" || a.Status == 0 || a.Status >= 500 {
		return
	}
	before := o.first(func(e *Event) bool { return e.What == Answered })
	if before == nil {
		o.note(Event{What: Answered, Status: a.Status, In: withoutAnswer(a.Exchange)})
		return
	}
	first := before.Status
	if strings.HasPrefix(o.Key, "disposable") || !a.Expected || first == http.StatusNotFound {
		return
	}
	t.CoveredIf(a.OK, "EFFECT-3")
	if a.Status == http.StatusNotFound {
		t.Find(CheckExpectedStatus, Finding{
			Clause: "EFFECT-3", CauseWords: "a creative is gone though no request deleted it",
			Expected: fmt.Sprintf("status %d for %s, as before: no request deleted it", first, o.Key), Got: "status 404",
			Requests: t.after(before.In, fmt.Sprint(first), "status 404"),
		})
	}
}

// judgeList judges a page of a list against earlier reads and, if it agrees with them, against the target file, so that
// items lost since those reads make one finding, not two.
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
	if c.Op.Effects["members"] != "" && ContainerOf(t.Model.Target, o.Key) != nil && c.As.Name == t.User(o).Name {
		for _, id := range p.IDs {
			t.Model.Outcome.note(Fact{What: Listed, At: Thing{o.Thing().Kind, id}})
		}
	}
	t.judgeItems(o, p)
	asked := max(c.Page, 1)
	if asked > max(p.TotalPages, 1) {
		return // a page beyond the last may hold anything
	}
	if p.TotalCount > 0 && p.Count == 0 && asked == 1 {
		t.Find(CheckListTotal,
			ofItems(c.Op, c.Op.PageClause("totalCount"), fmt.Sprintf("items on page 1, as totalCount is %d", p.TotalCount), "none"))
	}
	before, read := len(t.Result.Findings), &pageRead{ListPage: *p, asked: asked, deleted: t.deletedFrom(o)}
	known := o.current(read.deleted)
	if earlier := lastRead(known, asked); earlier != nil {
		t.judgeRepeat(o, earlier, known[len(known)-1], p)
	}
	twice := t.beside("page-unique") != nil // the counts differ, and what the list holds is unknown
	if len(t.Result.Findings) == before && !twice && !o.listsWrong() {
		if whole := p.Complete(); t.judgeFiles(o, p.IDs, whole, p.TotalCount, len(known) == 0) && whole {
			t.judgeHolds(o, p.IDs)
		}
	}
	read.wrong = twice || len(t.Result.Findings) > before && o.disputed() == nil
	read.Items = slices.Clone(p.Items)
	for i, id := range p.IDs {
		if o.item(id) != nil {
			read.Items[i] = nil
		}
	}
	o.note(Event{What: Paged, In: withoutAnswer(t.shown), Page: read})
}

// deletedFrom returns how many deletes may have shortened a list by now: those of objects beneath it, or all
// if the target file does not say what the list holds.
func (t *Test) deletedFrom(o *Object) (n int) {
	for _, other := range t.Order {
		if other.Op.Deletes() && other.Deleted() && (o.Op.Effects["members"] == "" || other.beneath(o)) {
			n++
		}
	}
	return n
}

// judgeRepeat compares a page with the earlier read of it. If they differ, it blames the last delete or update
// since the list was last read.
func (t *Test) judgeRepeat(o *Object, before, last *Event, is *ListPage) {
	was := before.Page
	outcome, op, repeats := t.Model.Outcome, t.Case.Operation, o.Op.Effects["repeats"]
	check, clause, operation, why := CheckListRepeat, repeats, t.about(repeats), ""
	broken, by := outcome.broke(repeats, o.Op), t.Model.culprit(o)
	moved := !alike(was.IDs, is.IDs)
	updated := func(o *Object) bool { return o.Op == op && o.setIn() != nil && o.setIn().Seq > last.In.Seq }
	switch {
	case moved && was.TotalCount == is.TotalCount && !was.Complete(): // as many items in another order: no write is needed for that
		by = nil
	case by != nil && !(by.refusal() && broken): // even if the case is about the list
		check, clause = by.breaks()
		operation = by.Op.ID
	case !broken && slices.ContainsFunc(t.Order, updated):
		check, clause, operation, why = CheckOtherObject, "EFFECT-2", op.ID, " after "+op.Key()+" was updated"
	}
	// A list that stays the same shows little about what an update does to other objects.
	if clause != "" && check != CheckOtherObject && len(was.IDs)+len(is.IDs) > 0 &&
		(check != CheckDeleteOther || slices.ContainsFunc(t.Order, (*Object).Removed)) {
		outcome.cover(clause, t.Case.ID, operation)
	}
	found := check == CheckDeleteOther && (o.listsWrong() || broken)
	if found || !moved && was.TotalCount == is.TotalCount {
		return
	}
	then := fmt.Sprintf("%s of %d", IDList(was.IDs), was.TotalCount)
	f := ofItems(o.Op, clause, "the items of the earlier read: "+then, fmt.Sprintf("%s of %d%s", IDList(is.IDs), is.TotalCount, why))
	f.Operation, f.Names = operation, strings.Trim(IDList(less(was.IDs, is.IDs)), "[]")
	if check == CheckDeleteOther || check == CheckRefusedDelete {
		t.accuse(by, f)
		return
	}
	f.Requests = t.after(before.In, then, "other items")
	t.Find(check, f)
}

// judgeItems compares each item with the one that an earlier read showed.
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
		before := o.item(p.IDs[i])
		if before == nil {
			continue
		}
		t.Covered(repeats)
		for _, f := range op.Representation().Fields {
			if f.Stays && !oracle.Equal(f, before[f.Name], item[f.Name]) {
				t.Find(CheckListRepeat, Finding{
					Clause: repeats, Pointer: at + "/" + f.Name, Got: oracle.Show(item[f.Name]), CauseWords: "an item of a list has changed",
					Expected: fmt.Sprintf("%s of item %d as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				})
			}
		}
	}
}

// judgeFiles compares a list with the files that the target file gives for the container, less the deleted ones:
// the ids if whole is set, and the total unless it is -1. When the list is first seen, the target file may be
// wrong: then the finding is tentative, the list has to stay as it is, and judgeFiles returns false.
func (t *Test) judgeFiles(o *Object, ids []int64, whole bool, total int64, first bool) bool {
	want, op, source := t.Model.media(o), o.Op, t.Model.source(o)
	members, counts, lacking := whole && want.IDs != nil, want.Count >= 0 && total >= 0, whole && t.lacks(o, ids, total)
	var check *Check // nil if nothing differs
	var broken Finding
	var shows Media
	disputed := Disputed{Container: o}
	switch {
	case members && !alike(ids, want.IDs):
		check, shows = CheckListMembers, Media{IDs: slices.Clone(ids), Count: len(ids)}
		broken = ofItems(op, op.Effects["members"], fmt.Sprintf("the %s %s of %s%s", op.Items, IDList(want.IDs), o.Key, source), IDList(ids))
		disputed.Missing, disputed.More = less(want.IDs, ids), less(ids, want.IDs)
		disputed.Words = fmt.Sprintf("that it has the media files %s, and the target lists %s", IDList(want.IDs), IDList(ids))
	case counts && total != int64(want.Count):
		check, shows = CheckListTotal, Media{Count: int(total)}
		broken = ofPage(op, "totalCount", fmt.Sprintf("totalCount %d, the %s of %s%s", want.Count, op.Items, o.Key, source), fmt.Sprint(total))
		disputed.Words = fmt.Sprintf("that it has %d media files, and the target lists %d", want.Count, total)
	}
	if lacking {
		broken.CauseWords = MissingItems
	}
	by, lost := t.Model.lastDelete(func(d *Object) bool { return d.beneath(o) }), less(want.IDs, ids)
	switch {
	case by != nil && (members || counts): // the operation that deleted them is judged
		broken.Clause, broken.Requests = by.Op.Effects["listed"], t.after(by.In, fmt.Sprint(by.Status), "items "+IDList(ids))
		t.CoveredIf(slices.ContainsFunc(t.Order, func(d *Object) bool { return d.beneath(o) && d.Removed() }), broken.Clause)
		stays := slices.ContainsFunc(t.Order, func(d *Object) bool {
			return d.beneath(o) && d.deletedIn() != nil && slices.Contains(ids, d.ID())
		})
		switch culprit := t.Model.culprit(o); {
		case check == CheckListMembers && !stays && t.Model.Outcome.broke(op.Effects["repeats"], op): // it differs without a delete, too
			check, broken.Clause, broken.Requests = CheckListRepeat, op.Effects["repeats"], nil
		case check == CheckListMembers && len(lost) > 0 && culprit != nil:
			broken.Names = strings.Trim(IDList(lost), "[]")
			t.accuse(culprit, broken)
			return true
		case check != nil:
			check = CheckDeleteListed
		}
	case check != nil && first && !lacking:
		o.note(Event{What: FilesDisputed, Files: &shows})
		if found := t.Find(check, broken); found != nil {
			t.Model.Outcome.hold(TentativeFinding{finding: found, Result: t.Result, Files: &disputed})
		}
		return false
	default:
		t.CoveredIf(members, op.Effects["members"])
		t.CoveredIf(counts, op.PageClause("totalCount"))
	}
	if check != nil {
		t.Find(check, broken)
	}
	return true
}

// lacks reports whether a complete list lacks items: its totalCount agrees with the target file, so the file is
// right.
func (t *Test) lacks(o *Object, ids []int64, total int64) bool {
	return int64(len(ids)) < total && total == int64(t.Model.media(o).Count) && o.disputed() == nil
}

// PageParameter returns the query parameter that selects a page of a list: the one that the document declares,
// or else the one that the target file names, or else page. It is "" if the target file says that there is none.
func (s *State) PageParameter(op *spec.Operation) string {
	if pin, pinned := s.Target.Open[spec.PageParameter]; pinned && op.Page == "" {
		name, _ := pin.(string)
		return name
	}
	return cmp.Or(op.Page, "page")
}
