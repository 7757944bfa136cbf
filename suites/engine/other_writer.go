package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// A text that this run never sent and the target never showed may come from somebody
// else who writes to the same object, and may be the doing of a faulty target. So what
// is found by it is tentative until the end of the run. Then the object is looked at
// while nothing is sent to it, and the case is run again: a target does what it did
// before, and does it in answer to requests.

// unknownText is a text that appeared in a field of an object.
type unknownText struct {
	object *Object
	field  string
	text   string
}

// sharedPart is the length of a piece that a made-up text and a shown one can only
// have in common when one was made of the other.
const sharedPart = 5

// isUnknown says whether an answer shows a plain text that nobody of this run sent,
// whole, in part or in another form, and that the target was not seen to hold.
func (t *Test) isUnknown(f *spec.Field, got any) bool {
	text, ok := got.(string)
	if !ok || strings.TrimSpace(text) == "" || len(f.Enum) > 0 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return false
	}
	for sent := range t.Model.sent {
		if derived(sent, text) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Model.order, func(o *Object) bool { return o.heldEver(text) || o.wasSent(text) })
}

// try notes what is sent for a field.
func (o *Object) try(v any) {
	text, ok := v.(string)
	if !ok {
		text = string(encode(v))
	}
	if len(text) <= maxTried {
		o.tried[text] = true
	}
}

// maxTried bounds the texts that are kept.
const maxTried = 1000

// wasSent says whether the text is one, or a part of one, that was sent to the object.
func (o *Object) wasSent(text string) bool {
	for sent := range o.tried {
		if strings.Contains(sent, text) {
			return true
		}
	}
	return false
}

// derived says whether a text may have been made of one that was sent.
func derived(sent, shown string) bool {
	a, b := oracle.LowerASCII(sent), oracle.LowerASCII(shown)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	for i := 0; i+sharedPart <= len(b); i++ {
		if strings.Contains(a, b[i:i+sharedPart]) {
			return true
		}
	}
	return false
}

// heldEver says whether the target file or an answer gave the text as a value of the
// object.
func (o *Object) heldEver(text string) bool {
	for _, values := range []map[string]any{o.Given, o.original, o.constant, o.last, o.previous, o.firstShown} {
		for _, v := range values {
			if v == any(text) {
				return true
			}
		}
	}
	for _, values := range o.earlier {
		if contains(values, nil, text) {
			return true
		}
	}
	return false
}

// noteUnknown notes an unknown text at its first sight; later the object is known to
// have held it.
func (t *Test) noteUnknown(o *Object, f *spec.Field, got any) {
	if !t.Recorded && t.isUnknown(f, got) {
		o.unknown[got.(string)] = true
	}
}

// mayBeAnothers makes a finding about an unknown text tentative.
func (t *Test) mayBeAnothers(f *Finding, r *Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	if f == nil || !o.unknown[text] {
		return
	}
	r.Doubtful = true
	t.Model.Outcome.doubt(doubt{finding: f, result: r, object: o, unknown: &unknownText{o, field.Name, text}})
}

// writtenByAnother decides whether what was found on an object is another writer's
// doing. All of it is, or nothing.
func (t *T) writtenByAnother(d doubt) bool {
	o := d.unknown.object
	if known, decided := t.Test.Model.Outcome.written[o]; decided {
		return known
	}
	t.Test.Model.Outcome.written[o] = true // nor is it asked again meanwhile
	t.Test.Model.Outcome.written[o] = !t.recurs(d)
	return t.Test.Model.Outcome.written[o]
}

// recurs says whether the text appears each time that the object is set to something
// else and the case run once more.
func (t *T) recurs(d doubt) bool {
	u, c := d.unknown, d.result.Case
	if c.Once || !u.object.MayWrite() {
		return false
	}
	found := true
	for range repeats {
		trial := t.Session.shared.of(d.result).aside(t.Ctx, c, c.ID)
		trial.Fake = fixtures.NewFake(t.Test.Model.Seed+uint64(len(t.Test.Model.Outcome.doubts)), c.ID).Marked(t.Test.Model.mark)
		t.Test.Model.guard(c.ID, func() { found = found && trial.reappears(u, len(d.result.Exchanges)) })
	}
	return found && t.Ctx.Err() == nil
}

// reappears says whether an object that is set anew shows the text again: after the
// requests of the case, or after mere looks at it, which a faulty target may answer so.
// Another text after mere looks is another writer's.
func (t *T) reappears(u *unknownText, looks int) bool {
	o := u.object
	if !t.Write(o, t.Ordinary(o, 0)).OK {
		return false
	}
	set := o.last[u.field]
	for range max(1, looks) {
		t.Read(o)
		if o.last[u.field] != set {
			return o.last[u.field] == any(u.text)
		}
	}
	if main := t.Test.Model.Object(o.Op, o.Op.Key()); main != nil && main != o {
		t.Write(main, t.Ordinary(main, 1))
	}
	t.run()
	t.Read(o)
	return o.last[u.field] == any(u.text)
}

// anothers says what the operator has to know of another writer.
func (s *unknownText) anothers() string {
	return fmt.Sprintf("somebody else writes to %s (%d) during the run: its %s was %s, which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.object.Name(), s.object.ID(), s.field, Show(s.text))
}
