package judge

import (
	"slices"
	"strings"

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

// ListEvent is one thing that was seen of lists, or a delete, which may shorten them. What is
// known of lists is a function of these events in their order, in this file; nothing else is kept.
type ListEvent struct {
	What  ListWhat
	Of    *Object        // the list that was asked for, or what was deleted
	In    *wire.Exchange // the request, without its answer
	Asked int64          // PageShown: the page that was asked for
	Shows ListPage       // PageShown: of its items those that the list did not show before, nil in the place of others
	Wrong bool           // PageShown: the page is not what was known
	Files Media          // FilesDisputed: what the list shows
	By    sofar          // PageShown: what may have changed it by then
}

// ListWhat tells the events of lists apart.
type ListWhat int

// The kinds of events.
const (
	FirstAnswer    ListWhat = iota + 1 // the first answer for a list, whatever it was
	PageShown                          // a page was shown
	FilesDisputed                      // it shows other items than the target file names
	DeleteAccepted                     // a delete was accepted, the first of this object
	NothingDeleted                     // a delete found nothing, as an earlier run has deleted it
)

// sofar is what may have changed a list by then.
type sofar struct {
	below    int            // objects of the target file beneath it that were deleted, or may have been
	removals int            // deletes of the run, those in other chains of cases too
	updates  map[string]int // that changed an object, by operation
}

// Lists is the history of lists, the first event first.
type Lists []*ListEvent

// where are the events of a kind that are as asked.
func (h Lists) where(what ListWhat, is func(*ListEvent) bool) (all Lists) {
	for _, e := range h {
		if e.What == what && is(e) {
			all = append(all, e)
		}
	}
	return all
}

// of are the events of a kind of one list. The ids of two kinds of objects may be the same.
func (h Lists) of(what ListWhat, o *Object) Lists {
	return h.where(what, func(e *ListEvent) bool { return e.Of.Op == o.Op && e.Of.ID() == o.ID() })
}

func (h Lists) deletes() Lists { return h.where(DeleteAccepted, func(*ListEvent) bool { return true }) }

// last is the last of the events; nil for none.
func (h Lists) last() *ListEvent {
	if len(h) == 0 {
		return nil
	}
	return h[len(h)-1]
}

// after are the events after one of them.
func (h Lists) after(e *ListEvent) Lists { return h[slices.Index(h, e)+1:] }

// current are the reads of a list that it still has to agree with: nothing beneath it was deleted
// since, nor anything at all where the target file does not say what the list holds.
func (h Lists) current(o *Object, now sofar) Lists {
	return slices.DeleteFunc(h.of(PageShown, o), func(e *ListEvent) bool {
		return e.By.below != now.below || o.Op.Effects["members"] == "" && e.By.removals != now.removals
	})
}

// page is the last read of a page; nil for none.
func (h Lists) page(asked int64) *ListEvent {
	return h.where(PageShown, func(e *ListEvent) bool { return e.Asked == asked }).last()
}

// wrong says whether a page of the list was not what was known.
func (h Lists) wrong(o *Object) bool {
	return slices.ContainsFunc(h.of(PageShown, o), func(e *ListEvent) bool { return e.Wrong })
}

// item is an item of a list as it was first shown; nil for none.
func (h Lists) item(o *Object, id int64) map[string]any {
	for _, e := range h.of(PageShown, o) {
		if i := slices.Index(e.Shows.IDs, id); i >= 0 {
			return e.Shows.Items[i]
		}
	}
	return nil
}

// showed are the reads since an exchange that show an item with one of these ids.
func (h Lists) showed(since *wire.Exchange, ids ...int64) Lists {
	return h.where(PageShown, func(e *ListEvent) bool {
		return e.In.Seq > since.Seq && slices.ContainsFunc(ids, func(id int64) bool { return slices.Contains(e.Shows.IDs, id) })
	})
}

// filesOf are the deletes of objects that the target file names beneath a container.
func (h Lists) filesOf(o *Object) Lists {
	return h.where(DeleteAccepted, func(e *ListEvent) bool { return strings.HasPrefix(e.Of.Key, o.Key+".") })
}

// gone says whether an object was deleted, by this run or an earlier one.
func (h Lists) gone(id int64) bool {
	return slices.ContainsFunc(h, func(e *ListEvent) bool {
		return (e.What == DeleteAccepted || e.What == NothingDeleted) && e.Of.ID() == id
	})
}

// Media is what is known of a container's media files.
type Media struct {
	IDs   []int64 // nil when not known
	Count int     // -1 when not known
}

// left is what a container has to hold by now of the files that the target file gives: what the list
// itself showed where that is disputed, less what was deleted.
func (h Lists) left(o *Object, given Media) Media {
	if e := h.of(FilesDisputed, o).last(); e != nil {
		given = e.Files
	}
	if given.IDs != nil {
		given.IDs = slices.DeleteFunc(slices.Clone(given.IDs), h.gone)
		given.Count = len(given.IDs)
	}
	return given
}

// source says from where it is known what a container has to hold.
func (h Lists) source(o *Object) (words string) {
	if len(h.of(FilesDisputed, o)) > 0 {
		words = ", as its first list showed them"
	}
	if len(h.filesOf(o)) > 0 {
		words += ", less what was deleted"
	}
	return words
}

// lastDelete is the last delete of something else by the same operation; nil for none.
func (h Lists) lastDelete(o *Object) *ListEvent {
	return h.where(DeleteAccepted, func(e *ListEvent) bool { return e.Of != o && e.Of.Op == o.Op }).last()
}
