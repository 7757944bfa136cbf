package engine

import (
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// An earlier run that was killed leaves disposable containers without the media
// files that it deleted, and nobody may have provisioned new ones. That is not
// the target's doing.

const disposableContainers = "disposableVastCreatives["

// noteUsedUp looks at the first list of a disposable container: media files that
// the target file names and the list lacks were used up by an earlier run when
// their delete is answered 404 too. A run that has deleted something itself may
// have seen them off, so there they are missed.
func (t *T) noteUsedUp(o *Object, p *listPage) {
	c := t.Container(o.Key)
	if !strings.HasPrefix(o.Key, disposableContainers) || c == nil || !p.Complete() || len(t.deletes) > 0 {
		return
	}
	op := t.deleting()
	for i, id := range c.MediaFileIDs {
		if op == nil || slices.Contains(p.IDs, id) || t.usedUp[id] {
			continue
		}
		file := t.MediaFile(op, o.Key, i)
		if file.Deleted() {
			continue
		}
		a := t.Send(Call{Op: op, Object: file, As: t.Owner(), Raw: true})
		t.usedUp[id] = a.Status == http.StatusNotFound
	}
}

// UsedUp says whether a media file was deleted by an earlier run.
func (s *Session) UsedUp(o *Object) bool { return s.usedUp[o.ID()] }

// deleting is the operation that deletes, or nil.
func (s *Session) deleting() *spec.Operation {
	for _, op := range s.Contract.Operations {
		if op.Deletes() {
			return op
		}
	}
	return nil
}
