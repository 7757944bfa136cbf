package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

func emptyList(op *spec.Operation, a *Answer) bool {
	if !a.OK || !op.Lists() {
		return false
	}
	p := PageOf(op, a.Value)
	return p != nil && len(p.IDs) == 0
}

// noteList judges a list against the target file and earlier reads.
func (t *Test) noteList(c *Call, a *Answer) {
	if c.Object == nil || !a.OK || !a.Expected {
		return
	}
	a.List = PageOf(c.Op, a.Value)
	switch {
	case a.List == nil:
		return
	case c.OutOfRange:
		t.judgeTotalBeyond(c, a.List)
		return
	}
	if t.Model.Container(c.Object.Key) != nil && c.As.Name == t.User(c.Object).Name {
		if kind := ItemKind(c.Op, c.Object); kind != "" {
			t.Model.Outcome.NoteListed(kind, a.List.IDs)
		}
	}
	t.judgeItems(c.Op, c.Object, a.List)
	asked := max(c.Page, 1)
	if asked > max(a.List.TotalPages, 1) {
		return // beyond the last page nothing is said
	}
	if a.List.TotalCount > 0 && a.List.Count == 0 && asked == 1 {
		t.Find("list-total", Finding{
			Clause: c.Op.PageClause("totalCount"), Pointer: dataPointer(c.Op),
			Expected: fmt.Sprintf("items on page 1, as totalCount is %d", a.List.TotalCount),
			Got:      "none",
		})
	}
	if a.Wanted = t.filesWanted(c.Object, a.List); a.Wanted == nil {
		t.judgeCollection(a)
	}
}

// judgeCollection judges a page by what the target file says and by earlier reads.
func (t *Test) judgeCollection(a *Answer) {
	t.judgeTotal(a.Call, a.List)
	t.judgeRepeat(a.Call, max(a.Call.Page, 1), a.List)
}

// judgeTotal compares with what the target file says of the container, less
// what the suite deleted.
func (t *Test) judgeTotal(c *Call, p *ListPage) {
	if t.disputes(c.Object, p) {
		return
	}
	want := t.Model.Media(c.Object)
	if want.Count >= 0 {
		check, clause := "list-total", c.Op.PageClause("totalCount")
		if listed := t.coveredBy(c.Object, clause); listed != clause {
			check, clause = "delete-listed", listed
		}
		if p.TotalCount != int64(want.Count) {
			t.Find(check, Finding{
				Clause: clause, Pointer: oracle.PagePointer(c.Op, "totalCount"),
				Expected: fmt.Sprintf("totalCount %d, the %s of %s%s", want.Count, c.Op.Items, c.Object.Key, t.Model.SourceOf(c.Object)),
				Got:      fmt.Sprint(p.TotalCount),
				Requests: t.afterFileDeletes(c.Object),
			})
		}
	}
	if p.Complete() {
		t.JudgeMembers(c.Object, p.IDs)
		t.judgeHolds(c.Object, p.IDs)
	}
}

// coveredBy notes that a list was judged, and says by which clause: that of the operation
// which deleted a file of the container, where the suite did.
func (t *Test) coveredBy(o *Object, clause string) string {
	by, removed := t.Model.LostFiles(o.Key)
	if by == nil {
		t.Covered(clause)
		return clause
	}
	t.CoveredIf(removed, by.Effects["listed"])
	return by.Effects["listed"]
}

// JudgeMembers compares the whole collection with the ids of the target file.
func (t *Test) JudgeMembers(o *Object, ids []int64) {
	want := t.Model.Media(o)
	if want.IDs == nil {
		return
	}
	check, clause := "list-members", o.Op.Effects["members"]
	if listed := t.coveredBy(o, clause); listed != clause {
		check, clause = "delete-listed", listed
	}
	if got := Sorted(ids); !slices.Equal(got, Sorted(want.IDs)) {
		seen := t.Model.Lists[ListKey{Op: o.Op.ID, ID: o.ID()}]
		if check == "list-members" && seen != nil && len(seen.Pages) > 1 && t.disputeIDs(o, ids) {
			return // of a walk, the first sight of them all
		}
		t.Find(check, Finding{
			Clause: clause, Pointer: dataPointer(o.Op),
			Expected: fmt.Sprintf("the %s %s of %s%s", o.Op.Items, IDList(want.IDs), o.Key, t.Model.SourceOf(o)),
			Got:      IDList(got),
			Requests: t.afterFileDeletes(o),
		})
	}
}

// judgeRepeat compares with the earlier read of the same page.
func (t *Test) judgeRepeat(c *Call, asked int64, p *ListPage) {
	key := ListKey{Op: c.Op.ID, ID: c.Object.ID()}
	seen := t.Model.Lists[key]
	if seen == nil || t.mayDiffer(c.Op, seen) {
		seen = &Listing{Pages: map[int64]*ListPage{}, ReadIn: map[int64]*wire.Exchange{}}
		t.Model.Lists[key] = seen
	}
	if before := seen.Pages[asked]; before != nil {
		check, clause, why := "list-repeat", c.Op.Effects["repeats"], ""
		operation := t.about(clause)
		deleted := len(t.Model.Deletes) > seen.Deletes
		if deleted {
			last := t.Model.Deletes[len(t.Model.Deletes)-1]
			check, clause, why = "delete-other", last.Op.Effects["others"], " after "+last.Key+" was deleted"
			operation = last.Op.ID // also where the case is about the list
		}
		if clause != "" && (len(before.IDs) > 0 || len(p.IDs) > 0) && (!deleted || t.Model.RemovedBefore(nil)) {
			t.Model.Outcome.Cover(clause, t.Case.ID, operation)
		}
		if !slices.Equal(Sorted(before.IDs), Sorted(p.IDs)) || before.TotalCount != p.TotalCount {
			t.Find(check, Finding{
				Operation: operation, Clause: clause, Pointer: dataPointer(c.Op),
				Expected: fmt.Sprintf("the items of the earlier read: %s of %d", IDList(before.IDs), before.TotalCount),
				Got:      fmt.Sprintf("%s of %d%s", IDList(p.IDs), p.TotalCount, why),
				Requests: t.after(seen.ReadIn[asked], fmt.Sprintf("%s of %d", IDList(before.IDs), before.TotalCount), "other items"),
			})
		}
	}
	seen.Pages[asked], seen.ReadIn[asked] = p, withoutAnswer(t.shown)
	seen.Deletes, seen.Removed = len(t.Model.Deletes), t.Model.Outcome.Deletes()
}

// mayDiffer says whether what was deleted since it was read may have been in a list
// of which the target file does not say what it holds.
func (t *Test) mayDiffer(op *spec.Operation, seen *Listing) bool {
	return op.Effects["members"] == "" && seen.Removed != t.Model.Outcome.Deletes()
}

// judgeItems compares each item with how it was seen before.
func (t *Test) judgeItems(op *spec.Operation, o *Object, p *ListPage) {
	members, repeats := op.Effects["members"], op.Effects["repeats"]
	for i, item := range p.Items {
		if what := t.Model.KnownAs(p.IDs[i], o.Key); members != "" && what != "" {
			t.Covered(members)
			t.Find("list-members", Finding{
				Clause: members, Pointer: fmt.Sprintf("%s/%d", dataPointer(op), i),
				Expected: "only " + op.Items + " of " + o.Key,
				Got:      fmt.Sprintf("creative %d, which is %s", p.IDs[i], what),
			})
		}
		key := ItemKey(op, o, p.IDs[i])
		before := t.Model.Items[key]
		if before == nil {
			t.Model.Items[key] = item
			continue
		}
		t.Covered(repeats)
		for _, f := range op.Representation().Fields {
			if !f.Stays || oracle.Equal(f, before[f.Name], item[f.Name]) {
				continue
			}
			t.Find("list-repeat", Finding{
				Clause: repeats, Pointer: fmt.Sprintf("%s/%d/%s", dataPointer(op), i, f.Name),
				Expected: fmt.Sprintf("%s of item %d as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				Got:      oracle.Show(item[f.Name]),
			})
		}
	}
}

// afterFileDeletes are the last delete of a media file of a container, and the list after it.
func (t *Test) afterFileDeletes(o *Object) []oracle.Request {
	for _, file := range slices.Backward(t.Model.Deletes) {
		if strings.HasPrefix(file.Key, o.Key+".") {
			return t.after(file.SetIn, "204", "a list that does not follow")
		}
	}
	return nil
}
