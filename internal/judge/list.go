package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
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

// isWithin reports whether an object is another one, or the target file names it beneath the other.
func (o *Object) isWithin(other *Object) bool {
	return o.Thing() == other.Thing() || strings.HasPrefix(o.Key, other.Key+".")
}

// NamesElsewhere reports whether the target file names one of these creatives outside of the container under key.
func (s *State) NamesElsewhere(key string, ids ...spec.ID) bool {
	return slices.ContainsFunc(s.Target.Named(), func(n fixtures.Named) bool {
		isElsewhere := n.Bare != key && !strings.HasPrefix(n.Bare, key+".")
		return n.Creative && isElsewhere && slices.ContainsFunc(ids, n.ID.Is)
	})
}

// KnownEmpty reports whether a container has no media files now.
func (s *State) KnownEmpty(o *Object) bool {
	return o != nil && s.Sequence.IsEmpty(o.Thing().Kind, o.ID())
}

// ShownPages returns how many pages of a list were read by their numbers.
func (s *State) ShownPages(o *Object) int {
	return s.Sequence.Pages(o.Thing().Kind, o.ID())
}

// Listed reports whether a list of another container has shown any of these ids.
func (s *State) Listed(other *Object, ids ...spec.ID) bool {
	return s.Sequence.IsListed(other.Thing().Kind, other.ID(), ids...)
}

// deleteOf returns the operation that deletes objects under a key of the target file, or nil.
func (s *State) deleteOf(key string) *spec.Operation {
	for _, op := range s.Contract.Operations {
		if op.Deletes() && slices.Contains(append(op.More(), op.Key()), key) {
			return op
		}
	}
	return nil
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
	c := ContainerOf(t.Target, container)
	switch {
	case c == nil:
		return false
	case c.MediaFileIDs == nil:
		return c.MediaFileCount > 0
	}
	name, _ := SplitKey(container)
	kind := fixtures.KindOf(name)
	return slices.ContainsFunc(c.MediaFileIDs, func(id spec.ID) bool {
		return t.Outcome.Saw(Fact{What: Usable, At: Thing{kind, id}})
	})
}

// ofItems returns a finding about the items of a list.
func ofItems(op *spec.Operation, clause, expected, got string) Finding {
	return Finding{Clause: clause, Pointer: dataPointer(op), Expected: expected, Got: got}
}

// alike reports whether two lists hold the same values, in any order.
func alike[T cmp.Ordered](a, b []T) bool {
	return slices.Equal(Sorted(a), Sorted(b))
}

// Sorted returns a sorted copy.
func Sorted[T cmp.Ordered](all []T) []T {
	return slices.Sorted(slices.Values(all))
}

// IDList formats ids, shortened if there are many.
func IDList(ids []spec.ID) string {
	ids = slices.SortedFunc(slices.Values(ids), spec.ID.Compare)
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %s … %s", len(ids), ids[0], ids[len(ids)-1])
	}
	return fmt.Sprint(ids)
}

// noteList notes what a list shows, and judges whether the own list of a user holds the user's objects.
func (t *Test) noteList(c *Call, a *Answer) {
	o := c.Object
	switch {
	case o == nil, !a.OK, !a.Expected:
		return
	}
	a.List = PageOf(c.Op, a.Value)
	if a.List == nil || c.OutOfRange {
		return
	}
	hasFiles := c.Op.Effects["members"] != "" && ContainerOf(t.Target, o.Key) != nil
	if hasFiles && c.As.Name == t.User(o).Name {
		for _, id := range a.List.IDs {
			t.Outcome.note(Fact{What: Listed, At: Thing{o.Thing().Kind, id}})
		}
	}
	if isWhole := a.List.Complete() && !a.List.Twice(); isWhole && c.Page <= 1 {
		t.JudgeHolds(o, a.List.IDs)
	}
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
