package judge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// RemovedBefore says whether the delete of another object was answered 204.
func (s *State) RemovedBefore(o *Object) bool {
	return slices.ContainsFunc(s.deletes, func(other *Object) bool {
		return other != o && other.Removed() && (o == nil || other.Op == o.Op)
	})
}

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

// Media is what the target file says of a container's media files.
type Media struct {
	IDs   []int64 // nil when not given
	Count int     // -1 when not given
}

// media returns what a container has to hold by now: what the target file says,
// less what the suite deleted.
func (s *State) media(o *Object) Media {
	key := o.Key
	c := s.Container(key)
	if c == nil || o.Op.Effects["members"] == "" || s.unknownFiles(key) { // of another list the target file says nothing
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
		if !s.UsedUpFiles[id] && !slices.ContainsFunc(s.deletes, func(o *Object) bool { return o.ID() == id }) {
			m.IDs = append(m.IDs, id)
		}
	}
	m.Count = len(m.IDs)
	return m
}

// sourceOf says from where it is known what a container has to hold.
func (s *State) sourceOf(o *Object) string {
	source := ""
	if _, otherwise := s.shownFiles[o.Key]; otherwise {
		source = ", as its first list showed them"
	}
	if by, _ := s.lostFiles(o.Key); by != nil {
		source += ", less what was deleted"
	}
	return source
}

// KnownEmpty says whether a container has no media files by now.
func (s *State) KnownEmpty(o *Object) bool { return o != nil && s.media(o).Count == 0 }

// unknownFiles says whether the answer to a delete of a media file was lost: then
// the file may be there or not.
func (s *State) unknownFiles(key string) bool {
	return slices.ContainsFunc(s.Order, func(o *Object) bool {
		return o.Op.Deletes() && o.Uncertain() && strings.HasPrefix(o.Key, key+".")
	})
}

// lostFiles is the operation by which the suite deleted a media file of the
// container, nil when it did not, and whether that was answered 204.
func (s *State) lostFiles(key string) (by *spec.Operation, removed bool) {
	for _, o := range s.deletes {
		if strings.HasPrefix(o.Key, key+".") {
			by, removed = o.Op, removed || o.Removed()
		}
	}
	return by, removed
}

// Container is the VAST creative under a key of the target file, or nil.
func (s *State) Container(key string) *fixtures.Object { return ContainerOf(s.Target, key) }

// MediaFile is a media file of a disposable container, as an object to delete.
func (s *State) MediaFile(op *spec.Operation, container string, i int) *Object {
	key := fmt.Sprintf("%s.mediaFiles[%d]", container, i)
	if o := s.Objects[op.ID+" "+key]; o != nil {
		return o
	}
	c := s.Container(container)
	if c == nil || i >= len(c.MediaFileIDs) {
		return nil
	}
	o := NewObject(key, op, []int64{c.MediaFileIDs[i]}, nil)
	s.Objects[op.ID+" "+key] = o
	s.Order = append(s.Order, o)
	return o
}

// UsedUp says whether a media file was deleted, by an earlier run or by this one.
func (s *State) UsedUp(o *Object) bool { return s.UsedUpFiles[o.ID()] || o.Deleted() }

// A container may list other media files than the target file names. It is the
// operator's mistake, unless the run comes upon a media file that was there and not
// listed, or listed where it does not belong.

// disputes says whether the first list of a container is not what the target file
// says. From then on the list itself is what has to stay.
func (t *Test) disputes(o *Object, p *ListPage) bool {
	want := t.Model.media(o)
	if by, _ := t.Model.lostFiles(o.Key); by != nil || t.Model.Lists[listOf(o)] != nil {
		return false
	}
	if want.IDs != nil && p.Complete() && !slices.Equal(Sorted(p.IDs), Sorted(want.IDs)) {
		return t.disputeIDs(o, p.IDs)
	}
	if want.Count < 0 || p.TotalCount == int64(want.Count) {
		return false
	}
	t.dispute(CheckListTotal,
		ofPage(o.Op, "totalCount", fmt.Sprintf("totalCount %d, the media files of %s", want.Count, o.Key), fmt.Sprint(p.TotalCount)),
		Disputed{Container: o, Words: fmt.Sprintf("that it has %d media files, and the target lists %d", want.Count, p.TotalCount)},
		Media{Count: int(p.TotalCount)})
	return true
}

// disputeIDs notes that a container lists other media files than the target file
// names. It is false where that was noted before.
func (t *Test) disputeIDs(o *Object, ids []int64) bool {
	if shown, known := t.Model.shownFiles[o.Key]; known && shown.IDs != nil {
		return false
	}
	want := t.Model.media(o).IDs
	t.dispute(CheckListMembers,
		ofItems(o.Op, o.Op.Effects["members"], fmt.Sprintf("the media files %s of %s", IDList(want), o.Key), IDList(ids)),
		Disputed{
			Container: o, Missing: less(want, ids), More: less(ids, want),
			Words: fmt.Sprintf("that it has the media files %s, and the target lists %s", IDList(want), IDList(ids)),
		}, Media{Count: len(ids), IDs: slices.Clone(ids)})
	return true
}

func (t *Test) dispute(check *Check, f Finding, d Disputed, shown Media) {
	t.Model.shownFiles[d.Container.Key] = shown
	if found := t.Find(check, f); found != nil {
		t.Result.Tentative = true
		t.Model.Outcome.Hold(TentativeFinding{finding: found, Result: t.Result, Files: &d})
	}
}

// less is what of a is not in b.
func less(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(id int64) bool { return slices.Contains(b, id) })
}

// An earlier run that was killed leaves disposable containers without the media
// files that it deleted, and nobody may have provisioned new ones. That is not
// the target's doing.

const disposableContainers = "disposableVastCreatives"

// filesWanted are media files that the target file names and the first list of their
// disposable container lacks. They were used up by an earlier run when their delete is
// answered 404 too. A run that has deleted something itself may have seen them off, so
// there they are missed.
func (t *Test) filesWanted(o *Object, p *ListPage) (files []*Object) {
	c := t.Model.Container(o.Key)
	key, _ := SplitKey(o.Key)
	op := t.Model.Contract.DeleteOf(key)
	if key != disposableContainers || o.Op.Effects["members"] == "" || c == nil || op == nil || !p.Complete() || len(t.Model.deletes) > 0 {
		return nil
	}
	for i, id := range c.MediaFileIDs {
		if !slices.Contains(p.IDs, id) && !t.Model.UsedUpFiles[id] {
			files = append(files, t.Model.MediaFile(op, o.Key, i))
		}
	}
	return files
}

// FileWanted is told how the delete of a media file was answered that the list in a
// lacks, and says whether the other files are wanted, too.
func (t *Test) FileWanted(a *Answer, file *Object, deleted *Answer) bool {
	if deleted.Status == http.StatusNotFound {
		t.Model.UsedUpFiles[file.ID()] = true
		return true
	}
	o := a.Call.Object
	t.answering, t.shown = a.Call.Op, a.Exchange
	t.require(false, CheckListMembers, ofItems(o.Op, o.Op.Effects["members"], // it was there
		fmt.Sprintf("the media files %s of %s", IDList(t.Model.Container(o.Key).MediaFileIDs), o.Key),
		fmt.Sprintf("%s; the delete of %d was answered %s", IDList(a.List.IDs), file.ID(), deleted.StatusText())))
	return false
}

// Continue judges what could not be judged before what was Wanted was known.
func (t *Test) Continue(a *Answer) {
	t.answering, t.shown = a.Call.Op, a.Exchange
	t.judgeCollection(a)
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
	return slices.ContainsFunc(c.MediaFileIDs, func(id int64) bool { return t.Model.Outcome.Used[Thing{Kind: kind, ID: id}] })
}
