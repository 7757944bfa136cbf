package session

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// confirm decides, when all else is done, which tentative findings stand:
// those on objects that were seen alive, and refused keys that other requests
// showed to be valid. The cases of the rest were not tested.
func (t *T) confirm() {
	gone := map[*judge.Object]bool{} // nothing shows that they exist: the target file is wrong
	for _, d := range t.Known().Outcome.Tentative {
		if reason := t.unfounded(d, gone); reason != "" {
			t.Known().Drop(d, reason, gone[d.Object])
		}
	}
	t.Known().Outcome.Tentative = nil
}

// unfounded is why a tentative finding is not the target's fault; "" where it is. It notes what is
// gone.
func (t *T) unfounded(d judge.TentativeFinding, gone map[*judge.Object]bool) string {
	seen, o := t.Known().Outcome, d.Object
	of := func(words string) string {
		return fmt.Sprintf("%s (%s) %s", o.Name(), strings.Join(o.Path(), "/"), words)
	}
	serves := func() bool { return seen.Saw(judge.Fact{What: judge.Serves, Of: o.Op.ID}) }
	switch {
	case d.Unknown != nil:
		if t.writtenByAnother(d) {
			return d.Unknown.Reason(t.Known().Presentable)
		}
	case d.Files != nil:
		if !t.listsWrongly(d.Files) {
			return judge.Misnamed(d.Files.Container.Name(), d.Files.Words)
		}
	case d.Status == http.StatusUnauthorized:
		if !seen.Saw(judge.Fact{What: judge.KeyTaken, Of: d.User}) {
			return fmt.Sprintf("the key credentials.%s was never accepted", d.User)
		}
	case d.Status < http.StatusBadRequest:
		if !t.Test.Lives(o) && serves() {
			gone[o] = true
			return of("is the stranger's: the owner gets 403 for it, and the stranger does not")
		}
	case d.Status == http.StatusUnprocessableEntity:
		if !o.Alive() && serves() && !t.refusedOtherwise(o) {
			return of("has no list: it is answered 422, as what is no container is; name one that is")
		}
	case !t.stands(d, gone[o]):
		gone[o] = true
		return of(fmt.Sprintf("is not there for the %s: every answer was 403 or 404", t.Test.User(o).Name))
	}
	return ""
}

// stands says whether an object was seen to be there, by whatever operation, so
// that a 403 or 404 to its own user is the target's doing.
func (t *T) stands(d judge.TentativeFinding, gone bool) bool {
	o := d.Object
	unknown := d.Status == http.StatusNotFound
	switch {
	case unknown && o.Op.Lists() && d.Empty:
		return false // an empty list may be answered 404
	case unknown && o.Op.Lists() && !o.Alive() && t.Test.Lives(o):
		return t.Test.HasFiles(o.Key) // else it may be no container, or an empty one
	case t.Test.Lives(o), unknown && t.Known().Outcome.Saw(judge.Fact{What: judge.Listed, At: o.Thing()}):
		return true
	}
	return !gone && t.exists(o)
}

// refusedOtherwise says whether a list is refused for another reason than that of plainCreative,
// which is no container.
func (t *T) refusedOtherwise(o *judge.Object) bool {
	plain := t.Known().Lookup("plainCreative")
	if plain == 0 || t.Ctx.Err() != nil {
		return false
	}
	refusal := func(id int64) string {
		text := fmt.Sprint(id)
		a := t.Ask(judge.Call{Op: o.Op, Path: []string{text}, As: t.Known().Owner()}, judge.Expect{Unlisted: true})
		return strings.ReplaceAll(fmt.Sprint(a.Status, a.Value), text, "")
	}
	return refusal(o.ID()) != refusal(plain)
}

// mayAskStranger says whether there is a stranger to ask, and time for it.
func (t *T) mayAskStranger() bool {
	return t.Known().Target.Credentials.Stranger != "" && t.Ctx.Err() == nil
}

// exists finds out, for an object that its own user never got at, whether it is
// there all the same: it is where the stranger gets 403 for it, and 404 for an id
// that nobody has.
func (t *T) exists(o *judge.Object) bool {
	if o.Foreign || !t.mayAskStranger() || !o.ShownToExist() && t.strangerGets(o, o.Path()) != http.StatusForbidden {
		return false
	}
	path := o.Path()
	path[len(path)-1] = t.Known().UnknownID(0)
	return t.strangerGets(o, path) == http.StatusNotFound
}

// strangerGets is the status of the stranger's request for a path.
func (t *T) strangerGets(o *judge.Object, path []string) int {
	c := judge.Call{Op: o.Op, Object: o, Path: path, As: t.Known().Stranger()}
	if o.Op.Updates() {
		c.Body = oracle.ObjectBody(o.Op.Body, t.Ordinary(o, 0))
	}
	return t.Ask(c, judge.Expect{}).Status
}

// listsWrongly says whether the run shows that a list is wrong, not the target file: what it lacks
// was there, or another container has what it lists, be it the stranger's.
func (t *T) listsWrongly(d *judge.Disputed) bool {
	known, lists, theirs := t.Known(), d.Container.Op, t.Known().Target.Foreign["vastCreative"]
	thing := d.Container.Thing()
	usable := func(id int64) bool {
		return known.Outcome.Saw(judge.Fact{What: judge.Usable, At: judge.Thing{Kind: thing.Kind, ID: id}})
	}
	switch {
	case slices.ContainsFunc(d.Missing, usable), known.ListedElsewhere(d.Container, d.More):
		return true
	case len(d.More) == 0, theirs == 0, !t.mayAskStranger():
		return false
	}
	a := t.Ask(judge.Call{Op: lists, Path: []string{fmt.Sprint(theirs)}, As: known.Stranger()}, judge.Expect{})
	p := judge.PageOf(lists, a.Value)
	return a.OK && p != nil && slices.ContainsFunc(p.IDs, func(id int64) bool { return slices.Contains(d.More, id) })
}

// writtenByAnother decides whether what was found on an object is another writer's
// doing. All of it is, or nothing.
func (t *T) writtenByAnother(d judge.TentativeFinding) bool {
	written, o := t.Session.Shared.written, d.Unknown.Object
	if _, decided := written[o]; !decided {
		written[o] = true // nor is it asked again meanwhile
		if written[o] = !t.recurs(d); written[o] && d.Unknown.Listed {
			t.Known().Outcome.NoteWriter(o)
		}
	}
	return written[o]
}

// recurs says whether the text appears each time that the object is set to something
// else and the case run once more.
func (t *T) recurs(d judge.TentativeFinding) bool {
	u, c := d.Unknown, d.Result.Case
	if c.Once || !u.Object.MayWrite() {
		return false
	}
	found, rounds := true, repeats
	if u.Listed { // the other writer may have set the same
		rounds *= 2
	}
	for range rounds {
		trial := t.Session.Shared.again(t.Ctx, d.Result, uint64(len(t.Known().Outcome.Tentative)))
		t.Known().Guard(c.ID, func() { found = found && trial.reappears(u, len(d.Result.Exchanges)) })
	}
	return found && t.Ctx.Err() == nil
}

// reappears says whether an object that is set anew shows the text again: after the
// requests of the case, or after mere looks at it, which a faulty target may answer so.
// Another text after mere looks is another writer's.
func (t *T) reappears(u *judge.UnknownText, looks int) bool {
	o := u.Object
	if !t.Write(o, t.Ordinary(o, 0)).OK {
		return false
	}
	look := func() any {
		t.Read(o)
		now, _ := o.Holds(u.Field)
		return now
	}
	set, _ := o.Holds(u.Field)
	for range max(1, looks) {
		if now := look(); now != set {
			return !u.Listed && now == any(u.Text)
		}
	}
	if main := t.Known().Object(o.Op, o.Op.Key()); main != nil && main != o {
		t.Write(main, t.Ordinary(main, 1))
	}
	t.run()
	now := look() // the case itself may have read it back, and set the object anew
	return slices.ContainsFunc(t.Test.Result.Findings, u.ShownBy) || !u.Listed && now == any(u.Text)
}
