package judge

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// ListPage is one page of a list.
type ListPage struct {
	Count, TotalCount, Page, TotalPages int64
	IDs                                 []int64
	Items                               []map[string]any
}

// Complete reports whether the page is the whole collection.
func (p *ListPage) Complete() bool { return p.TotalPages <= 1 && p.Page <= 1 }

// PageOf returns the list in a decoded body, or nil if its shape is wrong, which the oracle reports.
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

// A ListEvent is a page that a list showed, or a delete, which may shorten lists. Everything known about
// lists is computed from these events, in their order, by the functions in this file.
type ListEvent struct {
	What    ListWhat
	Of      *Object        // the list, or the object that was deleted
	In      *wire.Exchange // the request, without its answer
	Asked   int64          // PageShown: the page that was requested
	Shows   ListPage       // PageShown: Items holds only items that the list had not shown before, and nil for the others
	Wrong   bool           // PageShown: the page contradicts what was known
	Files   Media          // FilesDisputed: what the list shows
	Deleted int            // PageShown: how many deletes may have shortened the list by then
}

// ListWhat is the kind of a list event.
type ListWhat int

// The kinds of events.
const (
	FirstAnswer    ListWhat = iota + 1 // the first answer to a request for the list, which may say that there is none
	PageShown                          // a page was shown
	FilesDisputed                      // the list shows other items than the target file names
	DeleteAccepted                     // a delete was accepted, the first one of this object
)

// Lists is the history of lists, the first event first.
type Lists []*ListEvent

// where returns the events of a kind for which is holds.
func (h Lists) where(what ListWhat, is func(*ListEvent) bool) (all Lists) {
	for _, e := range h {
		if e.What == what && is(e) {
			all = append(all, e)
		}
	}
	return all
}

// of returns the events of a kind of one list. Objects of two kinds may have the same id.
func (h Lists) of(what ListWhat, o *Object) Lists {
	return h.where(what, func(e *ListEvent) bool { return e.Of.Op == o.Op && e.Of.ID() == o.ID() })
}

func (h Lists) deletes() Lists { return h.where(DeleteAccepted, func(*ListEvent) bool { return true }) }

// last returns the last of the events, or nil.
func (h Lists) last() *ListEvent {
	if len(h) == 0 {
		return nil
	}
	return h[len(h)-1]
}

// after returns the events after e.
func (h Lists) after(e *ListEvent) Lists { return h[slices.Index(h, e)+1:] }

// current returns the pages that the list still has to agree with: those shown since the last delete that may
// have shortened it.
func (h Lists) current(o *Object, deleted int) Lists {
	return slices.DeleteFunc(h.of(PageShown, o), func(e *ListEvent) bool { return e.Deleted != deleted })
}

// page returns the last read of a page, or nil.
func (h Lists) page(asked int64) *ListEvent {
	return h.where(PageShown, func(e *ListEvent) bool { return e.Asked == asked }).last()
}

// wrong reports whether a page of the list contradicted what was known.
func (h Lists) wrong(o *Object) bool {
	return slices.ContainsFunc(h.of(PageShown, o), func(e *ListEvent) bool { return e.Wrong })
}

// item returns an item of a list as it was first shown, or nil.
func (h Lists) item(o *Object, id int64) map[string]any {
	for _, e := range h.of(PageShown, o) {
		if i := slices.Index(e.Shows.IDs, id); i >= 0 {
			return e.Shows.Items[i]
		}
	}
	return nil
}

// showed returns the pages shown since an exchange that have an item with one of these ids.
func (h Lists) showed(since *wire.Exchange, ids ...int64) Lists {
	return h.where(PageShown, func(e *ListEvent) bool {
		return e.In.Seq > since.Seq && slices.ContainsFunc(ids, func(id int64) bool { return slices.Contains(e.Shows.IDs, id) })
	})
}

// filesOf returns the deletes of objects that the target file names beneath a container.
func (h Lists) filesOf(o *Object) Lists {
	return h.where(DeleteAccepted, func(e *ListEvent) bool { return strings.HasPrefix(e.Of.Key, o.Key+".") })
}

// Media is what is known about a container's media files.
type Media struct {
	IDs   []int64 // nil if unknown
	Count int     // -1 if unknown
}

// left returns the files that a container has to hold now: those that the target file gives, or, if they are
// disputed, those that the list showed first, in each case without the deleted ones.
func (h Lists) left(o *Object, given Media) Media {
	if e := h.of(FilesDisputed, o).last(); e != nil {
		given = e.Files
	}
	if given.IDs != nil {
		given.IDs = slices.DeleteFunc(slices.Clone(given.IDs), func(id int64) bool {
			return slices.ContainsFunc(h.deletes(), func(e *ListEvent) bool { return e.Of.ID() == id })
		})
		given.Count = len(given.IDs)
	}
	return given
}

// source describes where the knowledge of what a container has to hold comes from.
func (h Lists) source(o *Object) (words string) {
	if len(h.of(FilesDisputed, o)) > 0 {
		words = ", as its first list showed them"
	}
	if len(h.filesOf(o)) > 0 {
		words += ", less what was deleted"
	}
	return words
}

// lastDelete returns the last delete of another object by the same operation, or nil.
func (h Lists) lastDelete(o *Object) *ListEvent {
	return h.where(DeleteAccepted, func(e *ListEvent) bool { return e.Of != o && e.Of.Op == o.Op }).last()
}
