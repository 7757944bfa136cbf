package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// creativesBeside returns the keys of the creatives of the target file, by id, that cannot be media files of the
// container under key.
func (s *State) creativesBeside(key string) map[int64]string {
	known := map[int64]string{}
	for _, n := range slices.Backward(s.Target.Named()) {
		of, _, _ := strings.Cut(n.Bare(), mediaFiles)
		if n.Creative() && of != "plainCreative" && s.Lookup(of) != s.Lookup(key) {
			known[n.ID] = n.Bare()
		}
	}
	delete(known, s.Lookup(key)) // the oracle reports a list that has the path's id
	return known
}

// media returns the files that a container has to hold now. They are unknown if the answer to the delete of one of
// them was lost.
func (s *State) media(o *Object) Media {
	c := ContainerOf(s.Target, o.Key)
	lost := func(file *Object) bool {
		return file.Op.Deletes() && file.Uncertain() && file.beneath(o)
	}
	if c == nil || o.Op.Effects["members"] == "" || slices.ContainsFunc(s.Order, lost) { // the target file says nothing about other lists
		return Media{Count: -1}
	}
	given := Media{IDs: c.MediaFileIDs, Count: c.MediaFileCount}
	if o.Key == "emptyVastCreative" {
		given.Count = max(given.Count, 0)
	}
	return s.left(o, given)
}

// KnownEmpty reports whether a container has no media files now.
func (s *State) KnownEmpty(o *Object) bool { return o != nil && s.media(o).Count == 0 }

// FileToDelete returns a media file of a disposable container that this run has not deleted, preferably one
// that the list shows, as an earlier run may have deleted the others. It returns nil if none is left.
func (s *State) FileToDelete(container *Object, list ListPage) (file *Object, listed bool) {
	name, _ := SplitKey(container.Key)
	for i, id := range ContainerOf(s.Target, container.Key).MediaFileIDs {
		o := s.Object(s.Contract.DeleteOf(name), fmt.Sprintf("%s%s[%d]", container.Key, mediaFiles, i))
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
	return slices.ContainsFunc(c.MediaFileIDs, func(id int64) bool { return t.Model.Outcome.Saw(Fact{What: Usable, At: Thing{kind, id}}) })
}
