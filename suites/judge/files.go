package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// Container is the VAST creative under a key of the target file, or nil.
func (s *State) Container(key string) *fixtures.Object { return ContainerOf(s.Target, key) }

// creativesBeside are the creatives of the target file, in words, that cannot be media files of the
// container under key.
func (s *State) creativesBeside(key string) map[int64]string {
	known := map[int64]string{}
	for _, n := range slices.Backward(s.Target.Named()) {
		of, _, _ := strings.Cut(n.Bare(), mediaFiles)
		switch {
		case !n.Creative() || of == "plainCreative" || s.Lookup(of) == s.Lookup(key):
		case n.Foreign():
			known[n.ID] = "the stranger's"
		case n.File:
			known[n.ID] = "a media file of " + of
		default:
			known[n.ID] = of
		}
	}
	delete(known, s.Lookup(key)) // that it lists itself is the oracle's business
	return known
}

// media is what a container has to hold by now. Where the answer to the delete of a file was lost,
// the file may be there or not.
func (s *State) media(o *Object) Media {
	c := s.Container(o.Key)
	lost := func(file *Object) bool {
		return file.Op.Deletes() && file.Uncertain() && strings.HasPrefix(file.Key, o.Key+".")
	}
	if c == nil || o.Op.Effects["members"] == "" || slices.ContainsFunc(s.Order, lost) { // of another list the target file says nothing
		return Media{Count: -1}
	}
	given := Media{IDs: c.MediaFileIDs, Count: c.MediaFileCount}
	if o.Key == "emptyVastCreative" {
		given.Count = max(given.Count, 0)
	}
	return s.lists.left(o, given)
}

// KnownEmpty says whether a container has no media files by now.
func (s *State) KnownEmpty(o *Object) bool { return o != nil && s.media(o).Count == 0 }

// FilesLeft are the media files of a disposable container, as objects to delete, that neither this run
// nor an earlier one was seen to have deleted.
func (s *State) FilesLeft(container *Object) (files []*Object) {
	name, _ := SplitKey(container.Key)
	for i := range s.Container(container.Key).MediaFileIDs {
		file := s.Object(s.Contract.DeleteOf(name), fmt.Sprintf("%s%s[%d]", container.Key, mediaFiles, i))
		if !file.Deleted() && !s.lists.gone(file.ID()) {
			files = append(files, file)
		}
	}
	return files
}

// mayBeUsedUp says whether an earlier run that was killed may have deleted the media files that a
// disposable container lacks, and nobody has provisioned new ones. A run that has deleted something
// itself may have seen them off.
func (s *State) mayBeUsedUp(o *Object, missing, more []int64) bool {
	key, _ := SplitKey(o.Key)
	return key == "disposableVastCreatives" && len(missing) > 0 && len(more) == 0 && s.Intact()
}

// Intact says whether nothing was deleted yet.
func (s *State) Intact() bool { return len(s.lists.deletes()) == 0 }

// JudgeUnlisted judges a list that lacks a media file which was there to delete.
func (t *Test) JudgeUnlisted(list *Answer, file, o *Object, deleted *Answer) {
	t.showing(list.Exchange).require(false, CheckListMembers, ofItems(o.Op, o.Op.Effects["members"],
		fmt.Sprintf("the media files %s of %s", IDList(t.Model.Container(o.Key).MediaFileIDs), o.Key),
		fmt.Sprintf("%s; the delete of %d was answered %s", IDList(list.List.IDs), file.ID(), deleted.StatusText())))
}

// HasFiles says whether a container was seen to have media files, or has some
// that nobody named and no run has deleted.
func (t *Test) HasFiles(container string) bool {
	c := t.Model.Container(container)
	if c == nil || c.MediaFileIDs == nil {
		return c != nil && c.MediaFileCount > 0
	}
	name, _ := SplitKey(container)
	kind := fixtures.KindOf(name)
	return slices.ContainsFunc(c.MediaFileIDs, func(id int64) bool { return t.Model.Outcome.Saw(Fact{What: Usable, At: Thing{kind, id}}) })
}
