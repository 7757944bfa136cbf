package specs

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 4: a delete is answered 204 without content, and then
// the object is gone. Only disposables are deleted, each for one story.
var deletions = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	key, gone, spared := op.Key(), op.Effects["gone"], op.Effects["others"]
	second, third := indexed(key, 1), indexed(key, 2)

	s.It("ordinary", "The owner's delete is answered 204 without content, and refused deletes before it removed nothing.",
		Class("success"), Clause(op.Clause, "DELETE-2", op.Effects["bodiless"], "EFFECT-1", "AUTH-4", "EFFECT-3"), Quick, Once,
		func(c *Case) { deleteOnce(c, object(c)) })

	s.It("gone", "A deleted "+thing(op)+" is answered 404, and 404 again.", Class("effects"), Clause(gone), Quick, Once,
		func(c *Case) {
			o := object(c)
			deleteOnce(c, o)
			for range 2 {
				c.DeleteAgain(o)
			}
		})

	s.It("two-at-once", "Two deletes of one "+thing(op)+" at the same time: 204 for one, 204 or 404 for the other.",
		Class("state"), Needs("objects."+second), Clause(op.Clause, gone, spared), Once,
		func(c *Case) { c.DeleteTogether(c.Object(op, second)) })

	s.It("users-in-turn", "After the owner's delete the same request without a key gets 401 or 404, and a stranger's gets 403 or 404.",
		Class("state"), Needs("objects."+third), Clause("AUTH-3", op.Clause, gone, spared), Once,
		func(c *Case) {
			o := c.Object(op, third)
			owner := exchange{c.Test.Deletion(o), BeAccepted().Or(404)}
			c.Test.JudgeDeleted(inTurn(c, usersAfter(c, o, owner, 403, 404)...)[0])
			c.DeleteAgain(o)
		})

	for i := 3; i < max(3, len(s.Target.Objects.ByKey(key))); i++ {
		next := indexed(key, i)
		s.It(fmt.Sprintf("each-%d", i+1), "Each delete removes one "+thing(op)+", and only that.",
			Class("effects"), Needs("objects."+next), Clause(op.Clause, gone, spared), Once,
			func(c *Case) {
				o := c.Object(op, next)
				c.Delete(o)
				c.DeleteAgain(o)
			})
	}
}}

// stillThere is the first disposable that no case has deleted; nil where none is left.
func stillThere(c *Case) *Object {
	op := object(c).Op
	for i := range c.Target.Objects.ByKey(op.Key()) {
		if o := c.Object(op, indexed(op.Key(), i)); !o.WasDeleted {
			return o
		}
	}
	return nil
}

// deleteOnce deletes an object unless another case has done so, or a request that had to be
// refused.
func deleteOnce(c *Case, o *Object) {
	if !o.WasDeleted {
		c.Delete(o)
	}
}

// deletedForGood: what was deleted stays gone after the deletes that follow, and no list
// shows it; what was not deleted is as it was.
var deletedForGood = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	s.It("stays-gone", "What was deleted stays gone after the deletes that follow.", Class("effects"), Clause(op.Effects["gone"]), Once,
		func(c *Case) {
			keys := []string{fixtures.First(op.Key())}
			if fixtures.Many(op.Key()) {
				keys = append(keys, indexed(op.Key(), 1))
			}
			if lists := below(s, op); lists != nil {
				for _, key := range op.More() {
					keys = append(keys, each(s, key)...)
				}
			}
			for _, key := range keys {
				if o := c.Object(op, key); o != nil && o.WasDeleted {
					c.DeleteAgain(o)
					if strings.HasSuffix(key, "[0]") {
						askForDeleted(c, below(s, op), o)
					}
				}
			}
		})

	for _, lists := range s.Contract.Operations {
		if lists.Lists() && lists.Beside(op) && !NamesAnObject(lists) {
			s.It("delisted-"+slug(lists.ID), "What was deleted is listed no more.",
				Class("effects"), Clause(op.Effects["listed"]), Clause(listed(lists)...), Once,
				func(c *Case) {
					ids, whole := allIDs(c, c.Object(lists, ""))
					c.Test.JudgeDelisted(op, lists, ids, whole)
				})
		}
	}

	lists := below(s, op)
	if lists == nil {
		return
	}
	for _, key := range keysOf(s, lists) {
		s.It("leaves-"+slug(key), "The deletes leave "+key+" as it was.",
			Class("effects"), NeedsOnly("objects."+key), Clause(op.Effects["others"]), Clause(listed(lists)...), Last, Quick,
			func(c *Case) { list(c, c.Object(lists, key), 0) })
	}
	if lists.Open["nonVast"] != "" {
		s.It("leaves-plaincreative", "Nothing that was sent removes plainCreative.",
			Class("effects"), NeedsOnly("objects.plainCreative"), Clause("EFFECT-3"), Last,
			func(c *Case) {
				c.Expect(c.Send(Valid(c, c.Object(lists, "plainCreative")))).To(BeAccepted().Or(404, 422))
			})
	}
}}

// askForDeleted asks for the list of what was deleted. What is answered is open.
func askForDeleted(c *Case, lists *spec.Operation, o *Object) {
	if lists == nil {
		return
	}
	request := Wrong(c, c.Known().UnknownObject(lists), At(0, fmt.Sprint(o.ID())))
	c.Expect(c.Send(request)).To(BeAccepted().Or(403, 404, 422))
}

// below is the list of what a deleted object held, where the target file says what that
// is, or nil.
func below(s *Specs, deletes *spec.Operation) *spec.Operation {
	for _, op := range s.Contract.Operations {
		if op.Lists() && op.Below(deletes) {
			return op
		}
	}
	return nil
}

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
func decided(a *judge.Answer) spec.Choice {
	if a.OK || a.Status == 422 {
		return spec.Choice(a.StatusText())
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
	if file.WasDeleted { // or may be
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
