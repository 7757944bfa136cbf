package judge

import (
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
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
	if read == nil {
		return nil
	}
	p := &ListPage{Count: read.Count, TotalCount: read.TotalCount, Page: read.Page, TotalPages: read.TotalPages}
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

// A pageRead is a page that a list showed.
type pageRead struct {
	ListPage // Items holds only items that the list had not shown before, and nil for the others
	asked    int64
	deleted  int  // how many deletes may have shortened the list by then
	wrong    bool // the page contradicts what was known
}

// pages returns the events in which a list showed a page.
func (o *Object) pages() []*Event {
	return slices.DeleteFunc(slices.Clone(o.history.events), func(e *Event) bool { return e.Page == nil })
}

// current returns the pages that the list still has to agree with: those shown since the last delete that may
// have shortened it.
func (o *Object) current(deleted int) []*Event {
	return slices.DeleteFunc(o.pages(), func(e *Event) bool { return e.Page.deleted != deleted })
}

// lastRead returns the last read of a page, or nil.
func lastRead(pages []*Event, asked int64) *Event {
	for _, e := range slices.Backward(pages) {
		if e.Page.asked == asked {
			return e
		}
	}
	return nil
}

// listsWrong reports whether a page of the list contradicted what was known.
func (o *Object) listsWrong() bool {
	return o.last(func(e *Event) bool { return e.Page != nil && e.Page.wrong }) != nil
}

// item returns an item of a list as it was first shown, or nil.
func (o *Object) item(id int64) map[string]any {
	for _, e := range o.pages() {
		if i := slices.Index(e.Page.IDs, id); i >= 0 {
			return e.Page.Items[i]
		}
	}
	return nil
}

// Listed returns the number of the last exchange in which the list of a container, other than one, showed one of these ids,
// or 0.
func (s *State) Listed(other *Object, ids ...int64) (seq int) {
	for _, o := range s.Order {
		for _, e := range o.pages() {
			if o != other && len(o.IDs) > 0 && len(less(ids, e.Page.IDs)) < len(ids) {
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
	IDs   []int64 // nil if unknown
	Count int     // -1 if unknown
}

// disputed returns the files that a container showed first, if they differ from those of the target file, or nil.
func (o *Object) disputed() *Media {
	if e := o.last(func(e *Event) bool { return e.Files != nil }); e != nil {
		return e.Files
	}
	return nil
}

// left returns the files that a container has to hold now: those that the target file gives, or, if they are
// disputed, those that the list showed first, in each case without the deleted ones.
func (s *State) left(o *Object, given Media) Media {
	if files := o.disputed(); files != nil {
		given = *files
	}
	if given.IDs != nil {
		for _, d := range s.Order {
			if d.deletedIn() != nil {
				given.IDs = less(given.IDs, []int64{d.ID()})
			}
		}
		given.Count = len(given.IDs)
	}
	return given
}

// source describes where the knowledge of what a container has to hold comes from.
func (s *State) source(o *Object) (words string) {
	if o.disputed() != nil {
		words = ", as its first list showed them"
	}
	if s.lastDelete(func(d *Object) bool { return d.beneath(o) }) != nil {
		words += ", less what was deleted"
	}
	return words
}
