package engine

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

// noteUsedUp looks at the first list of a disposable container: media files that
// the target file names and the list lacks were used up by an earlier run when
// their delete is answered 404 too. A run that has deleted something itself may
// have seen them off, so there they are missed.
func (t *T) noteUsedUp(o *Object, p *listPage) {
	c := t.Container(o.Key)
	key, _ := splitKey(o.Key)
	if key != disposableContainers || o.Op.Effects["members"] == "" || c == nil || !p.Complete() || len(t.deletes) > 0 {
		return
	}
	op, answering := t.Contract.DeleteOf(key), t.answering
	defer func() { t.answering = answering }()
	for i, id := range c.MediaFileIDs {
		if op == nil || slices.Contains(p.IDs, id) || t.usedUp[id] {
			continue
		}
		a := t.ask(Call{Op: op, Object: t.MediaFile(op, o.Key, i), As: t.Owner(), Raw: true}, Expect{})
		if a.Status != http.StatusNotFound { // it was there
			t.judge(o.Op.Effects["members"])
			t.find("list-members", Finding{
				Clause: o.Op.Effects["members"], Pointer: "/" + o.Op.Success.Field("data").Name, Expected: fmt.Sprintf("the media files %s of %s", idList(c.MediaFileIDs), o.Key),
				Got: fmt.Sprintf("%s; the delete of %d was answered %s", idList(p.IDs), id, a.StatusText()),
			})
			return
		}
		t.usedUp[id] = true
	}
}

// TryFiles deletes media files of a disposable container whose list is not shown
// until one is: then there was something to list.
func (t *T) TryFiles(container string) {
	name, _ := splitKey(container)
	op := t.Contract.DeleteOf(name)
	for i, id := range t.Container(container).MediaFileIDs {
		o := t.MediaFile(op, container, i)
		if t.UsedUp(o) {
			continue
		}
		if t.ask(Call{Op: op, Object: o, As: t.Owner(), Raw: true}, Expect{}).Status != http.StatusNotFound {
			return
		}
		t.usedUp[id] = true
	}
}

// hasFiles says whether a container was seen to have media files, or has some
// that nobody named and no run has deleted.
func (t *T) hasFiles(container string) bool {
	c := t.Container(container)
	if c == nil || c.MediaFileIDs == nil {
		return c != nil && c.MediaFileCount > 0
	}
	name, _ := splitKey(container)
	return slices.ContainsFunc(c.MediaFileIDs, func(id int64) bool { return t.used[thing{fixtures.KindOf(name), id}] })
}

// UsedUp says whether a media file was deleted, by an earlier run or by this one.
func (s *Session) UsedUp(o *Object) bool { return s.usedUp[o.ID()] || o.deleted }
