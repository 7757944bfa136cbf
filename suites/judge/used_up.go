package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/fixtures"
)

// An earlier run that was killed leaves disposable containers without the media
// files that it deleted, and nobody may have provisioned new ones. That is not
// the target's doing.

const disposableContainers = "disposableVastCreatives"

// filesWanted are media files that the target file names and the first list of their
// disposable container lacks. They were used up by an earlier run when their delete is
// answered 404 too. A run that has deleted something itself may have seen them off, so
// there they are missed.
func (t *Test) filesWanted(o *Object, p *ListPage) *Wanted {
	c := t.Model.Container(o.Key)
	key, _ := SplitKey(o.Key)
	op := t.Model.Contract.DeleteOf(key)
	if key != disposableContainers || o.Op.Effects["members"] == "" || c == nil || op == nil || !p.Complete() || len(t.Model.Deletes) > 0 {
		return nil
	}
	var files []*Object
	for i, id := range c.MediaFileIDs {
		if !slices.Contains(p.IDs, id) && !t.Model.UsedUpFiles[id] {
			files = append(files, t.Model.MediaFile(op, o.Key, i))
		}
	}
	if files == nil {
		return nil
	}
	return &Wanted{Deletes: files}
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
	t.Covered(o.Op.Effects["members"])
	t.Find("list-members", Finding{ // it was there
		Clause: o.Op.Effects["members"], Pointer: dataPointer(o.Op),
		Expected: fmt.Sprintf("the media files %s of %s", IDList(t.Model.Container(o.Key).MediaFileIDs), o.Key),
		Got:      fmt.Sprintf("%s; the delete of %d was answered %s", IDList(a.List.IDs), file.ID(), deleted.StatusText()),
	})
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
