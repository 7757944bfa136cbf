package session

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// confirm decides at the end of the run which tentative findings stand, and drops the others.
func (t *T) confirm() {
	gone := map[*judge.Object]bool{} // objects that do not seem to exist: the target file is wrong
	for _, r := range t.Known().Outcome.Results() {
		for _, d := range r.Tentative {
			if reason := t.unfounded(d, gone); reason != "" {
				t.Known().Drop(d, reason, gone[d.Object])
			}
		}
	}
}

// unfounded returns why a tentative finding is not the target's fault, or "". It adds missing objects to gone.
func (t *T) unfounded(d judge.TentativeFinding, gone map[*judge.Object]bool) string {
	seen, o := t.Known().Outcome, d.Object
	of := func(words string) string {
		return fmt.Sprintf("%s (%s) %s", o.Name(), strings.Join(o.Path(), "/"), words)
	}
	serves := func() bool { return seen.Saw(judge.Fact{What: judge.Serves, Of: o.Op.ID}) }
	switch {
	case d.Field != "":
		if t.writtenByAnother(d) {
			text := oracle.Show(t.Known().Presentable(d.Text)) // before Show shortens it, or part of a key may be left
			reason := fmt.Sprintf("somebody else writes to %s during the run: its %s was %s, which this run did not set; "+
				"run while nobody else uses it, or name another", o.Named(), d.Field, text)
			if f := o.Op.Body.Named(d.Field); len(f.Enum) > 0 { // no text would show their other writes
				seen.NoteWriter(reason)
			}
			return reason
		}
	case d.Misnamed != "":
		if !t.listsWrongly(d) {
			return judge.Misnamed(o.Name(), d.Misnamed)
		}
	case d.Status == http.StatusUnauthorized:
		if !seen.Saw(judge.Fact{What: judge.KeyTaken, Of: d.User}) {
			return fmt.Sprintf("the key credentials.%s was never accepted", d.User)
		}
	case d.Status < http.StatusBadRequest:
		if !t.Test.Lives(o) && serves() {
			gone[o] = true
			return of("is the stranger's: the owner gets 403 for it, but the stranger does not")
		}
	case d.Status == http.StatusUnprocessableEntity:
		if !o.Alive() && serves() && !t.refusedOtherwise(o) {
			return of("has no list: it is answered 422, like a creative that is not a container; name a container")
		}
	case !t.stands(d, gone[o]):
		gone[o] = true
		return of(fmt.Sprintf("does not exist for the %s: every answer was 403 or 404", t.Test.User(o).Name))
	}
	return ""
}

// stands reports whether an object was seen to exist, by any operation, so that a 403 or 404 to its own user is the
// target's fault.
func (t *T) stands(d judge.TentativeFinding, gone bool) bool {
	o := d.Object
	unknown := d.Status == http.StatusNotFound
	switch {
	case unknown && o.Op.Lists() && d.Empty:
		return false // an empty list may be answered 404
	case unknown && o.Op.Lists() && !o.Alive() && t.Test.Lives(o):
		return t.Test.HasFiles(o.Key) // otherwise it may be an empty container, or not a container
	case t.Test.Lives(o), unknown && t.Known().Outcome.Saw(judge.Fact{What: judge.Listed, At: o.Thing()}):
		return true
	}
	return !gone && t.exists(o)
}

// refusedOtherwise reports whether the refusal of a list differs from that of the list of plainCreative, which is not
// a container.
func (t *T) refusedOtherwise(o *judge.Object) bool {
	plain := t.Known().Lookup("plainCreative")
	if plain == "" || t.Ctx.Err() != nil {
		return false
	}
	refusal := func(id spec.ID) string {
		a := t.Ask(judge.Call{Op: o.Op, Path: []string{string(id)}, As: t.Known().Owner()}, judge.Expect{Unlisted: true})
		return strings.ReplaceAll(fmt.Sprint(a.Status, a.Value), string(id), "")
	}
	return refusal(o.ID()) != refusal(plain)
}

// mayAskStranger reports whether requests can be sent as the stranger.
func (t *T) mayAskStranger() bool {
	return t.Known().Target.Credentials.Stranger != "" && t.Ctx.Err() == nil && t.Known().Outcome.KeyStopped(judge.StrangerName) == ""
}

// exists finds out whether an object that was never served to its own user exists: if so, the stranger gets 403 for
// it, and 404 for an unknown id.
func (t *T) exists(o *judge.Object) bool {
	if o.Foreign || !t.mayAskStranger() || !o.ShownToExist() && t.strangerGets(o, o.Path()) != http.StatusForbidden {
		return false
	}
	path := o.Path()
	last := len(path) - 1
	path[last] = string(t.Known().UnknownID(o.Op, last, 0))
	return t.strangerGets(o, path) == http.StatusNotFound
}

// strangerGets returns the status of the stranger's request for a path.
func (t *T) strangerGets(o *judge.Object, path []string) int {
	c := judge.Call{Op: o.Op, Object: o, Path: path, As: t.Known().Stranger()}
	if o.Op.Updates() {
		c.Body = oracle.ObjectBody(t.Ordinary(o, 0))
	}
	return t.Ask(c, judge.Expect{}).Status
}

// listsWrongly reports whether the list is wrong, and not the target file: the run used a file that the list lacks, the
// target file says that there is none, or a file that the list shows belongs elsewhere, perhaps to the stranger.
func (t *T) listsWrongly(d judge.TentativeFinding) bool {
	known, lists, theirs := t.Known(), d.Object.Op, t.Known().Target.Foreign["vastCreative"]
	thing := d.Object.Thing()
	usable := func(id spec.ID) bool {
		return known.Outcome.Saw(judge.Fact{What: judge.Usable, At: judge.Thing{Kind: thing.Kind, ID: id}})
	}
	switch {
	case slices.ContainsFunc(d.Missing, usable), known.Listed(d.Object, d.More...) > 0:
		return true
	case known.NamesElsewhere(d.Object.Key, d.More...), judge.SaysEmpty(known.Target, d.Object.Key):
		return true
	case len(d.More) == 0, theirs == "", !t.mayAskStranger():
		return false
	}
	a := t.Ask(judge.Call{Op: lists, Path: []string{string(theirs)}, As: known.Stranger()}, judge.Expect{})
	p := judge.PageOf(lists, a.Value)
	return a.OK && p != nil && slices.ContainsFunc(p.IDs, func(id spec.ID) bool { return slices.Contains(d.More, id) })
}

// writtenByAnother reports whether another writer explains what was found on an object. The answer is the same
// for all findings on it.
func (t *T) writtenByAnother(d judge.TentativeFinding) bool {
	written, o := t.Session.Shared.written, d.Object
	if _, decided := written[o]; !decided {
		written[o] = true // the cases that recurs runs again may ask for it, too
		written[o] = !t.recurs(d)
	}
	return written[o]
}

// recurs reports whether the text appears again each time that the object is updated and the case is run again.
func (t *T) recurs(d judge.TentativeFinding) bool {
	c := d.Result.Case
	if c.Once || !d.Object.MayWrite() {
		return false
	}
	found := true
	for i := range repeats {
		trial := t.Session.Shared.again(t.Ctx, d.Result, uint64(2*repeats+i)) // repeat uses the first ones
		t.Known().Guard(c.ID, func() { found = found && trial.reappears(d) })
	}
	return found && t.Ctx.Err() == nil
}

// reappears updates an object and reports whether it shows the text again: while it is only read, as often as the
// case sent requests, or after the case has run again. Another text while it is only read is another writer's.
func (t *T) reappears(d judge.TentativeFinding) bool {
	o := d.Object
	listed := len(o.Op.Body.Named(d.Field).Enum) > 0 // any two writers may set the same value
	if !t.Write(o, t.Ordinary(o, 0)).OK {
		return false
	}
	look := func() any {
		t.Read(o)
		now, _ := o.Holds(d.Field)
		return now
	}
	set, _ := o.Holds(d.Field)
	for range max(1, len(d.Result.Exchanges)) {
		if now := look(); now != set {
			return !listed && now == any(d.Text)
		}
	}
	if main := t.Known().Object(o.Op, o.Op.Key()); main != nil && main != o {
		t.Write(main, t.Ordinary(main, 1))
	}
	t.run()
	now := look() // the case may have read the object and updated it again
	return !listed && now == any(d.Text) || slices.ContainsFunc(t.Test.Result.Findings, func(f *judge.Finding) bool {
		return f.Value == any(d.Text)
	})
}
