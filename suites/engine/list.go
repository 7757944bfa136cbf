package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// listPage is one page of a list, as far as it could be read.
type listPage struct {
	Count, TotalCount, Page, TotalPages int64
	IDs                                 []int64
	Items                               []map[string]any
}

// Complete says whether the page is the whole collection.
func (p *listPage) Complete() bool { return p.TotalPages <= 1 && p.Page <= 1 }

// listing is what the list of one creative was seen to hold.
type listing struct {
	pages   map[int64]*listPage // by the page that was asked for
	deletes int                 // accepted deletes when it was read
}

// page reads the list out of a decoded body; nil when its shape is broken,
// which the oracle reports.
func (t *T) page(op *spec.Operation, body any) *listPage {
	object, _ := body.(map[string]any)
	meta := op.Success.Field("meta")
	inner, _ := object[meta.Name].(map[string]any)
	pagination := meta.Object.Field("pagination")
	numbers, _ := inner[pagination.Name].(map[string]any)
	p := &listPage{}
	for meaning, at := range map[string]*int64{"count": &p.Count, "totalCount": &p.TotalCount, "page": &p.Page, "totalPages": &p.TotalPages} {
		n, ok := Integer(numbers[pagination.Object.Field(meaning).Name])
		if !ok {
			return nil
		}
		*at = n
	}
	items, ok := object[op.Success.Field("data").Name].([]any)
	if !ok {
		return nil
	}
	id := op.Representation().Field("id").Name
	for _, item := range items {
		creative, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		n, ok := Integer(creative[id])
		if !ok {
			return nil
		}
		p.IDs = append(p.IDs, n)
		p.Items = append(p.Items, creative)
	}
	return p
}

func (t *T) emptyList(op *spec.Operation, a *Answer) bool {
	if !a.OK || !op.Lists() {
		return false
	}
	p := t.page(op, a.Value)
	return p != nil && len(p.IDs) == 0
}

// noteList judges a list against the target file and earlier reads.
func (t *T) noteList(c *Call, a *Answer) {
	if c.Object == nil || !a.OK || !a.Expected || c.Expect.OutOfRange {
		return
	}
	a.List = t.page(c.Op, a.Value)
	if a.List == nil {
		return
	}
	if t.Container(c.Object.Key) != nil && c.As.Name == t.user(c.Object).Name {
		t.book.noteListed(c.Object.thing().kind, a.List.IDs)
	}
	t.judgeItems(c.Op, c.Object, a.List)
	asked := max(c.Page, 1)
	if asked > max(a.List.TotalPages, 1) {
		return // beyond the last page nothing is said
	}
	if a.List.TotalCount > 0 && a.List.Count == 0 && asked == 1 {
		t.find("list-total", Finding{
			Clause: "MEDIA-4", Pointer: "/" + c.Op.Success.Field("data").Name, Expected: fmt.Sprintf("items on page 1, as totalCount is %d", a.List.TotalCount), Got: "none",
		})
	}
	t.noteUsedUp(c.Object, a.List)
	t.judgeTotal(c, a.List)
	t.judgeRepeat(c, asked, a.List)
}

// judgeTotal compares with what the target file says of the container, less
// what the suite deleted.
func (t *T) judgeTotal(c *Call, p *listPage) {
	if t.disputes(c.Object, p) {
		return
	}
	want := t.Media(c.Object.Key)
	if want.Count >= 0 {
		check, clause := "list-total", "MEDIA-4"
		if lost, removed := t.lostFiles(c.Object.Key); lost {
			check, clause = "delete-listed", "DELETE-5"
			t.judgeIf(removed, clause)
		} else {
			t.judge(clause)
		}
		if p.TotalCount != int64(want.Count) {
			t.find(check, Finding{
				Clause: clause, Pointer: t.paginationPointer(c.Op, "totalCount"), Expected: fmt.Sprintf("totalCount %d, the media files of %s", want.Count, c.Object.Key), Got: fmt.Sprint(p.TotalCount),
			})
		}
	}
	if want.IDs != nil && p.Complete() {
		t.JudgeMembers(c.Object, p.IDs)
	}
}

// JudgeMembers compares the whole collection with the ids of the target file.
func (t *T) JudgeMembers(o *Object, ids []int64) {
	want := t.Media(o.Key)
	if want.IDs == nil {
		return
	}
	check, clause := "list-members", "MEDIA-7"
	if lost, removed := t.lostFiles(o.Key); lost {
		check, clause = "delete-listed", "DELETE-5"
		t.judgeIf(removed, clause)
	} else {
		t.judge(clause)
	}
	if got := sorted(ids); !slices.Equal(got, sorted(want.IDs)) {
		if seen := t.lists[o.ID()]; check == "list-members" && seen != nil && len(seen.pages) > 1 && t.disputeIDs(o, ids) {
			return // of a walk, the first sight of them all
		}
		t.find(check, Finding{
			Clause: clause, Pointer: "/" + o.Op.Success.Field("data").Name, Expected: fmt.Sprintf("the media files %s of %s", idList(want.IDs), o.Key), Got: idList(got),
		})
	}
}

// judgeRepeat compares with the earlier read of the same page.
func (t *T) judgeRepeat(c *Call, asked int64, p *listPage) {
	id := c.Object.ID()
	seen := t.lists[id]
	if seen == nil {
		seen = &listing{pages: map[int64]*listPage{}}
		t.lists[id] = seen
	}
	if before := seen.pages[asked]; before != nil {
		check, clause, why := "list-repeat", "MEDIA-9", ""
		if len(t.deletes) > seen.deletes {
			check, clause, why = "delete-other", "DELETE-4", " after "+t.deletes[len(t.deletes)-1].Key+" was deleted"
		}
		t.judgeIf((len(before.IDs) > 0 || len(p.IDs) > 0) && (clause == "MEDIA-9" || t.removedBefore(nil)), clause)
		if !slices.Equal(sorted(before.IDs), sorted(p.IDs)) || before.TotalCount != p.TotalCount {
			t.find(check, Finding{
				Clause: clause, Pointer: "/" + c.Op.Success.Field("data").Name, Expected: fmt.Sprintf("the items of the earlier read: %s of %d", idList(before.IDs), before.TotalCount), Got: fmt.Sprintf("%s of %d%s", idList(p.IDs), p.TotalCount, why),
			})
		}
	}
	seen.pages[asked] = p
	seen.deletes = len(t.deletes)
}

// judgeItems compares each creative with how it was seen before.
func (t *T) judgeItems(op *spec.Operation, o *Object, p *listPage) {
	for i, item := range p.Items {
		if what := t.knownAs(p.IDs[i], o.Key); what != "" {
			t.judge("MEDIA-7")
			t.find("list-members", Finding{
				Clause: "MEDIA-7", Pointer: fmt.Sprintf("/%s/%d", op.Success.Field("data").Name, i), Expected: "only media files of " + o.Key, Got: fmt.Sprintf("creative %d, which is %s", p.IDs[i], what),
			})
		}
		before := t.creatives[p.IDs[i]]
		if before == nil {
			t.creatives[p.IDs[i]] = item
			continue
		}
		t.judge("MEDIA-9")
		for _, f := range op.Representation().Fields {
			if !f.Stays || equalValue(f, before[f.Name], item[f.Name]) {
				continue
			}
			t.find("list-repeat", Finding{
				Clause: "MEDIA-9", Pointer: fmt.Sprintf("/%s/%d/%s", op.Success.Field("data").Name, i, f.Name), Expected: fmt.Sprintf("%s of creative %d as in the earlier read: %s", f.Name, p.IDs[i], Show(before[f.Name])), Got: Show(item[f.Name]),
			})
		}
	}
}

// knownAs says what else the target file knows a creative as, when it cannot be
// a media file of the container under key; else "".
func (s *Session) knownAs(id int64, key string) string {
	o := &s.Target.Objects
	for i, d := range o.DisposableCreatives {
		if d.ID == id {
			return fmt.Sprintf("disposableCreatives[%d]", i)
		}
	}
	containers := map[string]*fixtures.Container{"vastCreative": o.VastCreative, "emptyVastCreative": o.EmptyVastCreative}
	for i := range o.PagedVastCreatives {
		containers[fmt.Sprintf("pagedVastCreatives[%d]", i)] = &o.PagedVastCreatives[i]
	}
	for i := range o.DisposableVastCreatives {
		containers[fmt.Sprintf("disposableVastCreatives[%d]", i)] = &o.DisposableVastCreatives[i]
	}
	mine := s.Lookup(key)
	for _, name := range sortedKeys(containers) {
		c := containers[name]
		switch {
		case c == nil:
		case c.ID == id && c.ID != mine: // its own id is the oracle's business
			return name
		case c.ID != mine && slices.Contains(c.MediaFileIDs, id):
			return "a media file of " + name
		}
	}
	if id == s.Target.Foreign.Creative || id == s.Target.Foreign.VastCreative {
		return "the stranger's"
	}
	return ""
}

// ForgetList drops what was read of a creative's list, after a write to it.
func (s *Session) ForgetList(id int64) { delete(s.lists, id) }

// Media is what the target file says of a container's media files.
type Media struct {
	IDs   []int64 // nil when not given
	Count int     // -1 when not given
}

// Media returns what a container has to hold by now: what the target file says,
// less what the suite deleted.
func (s *Session) Media(key string) Media {
	c := s.Container(key)
	if c == nil {
		return Media{Count: -1}
	}
	if s.unknownFiles(key) {
		return Media{Count: -1}
	}
	m := Media{Count: c.MediaFileCount, IDs: c.MediaFileIDs}
	if shown, otherwise := s.shownFiles[key]; otherwise {
		m = shown
	}
	if key == "emptyVastCreative" && m.Count < 0 {
		m.Count = 0
	}
	if m.IDs == nil {
		return m
	}
	all := m.IDs
	m.IDs = []int64{}
	for _, id := range all {
		if !s.usedUp[id] && !slices.ContainsFunc(s.deletes, func(o *Object) bool { return o.ID() == id }) {
			m.IDs = append(m.IDs, id)
		}
	}
	m.Count = len(m.IDs)
	return m
}

// KnownEmpty says whether a container has no media files by now.
func (s *Session) KnownEmpty(o *Object) bool { return o != nil && s.Media(o.Key).Count == 0 }

// unknownFiles says whether the answer to a delete of a media file was lost: then
// the file may be there or not.
func (s *Session) unknownFiles(key string) bool {
	return slices.ContainsFunc(s.order, func(o *Object) bool {
		return o.Op.Deletes() && o.uncertain && strings.HasPrefix(o.Key, key+".")
	})
}

// lostFiles says whether the suite deleted a media file of the container, and whether
// that was answered 204.
func (s *Session) lostFiles(key string) (lost, removed bool) {
	for _, o := range s.deletes {
		if strings.HasPrefix(o.Key, key+".") {
			lost, removed = true, removed || o.removed
		}
	}
	return lost, removed
}

// Container is the VAST creative under a key of the target file, or nil.
func (s *Session) Container(key string) *fixtures.Container { return containerOf(s.Target, key) }

// MediaFile is a media file of a disposable container, as an object to delete.
func (s *Session) MediaFile(op *spec.Operation, container string, i int) *Object {
	key := fmt.Sprintf("%s.mediaFiles[%d]", container, i)
	if o := s.objects[op.ID+" "+key]; o != nil {
		return o
	}
	c := s.Container(container)
	if c == nil || i >= len(c.MediaFileIDs) {
		return nil
	}
	o := newObject(key, op, []int64{c.MediaFileIDs[i]}, nil)
	s.objects[op.ID+" "+key] = o
	s.order = append(s.order, o)
	return o
}

func (t *T) paginationPointer(op *spec.Operation, meaning string) string {
	meta := op.Success.Field("meta")
	pagination := meta.Object.Field("pagination")
	return "/" + meta.Name + "/" + pagination.Name + "/" + pagination.Object.Field(meaning).Name
}

func sorted(ids []int64) []int64 {
	s := slices.Clone(ids)
	slices.Sort(s)
	return s
}

func idList(ids []int64) string {
	s := fmt.Sprint(sorted(ids))
	if len(ids) > 8 {
		s = fmt.Sprintf("%d items, %d … %d", len(ids), slices.Min(ids), slices.Max(ids))
	}
	return s
}
