package judge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// ListPage is one page of a list, as far as it could be read.
type ListPage struct {
	Count, TotalCount, Page, TotalPages int64
	IDs                                 []int64
	Items                               []map[string]any
}

// Complete says whether the page is the whole collection.
func (p *ListPage) Complete() bool { return p.TotalPages <= 1 && p.Page <= 1 }

// ListKey tells lists, and items of lists, apart: the ids of two kinds of objects
// may be the same.
type ListKey struct {
	Op string
	in int64 // of an item: the object whose list it is in
	ID int64
}

// itemKind is the kind of a list's items, "" where the document does not say it.
func itemKind(op *spec.Operation, o *Object) string {
	if op.Effects["members"] != "" {
		return o.Thing().Kind
	}
	return fixtures.KindOf(op.Holds)
}

// Listing is what one list was seen to hold.
type Listing struct {
	Pages   map[int64]*ListPage      // by the page that was asked for
	readIn  map[int64]*wire.Exchange // likewise, without the answer
	deletes int                      // accepted deletes when it was read
	Removed int64                    // those of the whole run
	updates map[string]int           // that changed an object by then, by operation
}

// PageOf reads the list out of a decoded body; nil when its shape is broken,
// which the oracle reports.
func PageOf(op *spec.Operation, body any) *ListPage {
	read := oracle.ReadList(op, body)
	if read == nil || read.Count == nil || read.TotalCount == nil || read.Page == nil || read.TotalPages == nil {
		return nil
	}
	p := &ListPage{Count: *read.Count, TotalCount: *read.TotalCount, Page: *read.Page, TotalPages: *read.TotalPages}
	id := op.Representation().Field("id").Name
	for _, item := range read.Items {
		creative, _ := item.(map[string]any)
		n, ok := oracle.Integer(creative[id])
		if !ok {
			return nil
		}
		p.IDs = append(p.IDs, n)
		p.Items = append(p.Items, creative)
	}
	return p
}

// SeenInList is the integer that a field of the listed items had, and whether all that
// were seen had the same.
func (s *State) SeenInList(op *spec.Operation, meaning string) (number int64, same bool) {
	for key, item := range s.Items {
		if key.Op != op.ID {
			continue
		}
		v, ok := oracle.Integer(item[op.Representation().Field(meaning).Name])
		if !ok || same && v != number {
			return 0, false
		}
		number, same = v, true
	}
	return number, same
}

// ForgetList drops what was read of a list, after a write to it.
func (s *State) ForgetList(o *Object) { delete(s.Lists, listOf(o)) }

// StillListed says of what was deleted that the last look at a list showed it all the
// same; "" where none did.
func (s *State) StillListed(o *Object) string {
	if s.listedSince(o, o.deletedIn()) {
		return ", and which a list still shows"
	}
	return ""
}

// listedSince says whether the last look at a list, after an exchange, showed an object: then
// that did not remove it.
func (s *State) listedSince(o *Object, ex *wire.Exchange) bool {
	for _, seen := range s.Lists {
		for asked, p := range seen.Pages {
			if ex != nil && seen.readIn[asked].Seq > ex.Seq && slices.Contains(p.IDs, o.ID()) {
				return true
			}
		}
	}
	return false
}

// Sorted is a sorted copy.
func Sorted(ids []int64) []int64 { return slices.Sorted(slices.Values(ids)) }

// IDList shows ids, shortened where they are many.
func IDList(ids []int64) string {
	s := fmt.Sprint(Sorted(ids))
	if len(ids) > 8 {
		s = fmt.Sprintf("%d items, %d … %d", len(ids), slices.Min(ids), slices.Max(ids))
	}
	return s
}

// PageParameter is the query parameter that selects a page of a list: the one that
// the document declares, else page, unless the target file says otherwise; "" where
// it says that there is none.
func (s *State) PageParameter(op *spec.Operation) string {
	if op.Page != "" {
		return op.Page
	}
	pin, pinned := s.Target.Open[spec.PageParameter]
	if !pinned {
		return "page"
	}
	name, _ := pin.(string)
	return name
}

// PageSize is the size of the pages as a first page shows it, for Observe.
func (s *State) PageSize(p *ListPage) spec.Choice {
	if p.TotalPages > 1 {
		return spec.Choice(fmt.Sprint(p.Count))
	}
	return ""
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
	before := t.Model.there[listOf(o)]
	if before == nil {
		t.Model.there[listOf(o)] = withStatus(a.Exchange)
		return
	}
	if strings.HasPrefix(o.Key, "disposable") || !a.Expected || before.Response.Status == http.StatusNotFound {
		return
	}
	t.CoveredIf(a.OK, "EFFECT-3")
	if a.Status == http.StatusNotFound {
		t.Find(CheckExpectedStatus, Finding{
			Clause: "EFFECT-3", CauseWords: "a creative is gone that nobody deleted",
			Expected: fmt.Sprintf("status %d for %s, as before: nobody deleted it", before.Response.Status, o.Key), Got: "status 404",
			Requests: t.after(before, fmt.Sprint(before.Response.Status), "status 404"),
		})
	}
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
		if kind := itemKind(c.Op, c.Object); kind != "" {
			t.Model.Outcome.noteListed(kind, a.List.IDs)
		}
	}
	t.judgeItems(c.Op, c.Object, a.List)
	asked := max(c.Page, 1)
	if asked > max(a.List.TotalPages, 1) {
		return // beyond the last page nothing is said
	}
	if a.List.TotalCount > 0 && a.List.Count == 0 && asked == 1 {
		t.Find(CheckListTotal,
			ofItems(c.Op, c.Op.PageClause("totalCount"), fmt.Sprintf("items on page 1, as totalCount is %d", a.List.TotalCount), "none"))
	}
	if a.Wanted = t.filesWanted(c.Object, a.List); a.Wanted == nil {
		t.judgeCollection(a)
	}
}

// judgeCollection judges a page by earlier reads, and where it is as they were by what the target
// file says: what was lost since is one finding.
func (t *Test) judgeCollection(a *Answer) {
	asked, before, key := max(a.Call.Page, 1), len(t.Result.Findings), listOf(a.Call.Object)
	seen := t.judgeRepeat(a.Call, asked, a.List)
	if len(t.Result.Findings) == before && !t.Model.wrong[key] {
		t.judgeTotal(a.Call, a.List)
	}
	if _, disputed := t.Model.shownFiles[a.Call.Object.Key]; !disputed && len(t.Result.Findings) > before {
		t.Model.wrong[key] = true
	}
	t.Model.Lists[key] = seen
	seen.Pages[asked], seen.readIn[asked] = a.List, withoutAnswer(t.shown)
	seen.deletes, seen.Removed, seen.updates = len(t.Model.deletes), t.Model.Outcome.removed.Load(), maps.Clone(t.Model.updates)
}

// listOf is the list of an object.
func listOf(o *Object) ListKey { return ListKey{Op: o.Op.ID, ID: o.ID()} }

// judgeTotal compares with what the target file says of the container, less
// what the suite deleted.
func (t *Test) judgeTotal(c *Call, p *ListPage) {
	if t.disputes(c.Object, p) {
		return
	}
	if before := len(t.Result.Findings); p.Complete() {
		t.judgeMembers(c.Object, p.IDs)
		t.judgeHolds(c.Object, p.IDs)
		if len(t.Result.Findings) > before && p.TotalCount == int64(len(p.IDs)) {
			return // of as many items it is the number
		}
	}
	if want := t.Model.media(c.Object).Count; want >= 0 {
		check, clause := t.ofFiles(c.Object, CheckListTotal, c.Op.PageClause("totalCount"))
		if p.TotalCount != int64(want) {
			f := ofPage(c.Op, "totalCount",
				fmt.Sprintf("totalCount %d, the %s of %s%s", want, c.Op.Items, c.Object.Key, t.Model.sourceOf(c.Object)), fmt.Sprint(p.TotalCount))
			f.Clause, f.Requests = clause, t.afterFileDeletes(c.Object)
			t.Find(check, f)
		}
	}
}

// ofFiles notes that a list was judged, and says by which check and clause: those of the operation
// which deleted a file of the container, where the suite did.
func (t *Test) ofFiles(o *Object, check *Check, clause string) (*Check, string) {
	by, removed := t.Model.lostFiles(o.Key)
	if by == nil {
		t.Covered(clause)
		return check, clause
	}
	t.CoveredIf(removed, by.Effects["listed"])
	return CheckDeleteListed, by.Effects["listed"]
}

// judgeMembers compares the whole collection with the ids of the target file.
func (t *Test) judgeMembers(o *Object, ids []int64) {
	want := t.Model.media(o)
	if want.IDs == nil {
		return
	}
	check, clause := t.ofFiles(o, CheckListMembers, o.Op.Effects["members"])
	if slices.Equal(Sorted(ids), Sorted(want.IDs)) {
		return
	}
	seen := t.Model.Lists[listOf(o)]
	if check == CheckListMembers && seen != nil && len(seen.Pages) > 1 && t.disputeIDs(o, ids) {
		return // of a walk, the first sight of them all
	}
	f := ofItems(o.Op, clause,
		fmt.Sprintf("the %s %s of %s%s", o.Op.Items, IDList(want.IDs), o.Key, t.Model.sourceOf(o)), IDList(ids))
	f.Requests = t.afterFileDeletes(o)
	t.Find(check, f)
}

// judgeRepeat compares with the earlier read of the same page, and returns what was seen of the list.
func (t *Test) judgeRepeat(c *Call, asked int64, p *ListPage) *Listing {
	seen := t.Model.Lists[listOf(c.Object)]
	if seen == nil || t.mayDiffer(c.Op, seen) {
		seen = &Listing{Pages: map[int64]*ListPage{}, readIn: map[int64]*wire.Exchange{}}
	}
	before := seen.Pages[asked]
	if before == nil {
		return seen
	}
	outcome, op := t.Model.Outcome, t.Case.Operation
	repeats := c.Op.Effects["repeats"]
	check, clause, operation, why := CheckListRepeat, repeats, t.about(repeats), ""
	elsewhere := outcome.deleting.Load()
	switch {
	case len(t.Model.deletes) > seen.deletes: // also where the case is about the list
		last := t.Model.deletes[len(t.Model.deletes)-1]
		check, clause, operation, why = CheckDeleteOther, last.Op.Effects["others"], last.Op.ID, " after "+last.Key+" was deleted"
	case elsewhere != nil && seen.Removed != outcome.removed.Load(): // in a case that ran meanwhile
		check, clause, operation, why = CheckDeleteOther, elsewhere.Effects["others"], elsewhere.ID, " after others were deleted"
	case t.Model.updates[op.ID] > seen.updates[op.ID] && !outcome.broke(repeats, c.Op):
		check, clause, operation, why = CheckOtherObject, "EFFECT-2", op.ID, " after "+op.Key()+" was updated"
	}
	// That a list stays shows little of what an update does to other objects.
	if clause != "" && check != CheckOtherObject && (len(before.IDs) > 0 || len(p.IDs) > 0) &&
		(check != CheckDeleteOther || outcome.accepted204.Load()) {
		outcome.cover(clause, t.Case.ID, operation)
	}
	found := check == CheckDeleteOther && (t.Model.wrong[listOf(c.Object)] || outcome.broke(repeats, c.Op))
	if !found && (!slices.Equal(Sorted(before.IDs), Sorted(p.IDs)) || before.TotalCount != p.TotalCount) {
		then := fmt.Sprintf("%s of %d", IDList(before.IDs), before.TotalCount)
		f := ofItems(c.Op, clause, "the items of the earlier read: "+then, fmt.Sprintf("%s of %d%s", IDList(p.IDs), p.TotalCount, why))
		f.Operation, f.Requests = operation, t.after(seen.readIn[asked], then, "other items")
		t.Find(check, f)
	}
	return seen
}

// mayDiffer says whether what was deleted since it was read may have been in a list
// of which the target file does not say what it holds.
func (t *Test) mayDiffer(op *spec.Operation, seen *Listing) bool {
	return op.Effects["members"] == "" && seen.Removed != t.Model.Outcome.removed.Load()
}

// judgeItems compares each item with how it was seen before.
func (t *Test) judgeItems(op *spec.Operation, o *Object, p *ListPage) {
	members, repeats := op.Effects["members"], op.Effects["repeats"]
	beside := map[int64]string{}
	if members != "" {
		beside = t.Model.creativesBeside(o.Key)
	}
	for i, item := range p.Items {
		if what := beside[p.IDs[i]]; what != "" {
			t.require(false, CheckListMembers, Finding{
				Clause: members, Pointer: fmt.Sprintf("%s/%d", dataPointer(op), i),
				Expected: "only " + op.Items + " of " + o.Key,
				Got:      fmt.Sprintf("creative %d, which is %s", p.IDs[i], what),
			})
		}
		key := ListKey{op.ID, o.ID(), p.IDs[i]}
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
			t.Find(CheckListRepeat, Finding{
				Clause: repeats, Pointer: fmt.Sprintf("%s/%d/%s", dataPointer(op), i, f.Name),
				Expected: fmt.Sprintf("%s of item %d as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				Got:      oracle.Show(item[f.Name]),
			})
		}
	}
}

// afterFileDeletes are the last delete of a media file of a container, and the list after it.
func (t *Test) afterFileDeletes(o *Object) []oracle.Request {
	for _, file := range slices.Backward(t.Model.deletes) {
		if strings.HasPrefix(file.Key, o.Key+".") {
			return t.after(file.deletedIn(), "204", "a list that does not follow")
		}
	}
	return nil
}
