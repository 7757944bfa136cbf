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
	o := d.Object
	isServing := func() bool { return t.Known().Outcome.Saw(judge.Fact{What: judge.Serves, Of: o.Op.ID}) }
	words := ""
	switch {
	case d.Field != "":
		return t.otherWriter(d)
	case d.Misnamed != "":
		if !t.isListWrong(d) {
			return judge.Misnamed(o.Name(), d.Misnamed)
		}
	case d.Status == http.StatusUnauthorized:
		if !t.Known().Outcome.Saw(judge.Fact{What: judge.KeyTaken, Of: d.User}) {
			return fmt.Sprintf("the key credentials.%s was never accepted", d.User)
		}
	case o == nil: // nothing but the key may be mistaken
	case d.Status < http.StatusBadRequest:
		if !t.Test.Lives(o) && isServing() {
			gone[o] = true
			words = "is the stranger's: the owner gets 403 for it, but the stranger does not"
		}
	case d.Status == http.StatusUnprocessableEntity:
		if !o.Alive() && isServing() && t.isRefusedAsPlain(o) {
			words = "has no list: it is answered 422, like a creative that is not a container; name a container"
		}
	case !t.isSeen(d, gone[o]):
		gone[o] = true
		words = fmt.Sprintf("does not exist for the %s: every answer was 403 or 404", t.Test.User(o).Name)
	}
	if words == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s) %s", o.Name(), strings.Join(o.Path(), "/"), words)
}

// otherWriter says that another writer explains a tentative finding, or returns "".
func (t *T) otherWriter(d judge.TentativeFinding) string {
	if !t.isWrittenByAnother(d) {
		return ""
	}
	text := oracle.Show(t.Known().Presentable(d.Text)) // before Show shortens it, or part of a key may be left
	reason := fmt.Sprintf("somebody else writes to %s during the run: "+
		"its %s was %s, which this run did not set; run while nobody else uses it, or name another",
		d.Object.Named(), d.Field, text)
	isListed := len(d.Object.Op.Body.Named(d.Field).Enum) > 0
	if isListed { // no text would show their other writes
		t.Known().Outcome.NoteWriter(reason)
	}
	return reason
}

// isSeen reports whether an object was seen to exist, by any operation, so that a 403 or 404 to its own user is the
// target's fault.
func (t *T) isSeen(d judge.TentativeFinding, isGone bool) bool {
	o := d.Object
	isServed := t.Test.Lives(o)
	if d.Status == http.StatusNotFound {
		switch isList := o.Op.Lists(); {
		case isList && d.Empty:
			return false // an empty list may be answered 404
		case isList && isServed && !o.Alive():
			return t.Test.HasFiles(o.Key) // otherwise it may be an empty container, or not a container
		case t.Known().Outcome.Saw(judge.Fact{What: judge.Listed, At: o.Thing()}):
			return true
		}
	}
	if isServed || isGone {
		return isServed
	}
	return t.isThere(o)
}

// isRefusedAsPlain reports whether a list is refused like the list of plainCreative, which is not a container, as far
// as that can be asked for.
func (t *T) isRefusedAsPlain(o *judge.Object) bool {
	plain := t.Known().Lookup("plainCreative")
	if plain == "" || t.Ctx.Err() != nil {
		return true
	}
	refusal := func(id spec.ID) string {
		call := judge.Call{Op: o.Op, Path: []string{string(id)}, As: t.Known().Owner()}
		a := t.Ask(call, judge.Expect{Unlisted: true})
		text := fmt.Sprint(a.Status, a.Value)
		return strings.ReplaceAll(text, string(id), "")
	}
	return refusal(o.ID()) == refusal(plain)
}

// mayAskStranger reports whether requests can be sent as the stranger.
func (t *T) mayAskStranger() bool {
	if t.Known().Target.Credentials.Stranger == "" || t.Ctx.Err() != nil {
		return false
	}
	return t.Known().Outcome.KeyStopped(judge.StrangerName) == ""
}

// isThere finds out whether an object that was never served to its own user exists: if so, the stranger gets 403 for
// it, and 404 for an unknown id.
func (t *T) isThere(o *judge.Object) bool {
	if o.Foreign || !t.mayAskStranger() {
		return false
	}
	if !o.ShownToExist() && t.strangerGets(o, o.Path()) != http.StatusForbidden {
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

// isListWrong reports whether the list is wrong, and not the target file: the run used a file that the list lacks, the
// target file says that there is none, or a file that the list shows belongs elsewhere, perhaps to the stranger.
func (t *T) isListWrong(d judge.TentativeFinding) bool {
	known := t.Known()
	isUsable := func(id spec.ID) bool {
		file := judge.Thing{Kind: d.Object.Thing().Kind, ID: id}
		return known.Outcome.Saw(judge.Fact{What: judge.Usable, At: file})
	}
	key := d.Object.Key
	switch {
	case slices.ContainsFunc(d.Missing, isUsable), known.Listed(d.Object, d.More...):
		return true
	case known.NamesElsewhere(key, d.More...), judge.SaysEmpty(known.Target, key):
		return true
	}
	return len(d.More) > 0 && t.isStrangers(d.Object.Op, d.More)
}

// isStrangers reports whether the list of the stranger's container shows any of these files.
func (t *T) isStrangers(lists *spec.Operation, files []spec.ID) bool {
	theirs := t.Known().Target.Foreign["vastCreative"]
	if theirs == "" || !t.mayAskStranger() {
		return false
	}
	call := judge.Call{Op: lists, Path: []string{string(theirs)}, As: t.Known().Stranger()}
	a := t.Ask(call, judge.Expect{})
	p := judge.PageOf(lists, a.Value)
	if !a.OK || p == nil {
		return false
	}
	return slices.ContainsFunc(p.IDs, func(id spec.ID) bool { return slices.Contains(files, id) })
}

// isWrittenByAnother reports whether another writer explains what was found on an object. The answer is the same
// for all findings on it.
func (t *T) isWrittenByAnother(d judge.TentativeFinding) bool {
	written := t.Session.Shared.written
	o := d.Object
	if _, isDecided := written[o]; !isDecided {
		written[o] = true // the cases that run again may ask for it, too
		written[o] = !t.isSteady(d)
	}
	return written[o]
}

// isSteady reports whether the text appears again each time that the object is updated and the case is run again.
func (t *T) isSteady(d judge.TentativeFinding) bool {
	c := d.Result.Case
	if c.Once || !d.Object.MayWrite() {
		return false
	}
	isSteady := true
	for i := range repeats {
		round := uint64(2*repeats + i) // repeat uses the first ones
		trial := t.Session.Shared.beginAgain(t.Ctx, d.Result, round)
		t.Known().Guard(c.ID, func() { isSteady = isSteady && trial.isShownAgain(d) })
	}
	return isSteady && t.Ctx.Err() == nil
}

// isShownAgain updates an object and reports whether it shows the text again: while it is only read, as often as the
// case sent requests, or after the case has run again. Another text while it is only read is another writer's.
func (t *T) isShownAgain(d judge.TentativeFinding) bool {
	o := d.Object
	if !t.Write(o, t.Ordinary(o, 0)).OK {
		return false
	}
	isListed := len(o.Op.Body.Named(d.Field).Enum) > 0 // any two writers may set the same value
	isText := func(shown any) bool { return !isListed && shown == any(d.Text) }
	read := func() any {
		t.Read(o)
		shown, _ := o.Holds(d.Field)
		return shown
	}
	set, _ := o.Holds(d.Field)
	for range max(1, len(d.Result.Exchanges)) {
		if shown := read(); shown != set {
			return isText(shown)
		}
	}
	main := t.Known().Object(o.Op, o.Op.Key())
	if main != nil && main != o {
		t.Write(main, t.Ordinary(main, 1))
	}
	t.run()
	if isText(read()) { // the case may have read the object and updated it again
		return true
	}
	isOfText := func(f *judge.Finding) bool { return f.Value == any(d.Text) }
	return slices.ContainsFunc(t.Test.Result.Findings, isOfText)
}
