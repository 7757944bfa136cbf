package cases

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// deletes plans the cases of an operation that removes the object of its path.
// They use disposables only, each for one story, since a deleted one is gone.
func (p *planner) deletes() {
	object, op := p.object(), p.op
	count := max(3, len(p.target.Objects.DisposableCreatives))
	p.add(engine.Class403, "strangers", "A user without permission gets 403 for every disposable creative.", func(t *engine.T) {
		for i := range len(t.Target.Objects.DisposableCreatives) {
			if o := t.Object(op, disposable(i)); !o.Deleted() { // a budget may change the order
				strangerDeletes(t, o, http.StatusForbidden)
			}
		}
		if o := t.Object(op, disposable(0)); !o.Deleted() {
			strangerDeletes(t, o, http.StatusForbidden) // once more: the first refusal must not open the way
		}
		for i := range t.Target.Objects.DisposableVastCreatives { // seen to exist before anything is deleted
			if o := t.Object(op, fmt.Sprintf("disposableVastCreatives[%d]", i)); !o.Deleted() {
				strangerDeletes(t, o, http.StatusForbidden)
			}
		}
	}, needs("credentials.stranger"), clauses("AUTH-2"), quick)
	p.unauthenticated()
	p.userNamed()
	p.deletersAtOnce()
	p.notFound()
	p.malformedIDs()
	p.undecodable()
	p.unusual()
	p.add(engine.ClassSuccess, "ordinary", "The owner's delete is answered 204 without content, and refused deletes before it removed nothing.", func(t *engine.T) {
		if o := object(t); !o.Deleted() {
			t.Delete(o)
		}
	}, clauses(op.Clause, "DELETE-2", "DELETE-6", "EFFECT-1", "AUTH-4", "EFFECT-3"), quick, once)
	p.add(engine.ClassEffects, "gone", "A deleted creative is answered 404, and 404 again.", func(t *engine.T) {
		o := object(t)
		if !o.Deleted() {
			t.Delete(o)
		}
		for range 2 {
			t.DeleteAgain(o)
		}
	}, clauses("DELETE-3"), quick, once)
	p.add(engine.ClassState, "two-at-once", "Two deletes of one creative at the same time: 204 for one, 204 or 404 for the other.", func(t *engine.T) {
		t.DeleteTogether(t.Object(op, disposable(1)))
	}, needs("objects."+disposable(1)), clauses(op.Clause, "DELETE-3", "DELETE-4"), once)
	p.add(engine.ClassState, "users-in-turn", "After the owner's delete the same request without a key gets 401 or 404, and a stranger's gets 403 or 404.", func(t *engine.T) {
		o := t.Object(op, disposable(2))
		t.DeleteInTurn(inTurn(t, o, t.Deletion(o), http.StatusForbidden, http.StatusNotFound)...)
		t.DeleteAgain(o)
	}, needs("objects."+disposable(2)), clauses("AUTH-3", op.Clause, "DELETE-3", "DELETE-4"), once)
	for i := 3; i < count; i++ {
		p.add(engine.ClassEffects, fmt.Sprintf("each-%d", i+1), "Each delete removes one creative, and only that.", func(t *engine.T) {
			o := t.Object(op, disposable(i))
			t.Delete(o)
			t.DeleteAgain(o)
		}, needs("objects."+disposable(i)), clauses(op.Clause, "DELETE-3", "DELETE-4"), once)
	}
	for i := range max(1, len(p.target.Objects.DisposableVastCreatives)) {
		p.mediaFileDeletes(fmt.Sprintf("disposableVastCreatives[%d]", i))
	}
	p.add(engine.ClassEffects, "stays-gone", "What was deleted stays gone after the deletes that follow.", func(t *engine.T) {
		for i := range min(2, len(t.Target.Objects.DisposableCreatives)) {
			if o := t.Object(op, disposable(i)); o.Deleted() {
				t.DeleteAgain(o)
			}
		}
	}, clauses("DELETE-3"), once)
	p.listsAfterwards()
}

func disposable(i int) string { return fmt.Sprintf("%s[%d]", disposables, i) }

func strangerDeletes(t *engine.T, o *engine.Object, statuses ...int) {
	t.Send(engine.Call{
		Op: o.Op, Object: o, As: t.Stranger(), Expect: engine.Expect{Statuses: statuses, Clause: "AUTH-2"},
	})
}

// listing is the operation that lists media files, or nil.
func (p *planner) listing() *spec.Operation {
	for _, op := range p.contract.Operations {
		if op.Lists() {
			return op
		}
	}
	return nil
}

// mediaFileDeletes plans what becomes of a list when one of its media files is
// deleted, and then the delete of the container.
func (p *planner) mediaFileDeletes(container string) {
	op, lists := p.op, p.listing()
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
			t.ForgetList(parent.ID())
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
		clauses("DELETE-5", op.Clause, conditionalClause), p.deleted(), p.listed(), observes("delete-media-file"), quick, once)
	p.add(engine.ClassEffects, "container-"+slugKey(container), "A container with media files can be deleted, or is refused with 422.", func(t *engine.T) {
		o := t.Object(op, container)
		a := t.Delete(o, http.StatusUnprocessableEntity)
		t.Observe("delete-container", a.StatusText())
		if a.OK {
			t.DeleteAgain(o)
		}
	}, func(c *engine.Case) { c.Needs = []string{"objects." + container} },
		clauses(op.Clause, "DELETE-3"), p.deleted(), observes("delete-container"), once)
}

// deleted are the clauses that a delete which succeeds is judged by.
func (p *planner) deleted() option { return clauses("DELETE-2", "DELETE-6", "OPEN-4") }

// listed are the clauses that a list is judged by, whatever the case is about.
func (p *planner) listed() option {
	lists := p.listing()
	return clauses(append(marked(lists.Success), lists.Clause, "MEDIA-4", "MEDIA-5", "MEDIA-6", "MEDIA-7", "MEDIA-8", "MEDIA-9")...)
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
	lists := p.listing()
	if lists == nil {
		return
	}
	for _, key := range p.containers() {
		p.add(engine.ClassEffects, "leaves-"+slugKey(key), "The deletes leave "+key+" as it was.", func(t *engine.T) {
			list(t, t.Object(lists, key), 0)
		}, func(c *engine.Case) { c.Needs = []string{"objects." + key} }, clauses("DELETE-4"), p.listed(), last)
	}
}
