package specs

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 4: a delete is answered 204 without content, and then
// the object is gone. Only disposables are deleted, each for one purpose.
func deletions(s *Specs, op *spec.Operation) {
	key, gone, spared := op.Key(), op.Effects["gone"], op.Effects["others"]
	second, third := indexed(key, 1), indexed(key, 2)

	title := "The owner's delete is answered 204 without content, and earlier refused deletes removed nothing."
	judged := Clause(op.Clause, "DELETE-2", op.Effects["bodiless"], "EFFECT-1", "AUTH-4", "EFFECT-3")
	s.Case("success/ordinary", title, Options{judged, Quick, Once}, deleteOnce)

	s.Case("effects/gone", "A deleted "+thing(op)+" is answered 404, twice.", Options{Clause(gone), Quick, Once},
		func(c Case, o *Object) {
			deleteOnce(c, o)
			deleteAgain(c, o)
			deleteAgain(c, o)
		})

	s.Case("arrays/gone", "Whatever form it has, a second delete of a "+thing(op)+" is answered 404.",
		Options{Clause(gone), Once}, s.grids[op].steps((*grid).gone))

	title = "Two deletes of one " + thing(op) + " at the same time: 204 for one, 204 or 404 for the other."
	s.Case("state/two-at-once", title,
		Options{Needs(judge.OwnKey(second)), Clause(op.Clause, gone, spared), Once},
		func(c Case, _ *Object) {
			o := c.Object(op, second)
			deletes := exchange{Request(c, o), BeAccepted().Or(404)}
			answers := sendAll(c, c.SendTogether, deletes, deletes)
			lost := func(a *judge.Answer) bool { return a.Status == 0 || a.Exchange.Unsure }
			done := slices.IndexFunc(answers, func(a *judge.Answer) bool { return a.OK })
			if done >= 0 || !slices.ContainsFunc(answers, lost) {
				c.Compare().JudgeDeleted(answers[max(done, 0)])
			}
			deleteAgain(c, o)
		})

	title = "After the owner's delete the same request without a key gets 401 or 404, and a stranger's gets 403 or 404."
	s.Case("state/users-in-turn", title,
		Options{Needs(judge.OwnKey(third)), Clause("AUTH-3", op.Clause, gone, spared), Once},
		func(c Case, _ *Object) {
			o := c.Object(op, third)
			deletes := exchange{Request(c, o, Raw), BeAccepted().Or(404)}
			c.Compare().JudgeDeleted(sendAll(c, c.SendInOrder, usersAfter(c, o, deletes, 403, 404)...)[0])
			deleteAgain(c, o)
		})

	disposables := each(s.Target, key)
	for _, another := range disposables[min(3, len(disposables)):] { // the cases above use three
		_, index := judge.SplitKey(another)
		s.Case(fmt.Sprintf("effects/each-%d", index+1), "Each delete removes one "+thing(op)+", and only that.",
			Options{Needs(judge.OwnKey(another)), Clause(op.Clause, gone, spared), Once},
			func(c Case, _ *Object) {
				o := c.Object(op, another)
				if half := len(disposables) / 2; index >= half { // the other half is deleted by ordinary requests
					s.grids[op].deleteAs(c, o, index-half)
				} else {
					remove(c, o)
				}
				deleteAgain(c, o)
			})
	}
}

// remove deletes an object that must exist, as its owner.
func remove(c Case, o *Object, also ...int) *judge.Answer {
	a := send(c, Request(c, o, Raw), BeAccepted().Or(404).Or(also...))
	c.Compare().JudgeDeleted(a) // it decides which request is to blame if the object does not exist
	return a
}

// deleteOnce deletes an object unless another case, or a request that should have been refused,
// has done so.
func deleteOnce(c Case, o *Object) {
	if !o.Deleted() {
		remove(c, o)
	}
}

// deleteAgain deletes an object that the run has deleted, which must be answered 404.
func deleteAgain(c Case, o *Object) {
	if o.Deleted() {
		again := Request(c, o)
		again.Succeeds = o.Uncertain() // the first delete may not have arrived
		c.Compare().JudgeSecondDelete(o, c.Ask(again, judge.Expect{Success: again.Succeeds, Statuses: []int{404}}))
	}
}

// stillThere returns the first disposable that no case has deleted; nil if none is left.
func stillThere(c Case, op *spec.Operation) *Object {
	for i := range c.Run().Target.Objects[op.Key()] {
		if o := c.Object(op, indexed(op.Key(), i)); !o.Deleted() {
			return o
		}
	}
	return nil
}

// deletedForGood: a deleted object stays gone after later deletes, and no list shows it; other
// objects are unchanged.
func deletedForGood(s *Specs, op *spec.Operation) {
	lists := below(s, op)
	keys := []string{indexed(op.Key(), 0), indexed(op.Key(), 1)}
	if lists != nil {
		for _, key := range op.More() {
			keys = append(keys, each(s.Target, key)...)
		}
	}
	s.Case("effects/stays-gone", "A deleted object stays deleted after later deletes.",
		Options{Clause(op.Effects["gone"]), Once, Last},
		func(c Case, _ *Object) {
			for _, o := range named(c, op, keys...) {
				isContainer := lists != nil && strings.HasSuffix(o.Key, "[0]")
				if deleteAgain(c, o); o.Deleted() && isContainer { // the answer to its list is open
					deleted, unknown := At(0, string(o.ID())).Called(finding.DeletedID), c.Target().UnknownObject(lists)
					send(c, Request(c, unknown, deleted), BeAccepted().Or(403, 404, 422))
				}
			}
		})

	for _, all := range operations(s.Contract, (*spec.Operation).Lists) {
		if all.Path == path.Dir(op.Path) && len(all.Params) == 0 {
			s.Case("effects/delisted-"+wording.Slug(all.ID), "A deleted object is no longer listed.",
				Options{Clause(op.Effects["listed"]), Clause(listed(all)...), Once},
				func(c Case, _ *Object) {
					ids, whole := walk(c, c.Object(all, ""))
					c.Compare().JudgeDelisted(op, all, ids, whole)
				})
		}
	}
	if lists != nil {
		deletesLeave(s, op, lists)
	}
}

// deletesLeave registers a last look at what no delete named.
func deletesLeave(s *Specs, op, lists *spec.Operation) {
	for _, key := range keysOf(s.Target, lists) {
		judged := Clause(append([]string{op.Effects["others"]}, listed(lists)...)...)
		s.Case("effects/leaves-"+wording.Slug(key), "The deletes leave "+key+" as it was.",
			Options{NeedsOnly(judge.OwnKey(key)), judged, Last, optionIf(isFirst(key), Quick)},
			func(c Case, _ *Object) { lookAtEnd(c, c.Object(lists, key)) })
	}
	if lists.Open["nonVast"] == "" {
		return
	}
	s.Case("effects/leaves-foreign-creative", "No request removes the stranger's creative.",
		Options{NeedsOnly(judge.NeedStranger, judge.Foreign("creative")), Clause("EFFECT-3"), Last},
		func(c Case, _ *Object) {
			send(c, Request(c, c.Object(lists, judge.Foreign("creative"))), BeAccepted().Or(403, 404, 422))
		})
	s.Case("effects/leaves-plaincreative", "No request removes plainCreative or the stranger's VAST creative.",
		Options{NeedsOnly("objects.plainCreative"), Clause("EFFECT-3"), Last},
		func(c Case, _ *Object) {
			send(c, Request(c, c.Object(lists, "plainCreative")), BeAccepted().Or(404, 422))
			if theirs := foreign(c, lists); theirs != nil && theirs.Alive() {
				send(c, Request(c, theirs), BeAccepted().Citing("EFFECT-3"))
			}
		})
}

// isFirst reports whether a key names a single object, or the first one of a list.
func isFirst(key string) bool {
	_, index := judge.SplitKey(key)
	return index == 0
}

// lookAtEnd reads a list once more, with the pages that were read before.
func lookAtEnd(c Case, o *Object) {
	if c.Target().ShownPages(o) > 1 {
		walk(c, o)
		return
	}
	list(c, o, 0)
}

// below returns the list of what a deleted object held, if the target file says what that
// is, or nil.
func below(s *Specs, deletes *spec.Operation) *spec.Operation {
	for _, op := range operations(s.Contract, (*spec.Operation).Lists) {
		if op.Effects["members"] != "" && strings.HasPrefix(op.Path, deletes.Path+"/") {
			return op
		}
	}
	return nil
}

// Interface document, operations 4 and 5: a deleted media file leaves the list of its
// parent. Whether a media file, or a container with files, can be
// deleted is open.
func containers(s *Specs, op *spec.Operation) {
	lists := below(s, op)
	if lists == nil {
		return
	}
	deleted := Clause("DELETE-2", op.Effects["bodiless"], "OPEN-4") // clauses of a successful delete
	for _, key := range op.More() {
		for _, container := range each(s.Target, key) {
			needs := judge.OwnKey(container)

			s.Case("effects/media-file-"+wording.Slug(container),
				"A deleted media file leaves its parent's list; the rest stays, and the counts follow.",
				Options{
					NeedsOnly(needs, needs+".mediaFiles"), Clause(op.Effects["listed"], op.Clause, "HTTP-4"),
					deleted, Clause(listed(lists)...), Clause("AUTH-2"), Observes("delete-media-file"), Once,
				},
				func(c Case, _ *Object) { deleteMediaFile(c, c.Object(lists, container)) })

			s.Case("effects/container-"+wording.Slug(container),
				"A container with media files can be deleted, or is refused with 422 and keeps them.",
				Options{
					NeedsOnly(needs), Clause(op.Clause, op.Effects["gone"], "EFFECT-1"), deleted,
					Observes("delete-container"), Once,
				},
				func(c Case, _ *Object) {
					o := c.Object(op, container)
					a := remove(c, o, 422)
					observeDelete(c, a)
					if a.OK {
						deleteAgain(c, o)
					} else if a.Status == 422 {
						list(c, c.Object(lists, container), 0)
					}
				})
		}
	}
}

// observeDelete records whether the target deletes an object. One that is gone since an earlier run shows no choice.
func observeDelete(c Case, a *judge.Answer) {
	if a.Status != 404 {
		c.Observe(c.Planned().Open, a.Choice())
	}
}

// deleteMediaFile deletes a file of a container and reads the list before and after.
func deleteMediaFile(c Case, parent *Object) {
	if c.Target().DeletedBefore(parent) {
		return
	}
	before := list(c, parent, 0)
	var shown judge.ListPage // empty if there is no list, although the deleted file shows that there should be one
	if before != nil && before.List != nil {
		shown = *before.List
	}
	file, listed := c.Target().FileToDelete(parent, shown)
	skipUnless(c, file != nil, judge.ByTarget, "all media files of "+parent.Key+" were deleted before")
	if listed && hasStranger(c, file.Op) {
		container := c.Object(file.Op, parent.Key)
		refusedToStranger(c, container)
		if container.Deleted() {
			return // nothing that follows can be right
		}
		owner := claiming(c.Target().UserID(), finding.UserInHeaders) // a header must not name another user
		refusedTo(c, file, As(c.Stranger()), owner)
		list(c, parent, 0)
	}
	a := remove(c, file, 422)
	observeDelete(c, a)
	// In the first container the list shows whether the delete did anything; in others it must not follow twice,
	// and is asked for by the number of its page, for which a server may look elsewhere.
	first := strings.HasSuffix(parent.Key, "[0]")
	if !first || before == nil {
		deleteAgain(c, file)
	}
	if before == nil {
		return
	}
	var after *judge.Answer
	if !first && c.Target().PageParameter(parent.Op) != "" {
		after = page(c, parent, 1, unknownPage...)
	}
	if after == nil || !after.OK {
		after = list(c, parent, 0)
	}
	if first {
		deleteAgain(c, file)
	}
	if a.OK {
		if after == nil || !reflect.DeepEqual(after.List, before.List) { // otherwise an unchanged validator is right
			changedSince(c, parent, before.Validators())
		}
	}
}
