package judge

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// ListPage is one page of a list.
type ListPage = oracle.ListPage

// PageOf returns the list in a decoded body, or nil if its shape is wrong, which the oracle reports.
func PageOf(op *spec.Operation, body any) *ListPage {
	if p := oracle.ReadList(op, body); p != nil && !slices.Contains(p.IDs, "") {
		return p
	}
	return nil
}

// A pageRead is a page that a list showed, or all its pages together.
type pageRead struct {
	ListPage          // Items holds only items that the list had not shown before, and nil for the others
	asked    int64    // the number of the page, or 0 for all pages together
	deleted  []*Event // the deletes that may have shortened the list by then
}

// whole reports whether the page shows what the list holds.
func (p *pageRead) whole() bool { return p.asked == 0 || p.Complete() && !p.Twice() }

// pages returns the events in which a list showed a page.
func (o *Object) pages() []*Event {
	return slices.DeleteFunc(slices.Clone(o.history.events), func(e *Event) bool { return e.Page == nil })
}

// lastRead returns the last read of a page, or nil.
func (o *Object) lastRead(asked int64) *Event {
	return o.last(func(e *Event) bool { return e.Page != nil && e.Page.asked == asked })
}

// ShownPages returns how many pages of a list were read by their numbers.
func (o *Object) ShownPages() int {
	numbers := map[int64]bool{}
	for _, e := range o.pages() {
		if e.Page.asked > 0 {
			numbers[e.Page.asked] = true
		}
	}
	return len(numbers)
}

// shortened returns the deletes that may have shortened a list: those of objects beneath it, or all if the target file does
// not say what the list holds.
func (s *State) shortened(o *Object) (by []*Event) {
	for _, other := range s.Order {
		if other.Op.Deletes() && (o.Op.Effects["members"] == "" || other.beneath(o)) {
			for _, e := range other.history.events {
				if e.What == Deleted || e.What == Lost {
					by = append(by, e)
				}
			}
		}
	}
	return by
}

// since returns those of some deletes that came after a read.
func (e *Event) since(deletes []*Event) []*Event {
	return slices.DeleteFunc(slices.Clone(deletes), func(d *Event) bool { return slices.Contains(e.Page.deleted, d) })
}

// item returns an item of a list as it was first shown, or nil.
func (o *Object) item(id spec.ID) map[string]any {
	for _, e := range o.pages() {
		if i := slices.Index(e.Page.IDs, id); i >= 0 && i < len(e.Page.Items) {
			return e.Page.Items[i]
		}
	}
	return nil
}

// Listed returns the number of the last exchange in which the list of a container, other than one, showed one of these ids,
// or 0.
func (s *State) Listed(other *Object, ids ...spec.ID) (seq int) {
	for _, o := range s.Order {
		for _, e := range o.pages() {
			same := other != nil && o.Op == other.Op && o.Key == other.Key // perhaps of another chain
			if !same && len(o.IDs) > 0 && len(less(ids, e.Page.IDs)) < len(ids) {
				seq = max(seq, e.In.Seq)
			}
		}
	}
	return seq
}

// lastShown returns the number of the last exchange that showed an object in a list, or was a list's own, or 0. A list that
// was never shown may never have been there: nothing was sent since.
func (s *State) lastShown(o *Object) int {
	pages := o.pages()
	switch {
	case !o.Op.Lists():
		return s.Listed(nil, o.ID())
	case len(pages) == 0:
		return math.MaxInt
	}
	return pages[len(pages)-1].In.Seq
}

// beneath reports whether the target file names an object beneath a container.
func (o *Object) beneath(container *Object) bool { return strings.HasPrefix(o.Key, container.Key+".") }

// Media is what is known about a container's media files.
type Media struct {
	IDs    []spec.ID // nil if unknown
	Count  int       // -1 if unknown
	listed bool      // the list itself has shown them
	since  []*Event  // the deletes since it showed them
}

// media returns the files that a container has to hold now: those that its list showed last or, before that, those that the
// target file names, less those deleted since. They are unknown if the answer to one of these deletes was lost.
func (s *State) media(o *Object) Media {
	c, m := ContainerOf(s.Target, o.Key), Media{Count: -1, since: s.shortened(o)}
	if c == nil || o.Op.Effects["members"] == "" { // the target file says nothing about other lists
		return m
	}
	if m.IDs, m.Count = c.MediaFileIDs, c.MediaFileCount; SaysEmpty(s.Target, o.Key) {
		m.IDs = []spec.ID{}
	} else if o.Key == "emptyVastCreative" {
		m.Count = max(m.Count, 0)
	}
	if whole := o.last(func(e *Event) bool { return e.Page != nil && e.Page.whole() }); whole != nil {
		m.IDs, m.listed, m.since = append([]spec.ID{}, whole.Page.IDs...), true, whole.since(m.since)
	}
	if m.IDs != nil {
		m.IDs = less(m.IDs, idsOf(m.since))
		m.Count = len(m.IDs)
	}
	if slices.ContainsFunc(m.since, func(d *Event) bool { return d.In == nil }) {
		return Media{Count: -1}
	}
	return m
}

// idsOf returns the ids of what was deleted.
func idsOf(deletes []*Event) (ids []spec.ID) {
	for _, d := range deletes {
		ids = append(ids, d.of.ID())
	}
	return ids
}

// creativesBeside returns the keys of the creatives of the target file, by id, that cannot be media files of the
// container under key.
func (s *State) creativesBeside(key string) map[spec.ID]string {
	known := map[spec.ID]string{}
	for _, n := range slices.Backward(s.Target.Named()) {
		of, _, _ := strings.Cut(n.Bare, mediaFiles)
		if n.Creative && of != "plainCreative" && s.Lookup(of) != s.Lookup(key) {
			known[n.ID] = n.Bare
		}
	}
	delete(known, s.Lookup(key)) // the oracle reports a list that has the path's id
	return known
}

// NamesElsewhere reports whether the target file names one of these creatives outside of the container under key.
func (s *State) NamesElsewhere(key string, ids ...spec.ID) bool {
	return slices.ContainsFunc(s.Target.Named(), func(n fixtures.Named) bool {
		isOfContainer := n.Bare == key || strings.HasPrefix(n.Bare, key+".")
		return n.Creative && !isOfContainer && slices.ContainsFunc(ids, n.ID.Is)
	})
}

// KnownEmpty reports whether a container has no media files now.
func (s *State) KnownEmpty(o *Object) bool { return o != nil && s.media(o).Count == 0 }

// deleteOf returns the operation that deletes objects under a key of the target file, or nil.
func (s *State) deleteOf(key string) *spec.Operation {
	for _, op := range s.Contract.Operations {
		if op.Deletes() && slices.Contains(append(op.More(), op.Key()), key) {
			return op
		}
	}
	return nil
}

// mayChangeItems reports whether an update may change the items of a list.
func mayChangeItems(update, list *spec.Operation) bool {
	if !update.Updates() {
		return false
	}
	isSameKind := list.Holds != "" && list.Holds == update.Key()
	return isSameKind || list.Representation().Schema == update.Representation().Schema
}

// FileToDelete returns a media file of a disposable container that this run has not deleted, preferably one
// that the list shows, as an earlier run may have deleted the others. It returns nil if none is left.
func (s *State) FileToDelete(container *Object, list ListPage) (file *Object, listed bool) {
	name, _ := SplitKey(container.Key)
	for i, id := range ContainerOf(s.Target, container.Key).MediaFileIDs {
		o := s.Object(s.deleteOf(name), fmt.Sprintf("%s%s[%d]", container.Key, mediaFiles, i))
		switch {
		case o.Deleted():
		case slices.Contains(list.IDs, id):
			return o, true
		case file == nil:
			file = o
		}
	}
	return file, false
}

// HasFiles reports whether a request of the run reached a media file of the container, or, if the target file
// names no file, whether it gives their number and that is not 0.
func (t *Test) HasFiles(container string) bool {
	c := ContainerOf(t.Model.Target, container)
	if c == nil || c.MediaFileIDs == nil {
		return c != nil && c.MediaFileCount > 0
	}
	name, _ := SplitKey(container)
	kind := fixtures.KindOf(name)
	return slices.ContainsFunc(c.MediaFileIDs, func(id spec.ID) bool { return t.Model.Outcome.Saw(Fact{What: Usable, At: Thing{kind, id}}) })
}

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
func less(a, b []spec.ID) []spec.ID {
	return slices.DeleteFunc(slices.Clone(a), func(id spec.ID) bool { return slices.Contains(b, id) })
}

// IDList formats ids, shortened if there are many.
func IDList(ids []spec.ID) string {
	ids = slices.SortedFunc(slices.Values(ids), spec.ID.Compare)
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %s … %s", len(ids), ids[0], ids[len(ids)-1])
	}
	return fmt.Sprint(ids)
}

// judgeThere checks that a list that was there stays there. A list may be answered 404 from the first request on, but not only
// from a later one on.
func (t *Test) judgeThere(c *Call, a *Answer) {
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
			Clause: "EFFECT-3", Cause: finding.CauseOf(finding.GoneUnprompted),
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
	before, deleted := len(t.Result.Findings), t.Model.shortened(o)
	if earlier := o.lastRead(asked); earlier != nil && len(earlier.since(deleted)) == 0 {
		t.judgeRepeat(o, earlier, p)
	} else if len(t.Result.Findings) == before && !p.Twice() { // otherwise the counts differ
		total := p.TotalCount
		if last := o.last(func(e *Event) bool { return e.Page != nil }); last != nil && len(last.since(deleted)) == 0 {
			total = -1 // an earlier page was compared with the target file
		}
		t.judgeFiles(o, p.IDs, p.Complete(), total)
		if p.Complete() {
			t.judgeHolds(o, p.IDs)
		}
	}
	t.noteList(o, *p, asked)
}

// noteList notes what a list showed.
func (t *Test) noteList(o *Object, p ListPage, asked int64) {
	p.Items = slices.Clone(p.Items)
	for i, id := range p.IDs[:len(p.Items)] {
		if o.item(id) != nil {
			p.Items[i] = nil
		}
	}
	o.note(Event{What: Paged, In: withoutAnswer(t.shown), Page: &pageRead{p, asked, t.Model.shortened(o)}})
}

// judgeRepeat compares a page with the earlier read of it. If they differ, it blames the last delete or update
// since the list was last read.
func (t *Test) judgeRepeat(o *Object, before *Event, is *ListPage) {
	was, last := before.Page, o.last(func(e *Event) bool { return e.Page != nil })
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
	if check == CheckDeleteOther && broken || !moved && was.TotalCount == is.TotalCount {
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
	beside := map[spec.ID]string{}
	if members != "" {
		beside = t.Model.creativesBeside(o.Key)
	}
	changes := func(update *spec.Operation) bool { return mayChangeItems(update, op) }
	updated := slices.ContainsFunc(t.Model.Contract.Operations, changes)
	for i, item := range p.Items {
		at := fmt.Sprintf("%s/%d", dataPointer(op), i)
		if what := beside[p.IDs[i]]; what != "" {
			t.require(false, CheckListMembers, Finding{
				Clause: members, Pointer: at,
				Expected: "only " + op.Items + " of " + o.Key, Got: fmt.Sprintf("creative %s, which is %s", p.IDs[i], what),
			})
		}
		before := o.item(p.IDs[i])
		if before == nil {
			continue
		}
		t.Covered(repeats)
		for _, f := range op.Representation().Fields {
			if (f.Stays || !updated) && hasChanged(f, before[f.Name], item[f.Name]) {
				t.Find(CheckListRepeat, Finding{
					Clause: repeats, Pointer: at + "/" + f.Name, Got: oracle.Show(item[f.Name]), Cause: finding.CauseOf(finding.ItemChanged),
					Expected: fmt.Sprintf("%s of item %s as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				})
			}
		}
	}
}

// hasChanged reports whether a property of an item differs from that of an earlier read in a way in which it does not
// change by itself. A null may become a value: a server may measure a file after it has listed it.
func hasChanged(f *spec.Field, before, now any) bool {
	if before == nil {
		return false
	}
	switch f.Moves {
	case spec.MovesWhole:
		return false
	case spec.MovesQuery:
		return withoutQuery(before) != withoutQuery(now)
	case spec.MovesLater:
		was, wasDate := oracle.ReadMoment(before)
		is, isDate := oracle.ReadMoment(now)
		return now == nil || wasDate && isDate && is.Before(was)
	}
	return !oracle.Equal(f, before, now)
}

// withoutQuery returns a URL without its query, or any other value as it is.
func withoutQuery(value any) any {
	if text, is := value.(string); is {
		address, _, _ := strings.Cut(text, "?")
		return address
	}
	return value
}

// judgeFiles compares a list with what it has to hold: the ids if whole is set, and the total unless it is -1. When the list
// is first seen, the target file may be wrong: then the finding is tentative, and the list has to stay as it is.
func (t *Test) judgeFiles(o *Object, ids []spec.ID, whole bool, total int64) {
	want, op := t.Model.media(o), o.Op
	members, counts, lacking := whole && want.IDs != nil, want.Count >= 0 && total >= 0, whole && want.lacks(ids, total)
	source := ""
	if len(want.since) > 0 {
		source = ", less what was deleted"
	}
	var check *Check // nil if nothing differs
	var broken Finding
	held := TentativeFinding{Result: t.Result, Object: o}
	switch {
	case members && !alike(ids, want.IDs):
		check = CheckListMembers
		broken = ofItems(op, op.Effects["members"], fmt.Sprintf("the %s %s of %s%s", op.Items, IDList(want.IDs), o.Key, source), IDList(ids))
		broken.Name = fmt.Sprint(want.IDs)
		held.Missing, held.More = less(want.IDs, ids), less(ids, want.IDs)
		held.Misnamed = fmt.Sprintf("that it has the media files %s, but the target lists %s", IDList(want.IDs), IDList(ids))
	case counts && total != int64(want.Count):
		check = CheckListTotal
		broken = ofPage(op, "totalCount", fmt.Sprintf("totalCount %d, the %s of %s%s", want.Count, op.Items, o.Key, source), fmt.Sprint(total))
		held.Misnamed = fmt.Sprintf("that it has %d media files, but the target lists %d", want.Count, total)
	}
	if lacking {
		broken.Cause = finding.CauseOf(finding.MissingItems)
	}
	by, lost := t.Model.lastDelete(func(d *Object) bool { return d.beneath(o) }), less(want.IDs, ids)
	switch {
	case by != nil && len(want.since) > 0 && (members || counts): // the operation that deleted them is judged
		broken.Clause, broken.Requests = by.Op.Effects["listed"], t.after(by.In, fmt.Sprint(by.Status), "items "+IDList(ids))
		t.CoveredIf(slices.ContainsFunc(want.since, func(d *Event) bool { return d.of.Removed() }), broken.Clause)
		stays := slices.ContainsFunc(idsOf(want.since), func(id spec.ID) bool { return slices.Contains(ids, id) })
		switch culprit := t.Model.culprit(o); {
		case check == CheckListMembers && !stays && t.Model.Outcome.broke(op.Effects["repeats"], op): // it differs without a delete, too
			check, broken.Clause, broken.Requests = CheckListRepeat, op.Effects["repeats"], nil
		case check == CheckListMembers && len(lost) > 0 && culprit != nil:
			broken.Names = strings.Trim(IDList(lost), "[]")
			t.accuse(culprit, broken)
			return
		case check != nil:
			check = CheckDeleteListed
		}
	case check != nil && !want.listed && !lacking:
		if held.finding = t.Find(check, broken); held.finding != nil {
			t.Model.Outcome.hold(held)
		}
		return
	default:
		t.CoveredIf(members, op.Effects["members"])
		t.CoveredIf(counts, op.PageClause("totalCount"))
	}
	if check != nil {
		t.Find(check, broken)
	}
}

// lacks reports whether a complete list lacks items: its totalCount agrees with the target file, so the file is right.
func (m Media) lacks(ids []spec.ID, total int64) bool {
	return int64(len(ids)) < total && total == int64(m.Count)
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
