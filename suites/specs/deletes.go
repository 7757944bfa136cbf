package specs

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// deletes plans the cases of an operation that removes the object of its path.
// They use disposables only, each for one story, since a deleted one is gone.
func (p *planner) deletes() {
	object, op, noun := p.object(), p.op, p.noun()
	key, gone, others, bodiless := p.key, op.Effects["gone"], op.Effects["others"], op.Effects["bodiless"]
	disposable := func(i int) string { return fmt.Sprintf("%s[%d]", key, i) }
	count := max(3, len(p.target.Objects.ByKey(key)))
	p.add(engine.Class403, "strangers", "A user without permission gets 403 for every disposable "+noun+".", func(t *engine.T) {
		for i := range t.Target.Objects.ByKey(key) {
			if o := t.Object(op, disposable(i)); !o.Deleted() { // a budget may change the order
				strangerDeletes(t, o, http.StatusForbidden)
			}
		}
		if o := t.Object(op, disposable(0)); !o.Deleted() {
			strangerDeletes(t, o, http.StatusForbidden) // once more: the first refusal must not open the way
		}
		for _, more := range op.More() { // seen to exist before anything is deleted
			for i := range t.Target.Objects.ByKey(more) {
				if o := t.Object(op, fmt.Sprintf("%s[%d]", more, i)); !o.Deleted() {
					strangerDeletes(t, o, http.StatusForbidden)
				}
			}
		}
	}, needs("credentials.stranger"), clauses("AUTH-2"), quick)
	p.behave(authentication)
	p.deletersAtOnce()
	p.notFound()
	p.malformedIDs()
	p.undecodable()
	p.unusual()
	p.add(engine.ClassSuccess, "ordinary", "The owner's delete is answered 204 without content, and refused deletes before it removed nothing.", func(t *engine.T) {
		if o := object(t); !o.Deleted() {
			t.Delete(o)
		}
	}, clauses(op.Clause, "DELETE-2", bodiless, "EFFECT-1", "AUTH-4", "EFFECT-3"), quick, once)
	p.add(engine.ClassEffects, "gone", "A deleted "+noun+" is answered 404, and 404 again.", func(t *engine.T) {
		o := object(t)
		if !o.Deleted() {
			t.Delete(o)
		}
		for range 2 {
			t.DeleteAgain(o)
		}
	}, clauses(gone), quick, once)
	p.add(engine.ClassState, "two-at-once", "Two deletes of one "+noun+" at the same time: 204 for one, 204 or 404 for the other.", func(t *engine.T) {
		t.DeleteTogether(t.Object(op, disposable(1)))
	}, needs("objects."+disposable(1)), clauses(op.Clause, gone, others), once)
	p.add(engine.ClassState, "users-in-turn", "After the owner's delete the same request without a key gets 401 or 404, and a stranger's gets 403 or 404.", func(t *engine.T) {
		o := t.Object(op, disposable(2))
		owner := request{t.Deletion(o), expect{Success: true, Statuses: []int{http.StatusNotFound}, Clause: op.Clause}}
		t.JudgeDeleted(sendInOrder(t, inTurn(t, o, owner, http.StatusForbidden, http.StatusNotFound)...)[0])
		t.DeleteAgain(o)
	}, needs("objects."+disposable(2)), clauses("AUTH-3", op.Clause, gone, others), once)
	for i := 3; i < count; i++ {
		p.add(engine.ClassEffects, fmt.Sprintf("each-%d", i+1), "Each delete removes one "+noun+", and only that.", func(t *engine.T) {
			o := t.Object(op, disposable(i))
			t.Delete(o)
			t.DeleteAgain(o)
		}, needs("objects."+disposable(i)), clauses(op.Clause, gone, others), once)
	}
	p.containerDeletes()
	p.add(engine.ClassEffects, "stays-gone", "What was deleted stays gone after the deletes that follow.", func(t *engine.T) {
		for i := range min(2, len(t.Target.Objects.ByKey(key))) {
			if o := t.Object(op, disposable(i)); o.Deleted() {
				t.DeleteAgain(o)
			}
		}
	}, clauses(gone), once)
	p.delisted()
	p.listsAfterwards()
}

// delisted plans a look at each list beside the objects that were deleted.
func (p *planner) delisted() {
	op := p.op
	for _, lists := range p.contract.Operations {
		if !lists.Lists() || !lists.Beside(op) || len(lists.Params) > 0 {
			continue
		}
		p.add(engine.ClassEffects, "delisted-"+slug(lists.ID), "What was deleted is listed no more.", func(t *engine.T) {
			ids, whole := allIDs(t, t.Object(lists, ""))
			t.JudgeDelisted(op, lists, ids, whole)
		}, clauses(op.Effects["listed"]), p.listed(lists), once)
	}
}

// noun is what the operation's path names, in a word.
func (p *planner) noun() string {
	return strings.TrimSuffix(p.op.Params[len(p.op.Params)-1].Name, "Id")
}

func strangerDeletes(t *engine.T, o *engine.Object, statuses ...int) {
	send(t, request{
		Call: engine.Call{Op: o.Op, Object: o, As: t.Stranger()}, Expect: expect{Statuses: statuses, Clause: "AUTH-2"},
	})
}

// below is the list of what a deleted object held, where the target file says what
// that is, or nil.
func (p *planner) below() *spec.Operation {
	for _, op := range p.contract.Operations {
		if op.Lists() && op.Below(p.op) {
			return op
		}
	}
	return nil
}

// containerDeletes plans deletes of disposable containers and of what they hold.
func (p *planner) containerDeletes() {
	for _, key := range p.op.More() {
		for i := range max(1, len(p.target.Objects.ByKey(key))) {
			p.mediaFileDeletes(fmt.Sprintf("%s[%d]", key, i))
		}
	}
}

// mediaFileDeletes plans what becomes of a list when one of its media files is
// deleted, and then the delete of the container.
func (p *planner) mediaFileDeletes(container string) {
	op, lists := p.op, p.below()
	if lists == nil {
		return
	}
	p.add(engine.ClassEffects, "media-file-"+slugKey(container), "A deleted media file leaves its parent's list; the rest stays, and the counts follow.", func(t *engine.T) {
		parent := t.Object(lists, container)
		before := list(t, parent, 0)
		if before == nil {
			t.TryFiles(container)
			return
		}
		file := leftFile(t, op, container)
		if file == nil {
			t.NotTested(engine.ByOperator, "the media files of "+container+" were used up by an earlier run; provision brings them back")
			return
		}
		if t.Target.Credentials.Stranger != "" {
			strangerDeletes(t, file, http.StatusForbidden)
			list(t, parent, 0)
		}
		a := t.Delete(file, http.StatusUnprocessableEntity)
		t.Observe("delete-media-file", a.StatusText())
		if a.OK || a.Status == 0 {
			t.ForgetList(parent)
		}
		if !a.OK {
			list(t, parent, 0)
			return
		}
		list(t, parent, 0)
		changed(t, parent, before.Validators())
		t.DeleteAgain(file)
	}, func(c *engine.Case) {
		c.Needs = []string{"objects." + container, "objects." + container + ".mediaFiles"}
	},
		clauses(op.Effects["listed"], op.Clause, conditionalClause), p.deleted(), p.listed(lists), observes("delete-media-file"), quick, once)
	p.add(engine.ClassEffects, "container-"+slugKey(container), "A container with media files can be deleted, or is refused with 422.", func(t *engine.T) {
		o := t.Object(op, container)
		a := t.Delete(o, http.StatusUnprocessableEntity)
		t.Observe("delete-container", a.StatusText())
		if a.OK {
			t.DeleteAgain(o)
		}
	}, func(c *engine.Case) { c.Needs = []string{"objects." + container} },
		clauses(op.Clause, op.Effects["gone"]), p.deleted(), observes("delete-container"), once)
}

// deleted are the clauses that a delete which succeeds is judged by.
func (p *planner) deleted() option {
	return clauses("DELETE-2", p.op.Effects["bodiless"], "OPEN-4")
}

// listed are the clauses that a list is judged by, whatever the case is about.
func (p *planner) listed(lists *spec.Operation) option {
	return clauses(append(marked(lists.Success), append([]string{lists.Clause}, walked(lists)...)...)...)
}

// leftFile is the first media file of a disposable container that no earlier run
// has deleted, nil when none is left.
func leftFile(t *engine.T, op *spec.Operation, container string) *engine.Object {
	for i := range t.Container(container).MediaFileIDs {
		if file := t.MediaFile(op, container, i); !t.UsedUp(file) {
			return file
		}
	}
	return nil
}

// listsAfterwards plans a last look at the lists that no delete named.
func (p *planner) listsAfterwards() {
	op, lists := p.op, p.below()
	if lists == nil {
		return
	}
	for _, key := range p.keys(lists) {
		p.add(engine.ClassEffects, "leaves-"+slugKey(key), "The deletes leave "+key+" as it was.", func(t *engine.T) {
			list(t, t.Object(lists, key), 0)
		}, func(c *engine.Case) { c.Needs = []string{"objects." + key} }, clauses(op.Effects["others"]), p.listed(lists), last)
	}
}
