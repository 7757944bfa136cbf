package specs

import (
	"reflect"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// Interface document, operations 4 and 5: a media file that is deleted leaves the list
// of its parent. Whether a media file, or a container with files, can be
// deleted is open.
var containers = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	lists := below(s, op)
	if lists == nil {
		return
	}
	for _, key := range op.More() {
		for _, container := range each(s, key) {
			needs := "objects." + container

			s.It("media-file-"+slug(container), "A deleted media file leaves its parent's list; the rest stays, and the counts follow.",
				Class("effects"), NeedsOnly(needs, needs+".mediaFiles"), Clause(op.Effects["listed"], op.Clause, conditional),
				Clause(deleted(op)...), Clause(listed(lists)...), Observes("delete-media-file"), Once,
				func(c *Case) { deleteMediaFile(c, op, lists, container) })

			s.It("container-"+slug(container), "A container with media files can be deleted, or is refused with 422.",
				Class("effects"), NeedsOnly(needs), Clause(op.Clause, op.Effects["gone"]), Clause(deleted(op)...), Observes("delete-container"), Once,
				func(c *Case) {
					o := c.Object(op, container)
					a := c.Delete(o, 422)
					c.Observe("delete-container", decided(a))
					if a.OK {
						c.DeleteAgain(o)
					}
				})
		}
	}
}}

// decided is how a delete was answered that the target could carry out or refuse. That a
// creative is gone, since an earlier run, is no choice.
func decided(a *judge.Answer) string {
	if a.OK || a.Status == 422 {
		return a.StatusText()
	}
	return ""
}

// deleteMediaFile deletes a file of a container and looks at the list before and after.
func deleteMediaFile(c *Case, op, lists *spec.Operation, container string) {
	parent := c.Object(lists, container)
	if c.Test.DeletedBefore(parent) {
		return
	}
	before := list(c, parent, 0)
	if before == nil {
		c.TryFiles(container)
		return
	}
	file := leftFile(c, op, container)
	if file == nil {
		c.NotTested(ByOperator, "the media files of "+container+" were used up by an earlier run; provision brings them back")
		return
	}
	if c.Target.Credentials.Stranger != "" {
		strangerDeletes(c, file)
		if file.WasDeleted { // found there
			c.Known().ForgetList(parent)
		}
		list(c, parent, 0)
	}
	a := c.Delete(file, 422)
	c.Observe("delete-media-file", decided(a))
	if a.OK || a.Status == 0 {
		c.Known().ForgetList(parent)
	}
	after := list(c, parent, 0)
	if a.OK {
		if after == nil || !reflect.DeepEqual(after.List, before.List) { // else it is no lie that it has not changed
			changedSince(c, parent, before.Validators())
		}
		c.DeleteAgain(file)
	}
}

// leftFile is the first media file of a disposable container that no earlier run has
// deleted, nil when none is left.
func leftFile(c *Case, op *spec.Operation, container string) *Object {
	for i := range c.Known().Container(container).MediaFileIDs {
		if file := c.Known().MediaFile(op, container, i); !c.Known().UsedUp(file) {
			return file
		}
	}
	return nil
}
