package judge

import (
	"fmt"
	"slices"

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
	in int64 // of an item: the object whose list it is in, where ids may be those of that
	ID int64
}

// ItemKey tells the items of lists apart. Where what the items are is known they are
// the same in every list.
func ItemKey(op *spec.Operation, o *Object, id int64) ListKey {
	if op.Effects["members"] != "" {
		return ListKey{Op: op.ID, ID: id}
	}
	return ListKey{op.ID, o.ID(), id}
}

// ItemKind is the kind of a list's items, "" where the document does not say it.
func ItemKind(op *spec.Operation, o *Object) string {
	if op.Effects["members"] != "" {
		return o.Thing().Kind
	}
	return fixtures.KindOf(op.Holds)
}

// Listing is what one list was seen to hold.
type Listing struct {
	Pages   map[int64]*ListPage      // by the page that was asked for
	ReadIn  map[int64]*wire.Exchange // likewise, without the answer
	Deletes int                      // accepted deletes when it was read
	Removed int                      // those of the whole run
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
func (s *State) ForgetList(o *Object) { delete(s.Lists, ListKey{Op: o.Op.ID, ID: o.ID()}) }

// StillListed says of what was deleted that the last look at a list showed it all the
// same; "" where none did.
func (s *State) StillListed(o *Object) string {
	if s.ListedSince(o, o.SetIn) {
		return ", and which a list still shows"
	}
	return ""
}

// ListedSince says whether the last look at a list, after an exchange, showed an object: then
// that did not remove it.
func (s *State) ListedSince(o *Object, ex *wire.Exchange) bool {
	for _, seen := range s.Lists {
		for asked, p := range seen.Pages {
			if ex != nil && seen.ReadIn[asked].Seq > ex.Seq && slices.Contains(p.IDs, o.ID()) {
				return true
			}
		}
	}
	return false
}

// Sorted is a sorted copy.
func Sorted(ids []int64) []int64 {
	s := slices.Clone(ids)
	slices.Sort(s)
	return s
}

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
	pin, pinned := s.Target.Open["pageParameter"]
	if !pinned {
		return "page"
	}
	name, _ := pin.(string)
	return name
}

// PageSize is the size of the pages as a first page shows it, for Observe.
func (s *State) PageSize(p *ListPage) string {
	if p.TotalPages > 1 {
		return fmt.Sprint(p.Count)
	}
	return ""
}
